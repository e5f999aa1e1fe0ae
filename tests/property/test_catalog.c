/*
 * test_catalog.c: forty indexes in a catalog rank like one index of all their documents. For random
 * queries the ten best have the same ids and bit-identical scores, and counts and ids are the same,
 * whichever indexes are skipped. Also tests catalogs whose indexes change, vanish or are damaged,
 * and damaged catalog files.
 *
 * Arguments: [N_QUERIES [SEED [N_INDEXES]]]
 */
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "core/bitsift/catalog.h"
#include "core/bitsift/host.h"
#include "core/bitsift/index.h"
#include "core/bitsift/limits.h"
#include "core/bitsift/query.h"
#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"

AUTO_OF(struct bs_catalog, bs_catalog_close)
AUTO_OF(struct bs_writer, bs_writer_close)

#define N_BEST  10
#define SEVERAL 10 /* some tests need at least this number of indexes */
#define MOST_ID 32
#define N_WORDS 3000

static unsigned n_indexes = 40, n_queries = 300;
static char scratch[] = "/tmp/test_catalog.XXXXXX";
static const struct bs_consent all = {.all = true};
static unsigned n_learning; /* queries with feedback terms that found something */

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

struct list {
	struct bs_buffer hits; /* struct hit each */
};

static size_t length(const struct list *list)
{
	return list->hits.used_bytes / sizeof(struct hit);
}

static const struct hit *hit_at(const struct list *list, size_t i)
{
	return (const struct hit *)(const void *)list->hits.data + i;
}

static int take(void *context, const struct bs_hit *hit)
{
	struct list *list = context;
	struct hit taken = {.score = hit->score};
	assert_in_range(hit->id_bytes, 1, MOST_ID - 1);
	memcpy(taken.id, hit->id, hit->id_bytes);
	return bs_buffer_append(&list->hits, &taken, sizeof(taken), NULL) != BS_OK;
}

static int take_from_catalog(void *context, const struct bs_catalog_hit *hit)
{
	return take(context, hit->hit);
}

static const char *dir_of(unsigned i, char room[64])
{
	snprintf(room, 64, "%s/i%u", scratch, i);
	return room;
}

static struct bs_writer *open_writer(const char *dir)
{
	struct bs_writer_request request = {.dir = dir,
	                                    .write.memory_bytes = 16u << 20,
	                                    .write.n_threads = 1,
	                                    .host.consent = &all};
	struct bs_writer *writer;
	ok(bs_writer_open(&request, &writer, ERR));
	return writer;
}

/* Adds document d of index i to `one` and, unless NULL, to `whole`. Some documents have fields. */
static void add_document(struct bs_writer *one, struct bs_writer *whole, unsigned i, unsigned d,
                         struct bs_buffer *text)
{
	static const char *const fields[] = {"", "title", "year"};
	char id[MOST_ID], year[8];
	bs_buffer_clear(text);
	for (unsigned n = below(40); n > 0; n--)
		put_word(text, i);
	int id_bytes = snprintf(id, sizeof(id), "%u-%u", i, d);
	snprintf(year, sizeof(year), "%u", 1990 + below(30));
	struct bs_text texts[3] = {{"", 0, (const char *)text->data, text->used_bytes},
	                           {fields[1], 5, NULL, 0},
	                           {fields[2], 4, year, 4}};
	texts[1].text = texts[0].text;
	texts[1].text_bytes = text->used_bytes / 3;
	size_t n_texts = i % 3 == 0 ? 1 : 1 + below(3);
	ok(bs_writer_add(one, id, (size_t)id_bytes, texts, n_texts, ERR));
	if (whole)
		ok(bs_writer_add(whole, id, (size_t)id_bytes, texts, n_texts, ERR));
}

