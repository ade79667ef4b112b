/* retarget.h (room-internal): the parts that a captured skeleton and a body have in common. */
#ifndef PO_MOTION_RETARGET_H
#define PO_MOTION_RETARGET_H

#include "motion.h"

typedef enum po_retarget_part { /* of those with a side, the right one follows the left */
                                PO_PART_PELVIS,
                                PO_PART_ABDOMEN,
                                PO_PART_THORAX,
                                PO_PART_HEAD,
                                PO_PART_THIGH,
                                PO_PART_SHANK = PO_PART_THIGH + 2,
                                PO_PART_FOOT = PO_PART_SHANK + 2,
                                PO_PART_TOES = PO_PART_FOOT + 2,
                                PO_PART_UPPER_ARM = PO_PART_TOES + 2,
                                PO_PART_FOREARM = PO_PART_UPPER_ARM + 2,
                                PO_PART_HAND = PO_PART_FOREARM + 2,
                                PO_PARTS = PO_PART_HAND + 2
} po_retarget_part;

extern const char *const po_retarget_links[PO_PARTS]; /* what a body calls them; hand_… is a frame */

typedef struct po_retarget_map {
  int joint[PO_PARTS]; /* of the file; −1: it has none */
  int tip[PO_PARTS];   /* the joint or End Site where the part's bone ends, or −1 */
  po_mat3 axes;        /* file axes to ours: x forward, y left, z up */
} po_retarget_map;

/* PO_ERR_NAME when a leg is missing. rest: po_bvh_pose of frame −1. */
po_status po_retarget_recognize(po_retarget_map *map, const po_bvh *bvh, const po_pose *rest, const char *file, po_error *err);

#endif
