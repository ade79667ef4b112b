/* bodies.h (room-internal): small helpers with which the built-in bodies are written down. */
#ifndef PO_RBD_BODIES_H
#define PO_RBD_BODIES_H

#include "builder.h"

/* A builder whose first error sticks, so that a body can be written as a list. */
typedef struct po_maker {
  po_builder *b;
  po_error *err;
  po_status status;
  size_t used;
  char text[8192]; /* the names that po_part and po_maker_name made */
} po_maker;
void po_maker_begin(po_maker *m, const char *body, po_error *err);
/* Both texts as one, which lives as long as the maker. */
const char *po_maker_name(po_maker *m, const char *first, const char *second);
/* The same for a side: "thigh" and "l" make "thigh_l". */
const char *po_part(po_maker *m, const char *part, const char *side);

/* ---- joints ---- */
po_joint po_maker_hinge(const char *name, po_vec3 at, po_vec3 axis, double lower, double upper, double effort);
po_joint po_maker_two(const char *name, po_vec3 at, po_vec3 axis, po_vec3 axis2, const double lower[2], const double upper[2],
                      const double effort[2]);
po_joint po_maker_ball(const char *name, po_vec3 at, const double lower[3], const double upper[3], const double effort[3]);
/* Turned by `pitch` about y (positive: −z goes towards −x). */
void po_maker_pitch(po_joint *joint, double pitch);

/* ---- parts ---- */
void po_maker_link(po_maker *m, const char *link, const char *parent, po_joint joint, po_inertia inertia);
void po_maker_box(po_maker *m, const char *link, po_vec3 centre, po_vec3 half);
void po_maker_sphere(po_maker *m, const char *link, po_vec3 centre, double radius);
/* A capsule whose ends touch both points. */
void po_maker_capsule(po_maker *m, const char *link, po_vec3 from, po_vec3 to, double radius);
void po_maker_frame(po_maker *m, const char *frame, const char *link, po_vec3 at);
/* The frame PART_SIDE_NUMBER, such as sole_l_0. */
void po_maker_corner(po_maker *m, const char *part, const char *side, int number, const char *link, po_vec3 at);
/* Box foot: a shape, its four bottom corners as sole_SIDE_0…3, heel_SIDE and toe_SIDE between them. */
void po_maker_sole(po_maker *m, const char *link, const char *side, po_vec3 centre, po_vec3 half);

/* ---- masses ---- */
po_inertia po_solid_at(po_inertia solid, po_vec3 centre);
/* A uniform cylinder between two points. */
po_inertia po_solid_rod(double mass, double radius, po_vec3 from, po_vec3 to);
po_inertia po_solid_sum(po_inertia a, po_inertia b);

/* A leg of two straight bones with the ankle right below the hip but for `ahead` (hip in front of the ankle): how far the thigh is
 * swung forward, the shank leant forward, and how high the hip is over the ankle, when the knee is bent by `bend`. */
typedef struct po_leg_rest {
  double thigh, shank, height;
} po_leg_rest;
po_leg_rest po_leg_at_rest(double thigh, double shank, double bend, double ahead);

/* ---- the bodies (bodies_people.c, bodies_beast.c, bodies_bird.c, bodies_walker.c) ---- */
void po_make_human(po_maker *m);
void po_make_child(po_maker *m);
void po_make_lopsided(po_maker *m);
void po_make_giant(po_maker *m);
void po_make_gymnast(po_maker *m);
void po_make_ostrich(po_maker *m);
void po_make_dinosaur(po_maker *m);
void po_make_bird(po_maker *m);
void po_make_bird2(po_maker *m);
void po_make_raptor(po_maker *m);
void po_make_biped7(po_maker *m);
void po_make_biped34(po_maker *m);
void po_make_biped37(po_maker *m);
void po_make_beast1(po_maker *m);
void po_make_beast2(po_maker *m);

#endif
