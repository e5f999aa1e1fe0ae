/*
 * sample.h: takes a sample of a source's documents. It is spread over the source, because the
 * beginning is often atypical (a tree begins with its documentation), and adjacent documents are
 * similar. The choice is not random.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/manifest.h"
#include "corpus/read/source.h"

/* Receives a document, borrowed until the callback returns. */
typedef enum bs_status (*bs_sample_fn)(void *context, const struct bs_document *document,
                                       struct bs_error *err);

/* The type of functions that pass a sample: calls take with each of its documents. take_context is
 * borrowed until the call returns. */
typedef enum bs_status (*bs_give_sample_fn)(void *context, bs_sample_fn take, void *take_context,
                                            struct bs_error *err);

/* The sources of a manifest, and how much of them to sample. All pointers are borrowed. */
struct bs_source_sample {
	const struct bs_dir *dir;
	const struct bs_manifest *manifest;
	const struct bs_source_options *options;
	/* bytes of text that are wanted from each source */
	uint64_t n_bytes;
	/* skip collections */
	bool files_only;
};
/*
 * A bs_give_sample_fn; context: a struct bs_source_sample. For each source, passes documents with
 * up to about n_bytes of text:
 *
 *      collection     at most an eighth of it, but at least a minimum: 4 MB or a sixth of n_bytes,
 *                     whichever is less
 *      large folder   the first files of batches of 64 paths, spread evenly over the folder
 *      small folder   (all batches fit into the sample) the first files of every other batch, and
 *                     of further batches until the minimum is reached
 *
 * Inner collections are sampled as collections, and share the sample of their folder. Skips
 * standard input, sources that may not be followed, and with files_only collections. A source that
 * cannot be read yields no documents; the run reports it later. Folders are walked completely;
 * options->progress counts their files. Returns a status of take, BS_STOPPED, or BS_NO_MEMORY.
 */
enum bs_status bs_sample_sources(void *context, bs_sample_fn take, void *take_context,
                                 struct bs_error *err) BS_WARN_UNUSED;
