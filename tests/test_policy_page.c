/* test_policy_page.c: the page of a policy of two states, made by hand: whole, with its data, and no name that could end the script. */
#include "ctrl/learn/learn_internal.h"
#include "unity.h"
#include "view/view.h"
#include <string.h>

void setUp(void) {}
void tearDown(void) {}

static const char actions_text[] =
    "{\"name\": \"two\", \"body\": \"bird\", \"eps_trust\": 2, \"eps_new\": 0.5, \"metric\": {\"velocity\": 1, \"joints\": {}},"
    " \"actions\": {\"walk</script>\": {\"gait\": \"walk\"}, \"left\": {\"gait\": \"walk\", \"turn_deg\": 10}, \"right\": {\"mirror\": \"left\"}}}";

/* Two states: from each, every action leads to the other. */
static po_exploration *page_explored(const po_model *bird, const po_actions *actions) {
  po_exploration *x;
  po_tried t[3];
  double q[3 * 64], v[3 * 64];
  po_error err;
  int s, a;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_explore_empty(&x, bird, actions, NULL, &err), err.message);
  po_neutral(x->q, bird);
  memset(x->v, 0, sizeof(double) * (size_t)bird->nv);
  po_metric_features(x->feature, &x->metric, x->q, x->v);
  x->states = x->trusted = 1;
  for (s = 0; s < 2; s++) {
    memset(t, 0, sizeof t);
    for (a = 0; a < 3; a++) {
      t[a].state = s;
      t[a].action = a;
      t[a].end = PO_TRIED_UNTRUSTED;
      t[a].seconds = 0.4;
      po_neutral(q + a * bird->nq, bird);
      memset(v + a * bird->nv, 0, sizeof(double) * (size_t)bird->nv);
      v[a * bird->nv + 3] = s ? 0 : 1;
    }
    po_explore_take(x, t, q, v);
  }
  TEST_ASSERT_EQUAL_INT(2, x->expanded);
  return x;
}

static void test_a_page_is_whole(void) {
  const po_model *bird;
  po_actions actions;
  po_exploration *x;
  po_fvi_problem problem;
  po_task_reward reward;
  po_fvi_step *steps;
  po_fvi *fvi;
  po_policy_page page;
  po_buffer out = {0};
  po_error err;
  int count;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_actions_parse(&actions, actions_text, strlen(actions_text), "two", &err), err.message);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_body_model(&bird, "bird", &err));
  x = page_explored(bird, &actions);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_explore_steps(&steps, &count, x, 0));
  memset(&problem, 0, sizeof problem);
  TEST_ASSERT_EQUAL_INT(PO_OK, po_task_make(&problem.task, PO_TASK_POINT, (const int[]){3, 3}, 1));
  reward = po_task_reward_of(x, &problem.task);
  problem.states = 2;
  problem.steps = count;
  problem.step = steps;
  problem.reward = po_task_reward_at;
  problem.user = &reward;
  TEST_ASSERT_EQUAL_INT_MESSAGE(PO_OK, po_fvi_new(&fvi, &problem, NULL, &err), err.message);
  po_fvi_sweep(fvi);
  po_policy_page_begin(&page, x);
  po_policy_page_task(&page, fvi);
  po_policy_page_end(&out, &page);
  po_buffer_add(&out, "", 1);
  TEST_ASSERT_FALSE(out.failed);
  TEST_ASSERT_NOT_NULL(strstr(out.data, "\"parent\":[-1,0]"));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "\"viable\":[3,3]"));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "\"name\":\"point\""));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "walk\\u003c/script>"));
  TEST_ASSERT_NULL(strstr(out.data, "walk</script>"));
  TEST_ASSERT_NOT_NULL(strstr(out.data, "</html>"));
  po_buffer_free(&out);
  po_fvi_free(fvi);
  po_free(steps);
  po_explore_free(x);
  po_model_free(bird);
}

static void test_mirror_images_are_found(void) {
  po_actions actions;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_actions_parse(&actions, actions_text, strlen(actions_text), "two", &err));
  TEST_ASSERT_EQUAL_INT(0, po_actions_mirror(&actions, 0));
  TEST_ASSERT_EQUAL_INT(2, po_actions_mirror(&actions, 1));
  TEST_ASSERT_EQUAL_INT(1, po_actions_mirror(&actions, 2));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_a_page_is_whole);
  RUN_TEST(test_mirror_images_are_found);
  return UNITY_END() != 0;
}
