/*
 * test_catalog.c: forty indexes in a catalog rank like one index of all their documents. For random
 * queries the ten best have the same ids and bit-identical scores, and counts and ids are the same,
 * whichever indexes are skipped. Also tests catalogs whose indexes change, vanish or are damaged,
 * and damaged catalog files.
 *
 * Arguments: [N_QUERIES [SEED]]
 */
#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/vector.h"
#include "core/bitsift/catalog.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/library_rig.h"

AUTO_OF(struct bs_catalog, bs_catalog_close)
AUTO_OF(struct bs_writer, bs_writer_close)

#define N_BEST    10
#define N_INDEXES 40u
#define MOST_ID   32
#define N_WORDS   3000

static const struct bs_consent all = {.all = true};
static struct bs_catalog_search_result came; /* of the last search */
static unsigned n_learning;                  /* queries with feedback terms that found something */

/* Appends a word: one of 20 that are everywhere, one of many that occur in few indexes, or one of
 * the 60 words of index of_index, which shares 20 of them with each of its two neighbours. */
static void put_word(struct bs_buffer *text, unsigned of_index)
{
	char word[32];
	unsigned kind = below(10);
	unsigned number = kind < 4   ? below(20)
	                  : kind < 8 ? below(N_WORDS)
	                             : 10000 + of_index * 40 + below(60);
	int n = snprintf(word, sizeof(word), "w%c%cx%u", 'a' + number % 7, 'a' + number / 7 % 5,
	                 number);
	append_bytes(text, word, (size_t)n);
	append_string(text, " ");
}

struct hit {
	double score;
	char id[MOST_ID];
};

BS_VECTOR(list, struct hit);

static int take(void *context, const struct bs_hit *hit)
{
	struct list *list = context;
	struct hit taken = {.score = hit->score};
	assert_in_range(hit->id_bytes, 1, MOST_ID - 1);
	memcpy(taken.id, hit->id, hit->id_bytes);
	return bs_vector_append(list, &taken, NULL) != BS_OK;
}

static int take_from_catalog(void *context, const struct bs_catalog_hit *hit)
{
	return take(context, hit->hit);
}

static struct bs_writer *open_stemming_writer(const char *dir, const char *language)
{
	struct bs_writer_request request = {.dir = dir,
	                                    .index.stem_language = language,
	                                    .write.memory_bytes = 16u << 20,
	                                    .write.n_threads = 1,
	                                    .host.consent = &all};
	struct bs_writer *writer;
	ok(bs_writer_open(&request, &writer, ERR));
	return writer;
}

static struct bs_writer *open_writer(const char *dir)
{
	return open_stemming_writer(dir, NULL);
}

/* Adds document d of index i to `one` and, unless NULL, to `whole`. Some documents have fields. */
static void add_document(struct bs_writer *one, struct bs_writer *whole, unsigned i, unsigned d,
                         struct bs_buffer *text)
{
	char id[MOST_ID], year[8];
	bs_buffer_clear(text);
	for (unsigned n = below(40); n > 0; n--)
		put_word(text, i);
	int id_bytes = snprintf(id, sizeof(id), "%u-%u", i, d);
	snprintf(year, sizeof(year), "%u", 1990 + below(30));
	struct bs_text texts[3] = {{"", 0, (const char *)text->data, text->used_bytes},
	                           {"title", 5, (const char *)text->data, text->used_bytes / 3},
	                           {"year", 4, year, 4}};
	size_t n_texts = i % 3 == 0 ? 1 : 1 + below(3);
	ok(bs_writer_add(one, id, (size_t)id_bytes, texts, n_texts, ERR));
	if (whole)
		ok(bs_writer_add(whole, id, (size_t)id_bytes, texts, n_texts, ERR));
}

static void build(void)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {.data = NULL};
	char dir[16];
	AUTO(bs_writer_close_at) struct bs_writer *whole = open_writer("whole");
	for (unsigned i = 0; i < N_INDEXES; i++) {
		snprintf(dir, sizeof(dir), "i%u", i);
		AUTO(bs_writer_close_at) struct bs_writer *one = open_writer(dir);
		for (unsigned d = 0, n = 5 + below(60); d < n; d++) {
			add_document(one, whole, i, d, &text);
			if (below(40) == 0)
				ok(bs_writer_commit(one, NULL, ERR));
		}
		ok(bs_writer_commit(one, NULL, ERR));
	}
	ok(bs_writer_commit(whole, NULL, ERR));
}

