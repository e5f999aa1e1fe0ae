/* relocated.c: see relocated.h. */
#include "query/load/relocated.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/collections/binary_search.h"
#include "core/collections/sort.h"
#include "corpus/read/reader.h"

static int compare(const void *a, const void *b, void *context)
{
	(void)context;
	const struct bs_relocated_record *x = a;
	const struct bs_relocated_record *y = b;
	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->offset > y->offset ? -1 : x->offset < y->offset;
}

enum bs_status bs_relocated_id(const struct bs_source *source, const struct bs_document *document,
                               struct bs_buffer *id, struct bs_error *err)
{
	bs_buffer_clear(id);
	return bs_source_append_id(source, document->name.bytes, document->name.n_bytes,
	                           document->name.is_line ? document->place.line : 0, id, err);
}

/* Context of the sink that receives the records. */
struct mapping {
	struct bs_relocated *moved;
	const struct bs_source *source;
	struct bs_buffer id;
};

static enum bs_status map_document(void *context, const struct bs_document *document,
                                   struct bs_error *err)
{
	struct mapping *mapping = context;
	struct bs_buffer *id = &mapping->id;
	enum bs_status status = bs_relocated_id(mapping->source, document, id, err);
	if (status)
		return status;
	const char *label = mapping->source->label;
	mapping->moved->is_like_line |= !document->name.is_line && id->used_bytes > strlen(label) &&
	                                memcmp(id->data, label, strlen(label)) == 0;
	struct bs_relocated_record record = {bs_hash_slot(id->data, id->used_bytes),
	                                     document->place.offset, document->place.n_bytes,
	                                     document->place.line};
	return bs_vector_append(&mapping->moved->records, &record, err);
}

enum bs_status bs_relocated_read(struct bs_relocated *moved, const struct bs_source *source,
                                 struct bs_reader *reader, struct bs_feed *feed,
                                 struct bs_error *err)
{
	struct mapping mapping = {.moved = moved, .source = source};
	struct bs_document_sink sink = {.context = &mapping, .document = map_document};
	bs_vector_clear(&moved->records);
	moved->is_like_line = false;
	enum bs_status status = bs_reader_read_all(reader, feed, &sink, err);
	bs_buffer_deinit(&mapping.id);
	return status ? status
	              : bs_sort(moved->records.items, bs_vector_n(&moved->records),
	                        sizeof(*moved->records.items), compare, NULL, err);
}

void bs_relocated_deinit(struct bs_relocated *moved)
{
	bs_vector_deinit(&moved->records);
}

const struct bs_relocated_record *bs_relocated_find(const struct bs_relocated *moved, uint64_t hash,
                                                    const struct bs_relocated_record **end_out)
{
	const struct bs_relocated_record *all = moved->records.items;
	size_t n = bs_vector_n(&moved->records), first;
	BS_BINARY_SEARCH(first, i, 0, n, all[i].hash < hash);
	*end_out = all ? all + n : NULL;
	return all ? all + first : NULL;
}
