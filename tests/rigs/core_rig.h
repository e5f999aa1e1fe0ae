/*
 * core_rig.h: what the tests of core share: a folder of one's own, files in it, random numbers that are the same in
 * every run, and index files whose damage the checksums do not show. Every helper fails the test when something goes
 * wrong.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/dir.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A test that runs in an empty folder, removed afterwards. */
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
int enter_folder(void **state);
int leave_folder(void **state);

/* Fails the test with the message of err unless status is BS_OK. */
void expect_ok(enum bs_status status, const struct bs_error *err);
/* The same for a call that is given failure for its message. */
#define OK(call) expect_ok(call, &failure)
extern struct bs_error failure;
/* Fails the test unless status is the wanted one and err says something about it. */
void expect_status(enum bs_status status, enum bs_status wanted, const struct bs_error *err);

/* xorshift64: any state but 0. */
uint64_t next_random(uint64_t *state);
uint64_t random_below(uint64_t *state, uint64_t bound);

/* The directory, opened; stays good while the folder of the test does. */
struct bs_dir *dir_at(const char *path);

void write_bytes(const char *path, const void *bytes, size_t n_bytes);
void write_text(const char *path, const char *text);
/* Appends the file to the buffer. */
void read_bytes(const char *path, struct bs_buffer *bytes);
bool file_exists(const char *path);

/* Bytes that one file of this process may grow to; RLIM_INFINITY: as before. Writing more fails with EFBIG. */
void limit_file_bytes(uint64_t n_bytes);

/* Makes every checksum of an index file right again, so that what was changed in it looks intended. The table must lie
 * within the file; sections that do not are passed over. */
void reseal(uint8_t *file, size_t n_bytes);

/* The bytes of a section in a file's image; fails the test if it has none such. */
uint8_t *section_in(uint8_t *file, uint32_t id, uint32_t instance, uint64_t *n_bytes_out);
