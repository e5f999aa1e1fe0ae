/* lexicon_write.h: writes a lexicon (lexicon.h): terms in strictly ascending order of bytes. */
#pragma once

#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/file/container.h"

struct bs_lexicon_writer {
	struct bs_file_writer *writer;
	struct bs_buffer terms; /* each as two varints, df and rest, before it is coded */
	/* each as they stand in the file, but for the bytes of its block */
	struct bs_buffer separators;
	struct bs_buffer last; /* the term before */
	struct bs_buffer last_separator;
	struct bs_u64s starts; /* of each block: where it begins in terms */
	uint64_t n_terms;
	enum bs_status status; /* the first failure */
	struct bs_error error;
};

/* The struct is the caller's; release with bs_lexicon_writer_finish. Terms are kept in memory until
 * then, front-coded. */
void bs_lexicon_writer_init(struct bs_lexicon_writer *lexicon, struct bs_file_writer *writer);
/* 1 <= df < 2^63. Sticky. */
void bs_lexicon_writer_add(struct bs_lexicon_writer *lexicon, const uint8_t *term,
                           uint32_t term_bytes, uint64_t df);
/* Codes the terms, writes the sections and releases everything; the first failure is returned. */
enum bs_status bs_lexicon_writer_finish(struct bs_lexicon_writer *lexicon,
                                        struct bs_error *err) BS_WARN_UNUSED;
