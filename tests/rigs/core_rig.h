/*
 * core_rig.h: a temporary folder, files in it, reproducible random numbers, and index files that
 * are damaged under valid checksums. Every helper fails the test if something goes wrong.
 */
#pragma once

#include "core/file/container.h"
#include "core/file/dir.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/error_rig.h"
#include "tests/rigs/test.h"

/* RUN_TESTS, each test in an empty folder, which is removed afterwards, however deep it is. */
#define RUN_FOLDER_TESTS(...) RUN_TESTS_EACH_WITH(enter_folder, leave_folder, __VA_ARGS__)
int enter_folder(void **state);
int leave_folder(void **state);

/* xorshift64*; the state must not be 0. */
uint64_t next_random(uint64_t *state);
uint64_t random_below(uint64_t *state, uint64_t bound);
void fill_random(uint8_t *bytes, size_t n_bytes, uint64_t *state);

/* Opens a directory, unless it is open already. leave_folder closes it. */
struct bs_dir *dir_at(const char *path);

void write_bytes(const char *path, const void *bytes, size_t n_bytes);
void write_text(const char *path, const char *text);
/* Appends the contents of the file to the buffer. */
void read_bytes(const char *path, struct bs_buffer *bytes);
bool file_exists(const char *path);

void assert_buffers_equal(const struct bs_buffer *a, const struct bs_buffer *b);
/* Replaces the contents of `bad` by those of `good`. The caller then damages `bad`. */
void copy_bytes(struct bs_buffer *bad, const struct bs_buffer *good);

/* Limits the size of files written by this process, so that larger writes fail with EFBIG;
 * RLIM_INFINITY removes the limit. */
void limit_file_bytes(uint64_t n_bytes);

/* Create, finish and open a segment file in the current folder. */
struct bs_file_writer *new_file(const char *path);
void finish_file(struct bs_file_writer *writer);
struct bs_container *open_file(const char *path);
AUTO_OF(struct bs_container, bs_container_close)

/* Recomputes the checksums of an index file, so that changes look intended. The section table must
 * lie within the file. Sections that do not end before the table are skipped. */
void reseal(uint8_t *file, size_t n_bytes);
void write_resealed(const char *path, struct bs_buffer *file);
/* Writes the bytes `good` to "file", after one to three random bit flips between the head and
 * `end`. is_sealed: recomputes the checksums after the flips. */
void write_flipped(const struct bs_buffer *good, size_t end, bool is_sealed, uint64_t *random);
/* Overwrites one to three bytes in [first, end), about half of them with harmful values. */
void damage_bytes(uint8_t *bytes, size_t first, size_t end, uint64_t *random);

/* Reads n bits at bit *at, the lowest first, and advances *at. */
uint64_t take_bits(const uint8_t *bytes, uint64_t *at, uint64_t n);

/* The bytes of a section in the image of a file. Fails the test if the section does not exist. */
uint8_t *section_in(uint8_t *file, uint32_t id, uint32_t instance, uint64_t *n_bytes_out);
