/*
 * fetch_internal.h: what the two files of fetching share. Nobody else includes it.
 *
 *   fetch.c              names, notices, files, stored text; which way a document's text is to be had
 *   fetch_collection.c   records of collections, also of those that changed since they were indexed
 */
#ifndef BS_QUERY_SEARCH_FETCH_INTERNAL_H
#define BS_QUERY_SEARCH_FETCH_INTERNAL_H

#include "corpus/read/stored_text.h"
#include "query/search/fetch.h"

/* A source, and what is known of its state now. */
struct fetch_source {
	struct bs_source source;
	uint64_t checked; /* collections: the last query in which it was stat'ed */
	bool is_suspect;  /* the stamp is that of the index, but too young to prove anything */
	bool is_changed;
	bool is_gone;
	bool is_noticed;
	bool is_mapped;   /* changed collections: moved is filled, */
	bool is_unread;   /* or they could not be read */
	struct bs_buffer moved; /* struct moved_record each, sorted by hash, of equal ones the last in the file first */
};

/* Documents of one source, one after the other in a segment: those of the last document asked for. */
struct fetch_range {
	uint32_t segment;
	uint32_t first;
	uint32_t end; /* 0: none */
	uint32_t number; /* of the source */
};

struct bs_fetcher {
	const struct bs_snapshot *snapshot;
	struct fetch_source *sources; /* snapshot->manifest.n_sources */
	struct bs_source_options options;
	struct bs_reader *reader;
	struct bs_doc_bits noticed;             /* documents whose change was told */
	struct bs_stored_texts *stored;         /* made when needed */
	uint64_t query;                         /* 1, 2, ... */
	struct fetch_range range;
	const uint32_t *expected;               /* documents of a segment that will be asked for, ascending */
	size_t n_expected;
	size_t next_expected;
	uint32_t expected_segment;
	uint32_t ahead_of_source;               /* of which ahead_from..ahead_to was read together */
	uint64_t ahead_from;
	uint64_t ahead_to;
	struct bs_buffer raw;
	struct bs_buffer path;
	struct bs_buffer name; /* of a file below its folder */
	struct bs_buffer id;
	uint64_t n_failures;
	void (*notice)(void *context, const char *message);
	void *context;
};

/* The document's id, as it is printed. */
enum bs_status bs_fetch_make_id(const struct fetch_source *source, const struct bs_doc_record *record,
                                struct bs_buffer *id, struct bs_error *err) BS_WARN_UNUSED;

/* Names the source as changed or gone, once. */
void bs_fetch_notice_source(struct bs_fetcher *fetcher, struct fetch_source *source);

/* Turns a failure to read into a state of the document; only what is our own fault stays a failure. */
enum bs_status bs_fetch_soften(struct bs_fetcher *fetcher, enum bs_status status, enum bs_fetched *fetched_out,
                               struct bs_error *err) BS_WARN_UNUSED;

/* fetch_collection.c */

/* Once a query: is the collection what was indexed? Fills is_gone, is_changed and is_suspect. */
void bs_fetch_check_collection(struct bs_fetcher *fetcher, struct fetch_source *source, uint32_t number);

/* A record, where it stands now. */
enum bs_status bs_fetch_from_collection(struct bs_fetcher *fetcher, struct fetch_source *source, uint32_t segment,
                                        uint32_t document, const struct bs_doc_record *record,
                                        struct bs_document *document_out, enum bs_fetched *fetched_out,
                                        struct bs_error *err) BS_WARN_UNUSED;

/* The line of a record of fetcher->range, where it stood when it was indexed; documents expected after it are read with it
 * if they stand near. *line_out is NULL if it cannot be read. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_fetch_line_in_place(struct bs_fetcher *fetcher, uint32_t document, const uint8_t **line_out,
                                      size_t *line_bytes_out, struct bs_error *err) BS_WARN_UNUSED;

/* fetch.c */

/* Makes fetcher->range that of the document; false: it is of the overlay, or the index is damaged. */
bool bs_fetch_find_range(struct bs_fetcher *fetcher, uint32_t segment, uint32_t document);

#endif
