/* Whole files: what goes in comes out, and what goes wrong says so. */
#define _POSIX_C_SOURCE 200809L
#include "base_helpers.h"

#include <unistd.h>

static char path[128];

void setUp(void) {
  const char *folder = getenv("TMPDIR");
  static int count;
  snprintf(path, sizeof path, "%s/poise_test_file_%ld_%d", folder && *folder && strlen(folder) < 60 ? folder : "/tmp",
           (long)getpid(), count++);
}
void tearDown(void) {
  po_set_allocator(NULL, NULL);
  remove(path);
}

static void test_round_trip(void) {
  static char text[100000];
  const size_t sizes[] = {0, 1, 16383, 16384, 16385, 40000, 100000};
  for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(i * 7 + i / 256);
  for (int k = 0; k < 7; k++) {
    char *data = NULL;
    size_t size = 1;
    po_error err;
    TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(path, text, sizes[k], &err));
    TEST_ASSERT_EQUAL_INT(PO_OK, po_read_file(&data, &size, path, 0, &err));
    TEST_ASSERT_EQUAL_size_t(sizes[k], size);
    TEST_ASSERT_TRUE(memcmp(data, text, size) == 0 && data[size] == '\0');
    po_free(data);
  }
}

static void test_limit(void) {
  char *data = NULL;
  size_t size = 0;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(path, "0123456789", 10, &err));
  for (size_t limit = 1; limit <= 12; limit++) {
    data = NULL;
    po_status status = po_read_file(&data, &size, path, limit, &err);
    TEST_ASSERT_EQUAL_INT(limit < 10 ? PO_ERR_SIZE : PO_OK, status);
    TEST_ASSERT_TRUE((data != NULL) == (limit >= 10));
    if (status) TEST_ASSERT_TRUE(strstr(err.message, path) && strcmp(err.file, path) == 0);
    po_free(data);
  }
  TEST_ASSERT_EQUAL_INT(PO_OK, po_read_file(&data, &size, path, SIZE_MAX, &err));
  po_free(data);
}

static void test_what_goes_wrong_is_named(void) {
  char *data = (char *)path;
  size_t size = 77;
  po_error err;
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_read_file(&data, &size, "/no/such/file", 0, &err));
  TEST_ASSERT_EQUAL_STRING("cannot open '/no/such/file': no such file or directory", err.message);
  TEST_ASSERT_EQUAL_STRING("/no/such/file", err.file);
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_read_file(&data, &size, "/", 0, &err));
  TEST_ASSERT_EQUAL_STRING("cannot read '/': it is a directory", err.message);
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_write_file("/no/such/folder/x", "a", 1, &err));
  TEST_ASSERT_EQUAL_STRING("cannot create '/no/such/folder/x': no such file or directory", err.message);
  TEST_ASSERT_TRUE(data == (char *)path && size == 77); /* untouched */
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_read_file(&data, &size, "/no/such/file", 0, NULL));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_read_file(NULL, &size, path, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_read_file(&data, NULL, path, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_read_file(&data, &size, NULL, 0, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_write_file(NULL, "a", 1, &err));
  TEST_ASSERT_EQUAL_INT(PO_ERR_NULL, po_write_file(path, NULL, 1, &err));
}

static void test_full_disk(void) {
  po_error err;
  FILE *full = fopen("/dev/full", "wb");
  if (!full) TEST_IGNORE_MESSAGE("there is no /dev/full");
  fclose(full);
  TEST_ASSERT_EQUAL_INT(PO_ERR_FILE, po_write_file("/dev/full", "a", 1, &err));
  TEST_ASSERT_EQUAL_STRING("cannot write '/dev/full': no space left", err.message);
}

static po_status read_it(void *context) {
  char *data = NULL;
  size_t size;
  po_error err;
  po_status status = po_read_file(&data, &size, context, 0, &err);
  if (status) TEST_ASSERT_TRUE(data == NULL && err.status == status);
  po_free(data);
  return status;
}

static void test_running_out_of_memory(void) {
  static char text[100000];
  TEST_ASSERT_EQUAL_INT(PO_OK, po_write_file(path, text, sizeof text, NULL));
  TEST_ASSERT_GREATER_THAN_INT(2, failing_sweep(read_it, path));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_round_trip);
  RUN_TEST(test_limit);
  RUN_TEST(test_what_goes_wrong_is_named);
  RUN_TEST(test_full_disk);
  RUN_TEST(test_running_out_of_memory);
  return UNITY_END() != 0;
}