static struct bs_catalog *open_catalog(const char *file)
{
	struct bs_catalog *catalog;
	struct bs_catalog_request request = {.file = file, .host.consent = &all};
	ok(bs_catalog_open(&request, &catalog, ERR));
	return catalog;
}

static void add_indexes(struct bs_catalog *catalog, unsigned first, unsigned n)
{
	for (unsigned i = first; i < first + n; i++) {
		char dir[16];
		const char *list[] = {dir};
		snprintf(dir, sizeof(dir), "i%u", i);
		ok(bs_catalog_add(catalog, list, 1, NULL, ERR));
	}
}

/* Makes a query of 1 to 4 words and phrases, some with operators, fields, *, ~1 or weights. */
static void make_query(struct bs_buffer *text)
{
	static const char *const joins[] = {"", "", "", "OR ", "-", "title:", "OR title:"};
	bs_buffer_clear(text);
	for (unsigned i = 0, n = 1 + below(4); i < n; i++) {
		append_string(text, joins[below(i ? COUNT(joins) : 1)]);
		unsigned kind = below(12);
		bool is_phrase = kind == 0;
		append_string(text, is_phrase ? "\"" : "");
		put_word(text, below(N_INDEXES));
		if (is_phrase)
			put_word(text, below(N_INDEXES));
		text->used_bytes--;
		if (kind == 1)
			text->used_bytes--;
		append_string(text, is_phrase   ? "\" "
		                    : kind == 1 ? "* "
		                    : kind == 2 ? "~1 "
		                    : kind == 3 ? "^2.5 "
		                                : " ");
	}
	if (below(15) == 0)
		append_string(text, "year:1995..2005");
}

static void compare(const struct bs_search_request *find, const struct list *parts,
                    const struct list *whole)
{
	size_t n = bs_vector_n(whole), i = 0;
	while (i < n && i < bs_vector_n(parts) &&
	       memcmp(&parts->items[i].score, &whole->items[i].score, sizeof(double)) == 0 &&
	       strcmp(parts->items[i].id, whole->items[i].id) == 0)
		i++;
	if (i == n && bs_vector_n(parts) == n)
		return;
	fail_msg("%.*s (any %d, mode %d, offset %zu): %zu hits, not %zu; different from the %zuth "
	         "on: %s %.17g, not %s %.17g",
	         (int)find->query.text_bytes, find->query.text, find->query.any,
	         (int)find->output.mode, find->output.offset, bs_vector_n(parts), n, i,
	         i < bs_vector_n(parts) ? parts->items[i].id : "-",
	         i < bs_vector_n(parts) ? parts->items[i].score : 0,
	         i < n ? whole->items[i].id : "-", i < n ? whole->items[i].score : 0);
}

static void ask(struct bs_catalog *catalog, struct bs_searcher *whole,
                struct bs_search_request find)
{
	AUTO(vector_deinit) struct list of_parts = {.items = NULL}, of_whole = {.items = NULL};
	struct bs_search_result result;
	struct bs_error err = {""}, whole_err = {""};
	find.callbacks.context = &of_whole;
	find.callbacks.hit = find.output.mode == BS_SEARCH_COUNT ? NULL : take;
	enum bs_status expected = bs_search(whole, &find, &result, &whole_err);
	find.callbacks.hit = NULL;
	find.callbacks.context = &of_parts;
	struct bs_catalog_search_request request = {
		.search = find,
		.hit = find.output.mode == BS_SEARCH_COUNT ? NULL : take_from_catalog};
	enum bs_status status = bs_catalog_search(catalog, &request, &came, &err);
	if (status != expected)
		fail_msg("%.*s: %s %s, not %s %s", (int)find.query.text_bytes, find.query.text,
		         bs_status_name(status), err.text, bs_status_name(expected),
		         whole_err.text);
	compare(&find, &of_parts, &of_whole);
	/* A query without hits scores nothing, so no index is probed for its statistics. (With
	 * like_id, each index is probed, because the document may be in any.) */
	if (came.n_asked == 0 && came.n_probed > 0 && !find.query.like_id)
		fail_msg("%.*s (any %d, mode %d, %zu feedback, like %s, %zu bytes of text): %llu "
		         "probed, none asked",
		         (int)find.query.text_bytes, find.query.text, find.query.any,
		         (int)find.output.mode, find.query.feedback_docs,
		         find.query.like_id ? find.query.like_id : "-", find.query.like_text_bytes,
		         (unsigned long long)came.n_probed);
	if (!status && find.output.mode != BS_SEARCH_TOP)
		assert_int_equal(came.search.n_hits, result.n_hits);
}

