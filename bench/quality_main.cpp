/*
 * quality_main.cpp: ranks the documents of a test collection by the BM25 of other engines, for
 * quality.sh.
 *
 * bitsift-bench-quality ENGINE STEM DOCUMENTS QUERIES: ENGINE is fts5 or xapian, STEM english or
 * none. DOCUMENTS and QUERIES have lines of an id, a tab and text. Prints "query document" for the
 * 1,000 best of every query, the best first. Each engine uses its own tokenizer (unicode61,
 * TermGenerator). Documents match if they have any word of the query.
 */
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif
#ifdef HAVE_XAPIAN
#include <xapian.h>
#endif

namespace
{

const int N_BEST = 1000;

struct Line {
	std::string id, text;
};

std::vector<Line> read_lines(const char *path)
{
	std::vector<Line> lines;
	std::ifstream in(path);
	for (std::string line; std::getline(in, line);) {
		size_t tab = line.find('\t');
		if (tab != std::string::npos)
			lines.push_back({line.substr(0, tab), line.substr(tab + 1)});
	}
	return lines;
}

#ifdef HAVE_SQLITE

void check(sqlite3 *db, int code)
{
	if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
		throw std::runtime_error(sqlite3_errmsg(db));
}

/* Runs a statement, whose only parameter is `text`, and calls `row` for each row of the result. */
void run(sqlite3 *db, sqlite3_stmt *statement, const std::string &text,
         const std::function<void()> &row)
{
	check(db, sqlite3_bind_text(statement, 1, text.data(), static_cast<int>(text.size()),
	                            SQLITE_STATIC));
	for (int code; (code = sqlite3_step(statement)) != SQLITE_DONE;) {
		check(db, code);
		row();
	}
	check(db, sqlite3_reset(statement));
}

/* A query of FTS5 for any of the words. Quotes every word, so that none is an operator. */
std::string any_of(const std::string &text)
{
	std::string any;
	for (size_t at = 0, end; at < text.size(); at = end + 1) {
		end = std::min(text.find(' ', at), text.size());
		std::string word;
		for (char c : text.substr(at, end - at))
			word += c == '"' ? ' ' : c;
		if (word.find_first_of(
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") !=
		    std::string::npos)
			any += (any.empty() ? "\"" : " OR \"") + word + "\"";
	}
	return any;
}

void rank_fts5(bool stem, const std::vector<Line> &documents, const std::vector<Line> &queries)
{
	sqlite3 *db = nullptr;
	sqlite3_stmt *add = nullptr, *ask = nullptr;
	check(db, sqlite3_open(":memory:", &db));
	std::string table = std::string("create virtual table t using fts5(text, tokenize='") +
	                    (stem ? "porter unicode61" : "unicode61") + "')";
	check(db, sqlite3_exec(db, table.c_str(), nullptr, nullptr, nullptr));
	check(db, sqlite3_prepare_v2(db, "insert into t(text) values (?)", -1, &add, nullptr));
	for (const Line &document : documents)
		run(db, add, document.text, [] {});
	check(db, sqlite3_prepare_v2(
			  db, "select rowid from t where t match ? order by bm25(t) limit 1000", -1,
			  &ask, nullptr));
	for (const Line &query : queries)
		run(db, ask, any_of(query.text), [&] {
			std::cout
				<< query.id << ' '
				<< documents[static_cast<size_t>(sqlite3_column_int(ask, 0)) - 1].id
				<< '\n';
		});
	sqlite3_finalize(add);
	sqlite3_finalize(ask);
	sqlite3_close(db);
}
#endif

#ifdef HAVE_XAPIAN

std::vector<std::string> words_of(Xapian::TermGenerator &generator, const std::string &text)
{
	Xapian::Document document;
	generator.set_document(document);
	generator.index_text_without_positions(text);
	return {document.termlist_begin(), document.termlist_end()};
}

void rank_xapian(bool stem, const std::vector<Line> &documents, const std::vector<Line> &queries)
{
	Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
	Xapian::TermGenerator generator;
	if (stem)
		generator.set_stemmer(Xapian::Stem("english"));
	generator.set_stemming_strategy(stem ? Xapian::TermGenerator::STEM_ALL
	                                     : Xapian::TermGenerator::STEM_NONE);
	for (const Line &line : documents) {
		Xapian::Document document;
		generator.set_document(document);
		generator.index_text_without_positions(line.text);
		document.set_data(line.id);
		database.add_document(document);
	}
	database.commit();
	for (const Line &query : queries) {
		std::vector<std::string> words = words_of(generator, query.text);
		Xapian::Enquire enquire(database);
		enquire.set_weighting_scheme(Xapian::BM25Weight());
		enquire.set_query(Xapian::Query(Xapian::Query::OP_OR, words.begin(), words.end()));
		Xapian::MSet found = enquire.get_mset(0, N_BEST);
		for (Xapian::MSetIterator i = found.begin(); i != found.end(); ++i)
			std::cout << query.id << ' ' << i.get_document().get_data() << '\n';
	}
}
#endif

int rank(const std::string &engine, bool stem, const std::vector<Line> &documents,
         const std::vector<Line> &queries)
{
#ifdef HAVE_SQLITE
	if (engine == "fts5")
		return rank_fts5(stem, documents, queries), 0;
#endif
#ifdef HAVE_XAPIAN
	if (engine == "xapian")
		return rank_xapian(stem, documents, queries), 0;
#endif
	(void)stem, (void)documents, (void)queries;
	std::cerr << "bitsift-bench-quality: " << engine
		  << ": its library was not there when this was built\n";
	return 3;
}

} // namespace

int main(int argc, char **argv)
{
	if (argc != 5) {
		std::cerr << "usage: bitsift-bench-quality fts5|xapian english|none DOCUMENTS "
			     "QUERIES\n";
		return 2;
	}
	try {
		return rank(argv[1], std::strcmp(argv[2], "english") == 0, read_lines(argv[3]),
		            read_lines(argv[4]));
	} catch (const std::exception &error) {
		std::cerr << "bitsift-bench-quality: " << error.what() << '\n';
	}
#ifdef HAVE_XAPIAN
	catch (const Xapian::Error &error) {
		std::cerr << "bitsift-bench-quality: " << error.get_description() << '\n';
	}
#endif
	return 2;
}