static void build(void)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {.data = NULL};
	char dir[64], of_whole[64];
	snprintf(of_whole, sizeof(of_whole), "%s/whole", scratch);
	AUTO(bs_writer_close_at) struct bs_writer *whole = open_writer(of_whole);
	for (unsigned i = 0; i < n_indexes; i++) {
		AUTO(bs_writer_close_at) struct bs_writer *one = open_writer(dir_of(i, dir));
		for (unsigned d = 0, n = 5 + below(60); d < n; d++) {
			add_document(one, whole, i, d, &text);
			if (below(40) == 0)
				ok(bs_writer_commit(one, NULL, ERR));
		}
		ok(bs_writer_commit(one, NULL, ERR));
	}
	ok(bs_writer_commit(whole, NULL, ERR));
}

static struct bs_catalog *open_catalog(const char *name)
{
	char file[64];
	struct bs_catalog *catalog;
	snprintf(file, sizeof(file), "%s/%s", scratch, name);
	struct bs_catalog_request request = {.file = file, .host.consent = &all};
	ok(bs_catalog_open(&request, &catalog, ERR));
	return catalog;
}

static void add_indexes(struct bs_catalog *catalog, unsigned first, unsigned n)
{
	char(*dirs)[64] = malloc(n * sizeof(*dirs));
	FREED const char **list = malloc(n * sizeof(*list));
	for (unsigned i = 0; i < n; i++)
		list[i] = dir_of(first + i, dirs[i]);
	ok(bs_catalog_add(catalog, list, n, NULL, ERR));
	free(dirs);
}

/* Makes a query of 1 to 4 words and phrases, some with operators, fields, *, ~1 or weights. */
static void make_query(struct bs_buffer *text)
{
	static const char *const joins[] = {"", "", "", "OR ", "-", "title:", "OR title:"};
	bs_buffer_clear(text);
	for (unsigned i = 0, n = 1 + below(4); i < n; i++) {
		const char *join = joins[below(i ? COUNT(joins) : 1)];
		append_string(text, join);
		unsigned kind = below(12);
		bool is_phrase = kind == 0;
		if (is_phrase)
			append_string(text, "\"");
		put_word(text, below(n_indexes));
		if (is_phrase)
			put_word(text, below(n_indexes));
		text->used_bytes--;
		if (kind == 1)
			text->used_bytes--;
		const char *end = is_phrase   ? "\" "
		                  : kind == 1 ? "* "
		                  : kind == 2 ? "~1 "
		                  : kind == 3 ? "^2.5 "
		                              : " ";
		append_string(text, end);
	}
	if (below(15) == 0)
		append_string(text, "year:1995..2005");
}

static void compare(const struct bs_search_request *find, const struct list *parts,
                    const struct list *whole)
{
	size_t n = length(whole), i = 0;
	while (i < n && i < length(parts) &&
	       memcmp(&hit_at(parts, i)->score, &hit_at(whole, i)->score, sizeof(double)) == 0 &&
	       strcmp(hit_at(parts, i)->id, hit_at(whole, i)->id) == 0)
		i++;
	if (i == n && length(parts) == n)
		return;
	fail_msg("%.*s (any %d, mode %d, offset %zu): %zu hits, not %zu; different from the %zuth "
	         "on: %s %.17g, not %s %.17g",
	         (int)find->query.text_bytes, find->query.text, find->query.any,
	         (int)find->output.mode, find->output.offset, length(parts), n, i,
	         i < length(parts) ? hit_at(parts, i)->id : "-",
	         i < length(parts) ? hit_at(parts, i)->score : 0,
	         i < n ? hit_at(whole, i)->id : "-", i < n ? hit_at(whole, i)->score : 0);
}

