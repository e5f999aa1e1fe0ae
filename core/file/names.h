/*
 * names.h: the names of a segment's documents, by document number, or other strings whose
 * neighbours mostly have common prefixes. A name is stored as the length of the prefix that it
 * shares with the previous name, and the rest ("front coding": Witten, Moffat and Bell, Managing
 * Gigabytes, 4.1). The first name of every block of BS_NAMES_BLOCK is stored whole. FORMAT.md:
 * sections 34 and 35, and those of the keys of values.
 *
 * A reader decodes the whole block of a requested name and keeps the block; therefore names stay
 * valid until bs_names_deinit. An indexing run that may read all names of a large index keeps
 * the blocks in a spill (spill.h), so that they do not fill memory.
 */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/file/spill.h"

#define BS_NAMES_BLOCK 64u
/* The longest shared prefix in bytes. The limit keeps a few bytes of a damaged file from expanding
 * to much memory. */
#define BS_NAMES_MOST_SHARED 4095u

/* The ids of the two sections of a list of names: coded names, and where their blocks begin. */
struct bs_names_sections {
	uint32_t bytes, offsets;
	const char *what; /* what the names belong to, for messages */
};
extern const struct bs_names_sections bs_names_of_documents, bs_names_of_values;

/* Writes both sections for n names. Name i is [offsets[i], offsets[i + 1]) of bytes. BS_NO_MEMORY,
 * or the deadline's status. */
enum bs_status bs_names_write(struct bs_file_writer *writer, struct bs_names_sections sections,
                              const uint8_t *bytes, const uint64_t *offsets, uint64_t n,
                              struct bs_error *err) BS_WARN_UNUSED;

/* The functions below read. They are thread-safe, except bs_names_open and bs_names_deinit. */

struct bs_names_block; /* a decoded block */

struct bs_names {
	uint64_t n;
	const char *what;         /* what the names belong to, for messages */
	struct bs_packed offsets; /* where each block begins, and the end of the last one */
	struct bs_section bytes;
	struct bs_names_block **blocks; /* an array; an item is NULL until its block is decoded */
	/* The spill in which decoded blocks are allocated, borrowed; NULL: malloc. Set it before
	 * the first name is read. */
	struct bs_spill *spill;
};

/* The caller owns the struct and calls bs_names_deinit, also after a failure. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_names_open(struct bs_names *names, const struct bs_container *file,
                             struct bs_names_sections sections, uint64_t n,
                             struct bs_error *err) BS_WARN_UNUSED;
void bs_names_deinit(struct bs_names *names);
/* Returns name i < n, borrowed until bs_names_deinit. BS_CORRUPT, BS_NO_MEMORY; BS_IO with a
 * spill. */
enum bs_status bs_names_get(const struct bs_names *names, uint64_t i, const uint8_t **name_out,
                            uint32_t *n_bytes_out, struct bs_error *err) BS_WARN_UNUSED;
/* Appends many names to `out`. The low 32 bits of numbers[i] are the number of a name, below n.
 * ends_out[i] is the offset in `out` at which this name ends. Fails like bs_names_get. */
enum bs_status bs_names_append(const struct bs_names *names, const uint64_t *numbers,
                               size_t n_numbers, struct bs_buffer *out, size_t *ends_out,
                               struct bs_error *err) BS_WARN_UNUSED;
/* Prefetches, for name i < n: the pointer to its block (step 0), the place of the name in the block
 * (step 1), the name (step 2). Steps 1 and 2 do nothing if the block is not decoded. Call the steps
 * some time apart. */
void bs_names_prefetch(const struct bs_names *names, uint64_t i, unsigned step);
/* Decodes all names and checks that there are no other bytes. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_names_check(const struct bs_names *names, struct bs_error *err) BS_WARN_UNUSED;
