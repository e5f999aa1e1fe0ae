/*
 * sample.h: some documents of a source, from all over it: the head of a source is often of its own
 * kind (a tree begins with its documentation), and neighbours speak of the same. What is chosen
 * depends on the source only.
 */
#pragma once

#include "core/base/error.h"
#include "core/store/manifest.h"
#include "corpus/read/source.h"

/* Takes a document, borrowed until it returns. */
typedef enum bs_status (*bs_sample_fn)(void *context, const struct bs_document *document,
                                       struct bs_error *err);

/* Calls take with documents of a sample, borrowed until it returns. */
typedef enum bs_status (*bs_give_sample_fn)(void *context, bs_sample_fn take, void *take_context,
                                            struct bs_error *err);

/* The sources that a manifest records, and how much of them is sampled. Borrows all. */
struct bs_source_sample {
	const struct bs_dir *dir;
	const struct bs_manifest *manifest;
	const struct bs_source_options *options;
	uint64_t n_bytes;
	bool files_only;
};
/* A bs_give_sample_fn, whose context is a struct bs_source_sample: documents of about n_bytes of
 * text of each source, or of an eighth of it if that is less, but for 4 MB, or a sixth of n_bytes,
 * where there are so many; none of standard input, of a source that is not followed or, files_only,
 * of a collection. A source that cannot be read has no documents: the run will tell. Folders are
 * walked whole, and options->pulse counts their files. What take returned, BS_STOPPED, or
 * BS_NO_MEMORY. */
enum bs_status bs_sample_sources(void *context, bs_sample_fn take, void *take_context,
                                 struct bs_error *err) BS_WARN_UNUSED;
