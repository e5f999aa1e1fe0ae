/*
 * tool.h: utilities of the benchmark driver: fatal errors, clocks, paths, growing arrays, varints
 * in files.
 *
 * This is a program, not a library: any failure ends it, with one line on standard error and exit
 * status 2.
 */
#ifndef BENCH_TOOL_H
#define BENCH_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_PRINTF(format_index, args_index) \
	__attribute__((format(printf, format_index, args_index)))

/* Prints the message and exits with status 2. */
void die(const char *format, ...) BENCH_PRINTF(1, 2) __attribute__((noreturn));

/* Prints a progress line on standard error. */
void say(const char *format, ...) BENCH_PRINTF(1, 2);

uint64_t now_ns(void);
uint64_t cpu_ns(void); /* of this process, all threads */

/* Formats a string; the caller frees it. */
char *text_of(const char *format, ...) BENCH_PRINTF(1, 2);

void *grown(void *array, size_t n_bytes); /* realloc; dies if memory runs out */

/* The size of a file, or of all files below a folder, in bytes; 0 if it does not exist. */
uint64_t path_bytes(const char *path);
void remove_tree(const char *path); /* does nothing if it does not exist */
void make_folder(const char *path); /* does nothing if it exists */

FILE *open_file(const char *path, const char *mode);
void close_file(FILE *file, const char *path); /* dies if data was not written */

/* LEB128, as in core/base/bytes.h, from and to a stdio stream. */
void put_varint(FILE *file, uint64_t value);
uint64_t get_varint(FILE *file);

/* splitmix64, so that a seed gives the same queries on all machines. */
uint64_t random_next(uint64_t *state);
uint64_t random_below(uint64_t *state, uint64_t n);

/* Whether name is in the comma-separated list; true if list is NULL. */
bool is_listed(const char *list, const char *name);

#ifdef __cplusplus
}
#endif
#endif
