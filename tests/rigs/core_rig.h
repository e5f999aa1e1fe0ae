/*
 * core_rig.h: what the tests of core share: a folder of one's own, files in it, random numbers that
 * are the same in every run, and index files whose damage the checksums do not show. Every helper
 * fails the test when something goes wrong.
 */
#pragma once

#include "core/file/container.h"
#include "core/file/dir.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A test that runs in an empty folder, removed afterwards. */
#define FOLDER_TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)
int enter_folder(void **state);
int leave_folder(void **state);

/* xorshift64: any state but 0. */
uint64_t next_random(uint64_t *state);
uint64_t random_below(uint64_t *state, uint64_t bound);
void fill_random(uint8_t *bytes, size_t n_bytes, uint64_t *state);

/* The directory, opened; stays good while the folder of the test does. */
struct bs_dir *dir_at(const char *path);

void write_bytes(const char *path, const void *bytes, size_t n_bytes);
void write_text(const char *path, const char *text);
/* Appends the file to the buffer. */
void read_bytes(const char *path, struct bs_buffer *bytes);
bool file_exists(const char *path);

void assert_buffers_equal(const struct bs_buffer *a, const struct bs_buffer *b);
/* The good bytes, to be damaged. */
void copy_bytes(struct bs_buffer *bad, const struct bs_buffer *good);

/* Bytes that one file of this process may grow to; RLIM_INFINITY: as before. Writing more fails
 * with EFBIG. */
void limit_file_bytes(uint64_t n_bytes);

/* An index file of that name in the folder of the test. */
struct bs_file_writer *new_file(const char *path);
void finish_file(struct bs_file_writer *writer);
struct bs_container *open_file(const char *path);
AUTO_OF(struct bs_container, bs_container_close)

/* Makes every checksum of an index file right again, so that what was changed in it looks intended.
 * The table must lie within the file; sections that do not are passed over. */
void reseal(uint8_t *file, size_t n_bytes);
/* Writes the file with its checksums made right. */
void write_resealed(const char *path, struct bs_buffer *file);
/* Writes to "file" the good one with one to three bits flipped between its head and end; is_sealed:
 * its checksums are right. */
void write_flipped(const struct bs_buffer *good, size_t end, bool is_sealed, uint64_t *random);
/* One to three bytes in [first, end) become others, half of them such as often do harm. */
void damage_bytes(uint8_t *bytes, size_t first, size_t end, uint64_t *random);

/* The bytes of a section in a file's image; fails the test if it has none such. */
uint8_t *section_in(uint8_t *file, uint32_t id, uint32_t instance, uint64_t *n_bytes_out);