/* Searches with feedback terms: those of the best documents of all indexes, or those typical of a
 * given text or document. The terms and their weights must be the same as for one index. */
static void ask_learning(struct bs_catalog *catalog, struct bs_searcher *whole,
                         struct bs_search_request find)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {.data = NULL};
	char id[MOST_ID];
	unsigned kind = below(4);
	if (kind == 0)
		find.query.feedback_docs = 1 + below(20);
	for (unsigned n = below(60); kind == 1 && n > 0; n--)
		put_word(&text, below(N_INDEXES));
	if (kind == 1) {
		find.query.like_text = text.data ? (const char *)text.data : "";
		find.query.like_text_bytes = text.used_bytes;
	}
	/* Some ids do not exist. */
	snprintf(id, sizeof(id), "%u-%u", below(N_INDEXES), below(40));
	if (kind >= 2)
		find.query.like_id = id;
	if (kind > 0 && below(2))
		find.query.text_bytes = 0;
	find.output.mode = below(3);
	find.output.offset = find.output.mode == BS_SEARCH_COUNT ? 0 : find.output.offset;
	find.query.stop_words = below(4) ? NULL : "waax0 wbax1 wcax2";
	find.query.stop_words_bytes = find.query.stop_words ? strlen(find.query.stop_words) : 0;
	ask(catalog, whole, find);
	n_learning += came.search.n_hits > 0;
}

static void test_as_one(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("all");
	AUTO(bs_buffer_deinit) struct bs_buffer query = {.data = NULL};
	uint64_t n_skipped = 0, n_probed = 0, n_known = 0;
	add_indexes(catalog, 0, N_INDEXES);
	ok(bs_catalog_check(catalog, ERR));
	struct bs_open_request open = {.dir = "whole", .host.consent = &all};
	AUTO(bs_index_close_at) struct bs_index *index = must_open_with(&open);
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher = must_searcher(index);
	for (unsigned i = 0; i < rounds.n; i++) {
		make_query(&query);
		struct bs_search_request find = {.query.text = (const char *)query.data,
		                                 .query.text_bytes = query.used_bytes,
		                                 .query.any = below(3) == 0,
		                                 .output.offset = below(5) == 0 ? below(12) : 0,
		                                 .output.snippets = below(4) == 0};
		ask(catalog, searcher, find);
		n_skipped += came.n_skipped;
		n_probed += came.n_probed;
		n_known += came.n_skipped > came.n_probed && came.search.n_hits > 0;
		if (below(3) == 0)
			ask_learning(catalog, searcher, find);
		if (below(4) > 0)
			continue;
		find.output.mode = BS_SEARCH_IDS;
		ask(catalog, searcher, find);
		find.output.mode = BS_SEARCH_COUNT;
		find.output.offset = 0;
		ask(catalog, searcher, find);
		find.method.brute = true;
		ask(catalog, searcher, find);
		find.output.mode = BS_SEARCH_TOP;
		find.method.brute = false;
		find.output.sort_field = "year";
		find.output.sort_descending = below(2);
		ask(catalog, searcher, find);
	}
	assert_true(n_skipped > rounds.n && n_probed > 0 && n_known > rounds.n / 10);
	assert_true(n_learning > rounds.n / 8);
	print_message("%" PRIu64 " indexes skipped, %" PRIu64
	              " of them probed; %u queries learnt words\n",
	              n_skipped, n_probed, n_learning);
}

/* An answer that a deadline cut off contains only hits of the whole answer, in order and with the
 * same scores. */
