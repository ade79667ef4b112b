/* skill_course.c: walking where the ground is not level: footholds and swings by gbwc_path.c, bows below bars by their distance; stops where it is told. */
#include "skill_internal.h"

#define COURSE_BRAKE 0.35        /* m before the end at which it is asked to stop, for the leg of 0.86 m */

#define COURSE_SPOT 1.5          /* s: who carries something steps on the spot before it stands: more swings on than two feet can hold */

enum { COURSE_WALK, COURSE_STOP, COURSE_STAND };
static const char *const course_move_state[] = {"walk", "stop", "stand"};

void po_skill_walk(po_skill *k, double speed, double dt) {
  k->walk->params.speed = speed;
  po_skill_tread(k, speed * k->walk->time_scale);
  po_skill_pose(k, po_skill_bar(k), dt);
}

void po_skill_halt(po_skill *k) {
  if (k->task.thing.there > 0 && k->now.state_time < COURSE_SPOT * k->walk->time_scale) k->walk->params.speed = 0;
  else po_skill_stop(k);
}

static void course_move_script(po_skill *k, const po_sense *sense) {
  if (k->task.thing.there > 0) { /* a crate in its hands from the beginning */
    k->task.close[0] = k->task.close[1] = 1;
    po_skill_hold(k, sense->dt);
  }
  double at = po_skill_ahead(k, k->move.actor->data->com);
  po_skill_walk(k, k->params.speed, sense->dt);
  if (k->now.state == COURSE_WALK && k->task.goal.stop > 0 && at > k->task.goal.stop - COURSE_BRAKE * k->walk->length) po_skill_go(k, COURSE_STOP);
  if (k->now.state == COURSE_STOP) po_skill_halt(k);
  if (k->now.state == COURSE_STAND) po_skill_stop(k);
  if (k->now.state == COURSE_STOP && po_skill_stands(k)) po_skill_go(k, COURSE_STAND);
  else if (k->now.state == COURSE_STAND && !po_skill_stands(k)) po_skill_go(k, COURSE_STOP);
}

const po_skill_kind po_skill_course = {course_move_state, course_move_script, 0};
