/* oracle_writer.c: adds the documents of "-" by a writer, in several commits, with deletes and with
 * changes that are rolled back. Also provides their texts if they are not stored. See
 * oracle_bench.h. */
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/writer.h"
#include "tests/property/oracle/oracle_bench.h"
#include "tests/rigs/test.h"

/* The least number of documents in a commit. In a smaller commit most documents might be deleted;
 * compaction would then remove them from the statistics. */
#define LEAST_COMMIT 30u

static bool is_of_stdin(const struct oracle *oracle, size_t doc)
{
	return strcmp((const char *)oracle->bytes.data + oracle->docs.items[doc].path_off, "-") ==
	       0;
}

size_t bench_texts(size_t doc)
{
	const struct oracle *oracle = &bench.oracle;
	const struct oracle_doc *of = &oracle->docs.items[doc];
	assert_in_range(of->n_fields, 0, ORACLE_MAX_FIELDS);
	for (size_t i = 0; i < of->n_fields; i++) {
		const struct oracle_field *field = &oracle->fields.items[of->first_field + i];
		const char *name = field->name == ORACLE_NO_NAME ? "" : oracle->names[field->name];
		bench.text[i] = (struct bs_text){name, strlen(name),
		                                 (const char *)oracle->bytes.data + field->text_off,
		                                 field->text_bytes};
	}
	return of->n_fields;
}

static const char *id_of(size_t doc, size_t *id_bytes_out)
{
	const struct oracle_doc *of = &bench.oracle.docs.items[doc];
	*id_bytes_out = of->id_bytes;
	return (const char *)bench.oracle.bytes.data + of->id_off;
}

static int provide(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	for (size_t doc = bs_vector_n(&bench.oracle.docs); doc-- > 0;) {
		if (!oracle_has_id(&bench.oracle, doc, id, id_bytes) ||
		    !is_of_stdin(&bench.oracle, doc))
			continue;
		*n_texts_out = bench_texts(doc);
		*texts_out = bench.text;
		return 0;
	}
	return 1;
}

void bench_provide(void)
{
	bench.texts = (struct bs_text_provider){.texts = provide};
}

/* The writer gets only text fields. A document whose "when" is not among them has no date. */
static void forget_date(size_t doc, size_t n_texts)
{
	for (size_t i = 0; i < n_texts; i++)
		if (bench.text[i].field_bytes == 4 && memcmp(bench.text[i].field, "when", 4) == 0)
			return;
	bench.oracle.docs.items[doc].when_s = 0;
}

/* Draws one of the first n_docs documents, and deletes it if it is of "-" and not replaced. */
static void delete_some(struct bs_writer *writer, size_t n_docs)
{
	size_t doc = below(n_docs), id_bytes;
	bool was_there;
	if (!is_of_stdin(&bench.oracle, doc) || bench.oracle.docs.items[doc].is_replaced)
		return;
	const char *id = id_of(doc, &id_bytes);
	ok(bs_writer_delete(writer, id, id_bytes, &was_there, ERR));
	assert_true(was_there);
	bench.oracle.docs.items[doc].is_replaced = true;
}

static void take_back(struct bs_writer *writer)
{
	struct bs_text text = {"text", 4, "taken back", 10};
	uint64_t n;
	ok(bs_writer_add(writer, "back", 4, &text, 1, ERR));
	ok(bs_writer_delete_query(writer, "taken OR the OR -taken", 22, &n, ERR));
	assert_true(n > 0);
	bs_writer_rollback(writer);
}

uint64_t bench_give(const char *dir)
{
	const struct oracle_setup *setup = &bench.setup;
	static const struct bs_consent consent = {.all = true};
	struct bs_writer_request request = {
		.dir = bench.memory ? NULL : dir,
		.memory = bench.memory,
		.host.consent = bench.memory ? &consent : NULL,
		.index.fold_accents = setup->words.fold_accents,
		.index.split_identifiers = setup->words.split_identifiers,
		.index.stem_language = setup->words.stem_language,
		.index.weights = setup->weights[0] ? setup->weights : NULL,
		.not_stored = setup->is_not_stored,
		.host.texts = setup->is_not_stored ? &bench.texts : NULL,
		.write.n_threads = setup->n_threads};
	struct bs_build_report report = {.n_docs = 0};
	struct bs_writer *writer;
	uint32_t n_since = 0, n_commits = 0;
	uint64_t n_given = 0;
	ok(bs_writer_open(&request, &writer, ERR));
	for (size_t doc = 0; doc < bs_vector_n(&bench.oracle.docs); doc++) {
		size_t id_bytes;
		const char *id = id_of(doc, &id_bytes);
		if (!is_of_stdin(&bench.oracle, doc))
			continue;
		if (n_since == 0 && by_chance(30))
			take_back(writer);
		size_t n_texts = bench_texts(doc);
		ok(bs_writer_add(writer, id, id_bytes, bench.text, n_texts, ERR));
		bench.oracle.docs.items[doc].line = n_given++;
		forget_date(doc, n_texts);
		n_since++;
		if (by_chance(2))
			delete_some(writer, doc + 1);
		/* At most 4 commits: more segments would be compacted. */
		if (n_since < LEAST_COMMIT || n_commits == 3 || !by_chance(3))
			continue;
		ok(bs_writer_commit(writer, &report, ERR));
		n_since = 0;
		n_commits++;
	}
	ok(bs_writer_commit(writer, &report, ERR));
	bs_writer_close(writer);
	return report.n_docs;
}
