/* lexicon_write.h: writes a lexicon (lexicon.h). Terms are added in strictly ascending bytewise
 * order. */
#pragma once

#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/base/vector.h"
#include "core/file/container.h"

struct bs_lexicon_writer {
	struct bs_file_writer *writer;
	/* The terms, front-coded. Each term is three varints (the bytes to drop from the end of the
	 * previous term, the df, the length of the rest), then the rest, which replaces the dropped
	 * bytes. */
	struct bs_buffer terms;
	/* The separators, front-coded like the terms, but without df. */
	struct bs_buffer separators;
	struct bs_buffer last;           /* the term added last */
	struct bs_buffer last_separator; /* the separator added last */
	struct bs_u64s starts;           /* where each block begins in `terms` */
	uint64_t n_terms;
	enum bs_status status; /* the first failure */
	struct bs_error error;
};

/* Begins a lexicon. Terms are kept in memory, front-coded, until bs_lexicon_writer_finish, which
 * the caller must call. */
void bs_lexicon_writer_init(struct bs_lexicon_writer *lexicon, struct bs_file_writer *writer);
/* Adds a term; 1 <= df < 2^63. After a failure it does nothing; bs_lexicon_writer_finish returns
 * the failure. */
void bs_lexicon_writer_add(struct bs_lexicon_writer *lexicon, const uint8_t *term,
                           uint32_t term_bytes, uint64_t df);
/* Codes the terms, writes the sections and frees everything. Returns the first failure:
 * BS_NO_MEMORY or the deadline's status. */
enum bs_status bs_lexicon_writer_finish(struct bs_lexicon_writer *lexicon,
                                        struct bs_error *err) BS_WARN_UNUSED;
