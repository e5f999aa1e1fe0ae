/*
 * rows.h: a collection keeps a row among the grams, so that grep need not look into it: the file is read as a file, for
 * its grams alone, into a segment of rows, which no query of words sees (BS_SEGMENT_ROWS in core/store/manifest.h).
 */
#ifndef BS_INDEXER_RUN_ROWS_H
#define BS_INDEXER_RUN_ROWS_H

#include "corpus/changes/refresh.h"
#include "corpus/read/source.h"
#include "indexer/run/index_writer.h"

/* The collections met in one source, until their rows are read. Zero-initialise; release with bs_rows_deinit. */
struct bs_rows {
	struct bs_batch files; /* names below the source and what is known of their rows */
};
void bs_rows_deinit(struct bs_rows *rows);

/* A collection stands at name below the source ("": it is the source itself). known: what the feed or bs_known_row says
 * of it. In document order. BS_NO_MEMORY. */
enum bs_status bs_rows_note(struct bs_rows *rows, const char *name, size_t name_bytes, const struct bs_known *known,
                            struct bs_error *err) BS_WARN_UNUSED;

/* Reads the rows of all that was noted and has another stamp than its row, and forgets it: the new rows are of source
 * `number`. Of those that are as they were refresh is told. After the source's documents, before bs_refresh_end of it;
 * source: a folder, or the collection. Errors as those of bs_pipeline_run. */
enum bs_status bs_rows_read(struct bs_rows *rows, struct bs_index_writer *writer, struct bs_refresh *refresh,
                            const struct bs_source *source, uint32_t number, struct bs_error *err) BS_WARN_UNUSED;

#endif
