/*
 * engine_xapian.cpp: Xapian's glass database, compacted, without term lists, which are needed only
 * for deletion and query expansion. Counts are exact: all documents are checked (checkatleast),
 * without weights.
 *
 * Terms of more than 240 bytes are left out, because Xapian's keys have at most 245; no query has
 * such a term.
 */
#include "bench/engine_xapian.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include <xapian.h>

#include "bench/tool.h"

static const unsigned most_term_bytes = 240;

/* Xapian flushes every 10,000 documents by default. A larger threshold is faster and takes more
 * memory. */
static const char flush_threshold[] = "100000";

/* Building. */

namespace
{

Xapian::WritableDatabase create(const std::string &path)
{
	setenv("XAPIAN_FLUSH_THRESHOLD", flush_threshold, 1);
	return Xapian::WritableDatabase(path, Xapian::DB_CREATE | Xapian::DB_BACKEND_GLASS |
	                                              Xapian::DB_NO_TERMLIST | Xapian::DB_NO_SYNC |
	                                              Xapian::DB_DANGEROUS);
}

/* Compacts the unfinished database into path. */
void finish(Xapian::WritableDatabase &database, const std::string &unfinished, const char *path,
            struct build_times *times_out)
{
	database.commit();
	build_finishes(times_out);
	database.compact(path, Xapian::DBCOMPACT_NO_RENUMBER | Xapian::Compactor::FULLER);
	build_ends(times_out);
	database.close();
	remove_tree(unfinished.c_str());
}

void add_tokens(Xapian::Document &document, const struct terms &terms,
                const struct token_stream &stream, bool positions)
{
	for (size_t i = 0; i < stream.n_tokens; i++) {
		const struct term &term = terms.terms[stream.tokens[i].term];
		if (term.n_bytes > most_term_bytes)
			continue;
		std::string text(term.text, term.n_bytes);
		if (positions)
			document.add_posting(text, stream.tokens[i].position + 1);
		else
			document.add_boolean_term(text);
	}
}

void build(const struct corpus *corpus, const char *path, bool positions,
           struct build_times *times_out)
{
	struct terms terms;
	struct token_stream stream;
	std::string unfinished = std::string(path) + ".building";
	terms_read(corpus, &terms);
	remove_tree(unfinished.c_str());
	build_begins(times_out);
	Xapian::WritableDatabase database = create(unfinished);
	for (token_stream_open(corpus, &stream); token_stream_next(&stream);) {
		Xapian::Document document;
		add_tokens(document, terms, stream, positions);
		database.add_document(document);
	}
	token_stream_close(&stream);
	finish(database, unfinished, path, times_out);
	terms_free(&terms);
}

void build_generator(const struct corpus *corpus, const char *path, struct build_times *times_out)
{
	struct text_stream stream;
	std::string unfinished = std::string(path) + ".building";
	remove_tree(unfinished.c_str());
	build_begins(times_out);
	Xapian::WritableDatabase database = create(unfinished);
	Xapian::TermGenerator generator;
	for (text_stream_open(corpus, &stream); text_stream_next(&stream);) {
		Xapian::Document document;
		generator.set_document(document);
		generator.set_termpos(0);
		generator.index_text(std::string(stream.text, stream.n_bytes));
		database.add_document(document);
	}
	text_stream_close(&stream);
	finish(database, unfinished, path, times_out);
}

template <typename Function> void guarded(Function function)
{
	try {
		function();
	} catch (const Xapian::Error &error) {
		die("Xapian: %s", error.get_description().c_str());
	}
}

} // namespace

void xapian_build_positions(const struct corpus *corpus, const char *path,
                            struct build_times *times_out)
{
	guarded([=] { build(corpus, path, true, times_out); });
}

void xapian_build_documents(const struct corpus *corpus, const char *path,
                            struct build_times *times_out)
{
	guarded([=] { build(corpus, path, false, times_out); });
}

void xapian_build_generator(const struct corpus *corpus, const char *path,
                            struct build_times *times_out)
{
	guarded([=] { build_generator(corpus, path, times_out); });
}

/* Querying. */

void *xapian_open(const struct corpus *corpus, const char *index_path, const struct query_set *set)
{
	Xapian::Database *database = nullptr;
	(void)corpus, (void)set;
	guarded([&] { database = new Xapian::Database(index_path); });
	return database;
}

/* Converts a query to one of Xapian. */
static Xapian::Query query_of(const struct query *query)
{
	const Xapian::Query::op op = query->is_phrase ? Xapian::Query::OP_PHRASE
	                             : query->is_any  ? Xapian::Query::OP_OR
	                             : query->is_not  ? Xapian::Query::OP_AND_NOT
	                                              : Xapian::Query::OP_AND;
	return Xapian::Query(op, query->words, query->words + query->n_words);
}

void xapian_top(void *handle, const struct query *query, struct answer *answer_out)
{
	guarded([=] {
		Xapian::Enquire enquire(*static_cast<Xapian::Database *>(handle));
		enquire.set_weighting_scheme(Xapian::BM25Weight(1.2, 0, 1, 0.75, 0));
		enquire.set_query(query_of(query));
		answer_out->count = enquire.get_mset(0, 10).size();
	});
}

void xapian_ask(void *handle, const struct query *query, struct answer *answer_out)
{
	guarded([=] {
		Xapian::Database *database = static_cast<Xapian::Database *>(handle);
		Xapian::Enquire enquire(*database);
		enquire.set_weighting_scheme(Xapian::BoolWeight());
		enquire.set_docid_order(Xapian::Enquire::DONT_CARE);
		enquire.set_query(query_of(query));
		answer_out->count =
			enquire.get_mset(0, 0, database->get_doccount()).get_matches_estimated();
	});
}

void xapian_close(void *handle)
{
	delete static_cast<Xapian::Database *>(handle);
}

const char *xapian_version(void)
{
	return Xapian::version_string();
}
