/* doc_table.h: what a segment knows of each document besides its signature: where it came from, its
 * name there, its length, and how to find its text again. Documents are numbered 0, 1, ... in
 * document order within the segment. */
#pragma once

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/file/container.h"
#include "core/file/names.h"
#include "core/file/packed.h"

enum bs_doc_flag {
	BS_DOC_NAMED_BY_LINE = 1, /* a record without id: its name is its line number */
	BS_DOC_RACY =
		2, /* its file was changed while it was read: the fingerprint proves nothing */
	BS_DOC_SEPARATE_ID =
		/* of standard input: its id was given beside its text, of which no field is the
		 * id */
		4,
	BS_DOC_NOT_STORED = 8, /* ... and its text is not in the segment: place[0] is 0 */
};

/* One document. What place holds depends on the kind of its source:
 *   folder, file     size in bytes, mtime ns, ctime ns, inode: the fingerprint when it was read
 *   collection       offset in the file, bytes of the record, line (1-based), 0
 *   standard input   number in the segment's store, bytes of the record, line (1-based), a number
 *     that grows with every
 *                    record that the source ever had */
struct bs_doc_record {
	uint32_t source; /* number of its source in the manifest */
	uint32_t length; /* positions: BM25's dl */
	uint8_t flags;   /* enum bs_doc_flag */
	const uint8_t
		*name; /* borrowed; raw bytes: the path below the source, or the record's id */
	uint32_t name_bytes;
	uint64_t place[4];
	uint64_t
		/* bs_checksum of the bytes it was read from: the file, or the record's line without
		 * its end; 0: not kept */
		checksum;
};

/* Whether a name may be joined to the path of a folder: no "." or "..", no empty part, no NUL, not
 * absolute. Names come from files, and a crafted one must not lead out of the source. */
bool bs_doc_name_is_below(const uint8_t *name, uint32_t name_bytes);

/* Zero-initialise; release with bs_doc_table_builder_deinit. */
struct bs_doc_table_builder {
	struct bs_buffer ranges;  /* u32 source, u32 first document: where the source changes */
	struct bs_buffer lengths; /* u32 each */
	struct bs_buffer flags;
	struct bs_buffer places;       /* 4 u64 each */
	struct bs_buffer checksums;    /* u64 each */
	struct bs_buffer name_offsets; /* u64 each, and one more */
	struct bs_buffer names;
	uint32_t n_docs;
	uint32_t last_source;
};
enum bs_status bs_doc_table_add(struct bs_doc_table_builder *builder,
                                const struct bs_doc_record *record,
                                struct bs_error *err) BS_WARN_UNUSED;
/* A document added before: record_out->name is borrowed until the next call that adds. document <
 * n_docs. */
void bs_doc_table_builder_get(const struct bs_doc_table_builder *builder, uint32_t document,
                              struct bs_doc_record *record_out);
uint32_t bs_doc_table_builder_get_length(const struct bs_doc_table_builder *builder,
                                         uint32_t document);
/* Bytes held, for a memory budget. */
uint64_t bs_doc_table_builder_bytes(const struct bs_doc_table_builder *builder);
enum bs_status bs_doc_table_write(const struct bs_doc_table_builder *builder,
                                  struct bs_file_writer *writer,
                                  struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_table_builder_clear(struct bs_doc_table_builder *builder);
void bs_doc_table_builder_deinit(struct bs_doc_table_builder *builder);

/* Reading: any number of threads. */

struct bs_doc_table {
	uint32_t n_docs;
	uint32_t n_ranges;
	struct bs_section ranges; /* its pages are verified when the table is opened */
	struct bs_packed lengths;
	struct bs_section flags;
	struct bs_packed places[4]; /* one a number of place */
	struct bs_section checksums;
	struct bs_names names;
};
/* Release with bs_doc_table_deinit, also after a failure. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_doc_table_open(struct bs_doc_table *table, const struct bs_container *file,
                                 uint64_t n_docs, struct bs_error *err) BS_WARN_UNUSED;
void bs_doc_table_deinit(struct bs_doc_table *table);
/* Documents first..end - 1 that are of one source, as the table says: range i of n_ranges. end <=
 * n_docs. */
struct bs_source_range {
	uint32_t source;
	uint32_t first;
	uint32_t end;
};
struct bs_source_range bs_doc_table_range(const struct bs_doc_table *table, uint32_t i);
/* That of the document; n_ranges must not be 0. */
struct bs_source_range bs_doc_table_range_of(const struct bs_doc_table *table, uint32_t document);
/* Parts of what bs_doc_table_get gives, for those who need no more of very many (lengths and names
 * are read where they are); of a place the first n_words: two are where a record stands, and its
 * bytes. document < n_docs. BS_CORRUPT. */
enum bs_status bs_doc_table_place(const struct bs_doc_table *table, uint32_t document,
                                  uint32_t n_words, uint64_t *place_out,
                                  struct bs_error *err) BS_WARN_UNUSED;
enum bs_status bs_doc_table_flags(const struct bs_doc_table *table, uint32_t document,
                                  uint8_t *flags_out, struct bs_error *err) BS_WARN_UNUSED;
/* Its name is borrowed from the table. BS_CORRUPT, also for a number that is not below n_docs:
 * numbers come from files too; BS_NO_MEMORY. */
enum bs_status bs_doc_table_get(const struct bs_doc_table *table, uint32_t document,
                                struct bs_doc_record *record_out,
                                struct bs_error *err) BS_WARN_UNUSED;

/* Asks the memory for what bs_doc_table_get will read of a document: in BS_DOC_PREFETCHES steps, 0
 * and on, between which some time lies, since each knows its places from the one before. A document
 * that is not there is passed over. */
#define BS_DOC_PREFETCHES 3u
void bs_doc_table_prefetch(const struct bs_doc_table *table, uint32_t document, unsigned step);
