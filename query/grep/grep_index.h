/*
 * grep_index.h: the files for grep, less those that the grams of an index say cannot match.
 *
 * Two ways. By default every file that a walk finds is stat'ed, and the index is believed only of
 * files that are still what was indexed: the answer is that of a search of everything, whatever has
 * changed. Or the index is trusted: then its list of candidates takes the walk's place, where the
 * walk would go by the same rules, and else a walk asks it without stat'ing.
 */
#pragma once

#include "core/file/dir.h"
#include "query/grep/grep_run.h"

/* Whether a search can do with fewer files than all: files without a match leave no trace in what
 * is put out, and the text that is searched is the text that was indexed. */
bool bs_grep_can_filter(const struct bs_grep_request *request, enum bs_grep_coding coding);

/*
 * The files of a search by the index in dir; both are borrowed. explained (nullable) is appended a
 * line about what the index is asked. BS_NOT_FOUND, BS_IO, BS_CORRUPT, BS_UNSUPPORTED: the index
 * cannot be used, the message names it; BS_NO_MEMORY.
 */
enum bs_status bs_grep_index_open(const struct bs_grep_search *search, const struct bs_dir *dir,
                                  struct bs_buffer *explained, struct bs_grep_source **source_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