static void test_limits(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("all");
	AUTO(bs_buffer_deinit) struct bs_buffer query = {.data = NULL};
	unsigned n_cut = 0;
	for (unsigned i = 0; i < rounds.n; i++) {
		AUTO(vector_deinit) struct list whole = {.items = NULL}, part = {.items = NULL};
		struct bs_limits limits = {.deadline_ns = 1000u << below(16), .partial = true};
		make_query(&query);
		struct bs_search_request find = {.query.text = (const char *)query.data,
		                                 .query.text_bytes = query.used_bytes,
		                                 .query.any = true,
		                                 .output.mode =
		                                         below(2) ? BS_SEARCH_TOP : BS_SEARCH_IDS,
		                                 .output.limit = 1000000,
		                                 .callbacks.context = &whole};
		struct bs_catalog_search_request request = {.search = find,
		                                            .hit = take_from_catalog};
		enum bs_status expected = bs_catalog_search(catalog, &request, NULL, NULL);
		request.search.limits = &limits;
		request.search.callbacks.context = &part;
		request.search.output.limit = 1 + below(20);
		request.search.output.snippets = below(2);
		if (bs_catalog_search(catalog, &request, &came, ERR) != expected)
			fail_msg("%.*s: %s", (int)query.used_bytes, (const char *)query.data,
			         said.text);
		size_t n_wanted = find.output.mode == BS_SEARCH_IDS ||
		                                  bs_vector_n(&whole) < request.search.output.limit
		                          ? bs_vector_n(&whole)
		                          : request.search.output.limit;
		for (size_t k = 0, from = 0; k < bs_vector_n(&part); k++, from++) {
			while (from < bs_vector_n(&whole) &&
			       memcmp(&whole.items[from], &part.items[k], sizeof(struct hit)) != 0)
				from++;
			assert_true(from < bs_vector_n(&whole) &&
			            (came.search.is_partial || from == k));
		}
		assert_true(came.search.is_partial || bs_vector_n(&part) == n_wanted);
		n_cut += came.search.is_partial;
	}
	assert_reached(n_cut > 0);
}

/* Stop callback: ends the search after *n_left calls. */
static int stop_later(void *context)
{
	unsigned *n_left = context;
	return *n_left == 0 || --*n_left == 0;
}

static void test_stopped(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("all");
	unsigned n_left = 1;
	const volatile int cancel = 1;
	for (int partial = 0; partial < 2; partial++) {
		struct bs_limits limits = {.cancel = &cancel, .partial = partial};
		struct bs_catalog_search_request request = {
			.search = {QUERY("waax0"), .output.mode = BS_SEARCH_COUNT,
		                   .limits = &limits, .method.brute = true}};
		assert_int_equal(bs_catalog_search(catalog, &request, &came, NULL),
		                 partial ? BS_OK : BS_STOPPED);
		assert_true(came.search.is_partial == (partial == 1));
		limits = (struct bs_limits){.stop = stop_later, .context = &n_left};
		n_left = 1;
		enum bs_status status = bs_catalog_search(catalog, &request, &came, NULL);
		assert_true(status == BS_STOPPED || (!status && n_left > 0));
	}
}

static uint64_t count(struct bs_catalog *catalog, const char *query, bool partial)
{
	struct bs_catalog_search_request request = {
		.search = {QUERY(query), .output.mode = BS_SEARCH_COUNT}, .partial = partial};
	return bs_catalog_search(catalog, &request, &came, NULL) == BS_OK ? came.search.n_hits
	                                                                  : UINT64_MAX;
}

static void keep_message(void *context, const char *message)
{
	snprintf(context, sizeof(struct bs_error), "%s", message);
}

/* If no index has the word of a query, a notice says so. If it is a misspelt word of an index, at
 * least six of seven notices suggest a word that some index has. */
static void test_suggestions(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("all");
	AUTO(bs_buffer_deinit) struct bs_buffer word = {.data = NULL};
	unsigned n_absent = 0, n_suggested = 0;
	for (unsigned i = 0; i < rounds.n; i++) {
		struct bs_error line = {""};
		bs_buffer_clear(&word);
		put_word(&word, below(N_INDEXES));
		word.used_bytes--;
		unsigned at = below((unsigned)word.used_bytes - 1);
		uint8_t letter = word.data[at];
		word.data[at] = below(2) ? word.data[at + 1] : 'q';
		word.data[at + 1] = letter;
		word.data[word.used_bytes] = '\0';
		struct bs_catalog_search_request request = {
			.search = {.query.text = (const char *)word.data,
		                   .query.text_bytes = word.used_bytes,
		                   .output.mode = BS_SEARCH_COUNT,
		                   .callbacks.suggest = true,
		                   .callbacks.notice = keep_message,
		                   .callbacks.context = &line}};
		ok(bs_catalog_search(catalog, &request, &came, ERR));
		if (came.search.n_hits > 0) {
			assert_string_equal(line.text, "");
			continue;
		}
		n_absent++;
		const char *meant = strstr(line.text, "; did you mean ");
		assert_true(strncmp(line.text, "no index has ", 13) == 0);
		if (!meant)
			continue;
		n_suggested++;
		char offered[64], end[2];
		assert_int_equal(sscanf(meant, "; did you mean %63[^?]%1s", offered, end), 2);
		assert_in_range(count(catalog, offered, false), 1, UINT64_MAX - 1);
	}
	print_message("%u of %u words that are not there: another was offered\n", n_suggested,
	              n_absent);
	assert_true(n_absent > rounds.n / 2 && n_suggested >= n_absent - n_absent / 7);
}

