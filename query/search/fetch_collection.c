/* fetch_collection.c: records of collections. See fetch.h and fetch_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "query/search/fetch_internal.h"

/* Where a record of a changed collection stands now. */
struct moved_record {
	uint64_t hash; /* of its id */
	uint64_t offset;
	uint64_t raw_bytes;
	uint64_t line;
};

/* ---- state ---- */

void bs_fetch_check_collection(struct bs_fetcher *fetcher, struct fetch_source *source, uint32_t number)
{
	const struct bs_source_record *recorded = &fetcher->snapshot->manifest.sources[number];
	struct bs_stamp stamp;
	/* What changed stays changed: its records are looked up where they were found then. */
	if (source->checked == fetcher->query || source->is_changed)
		return;
	/* Not looked at: fetching its records says why. */
	if (source->source.is_refused) {
		source->is_changed = true;
		return;
	}
	source->checked = fetcher->query;
	enum bs_status status = bs_path_stamp(source->source.path, &stamp, NULL);
	/* Refused by the system: neither gone nor changed for all we know; reading it will tell. */
	bool matches = status ? status != BS_NOT_FOUND : bs_stamp_equals(&stamp, recorded->stamp);
	source->is_gone = status == BS_NOT_FOUND;
	source->is_changed = status != BS_OK || !matches;
	source->is_suspect = recorded->is_suspect;
	if (matches)
		return;
	/* Another file may stand under its name. */
	bs_reader_forget(fetcher->reader, true);
	bs_fetch_notice_source(fetcher, source);
}

static int compare_moved(const void *a, const void *b)
{
	const struct moved_record *x = a;
	const struct moved_record *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->offset > y->offset ? -1 : x->offset < y->offset;
}

/* Context of the sink that maps a changed collection. */
struct mapping {
	struct bs_fetcher *fetcher;
	struct fetch_source *source;
};

static enum bs_status map_document(void *context, const struct bs_document *document, struct bs_error *err)
{
	struct mapping *mapping = context;
	struct bs_buffer *id = &mapping->fetcher->id;
	bs_buffer_clear(id);
	enum bs_status status = bs_source_append_id(&mapping->source->source, document->name, document->name_bytes,
	                                            document->is_named_by_line ? document->line : 0, id, err);
	if (status)
		return status;
	struct moved_record moved = {.hash = bs_hash_slot(id->data, id->used_bytes), .offset = document->offset,
	                             .raw_bytes = document->raw_bytes, .line = document->line};
	return bs_buffer_append(&mapping->source->moved, &moved, sizeof(moved), err);
}

static enum bs_status map_skip(void *context, enum bs_skip reason, const char *message, struct bs_error *err)
{
	(void)context, (void)reason, (void)message, (void)err;
	return BS_OK;
}

/* Reads a changed collection once through: where does each id stand now? */
static enum bs_status map_collection(struct bs_fetcher *fetcher, struct fetch_source *source, struct bs_error *err)
{
	struct mapping mapping = {fetcher, source};
	struct bs_document_sink sink = {.context = &mapping, .document = map_document, .skip = map_skip};
	struct bs_feed *feed = NULL;
	struct bs_batch batch = {0};
	if (source->is_unread)
		return bs_fail(err, BS_IO, "%s: cannot be read", source->source.path);
	if (source->is_mapped)
		return BS_OK;
	source->is_mapped = true;
	enum bs_status status = bs_feed_open(&source->source, &fetcher->options, NULL, NULL, &feed, err);
	while (!status) {
		status = bs_feed_next(feed, &batch, err);
		if (status || batch.n_items == 0)
			break;
		status = bs_reader_read(fetcher->reader, &source->source, &batch, &sink, err);
	}
	bs_feed_close(feed);
	bs_batch_deinit(&batch);
	source->is_unread = status == BS_IO;
	if (!status && source->moved.used_bytes > 0)
		qsort(source->moved.data, source->moved.used_bytes / sizeof(struct moved_record), sizeof(struct moved_record),
		      compare_moved);
	return status;
}

