/*
 * uncommitted.h: the functions that a search of a writer's (bitsift/writer.h) uncommitted documents
 * calls. They are in their own struct, the first member of struct bs_writer, because searches and
 * the indexer do not include each other.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/bitsift/limits.h"
#include "core/store/snapshot.h"

struct bs_writer;

struct bs_uncommitted {
	const struct bs_limits *limits; /* limits of each call of the writer; nullable */
	/* Opens the state that a commit would have now, with only the in-memory documents live. The
	 * caller calls bs_snapshot_deinit before any other use of the writer. */
	enum bs_status (*show)(struct bs_writer *writer, struct bs_snapshot *shown_out,
	                       struct bs_error *err);
	/* Deletes documents of the snapshot from `show`, which was released. refs: without
	 * duplicates. A failure of `show` or `drop` rolls the writer back. */
	enum bs_status (*drop)(struct bs_writer *writer, const struct bs_doc_ref *refs,
	                       size_t n_refs, struct bs_error *err);
};