static void commit_word(const char *dir, const char *word)
{
	AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer(dir);
	struct bs_text text = {"", 0, word, strlen(word)};
	ok(bs_writer_add(writer, word, strlen(word), &text, 1, ERR));
	ok(bs_writer_commit(writer, NULL, ERR));
}

/* Tests an index that changes while the catalog is open and between openings, that vanishes, and
 * that is damaged. */
static void test_changes(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("changes"), *other;
	struct bs_catalog_entry entry;
	uint64_t n_changed, n_unreachable;
	static const char *const dirs[] = {"c0", "c1"};
	commit_word(dirs[0], "penguin");
	commit_word(dirs[1], "walrus");
	ok(bs_catalog_add(catalog, dirs, 2, NULL, ERR));
	assert_int_equal(count(catalog, "walrus", false), 1);
	assert_int_equal(came.n_asked, 1);
	assert_int_equal(count(catalog, "albatross", false), 0);
	assert_int_equal(came.n_asked, 0);
	commit_word(dirs[0], "albatross");
	assert_true(bs_catalog_describe(catalog, 0, &entry) && entry.state == BS_CATALOG_CHANGED);
	assert_int_equal(count(catalog, "albatross", false), 1);
	assert_true(bs_catalog_describe(catalog, 0, &entry) && entry.state == BS_CATALOG_CURRENT);
	/* The catalog has stored the summary of the changed index, which the query read. */
	other = open_catalog("changes");
	assert_true(bs_catalog_describe(other, 0, &entry) && entry.state == BS_CATALOG_CURRENT &&
	            entry.n_docs == 2);
	ok(bs_catalog_refresh(other, NULL, NULL, &n_changed, &n_unreachable, ERR));
	assert_int_equal(n_changed + n_unreachable, 0);
	assert_int_equal(rename(dirs[1], "gone"), 0);
	assert_true(count(catalog, "penguin", false) == UINT64_MAX);
	assert_int_equal(count(catalog, "penguin", true), 1);
	assert_int_equal(came.n_unreachable, 1);
	assert_int_equal(came.n_asked + came.n_skipped, 1);
	ok(bs_catalog_refresh(other, NULL, NULL, &n_changed, &n_unreachable, ERR));
	assert_int_equal(n_unreachable, 1);
	assert_int_equal(rename("gone", dirs[1]), 0);
	assert_int_equal(count(catalog, "walrus", false), 1);
	/* The damaged manifest has a new fingerprint, and the index cannot be opened. */
	FILE *manifest = must_fopen("c1/manifest", "r+");
	assert_int_equal(fseek(manifest, 20, SEEK_SET), 0);
	fputs("damage", manifest);
	fclose(manifest);
	assert_true(count(catalog, "penguin", false) == UINT64_MAX);
	assert_int_equal(count(catalog, "penguin OR walrus", true), 1);
	ok(bs_catalog_remove(catalog, dirs[1], ERR));
	assert_int_equal(count(catalog, "penguin OR walrus", false), 1);
	assert_int_equal(bs_catalog_remove(catalog, "nobody", NULL), BS_NOT_FOUND);
}

/* A query stores the summaries that it read in the catalog's file, unless another process has
 * changed the file meanwhile. */
