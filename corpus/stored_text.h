/*
 * stored_text.h: the texts that a segment stores, all of them in turn, for `bitsift check`. store.h reads one at a time.
 */
#ifndef BS_CORPUS_STORED_TEXT_H
#define BS_CORPUS_STORED_TEXT_H

#include <stdint.h>

#include "core/index_dir.h"
#include "core/status.h"

/* Decodes every text of a segment that stores some; those of standard input must have the bytes their documents say.
 * BS_CORRUPT names the segment's file. Fits bs_check_request.stored_text. */
enum bs_status bs_stored_text_check(const struct bs_snapshot *snapshot, uint32_t segment, struct bs_error *err)
	BS_WARN_UNUSED;

#endif
