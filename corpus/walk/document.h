/*
 * document.h: what reading a corpus yields: plain structs for corpus/ and its callers. The reasons
 * why something is not a document, enum bs_skip, are public: core/bitsift/skip.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/doc_ref.h"
#include "core/base/error.h"
#include "core/bitsift/skip.h"

/* Adds n files of the kind `name` (bs_skip_kind_of), unless it is empty or the array is full. */
void bs_skip_kinds_add(struct bs_skip_kind kinds[BS_SKIP_KINDS], const char *name, uint64_t n);
/* The kind of a file: its extension in lower case; "" if that is not a few letters and digits. */
void bs_skip_kind_of(const char *path, size_t path_bytes, char name_out[BS_SKIP_KIND_BYTES]);

/* Shows whether a file has changed since it was indexed. Zeros: unknown. */
struct bs_fingerprint {
	uint64_t size_bytes;
	int64_t mtime_ns; /* by bs_moment_code: ns since 1970, except for very distant years */
	int64_t ctime_ns;
	uint64_t inode;
	uint64_t mode, group; /* neither recorded nor compared */
};

/*
 * A fingerprint proves that a file is unchanged only if it is older than the reading of the file,
 * because a later write in the same clock tick leaves an equal fingerprint (git's "racy" rule).
 * Returns true if the fingerprint is not older. from_ns: bs_fingerprint_racy_from when reading
 * began. A time in whole seconds suggests a file system without finer times, so such a fingerprint
 * is racy for two more seconds.
 */
bool bs_fingerprint_is_racy(const struct bs_fingerprint *fingerprint, int64_t from_ns);
/* Waits until the fingerprint is no longer racy for a reading that begins now, and returns true.
 * Returns false at once if the file was written after the run began at from_ns, so that a run waits
 * at most once. */
bool bs_fingerprint_outwait(const struct bs_fingerprint *fingerprint, int64_t from_ns);
/* Returns the from_ns of a reading that begins now. It is slightly earlier than the present,
 * because times of files come from a clock that ticks every few ms. */
int64_t bs_fingerprint_racy_from(void);
/* Who may read files, besides their owners. */
struct bs_access {
	uint64_t group;  /* the group of the files of the index */
	unsigned denied; /* S_IRGRP, S_IROTH: `group`, or others, may not read some file */
};
/* Adds the permissions that a file denies; NULL: adds all. Thread-safe. */
void bs_access_add(struct bs_access *access, const struct bs_fingerprint *fingerprint);
/* True if the fingerprint equals the one in `recorded`, which bs_fingerprint_record wrote. */
bool bs_fingerprint_equals(const struct bs_fingerprint *fingerprint, const uint64_t recorded[4]);
/* Converts to the four numbers that document tables and the manifest record. */
void bs_fingerprint_record(const struct bs_fingerprint *fingerprint, uint64_t recorded_out[4]);

/* A named text of a document; a file has one, with an empty name. The bytes are borrowed. */
struct bs_field {
	const char *name;
	size_t name_bytes;
	const uint8_t *text; /* UTF-8 that may contain invalid sequences */
	size_t text_bytes;
};

/* A text in pieces, for a file that is too large to be held in memory. next: returns the next
 * piece, borrowed until the next call; *n_bytes_out is 0 at the end. A failure sets has_failed and
 * ends the text. rewind: restarts at the beginning. */
struct bs_text_stream {
	void *context;
	void (*rewind)(void *context);
	void (*next)(void *context, const uint8_t **bytes_out, size_t *n_bytes_out);
	bool has_failed;
};

/* The name of a document within its source. */
struct bs_document_name {
	/* folder: path below the source; collection: the record's id; file: empty */
	const uint8_t *bytes;
	size_t n_bytes;
	/* record without an id: its id is label:line, and the name is empty */
	bool is_line;
};

/* The place of a record in its collection. Zeros: the document is a file. */
struct bs_document_place {
	uint64_t line;   /* from 1 */
	uint64_t offset; /* offset of its first byte */
	uint64_t n_bytes;
};

/* The bytes from which a document was read. */
struct bs_document_raw {
	const uint8_t *bytes; /* the file, or the record's line without its end, in UTF-8 */
	uint64_t n_bytes;
	/* by bs_checksum; set only for documents of a batch, not for fetched ones */
	uint64_t checksum;
};

/* The text of a document, for the analyzer. */
struct bs_document_text {
	const struct bs_field *fields;
	size_t n_fields;
	/* text of the row of a large collection, instead of fields; otherwise NULL */
	struct bs_text_stream *stream;
	uint64_t n_bytes; /* sum over the fields, or of the stream */
};

/* A document as read. Everything is borrowed until the callback that receives it returns. */
struct bs_document {
	struct bs_document_name name;
	struct bs_document_place place;
	struct bs_document_raw raw;
	struct bs_fingerprint fingerprint; /* fingerprint of the file; zeros for a record */
	/* the fingerprint is too young to prove anything; see bs_fingerprint_is_racy */
	bool is_racy;
	bool is_file; /* raw.bytes are those of a whole file */
	/* the document's entry in the index; segment BS_DOC_NONE: none */
	struct bs_doc_ref known;
	struct bs_document_text text;
	uint64_t held_bytes; /* memory that the reader holds; 0 for a short record */
};

/* Why a file or a line is not a document. Zeros: it is a document. */
struct bs_refusal {
	const char *reason; /* one line of text; NULL: not refused */
	enum bs_skip skip;
	/* for a file: errno, or 0 if the refusal did not come from the operating system */
	int error_number;
	uint32_t nul_end; /* for a binary file: offset after its first NUL byte; 0: it is UTF-16 */
	/* The fingerprint of a binary file, in the form of bs_fingerprint_record; zeros: it cannot
	 * show that the file is unchanged. */
	uint64_t fingerprint[4];
};

/* A run may use 128 MiB in addition to its memory limit. This is the half for parsing one record;
 * the other half is for the other threads. */
#define BS_BESIDE_MEMORY_BYTES ((uint64_t)64 << 20)

/* Receives documents. A status other than BS_OK from a callback ends the reading and is
 * returned. */
struct bs_document_sink {
	void *context;
	/* BS_UNSUPPORTED: there is not enough memory for this document; err has the reason as a
	 * phrase, and the document is passed to skip. */
	enum bs_status (*document)(void *context, const struct bs_document *document,
	                           struct bs_error *err);
	/* Called before reading a document that needs n_bytes of additional memory. Nullable. */
	enum bs_status (*large)(void *context, uint64_t n_bytes, struct bs_error *err);
	/* Called for skipped files and records. message: one printable line, such as "notes/a.txt:
	 * Permission denied" or "mail.jsonl:812: not a JSON object". Nullable. */
	enum bs_status (*skip)(void *context, enum bs_skip reason, const char *message,
	                       struct bs_error *err);
	/* skip and non_documents are not called for binary files that are unchanged */
	bool ignores_unchanged_binary;
	/* Called for a file that is unchanged since it was indexed. Nullable. */
	enum bs_status (*unchanged)(void *context, struct bs_doc_ref known, struct bs_error *err);
	/* Called for a skipped file, after skip. Not called if the file only cannot be read now and
	 * its document stays in the index. name: its path below the source. Nullable. */
	enum bs_status (*non_documents)(void *context, const char *name,
	                                const struct bs_refusal *why, struct bs_error *err);
};
