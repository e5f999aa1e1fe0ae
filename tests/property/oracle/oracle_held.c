/* oracle_held.c: finds the replaced documents that the index still holds. A build or a commit may
 * compact, which removes replaced documents from N, df and avgdl. This file reads only the document
 * tables of the index, not the numbers that scores depend on. See oracle_bench.h. */
#include "core/base/source_kind.h"
#include "query/search/index_handle.h"
#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/test.h"

/* A document of the oracle and where it was written. */
struct place {
	const char *path;
	uint64_t line;
	size_t doc;
	bool is_held;
};

struct held {
	const struct bs_snapshot *snapshot;
	struct place *places; /* sorted */
	size_t n_places;
	struct bs_buffer path; /* scratch */
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->path, y->path);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void sort_places(struct held *held)
{
	const struct oracle *oracle = &bench.oracle;
	held->n_places = bs_vector_n(&oracle->docs);
	held->places = must_calloc(held->n_places + 1, sizeof(*held->places));
	for (size_t i = 0; i < held->n_places; i++) {
		const struct oracle_doc *doc = &oracle->docs.items[i];
		held->places[i] = (struct place){(const char *)oracle->bytes.data + doc->path_off,
		                                 doc->line, i, false};
	}
	qsort(held->places, held->n_places, sizeof(*held->places), compare_places);
}

/* Returns the place of a document of the index, or NULL if the oracle wrote nothing there. */
static struct place *find_place(struct held *held, const struct bs_doc_record *record)
{
	const struct bs_source_record *source = &held->snapshot->manifest.sources[record->source];
	struct place wanted = {.line = 0};
	bs_buffer_clear(&held->path);
	append_bytes(&held->path, source->label, strlen(source->label));
	if (source->kind == BS_SOURCE_FOLDER) {
		append_bytes(&held->path, "/", 1);
		append_bytes(&held->path, record->name, record->name_bytes);
	}
	append_bytes(&held->path, "", 1);
	wanted.path = (const char *)held->path.data;
	if (source->kind == BS_SOURCE_COLLECTION || source->kind == BS_SOURCE_STDIN)
		wanted.line =
			record->flags & BS_DOC_SEPARATE_ID ? record->place[3] : record->place[2];
	return bsearch(&wanted, held->places, held->n_places, sizeof(wanted), compare_places);
}

/* Whether the id of the oracle's document ends with the name in the record. Also true if the name
 * is no part of the id: if the id is derived from a line, or the source is a single file. */
static bool has_name(const struct held *held, const struct oracle_doc *doc,
                     const struct bs_doc_record *record)
{
	const uint8_t *id = bench.oracle.bytes.data + doc->id_off;
	return record->flags & BS_DOC_NAMED_BY_LINE ||
	       held->snapshot->manifest.sources[record->source].kind == BS_SOURCE_FILE ||
	       (record->name_bytes <= doc->id_bytes &&
	        memcmp(id + doc->id_bytes - record->name_bytes, record->name, record->name_bytes) ==
	                0);
}

static void find_document(struct held *held, struct bs_doc_ref ref)
{
	struct bs_doc_record record;
	ok(bs_snapshot_record(held->snapshot, ref, &record, ERR));
	struct place *place = find_place(held, &record);
	const struct oracle_doc *doc = place ? &bench.oracle.docs.items[place->doc] : NULL;
	bool is_deleted = bs_snapshot_is_deleted(held->snapshot, ref.segment, ref.document);
	if (!place || place->is_held || !has_name(held, doc, &record) ||
	    is_deleted != doc->is_replaced || record.length != doc->length)
		fail_msg("document %u of segment %u, %.*s, is %s", ref.document, ref.segment,
		         (int)record.name_bytes, record.name,
		         !place           ? "none of those written"
		         : place->is_held ? "there twice"
		                          : "not what was written");
	place->is_held = true;
}

void bench_count_held(void)
{
	struct held held = {.snapshot = &bench.indexes[0]->snapshot};
	struct oracle *oracle = &bench.oracle;
	sort_places(&held);
	for (uint32_t s = 0; s < held.snapshot->manifest.n_segments; s++)
		for (uint32_t d = 0; d < bs_snapshot_segment_docs(held.snapshot, s) &&
		                     bs_snapshot_has_words(held.snapshot, s);
		     d++)
			find_document(&held, (struct bs_doc_ref){s, d});
	for (size_t i = 0; i < held.n_places; i++) {
		if (held.places[i].is_held)
			continue;
		if (!oracle->docs.items[held.places[i].doc].is_replaced)
			fail_msg("%s, line %llu, is not in the index", held.places[i].path,
			         (unsigned long long)held.places[i].line);
		oracle_forget(oracle, held.places[i].doc);
	}
	if (oracle->n_gone > 0)
		oracle_refind_values(oracle);
	free(held.places);
	bs_buffer_deinit(&held.path);
}
