/*
 * uncommitted.h: a writer (bitsift/writer.h) as it is seen by who searches what it has not
 * committed yet. Searches and the indexer do not know each other: a struct bs_writer begins with
 * this.
 */
#pragma once

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/bitsift/limits.h"
#include "core/store/snapshot.h"

struct bs_writer;

struct bs_uncommitted {
	const struct bs_limits *limits; /* of each call of the writer; nullable */
	/* Opens what would be committed now, of which the in-memory documents alone are live, for
	 * bs_snapshot_deinit before anything else is done with the writer. */
	enum bs_status (*show)(struct bs_writer *writer, struct bs_snapshot *shown_out,
	                       struct bs_error *err);
	/* Deletes documents of that, when it is closed; refs: each once. A failure of either rolls
	 * the writer back. */
	enum bs_status (*drop)(struct bs_writer *writer, const struct bs_doc_ref *refs,
	                       size_t n_refs, struct bs_error *err);
};
