/* doc_order.c: see doc_order.h. */
#include "core/store/doc_order.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/source_kind.h"

int bs_compare_records(uint32_t kind, const struct bs_doc_record *a, const struct bs_doc_record *b)
{
	switch (kind) {
	case BS_SOURCE_FOLDER:
		return bs_compare_paths(a->name, a->name_bytes, b->name, b->name_bytes);
	case BS_SOURCE_COLLECTION:
		return bs_compare_u64(a->place[0], b->place[0]);
	case BS_SOURCE_STDIN:
		return bs_compare_u64(a->place[3], b->place[3]);
	default:
		return 0;
	}
}

/* The path below a folder that decides the document order: the name of a file, or the path of the
 * collection that contains a record. */
static const uint8_t *path_below(const struct bs_source_record *source,
                                 const struct bs_doc_record *record, size_t *bytes_out)
{
	*bytes_out = source->parent ? strlen(source->path) : record->name_bytes;
	return source->parent ? (const uint8_t *)source->path : record->name;
}

int bs_compare_documents(const struct bs_manifest *manifest, const struct bs_doc_record *a,
                         const struct bs_doc_record *b)
{
	size_t a_bytes, b_bytes;
	if (a->source == b->source)
		return a->source < manifest->n_sources
		               ? bs_compare_records(manifest->sources[a->source].kind, a, b)
		               : 0;
	if (a->source >= manifest->n_sources || b->source >= manifest->n_sources)
		return bs_compare_u64(a->source, b->source);
	uint32_t a_root = bs_manifest_root(manifest, a->source),
		 b_root = bs_manifest_root(manifest, b->source);
	if (a_root != b_root)
		return bs_compare_u64(a_root, b_root);
	const uint8_t *a_path = path_below(&manifest->sources[a->source], a, &a_bytes);
	const uint8_t *b_path = path_below(&manifest->sources[b->source], b, &b_bytes);
	return bs_compare_paths(a_path, a_bytes, b_path, b_bytes);
}

int bs_document_order(const struct bs_snapshot *snapshot, struct bs_doc_ref a, struct bs_doc_ref b)
{
	struct bs_doc_record x, y;
	if (a.segment == b.segment)
		return bs_compare_u64(a.document, b.document);
	if (bs_snapshot_record(snapshot, a, &x, NULL) != BS_OK ||
	    bs_snapshot_record(snapshot, b, &y, NULL) != BS_OK)
		return bs_compare_u64(a.segment, b.segment);
	int order = bs_compare_documents(&snapshot->manifest, &x, &y);
	return order ? order : bs_compare_u64(a.segment, b.segment);
}

struct bs_doc_stream {
	struct bs_doc_ref ref; /* the next document */
	uint32_t end;          /* exclusive end of the range */
	struct bs_doc_record record;
};

/* The first document in [document, end) that is in `among`, or end. Skips zero bytes of the bitmap
 * at once, because few bits are set. */
static uint32_t next_among(const struct bs_doc_bits *among, uint32_t segment, uint32_t document,
                           uint32_t end)
{
	const uint8_t *bits = among->segments ? among->segments[segment] : NULL;
	while (bits && document < end && !(bits[document / 8] >> (document % 8) & 1))
		document += document % 8 == 0 && bits[document / 8] == 0 ? 8 : 1;
	return bits && document < end ? document : end;
}

/* Moves to the next wanted document from ref on, and reads it. ref.document == end if there is
 * none. */
static enum bs_status stream_settle(const struct bs_doc_cursor *cursor,
                                    struct bs_doc_stream *stream, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = cursor->snapshot;
	const struct bs_doc_bits *among = cursor->among;
	struct bs_doc_ref *ref = &stream->ref;
	if (among)
		ref->document = next_among(among, ref->segment, ref->document, stream->end);
	while (!among && ref->segment != BS_DOC_EXCLUDED && ref->document < stream->end &&
	       bs_snapshot_is_deleted(snapshot, ref->segment, ref->document))
		ref->document++;
	return ref->document < stream->end
	               ? bs_snapshot_record(snapshot, *ref, &stream->record, err)
	               : BS_OK;
}

static bool comes_before(const struct bs_doc_cursor *cursor, const struct bs_doc_stream *a,
                         const struct bs_doc_stream *b)
{
	int order = cursor->with_inner ? bs_compare_documents(&cursor->snapshot->manifest,
	                                                      &a->record, &b->record)
	                               : bs_compare_records(cursor->kind, &a->record, &b->record);
	return order ? order < 0 : a->ref.segment < b->ref.segment;
}

static void sift_down(struct bs_doc_cursor *cursor, size_t i)
{
	struct bs_doc_stream *streams = cursor->streams;
	for (;;) {
		size_t first = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < cursor->n_streams;
		     child++)
			if (comes_before(cursor, &streams[child], &streams[first]))
				first = child;
		if (first == i)
			return;
		struct bs_doc_stream saved = streams[i];
		streams[i] = streams[first];
		streams[first] = saved;
		i = first;
	}
}