/* The first of the records whose id has this hash, or NULL; they stand one after the other. */
static const struct moved_record *find_moved(const struct fetch_source *source, uint64_t hash,
                                             const struct moved_record **end_out)
{
	const struct moved_record *all = (const struct moved_record *)(const void *)source->moved.data;
	size_t low = 0;
	size_t high = source->moved.used_bytes / sizeof(*all);
	*end_out = all ? all + high : NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (all[middle].hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	return all ? all + low : NULL;
}

static enum bs_status fetch_record_at(struct bs_fetcher *fetcher, const struct fetch_source *source, uint64_t offset,
                                      uint64_t raw_bytes, uint64_t line, struct bs_document *document_out,
                                      struct bs_error *err)
{
	struct bs_stamp stamp;
	enum bs_status status = bs_reader_fetch_record(fetcher->reader, source->source.path, offset, raw_bytes,
	                                               document_out, &stamp, err);
	document_out->line = line;
	return status;
}

/* ---- where they stood ---- */

/* Records no further apart than this are read together: what lies between costs less than another call. */
#define GAP_BYTES   ((uint64_t)8 * 1024)
#define AHEAD_BYTES ((uint64_t)256 * 1024)

/* Where the record at offset..end, and those expected after it while they stand near, end. */
static enum bs_status find_ahead(struct bs_fetcher *fetcher, uint32_t document, uint64_t offset, uint64_t end,
                                 uint64_t *to_out, struct bs_error *err)
{
	const struct bs_doc_table *table = &fetcher->snapshot->segments[fetcher->range.segment].docs;
	enum bs_status status = BS_OK;
	*to_out = end;
	if (fetcher->expected_segment != fetcher->range.segment)
		return BS_OK;
	while (fetcher->next_expected < fetcher->n_expected && fetcher->expected[fetcher->next_expected] <= document)
		fetcher->next_expected++;
	for (size_t i = fetcher->next_expected; i < fetcher->n_expected && !status; i++) {
		uint64_t place[4];
		if (fetcher->expected[i] >= fetcher->range.end)
			break;
		status = bs_doc_table_place(table, fetcher->expected[i], place, err);
		if (status || place[0] < *to_out || place[0] - *to_out > GAP_BYTES || place[1] > AHEAD_BYTES ||
		    place[0] + place[1] - offset > AHEAD_BYTES)
			break;
		*to_out = place[0] + place[1];
	}
	return status;
}

enum bs_status bs_fetch_line_in_place(struct bs_fetcher *fetcher, uint32_t document, const uint8_t **line_out,
                                      size_t *line_bytes_out, struct bs_error *err)
{
	const struct fetch_source *source = &fetcher->sources[fetcher->range.number];
	struct bs_error why;
	struct bs_stamp stamp;
	uint64_t place[4], ahead_to = 0;
	*line_out = NULL;
	enum bs_status status = bs_doc_table_place(&fetcher->snapshot->segments[fetcher->range.segment].docs, document, place,
	                                           err);
	if (status)
		return status;
	bool is_read = fetcher->ahead_of_source == fetcher->range.number && place[0] >= fetcher->ahead_from &&
	               place[0] + place[1] <= fetcher->ahead_to;
	if (!is_read && place[0] <= INT64_MAX && place[1] <= INT64_MAX - place[0]) {
		status = find_ahead(fetcher, document, place[0], place[0] + place[1], &ahead_to, err);
		fetcher->ahead_of_source = fetcher->range.number;
		fetcher->ahead_from = place[0];
		fetcher->ahead_to = ahead_to;
	}
	if (status)
		return status;
	status = bs_reader_fetch_line(fetcher->reader, source->source.path, place[0], place[1], ahead_to, line_out, &stamp,
	                              &why);
	*line_bytes_out = (size_t)place[1];
	if (status)
		*line_out = NULL;
	return status == BS_NO_MEMORY ? bs_fail(err, status, "%s", why.text) : BS_OK;
}

/* Whether the record just read bears the id in wanted. */
static enum bs_status is_wanted(struct bs_fetcher *fetcher, const struct fetch_source *source,
                                const struct bs_document *document, const struct bs_buffer *wanted, bool *is_wanted_out,
                                struct bs_error *err)
{
	struct bs_buffer *id = &fetcher->id;
	bs_buffer_clear(id);
	enum bs_status status = bs_source_append_id(&source->source, document->name, document->name_bytes,
	                                            document->is_named_by_line ? document->line : 0, id, err);
	*is_wanted_out = !status && id->used_bytes == wanted->used_bytes &&
	                 (id->used_bytes == 0 || memcmp(id->data, wanted->data, id->used_bytes) == 0);
	return status;
}

/* A record of a collection that changed: by its id, the last one that bears it. */
static enum bs_status fetch_moved(struct bs_fetcher *fetcher, struct fetch_source *source,
                                  const struct bs_doc_record *record, struct bs_document *document_out,
                                  enum bs_fetched *fetched_out, struct bs_error *err)
{
	struct bs_buffer wanted = {0};
	bool found = false;
	enum bs_status status = map_collection(fetcher, source, err);
	if (!status)
		status = bs_fetch_make_id(source, record, &wanted, err);
	uint64_t hash = bs_hash_slot(wanted.data, wanted.used_bytes);
	const struct moved_record *end;
	const struct moved_record *at = find_moved(source, hash, &end);
	for (; !status && !found && at && at < end && at->hash == hash; at++) {
		status = fetch_record_at(fetcher, source, at->offset, at->raw_bytes, at->line, document_out, err);
		if (!status)
			status = is_wanted(fetcher, source, document_out, &wanted, &found, err);
	}
	bs_buffer_deinit(&wanted);
	*fetched_out = found ? BS_FETCHED_CHANGED : BS_FETCHED_GONE;
	return status ? bs_fetch_soften(fetcher, status, fetched_out, err) : BS_OK;
}

/* Where the record stood, if it still bears its id; *found_out false otherwise. */
static enum bs_status fetch_in_place(struct bs_fetcher *fetcher, const struct fetch_source *source, uint32_t segment,
                                     uint32_t document, const struct bs_doc_record *record,
                                     struct bs_document *document_out, bool *found_out, struct bs_error *err)
{
	struct bs_buffer wanted = {0};
	const uint8_t *line;
	size_t line_bytes;
	enum bs_status status = BS_OK;
	*found_out = false;
	/* So that those expected after it are read with it. */
	if (bs_fetch_find_range(fetcher, segment, document))
		status = bs_fetch_line_in_place(fetcher, document, &line, &line_bytes, err);
	if (status)
		return status;
	status = fetch_record_at(fetcher, source, record->place[0], record->place[1], record->place[2],
	                                        document_out, err);
	if (status == BS_INVALID || status == BS_NOT_FOUND)
		return BS_OK;
	*found_out = !source->is_suspect;
	if (!status && source->is_suspect) {
		status = bs_fetch_make_id(source, record, &wanted, err);
		if (!status)
			status = is_wanted(fetcher, source, document_out, &wanted, found_out, err);
	}
	bs_buffer_deinit(&wanted);
	return status;
}

enum bs_status bs_fetch_from_collection(struct bs_fetcher *fetcher, struct fetch_source *source, uint32_t segment,
                                        uint32_t document, const struct bs_doc_record *record,
                                        struct bs_document *document_out, enum bs_fetched *fetched_out,
                                        struct bs_error *err)
{
	bs_fetch_check_collection(fetcher, source, record->source);
	*fetched_out = BS_FETCHED_GONE;
	if (source->is_gone)
		return BS_OK;
	if (source->is_changed)
		return fetch_moved(fetcher, source, record, document_out, fetched_out, err);
	bool found;
	enum bs_status status = fetch_in_place(fetcher, source, segment, document, record, document_out, &found, err);
	*fetched_out = source->is_suspect ? BS_FETCHED_CHANGED : BS_FETCHED_UNCHANGED;
	if (status)
		return bs_fetch_soften(fetcher, status, fetched_out, err);
	if (found)
		return BS_OK;
	/* It changed under our hands, between the stat and the read, or in the very moment of indexing. */
	source->is_changed = true;
	bs_reader_forget(fetcher->reader, true);
	bs_fetch_notice_source(fetcher, source);
	return fetch_moved(fetcher, source, record, document_out, fetched_out, err);
}

