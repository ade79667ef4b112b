/* folder.c: where data lies that is not compiled in. */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include "cli.h"
#include <string.h>
#include <unistd.h>

const char *po_cli_folder(char out[512], const char *here, const char *installed) {
  char self[400];
  ssize_t n;
  char *slash;
  int i;
  po_format(out, 512, "%s", here);
  if (access(out, R_OK) == 0) return out;
  n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return NULL;
  self[n] = '\0';
  if ((slash = strrchr(self, '/')) == NULL) return NULL;
  *slash = '\0';
  for (i = 0; i < 2; i++) {
    if (i) po_format(out, 512, "%s/%s", self, installed);
    else po_format(out, 512, "%s/../%s", self, here);
    if (access(out, R_OK) == 0) return out;
  }
  return NULL;
}
