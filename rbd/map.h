/* map.h: what a robot's parts are: legs, soles, knees, trunk, arms, found from joints and shapes, or given.
 *
 *   finding   po_map_propose  po_map_free  po_map_is_known  po_map_words
 *   files     po_map_write  po_map_read
 *   use       po_map_apply  po_model_load_mapped
 *
 * Controllers know a body's parts by our names (thigh_l, sole_r_2, …: docs/models.md). A body that has them needs no map. Of any other, a map says which link
 * is which; po_map_apply makes the same robot once more, called by our names, its axes along the world's and zero at its rest pose. docs/my-robot.md
 * tells how parts are found.
 */
#ifndef PO_MAP_H
#define PO_MAP_H

#include "rbd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sides: left is even, right is odd. */
typedef enum po_part_role {
  PO_ROLE_PELVIS,
  PO_ROLE_ABDOMEN,
  PO_ROLE_THORAX,
  PO_ROLE_HEAD,
  PO_ROLE_THIGH_L,
  PO_ROLE_THIGH_R,
  PO_ROLE_SHANK_L,
  PO_ROLE_SHANK_R,
  PO_ROLE_FOOT_L,
  PO_ROLE_FOOT_R,
  PO_ROLE_UPPER_ARM_L,
  PO_ROLE_UPPER_ARM_R,
  PO_ROLE_FOREARM_L,
  PO_ROLE_FOREARM_R,
  PO_ROLE_HAND_L, /* a frame of our bodies; the link where an arm ends */
  PO_ROLE_HAND_R,
  PO_ROLES
} po_part_role;
extern const char *const po_role_names[PO_ROLES]; /* "pelvis" "abdomen" … */

typedef struct po_map {
  const po_model *model;    /* that it is of; must outlive it */
  int body[PO_ROLES];       /* −1: it has none */
  int hip[2], ankle[2];     /* the joints (bodies) that turn most about the lateral axis before and after the knee */
  po_vec3 forward, up;      /* unit, in the axes of the world when the model is at zero */
  po_vec3 corner[2][4];     /* of the soles, in the foot's axes: back-left, back-right, front-right, front-left */
  po_vec3 hand[2], neck;    /* where a hand is, in its link's axes; the neck's base, in the thorax's */
  int bent[2];              /* +1 or −1: the sense in which the knee's joint bends */
  double bend;              /* of the knees at rest, rad */
  double *rest;             /* [nq] the rest pose, base included */
  double height;            /* from the lowest to the highest joint at zero */
  int feet;                 /* tips that stand on the ground at zero: two of a biped, four of a quadruped */
  int made_up;              /* 1: feet have no shape of their own: their soles are guessed from the leg's length, and a box is put there */
  int given;                /* 1: by a file */
} po_map;

/* Looks at joints and shapes. PO_ERR_MODEL with a sentence when no two legs are found; the sentence says what was. To be freed with po_map_free. */
po_status po_map_propose(po_map **map, const po_model *model, po_error *err);
void po_map_free(po_map *map);
/* Whether the body has our names already. */
int po_map_is_known(const po_model *model);
/* What was found and what not, in words, a line each. */
void po_map_words(po_buffer *out, const po_map *map);

/* A map as JSON, with names of links and joints; what a file does not say keeps what was proposed. */
po_status po_map_write(po_buffer *out, const po_map *map);
po_status po_map_read(po_map **map, const po_model *model, const char *text, size_t size, const char *file, po_error *err);

/* The same robot with our names, frames and rest pose. Its links' own names are frames. */
po_status po_map_apply(const po_model **mapped, const po_map *map, po_error *err);

/* po_model_load, then a map of the file `map` (NULL: one that is proposed) unless the body has our names. note (may be NULL) gets a line that says what was
 * done; it stays empty when nothing was. Without two legs the model stays as it was read, and the note says why. */
po_status po_model_load_mapped(const po_model **model, const char *name, const char *map, const po_urdf_opts *opts, po_buffer *note, po_error *err);

#ifdef __cplusplus
}
#endif
#endif
