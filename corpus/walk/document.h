/*
 * document.h: what a corpus yields. Plain structs shared by the files of corpus/ and by those who
 * call them. Why something is no document, enum bs_skip, is part of the public interface: see
 * bitsift.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/bitsift/skip.h"

/* Counts n files more of the kind. One that there is no room for, or without a name, is not
 * counted. */
void bs_skip_kinds_add(struct bs_skip_kind kinds[BS_SKIP_KINDS], const char *name, uint64_t n);
/* The kind of a file by the end of its name; none where that is not a few letters and digits behind
 * a dot. */
void bs_skip_kind_of(const char *path, size_t path_bytes, char name_out[BS_SKIP_KIND_BYTES]);

/* How a file is known to be the one that was indexed. All zero: not known. */
struct bs_fingerprint {
	uint64_t size_bytes;
	int64_t mtime_ns; /* by bs_moment_code: ns since 1970, but for years that are far away */
	int64_t ctime_ns;
	uint64_t inode;
	uint64_t mode; /* no part of what is recorded and compared */
};

/*
 * A fingerprint proves that a file is unchanged only if it is older than the reading of the file:
 * what is written later in the same tick of the clock leaves the same fingerprint (git's "racy"
 * rule). from_ns: bs_fingerprint_racy_from when the reading began. A time in whole seconds comes
 * from a file system that knows no better, and is doubted for two seconds more.
 */
bool bs_fingerprint_is_racy(const struct bs_fingerprint *fingerprint, int64_t from_ns);
/* Waits until what has this fingerprint is old enough for it to prove what is read from then on;
 * not for what was written after a run began (from_ns), so that a run waits once. Whether it
 * waited. */
bool bs_fingerprint_outwait(const struct bs_fingerprint *fingerprint, int64_t from_ns);
/* from_ns for a run that begins now: a little before, since fingerprints come from a clock that
 * ticks every few ms. */
int64_t bs_fingerprint_racy_from(void);
/* Whether neither the file's group nor others may read it. */
bool bs_fingerprint_is_private(const struct bs_fingerprint *fingerprint);
bool bs_fingerprint_equals(const struct bs_fingerprint *fingerprint, const uint64_t recorded[4]);
/* As four numbers, the order in which doc tables and manifest have them. */
void bs_fingerprint_record(const struct bs_fingerprint *fingerprint, uint64_t recorded_out[4]);

/* One named text of a document; a file has one, with an empty name. Bytes borrowed from whoever
 * filled it. */
struct bs_field {
	const char *name;
	size_t name_bytes;
	const uint8_t *text; /* UTF-8, invalid sequences left in */
	size_t text_bytes;
};

/* A text in pieces, of a file that need not be held as a whole. next: borrowed until it is called
 * again, *n_bytes_out 0 at the end; what fails is noted in has_failed, and is the end. rewind: from
 * the start again. */
struct bs_text_stream {
	void *context;
	void (*rewind)(void *context);
	void (*next)(void *context, const uint8_t **bytes_out, size_t *n_bytes_out);
	bool has_failed;
};

/* What a document is called within its source. */
struct bs_document_name {
	/* folder: path below the source; collection: id of the record; file: empty */
	const uint8_t *bytes;
	size_t n_bytes;
	/* a record without an id: its id is label:line, and the name is empty */
	bool is_line;
};

/* The place of a record in its collection. All zero: the document is a file. */
struct bs_document_place {
	uint64_t line;   /* from 1 */
	uint64_t offset; /* of its first byte */
	uint64_t n_bytes;
};

/* The bytes that a document was read from. */
struct bs_document_raw {
	const uint8_t *bytes; /* the file, or the record's line without its end, in UTF-8 */
	uint64_t n_bytes;
	/* bs_checksum; set only when a batch is read, not for a fetched document */
	uint64_t checksum;
};

/* The text of a document, for the analyzer. */
struct bs_document_text {
	const struct bs_field *fields;
	size_t n_fields;
	/* of a large collection's row: replaces the fields; else NULL */
	struct bs_text_stream *stream;
	uint64_t n_bytes; /* sum over the fields, or of the stream */
};

/* A document as read. Everything is borrowed until the callback that received it returns. */
struct bs_document {
	struct bs_document_name name;
	struct bs_document_place place;
	struct bs_document_raw raw;
	struct bs_fingerprint fingerprint; /* of the file; zeros for a record */
	/* the fingerprint is too young to prove anything, see bs_fingerprint_is_racy */
	bool is_racy;
	/* the same document in the index, unchanged; segment BS_DOC_NONE: none */
	struct bs_doc_ref known;
	struct bs_document_text text;
	uint64_t held_bytes; /* memory held by the reader for it, if it is large */
};

/* Why a file or a line is not a document. All zero: it is one. */
struct bs_refusal {
	const char *reason; /* one line of text; NULL: not refused */
	enum bs_skip skip;
	/* of a file: errno, or 0 when it was not the operating system that refused */
	int error_number;
	uint32_t nul_end; /* of a binary file: where its first NUL byte ends; 0: not known */
};

/* Of the 128 MiB that a run may take beside its memory, half are left to the other threads. */
#define BS_BESIDE_MEMORY_BYTES ((uint64_t)64 << 20)

/* Where the documents go. A status other than BS_OK from either function stops the reading and is
 * returned. */
struct bs_document_sink {
	void *context;
	/* BS_UNSUPPORTED: there is no memory for this document, as err says in a phrase; it goes to
	 * skip. */
	enum bs_status (*document)(void *context, const struct bs_document *document,
	                           struct bs_error *err);
	/* Before a document of so many bytes is read that memory must be made for it; NULL: not
	 * told. */
	enum bs_status (*large)(void *context, uint64_t n_bytes, struct bs_error *err);
	/* message: one printable line, "notes/a.txt: Permission denied" or "mail.jsonl:812: not a
	 * JSON object". NULL: not told. */
	enum bs_status (*skip)(void *context, enum bs_skip reason, const char *message,
	                       struct bs_error *err);
	/* A file that is still what the index has; NULL: not told. */
	enum bs_status (*unchanged)(void *context, struct bs_doc_ref known, struct bs_error *err);
	/* A file that skip is told of, by its path below the source; NULL: not told. */
	enum bs_status (*non_documents)(void *context, const char *name, uint32_t nul_end,
	                                struct bs_error *err);
};