static void ask(struct bs_catalog *catalog, struct bs_searcher *whole,
                struct bs_search_request find, struct bs_catalog_search_result *came)
{
	struct list of_parts = {{0}}, of_whole = {{0}};
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
	enum bs_status status = bs_catalog_search(catalog, &request, came, &err);
	if (status != expected)
		fail_msg("%.*s: %s %s, not %s %s", (int)find.query.text_bytes, find.query.text,
		         bs_status_name(status), err.text, bs_status_name(expected),
		         whole_err.text);
	compare(&find, &of_parts, &of_whole);
	/* A query without hits scores nothing, so no index is probed for its statistics. (With
	 * like_id, each index is probed, because the document may be in any.) */
	if (came->n_asked == 0 && came->n_probed > 0 && !find.query.like_id)
		fail_msg("%.*s (any %d, mode %d, %zu feedback, like %s, %zu bytes of text): %llu "
		         "probed, none asked",
		         (int)find.query.text_bytes, find.query.text, find.query.any,
		         (int)find.output.mode, find.query.feedback_docs,
		         find.query.like_id ? find.query.like_id : "-", find.query.like_text_bytes,
		         (unsigned long long)came->n_probed);
	if (!status && find.output.mode != BS_SEARCH_TOP)
		assert_int_equal(came->search.n_hits, result.n_hits);
	bs_buffer_deinit(&of_parts.hits);
	bs_buffer_deinit(&of_whole.hits);
}

/* Searches with feedback terms: those of the best documents of all indexes, or those typical of a
 * given text or document. The terms and their weights must be the same as for one index. */
static void ask_learning(struct bs_catalog *catalog, struct bs_searcher *whole,
                         struct bs_search_request find)
{
	struct bs_catalog_search_result came;
	AUTO(bs_buffer_deinit) struct bs_buffer text = {.data = NULL};
	char id[MOST_ID];
	unsigned kind = below(4);
	if (kind == 0)
		find.query.feedback_docs = 1 + below(20);
	for (unsigned n = below(60); kind == 1 && n > 0; n--)
		put_word(&text, below(n_indexes));
	if (kind == 1) {
		find.query.like_text = text.data ? (const char *)text.data : "";
		find.query.like_text_bytes = text.used_bytes;
	}
	/* Some ids do not exist. */
	snprintf(id, sizeof(id), "%u-%u", below(n_indexes), below(40));
	if (kind >= 2)
		find.query.like_id = id;
	if (kind > 0 && below(2))
		find.query.text_bytes = 0;
	find.output.mode = below(3);
	find.output.offset = find.output.mode == BS_SEARCH_COUNT ? 0 : find.output.offset;
	find.query.stop_words = below(4) ? NULL : "waax0 wbax1 wcax2";
	find.query.stop_words_bytes = find.query.stop_words ? strlen(find.query.stop_words) : 0;
	ask(catalog, whole, find, &came);
	n_learning += came.search.n_hits > 0;
}

static void test_as_one(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("all");
	struct bs_catalog_search_result came;
	struct bs_index *index;
	struct bs_searcher *searcher;
	AUTO(bs_buffer_deinit) struct bs_buffer query = {.data = NULL};
	uint64_t n_skipped = 0, n_probed = 0, n_known = 0;
	char dir[64];
	add_indexes(catalog, 0, n_indexes);
	ok(bs_catalog_check(catalog, ERR));
	snprintf(dir, sizeof(dir), "%s/whole", scratch);
	struct bs_open_request open = {.dir = dir, .host.consent = &all};
	ok(bs_index_open_with(&open, &index, ERR));
	ok(bs_searcher_new(index, &searcher, ERR));
	for (unsigned i = 0; i < n_queries; i++) {
		make_query(&query);
		struct bs_search_request find = {.query.text = (const char *)query.data,
		                                 .query.text_bytes = query.used_bytes,
		                                 .query.any = below(3) == 0,
		                                 .output.offset = below(5) == 0 ? below(12) : 0,
		                                 .output.snippets = below(4) == 0};
		ask(catalog, searcher, find, &came);
		n_skipped += came.n_skipped;
		n_probed += came.n_probed;
		n_known += came.n_skipped > came.n_probed && came.search.n_hits > 0;
		if (below(3) == 0)
			ask_learning(catalog, searcher, find);
		if (below(4) > 0)
			continue;
		find.output.mode = BS_SEARCH_IDS;
		ask(catalog, searcher, find, &came);
		find.output.mode = BS_SEARCH_COUNT;
		find.output.offset = 0;
		ask(catalog, searcher, find, &came);
		find.method.brute = true;
		ask(catalog, searcher, find, &came);
		find.output.mode = BS_SEARCH_TOP;
		find.method.brute = false;
		find.output.sort_field = "year";
		find.output.sort_descending = below(2);
		ask(catalog, searcher, find, &came);
	}
	/* With few indexes almost none can be skipped. */
	assert_true(n_indexes < SEVERAL ||
	            (n_skipped > n_queries && n_probed > 0 && n_known > n_queries / 10));
	assert_true(n_indexes < SEVERAL || n_learning > n_queries / 8);
	print_message(
		"%llu indexes skipped, %llu of them probed, of %llu; %u queries learnt words\n",
		(unsigned long long)n_skipped, (unsigned long long)n_probed,
		(unsigned long long)n_queries * n_indexes, n_learning);
	bs_searcher_free(searcher);
	bs_index_close(index);
}

