/*
 * names.h: the names of a file's documents, by number, or other strings of which neighbours mostly
 * begin alike. So each is told by how much of the one before it it repeats ("front coding": Witten,
 * Moffat and Bell, Managing Gigabytes, 4.1), but for the first of every BS_NAMES_BLOCK. In
 * FORMAT.md: sections 34 and 35, and those of keys of values.
 *
 * A reader decodes the block of a name that is asked for, whole, and keeps it: names are borrowed
 * until the end. A run that may ask for all names of a large index has them kept in a spill.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/file/spill.h"

#define BS_NAMES_BLOCK 64u
/* bytes: so that a few bytes of a file do not become many in memory */
#define BS_NAMES_MOST_SHARED 4095u

/* Which sections names stand in. */
struct bs_names_sections {
	uint32_t bytes, offsets;
	const char *what; /* for messages */
};
extern const struct bs_names_sections bs_names_of_documents, bs_names_of_values;

/* Both sections, of n names one after the other in bytes: name i is [offsets[i], offsets[i + 1]).
 * BS_NO_MEMORY. */
enum bs_status bs_names_write(struct bs_file_writer *writer, struct bs_names_sections sections,
                              const uint8_t *bytes, const uint64_t *offsets, uint64_t n,
                              struct bs_error *err) BS_WARN_UNUSED;

/* Reading: any number of threads. */

struct bs_names_block; /* decoded */

struct bs_names {
	uint64_t n;
	const char *what;         /* the names are of */
	struct bs_packed offsets; /* of blocks, and where the last one ends */
	struct bs_section bytes;
	struct bs_names_block **blocks; /* NULL: not decoded yet */
	/* borrowed: where blocks are; NULL: each is from malloc. Set before the first name is asked
	 * for */
	struct bs_spill *spill;
};

/* The caller's struct; release with bs_names_deinit, also after a failure. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_names_open(struct bs_names *names, const struct bs_container *file,
                             struct bs_names_sections sections, uint64_t n,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_names_deinit(struct bs_names *names);
/* Name i < n, borrowed until deinit. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_names_get(const struct bs_names *names, uint64_t i, const uint8_t **name_out,
                            uint32_t *n_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* Appends those of n_numbers numbers, the low halves of these, which are below n; ends_out[i]:
 * where the i-th ends in out. For those who want very many. As above. */
enum bs_status bs_names_append(const struct bs_names *names, const uint64_t *numbers,
                               size_t n_numbers, struct bs_buffer *out, size_t *ends_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Asks the memory for the block of name i < n (step 0), for where the name is in it (1), for the
 * name (2), if it is decoded; some time lies between. */
void bs_names_prefetch(const struct bs_names *names, uint64_t i, unsigned step);
/* Every byte, and that nothing stands between or behind the names. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_names_check(const struct bs_names *names, struct bs_error *err) BS_WARN_UNUSED;