static void test_kept(void **state)
{
	struct bs_catalog *catalog = open_catalog("kept"), *other;
	struct bs_catalog_entry entry;
	static const char *const dirs[] = {"k0", "k1"};
	commit_word(dirs[0], "ibis");
	commit_word(dirs[1], "heron");
	ok(bs_catalog_add(catalog, dirs, 1, NULL, ERR));
	other = open_catalog("kept");
	ok(bs_catalog_add(other, dirs, 1, "renamed", ERR));
	commit_word(dirs[0], "egret");
	assert_int_equal(count(catalog, "egret", false), 1);
	bs_catalog_close(other);
	other = open_catalog("kept");
	assert_true(bs_catalog_describe(other, 0, &entry) && strcmp(entry.name, "renamed") == 0 &&
	            entry.state == BS_CATALOG_CHANGED);
	bs_catalog_close(catalog);
	catalog = open_catalog("kept");
	ok(bs_catalog_add(other, dirs, 2, NULL, ERR));
	commit_word(dirs[0], "stork");
	assert_int_equal(count(catalog, "stork", false), 1);
	bs_catalog_close(other);
	other = open_catalog("kept");
	assert_true(bs_catalog_describe(other, 1, &entry));
	bs_catalog_close(other);
	bs_catalog_close(catalog);
}

/* Processes add indexes and refresh the catalog at the same time; no index may be lost. */
static void test_at_once(void **state)
{
	enum {
		N = 8
	};
	struct bs_catalog_entry entry;
	pid_t children[N];
	unsigned n = 0;
	for (unsigned i = 0; i < N; i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct bs_catalog *catalog = open_catalog("at_once");
			add_indexes(catalog, i, 1);
			enum bs_status status =
				bs_catalog_refresh(catalog, NULL, NULL, NULL, NULL, NULL);
			bs_catalog_close(catalog);
			_exit(status != BS_OK);
		}
	}
	for (unsigned i = 0; i < N; i++) {
		int status;
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("at_once");
	while (bs_catalog_describe(catalog, n, &entry))
		n++;
	assert_int_equal(n, N);
}

/* Changes single bits of the catalog file. Opening or the check must report each change, and a
 * query fails or answers correctly. */
static void test_damaged(void **state)
{
	static const char path[] = "damaged";
	struct bs_catalog *catalog = open_catalog(path);
	add_indexes(catalog, 0, 3);
	uint64_t expected = count(catalog, "waax0", false);
	bs_catalog_close(catalog);
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	read_bytes(path, &bytes);
	unsigned n_refused = 0;
	for (unsigned i = 0; i < 300; i++) {
		size_t at = i < 100 ? i : below(bytes.used_bytes);
		uint8_t bit = (uint8_t)(1 << below(8));
		bytes.data[at] ^= bit;
		write_bytes(path, bytes.data, bytes.used_bytes);
		bytes.data[at] ^= bit;
		struct bs_catalog_request request = {.file = path, .host.consent = &all};
		enum bs_status status = bs_catalog_open(&request, &catalog, NULL);
		if (!status) {
			uint64_t n = count(catalog, "waax0", false);
			assert_true(n == expected || n == UINT64_MAX);
			status = bs_catalog_check(catalog, NULL);
		}
		n_refused += status != BS_OK;
		bs_catalog_close(catalog);
	}
	assert_int_equal(n_refused, 300);
}

/* Overwrites four bytes of each KB of an index's segments, except in the first 4 and last 8 KB. */
static void damage_segments(const char *dir)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, NULL, alphasort);
	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
		char path[300];
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (strncmp(entries[i]->d_name, "seg-", 4) == 0) {
			read_bytes(path, &bytes);
			for (size_t at = 4096; at + 8192 < bytes.used_bytes; at += 1024)
				memcpy(bytes.data + at, "\377\0\377\0", 4);
			write_bytes(path, bytes.data, bytes.used_bytes);
		}
		free(entries[i]);
	}
	free(entries);
}

/* A query over a damaged index fails with an error that names the index, or leaves the index out
 * with a notice; the other indexes answer completely. */