/* An answer that a deadline cut off contains only hits of the whole answer, in order and with the
 * same scores. */
static void test_limits(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("all");
	struct bs_catalog_search_result came;
	AUTO(bs_buffer_deinit) struct bs_buffer query = {.data = NULL};
	unsigned n_cut = 0, n_some = 0, n_whole = 0;
	for (unsigned i = 0; i < n_queries; i++) {
		struct list whole = {{0}}, part = {{0}};
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
		                                  length(&whole) < request.search.output.limit
		                          ? length(&whole)
		                          : request.search.output.limit;
		for (size_t k = 0, from = 0; k < length(&part); k++, from++) {
			while (from < length(&whole) &&
			       memcmp(hit_at(&whole, from), hit_at(&part, k), sizeof(struct hit)) !=
			               0)
				from++;
			assert_true(from < length(&whole) && (came.search.is_partial || from == k));
		}
		assert_true(came.search.is_partial || length(&part) == n_wanted);
		n_cut += came.search.is_partial;
		n_some += came.search.is_partial && length(&part) > 0;
		n_whole += !came.search.is_partial;
		bs_buffer_deinit(&whole.hits);
		bs_buffer_deinit(&part.hits);
	}
	print_message("%u answers cut off, %u of them with hits, %u whole\n", n_cut, n_some,
	              n_whole);
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
	struct bs_catalog_search_result came;
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

static uint64_t count(struct bs_catalog *catalog, const char *query, bool partial,
                      struct bs_catalog_search_result *came)
{
	struct bs_catalog_search_request request = {
		.search = {QUERY(query), .output.mode = BS_SEARCH_COUNT}, .partial = partial};
	return bs_catalog_search(catalog, &request, came, NULL) == BS_OK ? came->search.n_hits
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
	struct bs_catalog_search_result came;
	AUTO(bs_buffer_deinit) struct bs_buffer word = {.data = NULL};
	unsigned n_absent = 0, n_suggested = 0;
	for (unsigned i = 0; i < n_queries; i++) {
		struct bs_error line = {""};
		bs_buffer_clear(&word);
		put_word(&word, below(n_indexes));
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
		/* If more than 64 summaries allow a word, it counts as present: no notice. */
		if (came.n_asked > 64)
			continue;
		n_absent++;
		const char *meant = strstr(line.text, "; did you mean ");
		assert_true(strncmp(line.text, "no index has ", 13) == 0);
		if (!meant)
			continue;
		n_suggested++;
		snprintf(line.text, sizeof(line.text), "%s", meant + 15);
		size_t n_bytes = strlen(line.text);
		assert_true(n_bytes > 1 && line.text[n_bytes - 1] == '?');
		line.text[n_bytes - 1] = '\0';
		assert_in_range(count(catalog, line.text, false, &came), 1, UINT64_MAX - 1);
	}
	print_message("%u of %u words that are not there: another was offered\n", n_suggested,
	              n_absent);
	assert_true(n_absent > n_queries / 2 &&
	            (n_indexes < SEVERAL || n_suggested >= n_absent - n_absent / 7));
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
	struct bs_catalog_search_result came;
	struct bs_catalog_entry entry;
	uint64_t n_changed, n_unreachable;
	char dirs[2][64], path[96];
	const char *list[2] = {dirs[0], dirs[1]};
	for (int i = 0; i < 2; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s/c%d", scratch, i);
		commit_word(dirs[i], i ? "walrus" : "penguin");
	}
	ok(bs_catalog_add(catalog, list, 2, NULL, ERR));
	assert_int_equal(count(catalog, "walrus", false, &came), 1);
	assert_int_equal(came.n_asked, 1);
	assert_int_equal(count(catalog, "albatross", false, &came), 0);
	assert_int_equal(came.n_asked, 0);
	commit_word(dirs[0], "albatross");
	assert_true(bs_catalog_describe(catalog, 0, &entry) && entry.state == BS_CATALOG_CHANGED);
	assert_int_equal(count(catalog, "albatross", false, &came), 1);
	assert_true(bs_catalog_describe(catalog, 0, &entry) && entry.state == BS_CATALOG_CURRENT);
	/* The catalog has stored the summary of the changed index, which the query read. */
	other = open_catalog("changes");
	assert_true(bs_catalog_describe(other, 0, &entry) && entry.state == BS_CATALOG_CURRENT &&
	            entry.n_docs == 2);
	ok(bs_catalog_refresh(other, NULL, NULL, &n_changed, &n_unreachable, ERR));
	assert_int_equal(n_changed + n_unreachable, 0);
	snprintf(path, sizeof(path), "%s.gone", dirs[1]);
	assert_int_equal(rename(dirs[1], path), 0);
	assert_true(count(catalog, "penguin", false, &came) == UINT64_MAX);
	assert_int_equal(count(catalog, "penguin", true, &came), 1);
	assert_int_equal(came.n_unreachable, 1);
	assert_int_equal(came.n_asked + came.n_skipped, 1);
	ok(bs_catalog_refresh(other, NULL, NULL, &n_changed, &n_unreachable, ERR));
	assert_int_equal(n_unreachable, 1);
	assert_int_equal(rename(path, dirs[1]), 0);
	assert_int_equal(count(catalog, "walrus", false, &came), 1);
	/* The damaged manifest has a new fingerprint, and the index cannot be opened. */
	snprintf(path, sizeof(path), "%s/manifest", dirs[1]);
	FILE *manifest = must_fopen(path, "r+");
	assert_int_equal(fseek(manifest, 20, SEEK_SET), 0);
	fputs("damage", manifest);
	fclose(manifest);
	assert_true(count(catalog, "penguin", false, &came) == UINT64_MAX);
	assert_int_equal(count(catalog, "penguin OR walrus", true, &came), 1);
	ok(bs_catalog_remove(catalog, dirs[1], ERR));
	assert_int_equal(count(catalog, "penguin OR walrus", false, &came), 1);
	assert_int_equal(bs_catalog_remove(catalog, "nobody", NULL), BS_NOT_FOUND);
}

/* A query stores the summaries that it read in the catalog's file, unless another process has
 * changed the file meanwhile. */
static void test_kept(void **state)
{
	struct bs_catalog *catalog = open_catalog("kept"), *other;
	struct bs_catalog_search_result came;
	struct bs_catalog_entry entry;
	char dirs[2][64];
	const char *list[2] = {dirs[0], dirs[1]};
	for (int i = 0; i < 2; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s/k%d", scratch, i);
		commit_word(dirs[i], i ? "heron" : "ibis");
	}
	ok(bs_catalog_add(catalog, list, 1, NULL, ERR));
	other = open_catalog("kept");
	ok(bs_catalog_add(other, list, 1, "renamed", ERR));
	commit_word(dirs[0], "egret");
	assert_int_equal(count(catalog, "egret", false, &came), 1);
	bs_catalog_close(other);
	other = open_catalog("kept");
	assert_true(bs_catalog_describe(other, 0, &entry) && strcmp(entry.name, "renamed") == 0 &&
	            entry.state == BS_CATALOG_CHANGED);
	bs_catalog_close(catalog);
	catalog = open_catalog("kept");
	ok(bs_catalog_add(other, list, 2, NULL, ERR));
	commit_word(dirs[0], "stork");
	assert_int_equal(count(catalog, "stork", false, &came), 1);
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
	if (n_indexes < SEVERAL)
		skip();
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
	struct bs_catalog *catalog = open_catalog("damaged");
	struct bs_catalog_search_result came;
	char path[64];
	if (n_indexes < SEVERAL)
		skip();
	add_indexes(catalog, 0, 3);
	uint64_t expected = count(catalog, "waax0", false, &came);
	bs_catalog_close(catalog);
	snprintf(path, sizeof(path), "%s/damaged", scratch);
	struct stat found;
	assert_int_equal(stat(path, &found), 0);
	unsigned n_refused = 0;
	for (unsigned i = 0; i < 300; i++) {
		long at = i < 100 ? (long)i : (long)below((unsigned)found.st_size);
		FILE *file = must_fopen(path, "r+");
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		int byte = fgetc(file), other = byte ^ (1 << below(8));
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		fputc(other, file);
		fclose(file);
		struct bs_catalog_request request = {.file = path, .host.consent = &all};
		enum bs_status status = bs_catalog_open(&request, &catalog, NULL);
		if (!status) {
			uint64_t n = count(catalog, "waax0", false, &came);
			assert_true(n == expected || n == UINT64_MAX);
			status = bs_catalog_check(catalog, NULL);
		}
		n_refused += status != BS_OK;
		bs_catalog_close(catalog);
		file = must_fopen(path, "r+");
		assert_int_equal(fseek(file, at, SEEK_SET), 0);
		fputc(byte, file);
		fclose(file);
	}
	assert_int_equal(n_refused, 300);
}

/* Overwrites four bytes of each KB of an index's segments, except in the first 4 and last 8 KB. */
static void damage_segments(const char *dir)
{
	char command[256];
	snprintf(command, sizeof(command),
	         "for f in '%s'/seg-*; do n=$(stat -c %%s \"$f\"); for ((i = 4096; i < n - 8192; i "
	         "+= 1024)); do "
	         "printf '\\377\\0\\377\\0' | dd of=\"$f\" bs=1 seek=$i conv=notrunc status=none; "
	         "done; done",
	         dir);
	char bash[] = "bash", option[] = "-c", *const argv[] = {bash, option, command, NULL};
	pid_t child = fork();
	int status;
	if (child == 0) {
		execvp("bash", argv);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A query over a damaged index fails with an error that names the index, or leaves the index out
 * with a notice; the other indexes answer completely. */
static void test_damaged_index(void **state)
{
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("faulty");
	struct bs_catalog_search_result came;
	struct bs_error err = {""}, line = {""};
	char dirs[3][64];
	const char *list[3] = {dirs[0], dirs[1], dirs[2]};
	for (unsigned i = 0; i < 3; i++) {
		AUTO(bs_buffer_deinit) struct bs_buffer text = {.data = NULL};
		snprintf(dirs[i], sizeof(dirs[i]), "%s/f%u", scratch, i);
		AUTO(bs_writer_close_at) struct bs_writer *writer = open_writer(dirs[i]);
		for (unsigned d = 0; d < 1000; d++)
			add_document(writer, NULL, i, d, &text);
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	ok(bs_catalog_add(catalog, list, 1, NULL, ERR));
	uint64_t n_first = count(catalog, "waax0 weax4", false, &came);
	ok(bs_catalog_add(catalog, list, 3, NULL, ERR));
	uint64_t n_all = count(catalog, "waax0 weax4", false, &came);
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
	struct bs_catalog_search_result came;
	char path[64];
	if (n_indexes < SEVERAL)
		skip();
	add_indexes(catalog, 0, 3);
	uint64_t expected = count(catalog, "waax0", false, &came);
	bs_catalog_close(catalog);
	snprintf(path, sizeof(path), "%s/versions", scratch);
	for (size_t i = 0; i < sizeof(versions); i++) {
		struct bs_buffer bytes = {0};
		uint64_t n_bytes;
		read_bytes(path, &bytes);
		*section_in(bytes.data, 2 /* summaries */, 1, &n_bytes) = versions[i];
		reseal(bytes.data, bytes.used_bytes);
		write_bytes(path, bytes.data, bytes.used_bytes);
		bs_buffer_deinit(&bytes);
		catalog = open_catalog("versions");
		assert_true(count(catalog, "waax0", false, &came) == expected);
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
	struct bs_catalog_search_result came;
	char dir[64], path[64], moved[96];
	const char *list[1] = {dir}, *words[] = {"narwhal"};
	unsigned seen = 0;
	uint64_t n;
	snprintf(dir, sizeof(dir), "%s/handed", scratch);
	snprintf(path, sizeof(path), "%s/exported", scratch);
	snprintf(moved, sizeof(moved), "%s.moved", dir);
	commit_word(dir, "narwhal");
	ok(bs_catalog_add(from, list, 1, "mine", ERR));
	ok(bs_catalog_export(from, path, ERR));
	assert_int_equal(bs_catalog_export(from, path, NULL), BS_INVALID);
	/* An import does not replace entries whose index is reachable. */
	ok(bs_catalog_import(from, path, &n, ERR));
	assert_int_equal(n, 0);
	assert_true(bs_catalog_describe(from, 0, &entry) && !entry.is_imported);
	assert_int_equal(rename(dir, moved), 0);
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
	assert_true(count(to, "narwhal", false, &came) == UINT64_MAX);
	assert_int_equal(count(to, "narwhal", true, &came), 0);
	assert_int_equal(rename(moved, dir), 0);
	assert_int_equal(count(to, "narwhal", false, &came), 1);
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
	struct bs_catalog *catalog = open_catalog("other");
	struct bs_catalog_search_result came;
	char dirs[2][64];
	const char *list[2] = {dirs[0], dirs[1]};
	for (int i = 0; i < 2; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s/o%d", scratch, i);
		struct bs_writer_request request = {.dir = dirs[i],
		                                    .index.stem_language = i ? "english" : NULL,
		                                    .host.consent = &all};
		AUTO(bs_writer_close_at) struct bs_writer *writer;
		struct bs_text text = {"", 0, "running seals", 13};
		ok(bs_writer_open(&request, &writer, ERR));
		for (unsigned d = 0; d < N_SEALS; d++) {
			char id[MOST_ID];
			int id_bytes = snprintf(id, sizeof(id), "%u", d);
			ok(bs_writer_add(writer, id, (size_t)id_bytes, &text, 1, ERR));
		}
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	ok(bs_catalog_add(catalog, list, 2, NULL, ERR));
	assert_int_equal(count(catalog, "seals", false, &came), 2 * N_SEALS);
	assert_int_equal(count(catalog, "seal", false, &came), N_SEALS);
	struct bs_catalog_search_request brute = {
		.search = {QUERY("seal"), .output.mode = BS_SEARCH_COUNT, .method.brute = true}};
	ok(bs_catalog_search(catalog, &brute, &came, ERR));
	assert_int_equal(came.search.n_hits, N_SEALS);
	struct list hits = {{0}};
	struct bs_catalog_search_request request = {
		.search = {QUERY("seals"), .callbacks.context = &hits}, .hit = take_from_catalog};
	expect_error(bs_catalog_search(catalog, &request, &came, ERR), BS_INVALID, "o0 and o1");
	request.search.query.feedback_docs = 3;
	assert_int_equal(bs_catalog_search(catalog, &request, &came, ERR), BS_INVALID);
	bs_catalog_close(catalog);
	bs_buffer_deinit(&hits.hits);
}

/* The hits of test_sorted_words as a text. */
struct sorted_hits {
	char seen[512];
};

static int note_sorted(void *context, const struct bs_catalog_hit *hit)
{
	struct sorted_hits *hits = context;
	size_t n = strlen(hits->seen);
	snprintf(hits->seen + n, sizeof(hits->seen) - n, "%llu %s:%.*s %s [%.*s]\n",
	         (unsigned long long)hit->hit->rank, hit->index, (int)hit->hit->id_bytes,
	         hit->hit->id, hit->hit->value ? hit->hit->value : "-",
	         (int)hit->hit->snippet_bytes, hit->hit->snippet);
	return 0;
}

/* Hits of indexes with different tokenizers can be sorted by a field into one list. Each hit is
 * marked by the words of its own index. */
static void test_sorted_words(void **state)
{
	static const char *const years[2][2] = {{"2001", "2003"}, {"2002", "2004"}};
	AUTO(bs_catalog_close_at) struct bs_catalog *catalog = open_catalog("sorted");
	struct sorted_hits hits = {""};
	char dirs[2][64];
	const char *list[2] = {dirs[0], dirs[1]};
	for (int i = 0; i < 2; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s/s%d", scratch, i);
		struct bs_writer_request request = {.dir = dirs[i],
		                                    .index.stem_language = i ? "english" : NULL,
		                                    .host.consent = &all};
		AUTO(bs_writer_close_at) struct bs_writer *writer;
		ok(bs_writer_open(&request, &writer, ERR));
		for (int d = 0; d < 2; d++) {
			const struct bs_text texts[] = {{"", 0, "one seal, two seals", 19},
			                                {"year", 4, years[i][d], 4}};
			ok(bs_writer_add(writer, years[i][d], 4, texts, 2, ERR));
		}
		ok(bs_writer_commit(writer, NULL, ERR));
	}
	ok(bs_catalog_add(catalog, list, 2, NULL, ERR));
	struct bs_catalog_search_request request = {
		.search = {QUERY("seals"), .output.sort_field = "year", .output.limit = 3,
	                   .output.snippets = true, .output.mark_start = "<",
	                   .output.mark_stop = ">", .callbacks.context = &hits},
		.hit = note_sorted};
	ok(bs_catalog_search(catalog, &request, NULL, ERR));
	assert_string_equal(hits.seen, "1 s0:2001 2001 [one seal, two <seals>]\n"
	                               "2 s1:2002 2002 [one <seal>, two <seals>]\n"
	                               "3 s0:2003 2003 [one seal, two <seals>]\n");
}

static int set_up(void **state)
{
	assert_non_null(mkdtemp(scratch));
	build();
	return 0;
}

static int tear_down(void **state)
{
	char command[64];
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return system(command);
}

int main(int argc, char **argv)
{
	n_queries = (unsigned)random_rounds(argc, argv, n_queries, 1).n;
	if (argc > 3)
		n_indexes = (unsigned)strtoul(argv[3], NULL, 10);
	return RUN_NAMES(NULL, NULL, set_up, tear_down, test_as_one, test_limits, test_stopped,
	                 test_suggestions, test_changes, test_kept, test_at_once, test_damaged,
	                 test_damaged_index, test_other_versions, test_handed_on, test_other_words,
	                 test_sorted_words);
}
