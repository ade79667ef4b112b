/* nearest.c: "did you mean": the name with the smallest edit distance. */
#include "base/base.h"

#include <string.h>

enum { NEAREST_LENGTH = 63 };

static int nearest_lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

/* Insertions, deletions, replacements and swaps of neighbours, one each; '-' and '_' are the same. Case counts nothing. */
static int nearest_distance(const char *a, int n, const char *b, int m) {
  int rows[3][NEAREST_LENGTH + 2];
  for (int j = 0; j <= m; j++) rows[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = rows[i % 3], *before = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int x = nearest_lower(a[i - 1]), y = nearest_lower(b[j - 1]);
      int same = x == y || ((x == '-' || x == '_') && (y == '-' || y == '_'));
      int best = before[j - 1] + !same;
      if (before[j] + 1 < best) best = before[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && x == nearest_lower(b[j - 2]) && y == nearest_lower(a[i - 2]) && twice[j - 2] + 1 < best)
        best = twice[j - 2] + 1;
      now[j] = best;
    }
  }
  return rows[n % 3][m];
}

/* Near: edits for at most a third of the longer length, or one in two letters. The first of equals. */
const char *po_nearest(const char *word, const char *const *names, int count) {
  if (!word || !names) return NULL;
  size_t n = strlen(word);
  const char *nearest = NULL;
  int best = NEAREST_LENGTH;
  if (n == 0 || n > NEAREST_LENGTH) return NULL;
  for (int i = 0; i < count; i++) {
    if (!names[i]) continue;
    size_t m = strlen(names[i]);
    if (m == 0 || m > NEAREST_LENGTH) continue;
    int distance = nearest_distance(word, (int)n, names[i], (int)m), longer = (int)(n > m ? n : m);
    int limit = longer < 3 ? longer - 1 : longer / 3; /* of a single letter nothing would be left */
    if (distance <= limit && distance < best) {
      best = distance;
      nearest = names[i];
    }
  }
  return nearest;
}
