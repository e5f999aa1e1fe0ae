/*
 * sample.h: a sample of a source's documents, spread over the source, because its beginning is
 * often atypical (a tree begins with its documentation), and neighbouring documents are alike. The
 * choice depends only on the source.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/manifest.h"
#include "corpus/read/source.h"

/* Receives a document, borrowed until the callback returns. */
typedef enum bs_status (*bs_sample_fn)(void *context, const struct bs_document *document,
                                       struct bs_error *err);

/* Calls take with the documents of a sample; take_context is borrowed until the call returns. */
typedef enum bs_status (*bs_give_sample_fn)(void *context, bs_sample_fn take, void *take_context,
                                            struct bs_error *err);

/* The sources of a manifest, and how much of them to sample. All pointers are borrowed. */
struct bs_source_sample {
	const struct bs_dir *dir;
	const struct bs_manifest *manifest;
	const struct bs_source_options *options;
	/* wanted text of each source */
	uint64_t n_bytes;
	/* skip collections */
	bool files_only;
};
/* A bs_give_sample_fn; context: a struct bs_source_sample. For each source, passes documents with
 * about n_bytes of text, but not more than an eighth of the source or, if that is larger, the
 * lesser of 4 MB and a sixth of n_bytes. Skips standard input, sources that are not followed, and
 * with files_only collections. A source that cannot be read has no documents; the run reports it
 * later. Folders are walked completely; options->progress counts their files. Returns a status of
 * take, BS_STOPPED, or BS_NO_MEMORY. */
enum bs_status bs_sample_sources(void *context, bs_sample_fn take, void *take_context,
                                 struct bs_error *err) BS_WARN_UNUSED;