static void test_damaged_index(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("faulty");
	struct bs_error err = {""}, line = {""};
	static const char *const dirs[] = {"f0", "f1", "f2"};
	for (unsigned i = 0; i < 3; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer text = {.data = NULL};
		AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer(dirs[i]);
		for (unsigned d = 0; d < 1000; d++)
			add_document(writer, NULL, i, d, &text);
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	ok(bs_catalog_add(catalog, dirs, 1, NULL, ERR));
	uint64_t n_first = count(catalog, "waax0 weax4", false);
	ok(bs_catalog_add(catalog, dirs, 3, NULL, ERR));
	uint64_t n_all = count(catalog, "waax0 weax4", false);
	damage_segments(dirs[1]);
	damage_segments(dirs[2]);
	struct bs_catalog_search_request request = {
		.search = {QUERY("waax0 weax4"), .output.mode = BS_SEARCH_COUNT,
	                   .method.brute = true, .callbacks.notice = keep_message,
	                   .callbacks.context = &line}};
	assert_true(n_first > 0 && n_first < n_all);
	assert_int_equal(bs_catalog_search(catalog, &request, &came, &err), BS_CORRUPT);
	if (strncmp(err.text, "f1: ", 4) != 0)
		fail_msg("%s", err.text);
	request.partial = true;
	assert_int_equal(bs_catalog_search(catalog, &request, &came, &err), BS_OK);
	assert_int_equal(came.search.n_hits, n_first);
	assert_int_equal(came.n_unreachable, 2);
	assert_int_equal(came.n_asked, 1);
	assert_true(strncmp(line.text, "f2: not searched: ", 18) == 0);
}

/* A summary of another format version is ignored; its index is opened instead. */
static void test_other_versions(void **state)
{
	static const uint8_t versions[] = {1, 3, 200};
	struct bs_catalog *catalog = open_catalog("versions");
	add_indexes(catalog, 0, 3);
	uint64_t expected = count(catalog, "waax0", false);
	bs_catalog_close(catalog);
	for (size_t i = 0; i < sizeof(versions); i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
		uint64_t n_bytes;
		read_bytes("versions", &bytes);
		*section_in(bytes.data, 2 /* summaries */, 1, &n_bytes) = versions[i];
		write_resealed("versions", &bytes);
		catalog = open_catalog("versions");
		assert_true(count(catalog, "waax0", false) == expected);
		bs_catalog_close(catalog);
		catalog = open_catalog("versions");
		ok(bs_catalog_check(catalog, ERR));
		bs_catalog_close(catalog);
	}
}

/* Notes the number of an index as a bit of *context, an unsigned. */
static void note(void *context, size_t entry)
{
	unsigned *seen = context;
	*seen |= 1u << entry;
}

/* A catalog that was exported to another machine can report which indexes may have a word, but
 * cannot search them. */
static void test_handed_on(void **state)
{
	AUTO(bs_catalog_close_at)
	struct bs_catalog *from = open_catalog("from"), *to = open_catalog("to");
	struct bs_catalog_entry entry;
	static const char path[] = "exported";
	const char *dirs[] = {"handed"}, *words[] = {"narwhal"};
	unsigned seen = 0;
	uint64_t n;
	commit_word(dirs[0], "narwhal");
	ok(bs_catalog_add(from, dirs, 1, "mine", ERR));
	ok(bs_catalog_export(from, path, ERR));
	assert_int_equal(bs_catalog_export(from, path, NULL), BS_INVALID);
	/* An import does not replace entries whose index is reachable. */
	ok(bs_catalog_import(from, path, &n, ERR));
	assert_int_equal(n, 0);
	assert_true(bs_catalog_describe(from, 0, &entry) && !entry.is_imported);
	assert_int_equal(rename(dirs[0], "moved"), 0);
	ok(bs_catalog_import(to, path, &n, ERR));
	assert_int_equal(n, 1);
	assert_true(bs_catalog_describe(to, 0, &entry) && entry.is_imported &&
	            entry.state == BS_CATALOG_UNREACHABLE);
	assert_string_equal(entry.name, "mine");
	ok(bs_catalog_has(to, words, 1, note, &seen, ERR));
	assert_int_equal(seen, 1);
	words[0] = "unicorn";
	seen = 0;
	ok(bs_catalog_has(to, words, 1, note, &seen, ERR));
	assert_int_equal(seen, 0);
	assert_true(count(to, "narwhal", false) == UINT64_MAX);
	assert_int_equal(count(to, "narwhal", true), 0);
	assert_int_equal(rename("moved", dirs[0]), 0);
	assert_int_equal(count(to, "narwhal", false), 1);
	/* Once the index is reachable, its own summary replaces the imported entry, even if both
	 * have the same fingerprint. */
	assert_true(bs_catalog_describe(to, 0, &entry) && !entry.is_imported);
}

/* Scores of indexes with different tokenizer options are not comparable. The query is analysed for
 * each index by the options of that index, on one thread or on several. */
static void test_other_words(void **state)
{
	enum {
		N_SEALS = 3000
	};
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("other");
	static const char *const dirs[] = {"o0", "o1"};
	for (int i = 0; i < 2; i++) {
		AUTO(bs_writer_close_at)
		struct bs_writer *writer = open_stemming_writer(dirs[i], i ? "english" : NULL);
		struct bs_text text = {"", 0, "running seals", 13};
		for (unsigned d = 0; d < N_SEALS; d++) {
			char id[MOST_ID];
			int id_bytes = snprintf(id, sizeof(id), "%u", d);
			ok(bs_writer_add(writer, id, (size_t)id_bytes, &text, 1, ERR));
		}
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	ok(bs_catalog_add(catalog, dirs, 2, NULL, ERR));
	assert_int_equal(count(catalog, "seals", false), 2 * N_SEALS);
	assert_int_equal(count(catalog, "seal", false), N_SEALS);
	struct bs_catalog_search_request brute = {
		.search = {QUERY("seal"), .output.mode = BS_SEARCH_COUNT, .method.brute = true}};
	ok(bs_catalog_search(catalog, &brute, &came, ERR));
	assert_int_equal(came.search.n_hits, N_SEALS);
	AUTO(vector_deinit) struct list hits = {.items = NULL};
	struct bs_catalog_search_request request = {
		.search = {QUERY("seals"), .callbacks.context = &hits}, .hit = take_from_catalog};
	expect_error(bs_catalog_search(catalog, &request, &came, ERR), BS_INVALID, "o0 and o1");
	request.search.query.feedback_docs = 3;
	assert_int_equal(bs_catalog_search(catalog, &request, &came, ERR), BS_INVALID);
}

static int note_sorted(void *context, const struct bs_catalog_hit *hit)
{
	append_format(context, "%" PRIu64 " %s:%.*s %s [%.*s]\n", hit->hit->rank, hit->index,
	              (int)hit->hit->id_bytes, hit->hit->id,
	              hit->hit->value ? hit->hit->value : "-", (int)hit->hit->snippet_bytes,
	              hit->hit->snippet);
	return 0;
}

/* Hits of indexes with different tokenizers can be sorted by a field into one list. Each hit is
 * marked by the words of its own index. */
static void test_sorted_words(void **state)
{
	static const char *const years[2][2] = {{"2001", "2003"}, {"2002", "2004"}};
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("sorted");
	AUTO(bs_buffer_deinit) struct bs_buffer hits = {0};
	static const char *const dirs[] = {"s0", "s1"};
	for (int i = 0; i < 2; i++) {
		AUTO(bs_writer_close_at)
		struct bs_writer *writer = open_stemming_writer(dirs[i], i ? "english" : NULL);
		for (int d = 0; d < 2; d++) {
			const struct bs_text texts[] = {{"", 0, "one seal, two seals", 19},
			                                {"year", 4, years[i][d], 4}};
			ok(bs_writer_add(writer, years[i][d], 4, texts, 2, ERR));
		}
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	ok(bs_catalog_add(catalog, dirs, 2, NULL, ERR));
	struct bs_catalog_search_request request = {
		.search = {QUERY("seals"), .output.sort_field = "year", .output.limit = 3,
	                   .output.snippets = true, .output.mark_start = "<",
	                   .output.mark_stop = ">", .callbacks.context = &hits},
		.hit = note_sorted};
	ok(bs_catalog_search(catalog, &request, NULL, ERR));
	append_bytes(&hits, "", 1);
	assert_string_equal((const char *)hits.data, "1 s0:2001 2001 [one seal, two <seals>]\n"
	                                             "2 s1:2002 2002 [one <seal>, two <seals>]\n"
	                                             "3 s0:2003 2003 [one seal, two <seals>]\n");
}

static int set_up(void **state)
{
	int result = enter_folder(state);
	build();
	return result;
}

RUN_RANDOM_TESTS_WITH(300, 1, set_up, leave_folder, test_as_one, test_limits, test_stopped,
                      test_suggestions, test_changes, test_kept, test_at_once, test_damaged,
                      test_damaged_index, test_other_versions, test_handed_on, test_other_words,
                      test_sorted_words)
