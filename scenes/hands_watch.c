/* hands_watch.c: when hands and feet come down and leave. */
#include "hands_watch.h"
#include <string.h>

#define HANDS_UPSIDE_DOWN 0.866 /* cosine: the trunk within 30 degrees of head down */

void hands_begin(hands_watch *h) {
  int i;
  memset(h, 0, sizeof *h);
  for (i = 0; i < PO_PATCHES; i++) h->at[i] = h->off[i] = -1;
  h->passed[0] = h->passed[1] = -1;
}

static int hands_patch_of(const po_patches *s, int body) {
  int i, k;
  for (i = 0; i < PO_PATCHES; i++)
    for (k = 0; k < s->patch[i].points; k++)
      if (s->patch[i].body == body || s->patch[i].point_body[k] == body) return i;
  return -1;
}

/* Angle between the lines from hips to ankles. */
static double hands_straddle(const po_legs *l, const po_data *d) {
  po_vec3 a, b;
  if (l->thigh[0] < 0 || l->thigh[1] < 0 || l->foot[0] < 0 || l->foot[1] < 0) return 0;
  a = po_v3_sub(d->pose[l->foot[0]].p, d->pose[l->thigh[0]].p);
  b = po_v3_sub(d->pose[l->foot[1]].p, d->pose[l->thigh[1]].p);
  return po_v3_angle(a, b);
}

static void hands_touches(hands_watch *h, const po_run *r, const po_patches *s, const po_data *d) {
  int i, n;
  const po_contact *c = po_world_contacts(&n, r->world);
  memset(h->pressing, 0, sizeof h->pressing);
  for (i = 0; i < n; i++) {
    int patch = c[i].a == 0 && c[i].b < 0 && po_v3_dot(c[i].impulse, c[i].normal) > 0 ? hands_patch_of(s, c[i].body_a) : -1;
    if (patch >= 0) h->pressing[patch] = 1;
  }
  for (i = 0; i < PO_PATCHES; i++) {
    int counts = i >= PO_HAND_L || (h->left[i] && h->over);
    if (i < PO_HAND_L && !h->pressing[i]) h->left[i] = 1;
    if (!h->pressing[i]) continue;
    h->off[i] = r->time;
    if (h->at[i] >= 0 || !counts) continue;
    h->at[i] = r->time;
    if (i >= PO_HAND_L && h->at[PO_HAND_L] >= 0 && h->at[PO_HAND_R] >= 0) {
      po_vec3 gap = po_v3_sub(po_patches_centroid(s, d, PO_PATCH_BIT(PO_HAND_L)), po_patches_centroid(s, d, PO_PATCH_BIT(PO_HAND_R)));
      h->apart = sqrt(gap.x * gap.x + gap.y * gap.y);
    }
  }
}

void hands_observe(hands_watch *h, const turn_watch *w, po_run *r, double from, double to) {
  const po_actor *a = po_run_move(r, 0)->actor;
  const po_data *d = po_world_data(r->world, 0);
  double turned = turn_rotation(w);
  po_vec3 u = po_v3_unit(po_v3_sub(po_point_position(d, w->phase.neck, w->phase.neck_point), d->pose[w->phase.pelvis].p));
  int down = u.z < -HANDS_UPSIDE_DOWN;
  hands_touches(h, r, &a->patches, d);
  if (down) h->over = 1;
  if (down && !h->pressing[PO_FOOT_L] && !h->pressing[PO_FOOT_R]) h->straddle = po_max(h->straddle, hands_straddle(&a->legs, d));
  if (h->passed[0] < 0 && turned >= from) h->passed[0] = r->time;
  if (h->passed[1] < 0 && turned >= to) h->passed[1] = r->time;
  if (h->at[PO_FOOT_L] >= 0 && h->at[PO_FOOT_R] >= 0) return;
  h->in_air = w->in_air ? h->in_air + r->opts.dt : 0;
  h->air = po_max(h->air, h->in_air);
}

void hands_set_time(po_run *r, const char *name, double time) { po_run_set_result(r, name, time >= 0 ? time : PO_NAN); }
