/* doc_table.h: the document table of a segment: for each document its source, its name, its length,
 * and where its text is. Documents are numbered 0, 1, ... in document order within the segment. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/names.h"
#include "core/file/packed.h"

enum bs_doc_flag {
	BS_DOC_NAMED_BY_LINE = 1, /* a record without id: its id is label:line, its name empty */
	/* The file changed so shortly before it was read, or while it was read, that a later change
	 * may have left its fingerprint unchanged. So an equal fingerprint proves nothing. */
	BS_DOC_RACY = 2,
	/* A record of standard input whose id was passed separately; no field of its text is the
	 * id. */
	BS_DOC_SEPARATE_ID = 4,
	/* A record of standard input whose text is not in the segment; place[0] is 0. */
	BS_DOC_NOT_STORED = 8,
};

/*
 * One document. The contents of place depend on the kind of its source:
 *   folder, file     size in bytes, mtime ns, ctime ns, inode: the fingerprint when it was read
 *   collection       offset in the file, bytes of the record, line (1-based), 0
 *   standard input   number of the text in the segment's text store, bytes of the record, line
 *                    (1-based), a number that increases with every record of the source
 */
struct bs_doc_record {
	uint32_t source; /* number of its source in the manifest */
	uint32_t length; /* number of positions: the document length (dl) of BM25 */
	uint8_t flags;   /* enum bs_doc_flag */
	/* The path of a file below its folder, or the id of a record; raw bytes, borrowed. Empty
	 * for a file that is a source, and for BS_DOC_NAMED_BY_LINE. */
	const uint8_t *name;
	uint32_t name_bytes;
	uint64_t place[4];
	/* bs_checksum of the source bytes: of the file, or of the record's line without its end. 0:
	 * not recorded. */
	uint64_t checksum;
	/* 1 + the number of lines of a file without a byte order mark and without NUL bytes. 0:
	 * unknown. Only for bs_doc_table_add; to read the number, call bs_doc_table_lines. */
	uint32_t lines;
};

/* Compares two paths below a folder in document order: negative, zero or positive. */
int bs_compare_paths(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes);

/* Whether a name may be appended to the path of a folder: it has no ".", "..", empty component or
 * NUL byte, and is not absolute. Names are read from files, and a crafted name must not escape the
 * source. */
bool bs_doc_name_is_below(const uint8_t *name, uint32_t name_bytes);

/* Zero-initialise; release with bs_doc_table_builder_deinit. */
struct bs_doc_table_builder {
	/* for each range of documents of one source: u32 source, u32 first document */
	struct bs_buffer ranges;
	struct bs_buffer lengths;      /* u32 each */
	struct bs_buffer flags;        /* u8 each */
	struct bs_buffer places;       /* 4 u64 each */
	struct bs_buffer checksums;    /* u64 each */
	struct bs_buffer lines;        /* u32 each */
	bool has_lines;                /* some document has lines > 0 */
	struct bs_buffer name_offsets; /* u64: one per document, plus one */
	struct bs_buffer names;
	uint32_t n_docs;
	uint32_t last_source;
};
enum bs_status bs_doc_table_add(struct bs_doc_table_builder *builder,
                                const struct bs_doc_record *record,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Reads a document that was added, except its `lines`. document < n_docs. record_out->name is
 * borrowed until the next document is added. */
void bs_doc_table_builder_get(const struct bs_doc_table_builder *builder, uint32_t document,
                              struct bs_doc_record *record_out);
uint32_t bs_doc_table_builder_get_length(const struct bs_doc_table_builder *builder,
                                         uint32_t document);
/* The approximate number of bytes in use, for a memory budget. */
uint64_t bs_doc_table_builder_bytes(const struct bs_doc_table_builder *builder);
enum bs_status bs_doc_table_write(const struct bs_doc_table_builder *builder,
                                  struct bs_file_writer *writer,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_table_builder_clear(struct bs_doc_table_builder *builder);
void bs_doc_table_builder_deinit(struct bs_doc_table_builder *builder);

/* Reading. Any number of threads. */

struct bs_doc_table {
	uint32_t n_docs;
	uint32_t n_ranges;
	struct bs_section ranges; /* verified when the table is opened */
	struct bs_packed lengths;
	struct bs_section flags;
	struct bs_packed places[4]; /* one array for each element of bs_doc_record.place */
	struct bs_section checksums;
	struct bs_packed lines; /* n is 0: lines are not recorded */
	struct bs_names names;
};
/* Opens a table. Release with bs_doc_table_deinit, also after a failure. BS_CORRUPT,
 * BS_NO_MEMORY. */
enum bs_status bs_doc_table_open(struct bs_doc_table *table, const struct bs_container *file,
                                 uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_table_deinit(struct bs_doc_table *table);
/* Range i of n_ranges: the documents first..end - 1, which are of one source. end <= n_docs. */
struct bs_source_range {
	uint32_t source;
	uint32_t first;
	uint32_t end;
};
struct bs_source_range bs_doc_table_range(const struct bs_doc_table *table, uint32_t i);
/* The range of a document. n_ranges must not be 0. */
struct bs_source_range bs_doc_table_range_of(const struct bs_doc_table *table, uint32_t document);
/* Reads only place[0..n_words) of a document, which is cheaper than bs_doc_table_get. For a record
 * of a collection, the first two words are its offset and its size. document < n_docs.
 * BS_CORRUPT. */
enum bs_status bs_doc_table_place(const struct bs_doc_table *table, uint32_t document,
                                  uint32_t n_words, uint64_t *place_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_doc_table_flags(const struct bs_doc_table *table, uint32_t document,
                                  uint8_t *flags_out, struct bs_error *err) BS_WARN_UNUSED;
/* Reads `lines` of struct bs_doc_record. document < n_docs. BS_CORRUPT. */
static inline BS_WARN_UNUSED enum bs_status bs_doc_table_lines(const struct bs_doc_table *table,
                                                               uint32_t document,
                                                               uint32_t *lines_out,
                                                               struct bs_error *err)
{
	*lines_out = 0;
	return table->lines.n == 0 ? BS_OK
	                           : bs_packed_get_u32(&table->lines, document, lines_out, err);
}
/* Reads a document, except its `lines`. Its name is borrowed from the table. BS_CORRUPT, also if
 * document >= n_docs, because document numbers may come from files; BS_NO_MEMORY. */
enum bs_status bs_doc_table_get(const struct bs_doc_table *table, uint32_t document,
                                struct bs_doc_record *record_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Prefetches the data of a document that bs_doc_table_get reads, in BS_DOC_PREFETCHES steps from 0
 * on. Each step reads the data that the step before prefetched, so the caller should do other work
 * in between. Ignores documents that do not exist. */
#define BS_DOC_PREFETCHES 3u
void bs_doc_table_prefetch(const struct bs_doc_table *table, uint32_t document, unsigned step);
