/* 11_record: one's own world on a page: a ball knocks a stack over, with a curve of one's own; open the page in a browser. */
#include "poise.h"
#include <stdio.h>

enum { BOXES = 4 };

int main(int argc, char **argv) {
  const char *page = argc > 1 ? argv[1] : "11_record.html";
  po_thing box = {"box", PO_BOX, {0.2, 0.2, 0.2}, 10}, ball = {"ball", PO_SPHERE, {0.15}, 20};
  const po_model *box_model = NULL, *ball_model = NULL;
  po_world *world = NULL;
  po_record *film = NULL;
  po_error err = {0};
  int i, top, ok = po_thing_model(&box_model, &box, &err) == PO_OK && po_thing_model(&ball_model, &ball, &err) == PO_OK && po_world_new(&world, NULL) == PO_OK;
  for (i = 0; ok && i < BOXES; i++) {
    ok = po_world_add(NULL, world, box_model) == PO_OK;
    if (ok) po_world_q(world, i)[6] = 0.2 + 0.4 * i; /* q: quaternion, then position */
  }
  ok = ok && po_world_add(NULL, world, ball_model) == PO_OK;
  if (ok) {
    double *q = po_world_q(world, BOXES), *v = po_world_v(world, BOXES);
    q[4] = -2, q[6] = 0.9; /* 2 m behind the stack, */
    v[3] = 6, v[5] = 2;    /* thrown at it */
  }
  ok = ok && po_record_new(&film, world, NULL, &err) == PO_OK && po_record_curve(&top, film, "top_of_the_stack", "m", &err) == PO_OK;
  if (ok) {
    po_record_about about = {0};
    about.title = "a ball and a stack";
    po_record_describe(film, &about);
  }
  for (i = 0; ok && i < 3000; i++) {
    ok = po_world_step(world, 0.001) == PO_OK;
    po_record_set(film, top, po_world_q(world, BOXES - 1)[6]);
    po_record_frame(film);
  }
  ok = ok && po_record_write(film, page, &err) == PO_OK;
  if (ok) printf("the uppermost box ends %.2f m above the ground: %s\n", po_world_q(world, BOXES - 1)[6], page);
  else printf("%s\n", err.message);
  po_record_free(film);
  po_world_free(world);
  po_model_free(box_model);
  po_model_free(ball_model);
  return ok ? 0 : 1;
}