/* Whether a source is a collection that was found in the folder, or the folder itself. */
static bool is_in(const struct bs_snapshot *snapshot, uint32_t source, uint32_t folder)
{
	return source < snapshot->manifest.n_sources &&
	       bs_manifest_root(&snapshot->manifest, source) == folder;
}

/* Adds a stream for each range of wanted documents in a table. */
static enum bs_status add_streams(struct bs_doc_cursor *cursor, uint32_t segment, uint32_t source,
                                  struct bs_error *err)
{
	const struct bs_snapshot *snapshot = cursor->snapshot;
	const struct bs_doc_table *table = segment == BS_DOC_EXCLUDED
	                                           ? &snapshot->exclusions.table
	                                           : &snapshot->segments[segment].docs;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < table->n_ranges && !status; i++) {
		struct bs_source_range range = bs_doc_table_range(table, i);
		if (range.source != source &&
		    !(cursor->with_inner && is_in(snapshot, range.source, source)))
			continue;
		size_t n_bytes = (cursor->n_streams + 1) * sizeof(*cursor->streams);
		struct bs_doc_stream *streams = realloc(cursor->streams, n_bytes);
		if (!streams)
			return bs_fail_memory(err, "a list of segments", n_bytes);
		cursor->streams = streams;
		struct bs_doc_stream *stream = &streams[cursor->n_streams];
		*stream = (struct bs_doc_stream){.ref = {segment, range.first}, .end = range.end};
		status = stream_settle(cursor, stream, err);
		cursor->n_streams += stream->ref.document < stream->end;
	}
	return status;
}

enum bs_status bs_doc_cursor_init(struct bs_doc_cursor *cursor, const struct bs_snapshot *snapshot,
                                  uint32_t source, const bool *chosen, unsigned flags,
                                  const struct bs_doc_bits *among, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*cursor = (struct bs_doc_cursor){
		.snapshot = snapshot, .among = among, .with_inner = flags & BS_CURSOR_INNER};
	if (source >= snapshot->manifest.n_sources)
		return BS_OK;
	cursor->kind = snapshot->manifest.sources[source].kind;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
		if (!chosen || chosen[s])
			status = add_streams(cursor, s, source, err);
	if (!status && flags & BS_CURSOR_EXCLUSIONS)
		status = add_streams(cursor, BS_DOC_EXCLUDED, source, err);
	for (size_t i = cursor->n_streams; i-- > 0 && !status;)
		sift_down(cursor, i);
	return status;
}

bool bs_doc_cursor_peek(const struct bs_doc_cursor *cursor, struct bs_doc_ref *ref_out,
                        struct bs_doc_record *record_out)
{
	if (cursor->n_streams == 0)
		return false;
	*ref_out = cursor->streams[0].ref;
	*record_out = cursor->streams[0].record;
	return true;
}

enum bs_status bs_doc_cursor_advance(struct bs_doc_cursor *cursor, struct bs_error *err)
{
	struct bs_doc_stream *top = &cursor->streams[0];
	top->ref.document++;
	enum bs_status status = stream_settle(cursor, top, err);
	if (status)
		return status;
	if (top->ref.document >= top->end)
		*top = cursor->streams[--cursor->n_streams];
	sift_down(cursor, 0);
	return BS_OK;
}

enum bs_status bs_doc_cursor_seek(struct bs_doc_cursor *cursor, const uint8_t *name,
                                  size_t name_bytes, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = cursor->n_streams; i-- > 0 && !status;) {
		struct bs_doc_stream *stream = &cursor->streams[i];
		struct bs_doc_ref ref = stream->ref;
		for (uint32_t end = stream->end; ref.document < end && !status;) {
			struct bs_doc_ref middle = {ref.segment,
			                            ref.document + (end - ref.document) / 2};
			status = bs_snapshot_record(cursor->snapshot, middle, &stream->record, err);
			if (!status &&
			    bs_compare_paths(stream->record.name, stream->record.name_bytes, name,
			                     name_bytes) < 0)
				ref.document = middle.document + 1;
			else
				end = middle.document;
		}
		stream->ref = ref;
		if (!status)
			status = stream_settle(cursor, stream, err);
		if (!status && stream->ref.document >= stream->end)
			*stream = cursor->streams[--cursor->n_streams];
	}
	for (size_t i = cursor->n_streams; i-- > 0 && !status;)
		sift_down(cursor, i);
	return status;
}

void bs_doc_cursor_deinit(struct bs_doc_cursor *cursor)
{
	free(cursor->streams);
	*cursor = (struct bs_doc_cursor){0};
}
