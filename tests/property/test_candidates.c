/* test_candidates.c: tests bitsift/candidates.h as a host uses it. Every in-memory document in
 * which PCRE2 finds a pattern must be a candidate, also after deletions, merges and reopening.
 * Candidates are in document order. With grams, few other documents are candidates. The text filter
 * accepts the text of every match, and estimates are approximately right. Linked to the library as
 * applications are. */

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <bitsift.h>
#include <bitsift/candidates.h>
#include <bitsift/query.h>
#include <bitsift/writer.h>

#include "tests/rigs/dice.h"
#include "tests/rigs/library_rig.h"

#define MOST_ROWS  4000
#define TEXT_BYTES 160
#define TEXTS      2

/* A document of one or two texts. */
struct row {
	char texts[TEXTS][TEXT_BYTES];
	size_t text_bytes[TEXTS];
	size_t n_texts;
	bool is_there;
	size_t number; /* in document order */
};

static struct {
	struct row rows[MOST_ROWS];
	size_t n;
	struct bs_memory_index *memory;
	struct bs_index *index;
	struct bs_searcher *searcher;
	size_t n_arrived;
} rig;

/* Words of few letters, so that patterns match; some pieces have several bytes, fold to fewer
 * bytes, or are invalid UTF-8. */
static const char *const pieces[] = {
	"a", "b", "ab", "ba", "abc", "cab", "B", "AB", "k", "K", "\u212a", "s", "S", "\u017f",
	"\u00e9", "\u00c9", "\u00df", "\u0130", "i", "I", "\u0131", "\u0307", "7", "42", " ", " ",
	"\n", "-", "_", "%", ".", "\\", "\u6f22\u5b57", "\xff", "\xc3", "\ufffd",
	/* Longer words. */
	"mutex", "lock", "error", "return"};
#define N_PIECES COUNT(pieces)

static void draw_text(char text[TEXT_BYTES], size_t *n_bytes_out)
{
	size_t n = 0;
	for (uint32_t i = below(24); i > 0; i--) {
		const char *piece = pieces[below(N_PIECES)];
		if (n + strlen(piece) >= TEXT_BYTES)
			break;
		memcpy(text + n, piece, strlen(piece));
		n += strlen(piece);
	}
	*n_bytes_out = n;
}

/* Draws a pattern of `pieces` and of regular expression syntax. */
static void draw_pattern(char *pattern, size_t capacity)
{
	static const char *const atoms[] = {
		".", ".*", "[ab]", "[^a]", "\\d", "\\w+", "\\s", "(?:", ")", "|", "*", "+", "?",
		"{2}", "{1,3}", "^", "$", "\\b", "(?i:", "(?-i:", "[k-s]", "\\.", "[[:alpha:]]",
		/* Groups, lookarounds, characters beyond ASCII, line ends. */
		"(", ")\\1", "(?=", "(?!", "\\x{212a}", "[\u00e9k]", "\\n", "\\R", "(?s:.)", "+?"};
	size_t n = 0;
	pattern[0] = '\0';
	for (uint32_t i = 1 + below(6); i > 0; i--) {
		const char *piece = below(3) ? pieces[below(N_PIECES)] : atoms[below(COUNT(atoms))];
		/* Patterns must be valid UTF-8, and a lone backslash would escape the next
		 * piece. */
		if (*piece == '\xff' || (*piece == '\xc3' && !piece[1]) ||
		    strcmp(piece, "\\") == 0 || n + strlen(piece) >= capacity)
			continue;
		memcpy(pattern + n, piece, strlen(piece) + 1);
		n += strlen(piece);
	}
}

static int provide(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                   size_t *n_texts_out)
{
	static struct bs_text texts[TEXTS];
	char copy[7] = "";
	assert_int_equal(id_bytes, 6);
	memcpy(copy, id, 6);
	size_t i = (size_t)strtoul(copy, NULL, 10);
	for (size_t t = 0; t < rig.rows[i].n_texts; t++)
		texts[t] = (struct bs_text){t ? "b" : "", t, rig.rows[i].texts[t],
		                            rig.rows[i].text_bytes[t]};
	*texts_out = texts;
	*n_texts_out = rig.rows[i].n_texts;
	return !rig.rows[i].is_there;
}

static const struct bs_text_provider provider = {.texts = provide};

static struct bs_writer *open_writer(bool grams, bool is_stored)
{
	struct bs_writer *writer;
	struct bs_writer_request request = {.memory = rig.memory,
	                                    .index.grams = grams,
	                                    .not_stored = !is_stored,
	                                    .no_checksums = !is_stored,
	                                    .host.texts = is_stored ? NULL : &provider,
	                                    .write.n_threads = 1};
	ok(bs_writer_open(&request, &writer, ERR));
	return writer;
}

static void put_row(struct bs_writer *writer, size_t i)
{
	struct bs_text *texts;
	size_t n_texts;
	char id[16];
	struct row *row = &rig.rows[i];
	*row = (struct row){
		.n_texts = 1 + (below(4) == 0), .is_there = true, .number = ++rig.n_arrived};
	for (size_t t = 0; t < row->n_texts; t++)
		draw_text(row->texts[t], &row->text_bytes[t]);
	snprintf(id, sizeof(id), "%06zu", i);
	(void)provide(NULL, id, 6, (const struct bs_text **)(void *)&texts, &n_texts);
	ok(bs_writer_add(writer, id, 6, texts, n_texts, ERR));
}

static void close_index(void)
{
	bs_searcher_free(rig.searcher);
	bs_index_close(rig.index);
	rig.searcher = NULL;
	rig.index = NULL;
}

static void open_index(void)
{
	struct bs_open_request request = {.memory = rig.memory, .host.texts = &provider};
	close_index();
	ok(bs_index_open_with(&request, &rig.index, ERR));
	ok(bs_searcher_new(rig.index, &rig.searcher, ERR));
}

static int setup(void **state)
{
	random_state = rounds.seed;
	rig.n = rig.n_arrived = 0;
	return (int)bs_memory_index_new(&rig.memory, NULL);
}

static int teardown(void **state)
{
	close_index();
	bs_memory_index_free(rig.memory);
	return 0;
}

/* For each row: whether it is a candidate. */
static bool found[MOST_ROWS];
static size_t last_number;

static int take(void *context, const struct bs_hit_batch *batch)
{
	size_t *n = context;
	char id[7] = "";
	last_number = *n ? last_number : 0;
	for (size_t i = 0, start = 0; i < batch->n; start = batch->id_ends[i++]) {
		assert_int_equal(batch->id_ends[i] - start, 6);
		memcpy(id, batch->ids + start, 6);
		size_t row = (size_t)strtoul(id, NULL, 10);
		assert_true(row < rig.n && rig.rows[row].is_there && !found[row] &&
		            batch->are_candidates[i]);
		assert_true(rig.rows[row].number > last_number);
		last_number = rig.rows[row].number;
		found[row] = true;
		++*n;
	}
	return 0;
}

static bool matches(pcre2_code *code, pcre2_match_data *data, const struct row *row)
{
	for (size_t t = 0; t < row->n_texts; t++)
		if (pcre2_match(code, (PCRE2_SPTR)row->texts[t], row->text_bytes[t], 0, 0, data,
		                NULL) >= 0)
			return true;
	return false;
}

static size_t n_asked, n_matches, n_candidates, n_candidates_of, n_filtered, n_passed_in_vain;

static bool is_utf8(const char *text, size_t n_bytes)
{
	for (size_t at = 0; at < n_bytes;)
		if (bs_utf8_next((const uint8_t *)text, n_bytes, &at) < 0)
			return false;
	return true;
}

/* Checks for some rows that a text filter accepts a text that matches. Counts the texts that it
 * accepts although they do not match; invalid UTF-8 is not counted. */
static void filter_texts(const struct bs_grep_pattern *pattern, pcre2_code *code,
                         pcre2_match_data *data)
{
	struct bs_text_filter *filter;
	ok(bs_text_filter_new(pattern, &filter, ERR));
	for (size_t i = 0; i < rig.n; i += 1 + below(20)) {
		const char *text = rig.rows[i].texts[0];
		size_t n_bytes = rig.rows[i].text_bytes[0];
		bool is_match = pcre2_match(code, (PCRE2_SPTR)text, n_bytes, 0, 0, data, NULL) >= 0;
		bool may = bs_text_filter_may_match(filter, text, n_bytes);
		if (is_match && !may)
			fail_msg("%.*s does not pass the filter of %s", (int)n_bytes, text,
			         pattern->patterns[0]);
		n_filtered++;
		n_passed_in_vain += may && !is_match && is_utf8(text, n_bytes);
	}
	bs_text_filter_free(filter);
}

static void ask(const char *text)
{
	size_t text_bytes = strlen(text), n = 0, where;
	struct bs_candidates_request request = {
		.pattern = {.patterns = &text,
	                    .pattern_bytes = &text_bytes,
	                    .n_patterns = 1,
	                    .dot_all = below(2),
	                    .is_fixed = below(8) == 0,
	                    .is_word = below(10) == 0,
	                    .letter_case =
	                            below(3) ? BS_GREP_CASE_SENSITIVE : BS_GREP_CASE_INSENSITIVE},
		.batch = take,
		.context = &n};
	struct bs_candidates_result result, estimated;
	char whole[400];
	const struct bs_grep_pattern *pattern = &request.pattern;
	int code_error;
	uint32_t options = PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF |
	                   (pattern->dot_all ? PCRE2_DOTALL : 0u) |
	                   (below(2) ? PCRE2_MULTILINE : 0u) |
	                   (pattern->letter_case ? PCRE2_CASELESS : 0u);
	snprintf(whole, sizeof(whole), "%s%s%s%s%s", pattern->is_word ? "(?<!\\w)(?:" : "",
	         pattern->is_fixed ? "\\Q" : "", text, pattern->is_fixed ? "\\E" : "",
	         pattern->is_word ? ")(?!\\w)" : "");
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)whole, PCRE2_ZERO_TERMINATED, options,
	                                 &code_error, &where, NULL);
	if (!code)
		return;
	pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
	memset(found, 0, sizeof(found));
	ok(bs_candidates(rig.searcher, &request, &result, ERR));
	assert_int_equal(result.n_candidates, n);
	for (size_t i = 0; i < rig.n; i++) {
		bool is_match = rig.rows[i].is_there && matches(code, data, &rig.rows[i]);
		if (is_match && !found[i])
			fail_msg("row %zu, %.*s, is no candidate of %s", i,
			         (int)rig.rows[i].text_bytes[0], rig.rows[i].texts[0], whole);
		n_matches += is_match && !result.is_all;
		n_candidates_of += rig.rows[i].is_there && !result.is_all;
	}
	n_candidates += result.is_all ? 0 : n;
	n_asked++;
	if (options & PCRE2_MULTILINE)
		filter_texts(pattern, code, data);
	/* The shards are so small that the estimate reads all their rows. It also counts deleted
	 * documents. */
	struct bs_index_info info;
	bs_index_describe(rig.index, &info);
	request.estimate = true;
	ok(bs_candidates(rig.searcher, &request, &estimated, ERR));
	assert_true(estimated.n_candidates >= result.n_candidates &&
	            estimated.n_candidates <= result.n_candidates + info.n_deleted);
	pcre2_match_data_free(data);
	pcre2_code_free(code);
}

static void ask_some(unsigned n)
{
	char pattern[120];
	open_index();
	for (unsigned i = 0; i < n; i++) {
		draw_pattern(pattern, sizeof(pattern));
		ask(pattern);
	}
	struct bs_check_request request = {.memory = rig.memory};
	ok(bs_index_check(&request, NULL, ERR));
}

static void change(bool grams, bool is_stored, size_t n_more)
{
	struct bs_writer *writer = open_writer(grams, is_stored);
	for (size_t i = 0; i < n_more && rig.n < MOST_ROWS; i++)
		put_row(writer, rig.n++);
	for (size_t i = 0; i < n_more / 10; i++) {
		size_t row = below((uint32_t)rig.n);
		char id[16];
		snprintf(id, sizeof(id), "%06zu", row);
		if (below(2)) {
			put_row(writer, row);
		} else {
			ok(bs_writer_delete(writer, id, 6, NULL, ERR));
			rig.rows[row].is_there = false;
		}
	}
	ok(bs_writer_commit(writer, NULL, ERR));
	bs_writer_close(writer);
}

static void ask_through_life(bool grams, bool is_stored)
{
	n_asked = n_matches = n_candidates = n_candidates_of = n_filtered = n_passed_in_vain = 0;
	change(grams, is_stored, 1500);
	ask_some(3 * (unsigned)rounds.n);
	for (int i = 0; i < 6; i++) {
		change(grams && i % 2, is_stored, i % 3 ? 20 : 400);
		ask_some((unsigned)rounds.n);
	}
	struct bs_build_request compact = {.memory = rig.memory, .host.texts = &provider};
	ok(bs_index_compact(&compact, NULL, ERR));
	ask_some(3 * (unsigned)rounds.n);
	assert_reached(n_asked > 500 && n_matches > 1000);
	assert_reached(n_passed_in_vain * 1000 < n_filtered);
}

static void test_patterns(void **state)
{
	ask_through_life(true, false);
	assert_true(n_candidates - n_matches < n_candidates_of / 10);
}

static void test_stored(void **state)
{
	ask_through_life(true, true);
	assert_true(n_candidates - n_matches < n_candidates_of / 10);
}

/* Without grams every document is a candidate, and grams cannot be added later. */
static void test_without_grams(void **state)
{
	struct bs_writer *writer;
	struct bs_writer_request request = {.memory = rig.memory, .index.grams = true};
	ask_through_life(false, false);
	assert_int_equal(n_candidates, n_candidates_of);
	assert_int_equal(bs_writer_open(&request, &writer, ERR), BS_INVALID);
}

static int refuse(void *context, const struct bs_hit_batch *batch)
{
	return 1;
}

static void test_refusals(void **state)
{
	const char *text = "lock";
	size_t text_bytes = 4, n = 0;
	struct bs_candidates_request request = {
		.pattern = {.patterns = &text, .pattern_bytes = &text_bytes}, .context = &n};
	struct bs_search_request find = {QUERY("lock"), .output.mode = BS_SEARCH_TOP,
	                                 .output.candidates = true, .callbacks.batch = take};
	struct bs_candidates_result result;
	change(true, false, 200);
	open_index();
	/* An empty list of patterns matches nothing. */
	ok(bs_candidates(rig.searcher, &request, &result, ERR));
	assert_int_equal(result.n_candidates, 0);
	request.pattern.n_patterns = 1;
	ok(bs_candidates(rig.searcher, &request, &result, ERR));
	assert_true(result.n_candidates > 0 && !result.is_all);
	request.batch = refuse;
	assert_int_equal(bs_candidates(rig.searcher, &request, NULL, ERR), BS_STOPPED);
	request.reserved[0] = 1;
	assert_int_equal(bs_candidates(rig.searcher, &request, NULL, ERR), BS_UNSUPPORTED);
	assert_int_equal(bs_search(rig.searcher, &find, NULL, ERR), BS_INVALID);
	find.output.mode = BS_SEARCH_IDS;
	find.method.brute = true;
	assert_int_equal(bs_search(rig.searcher, &find, NULL, ERR), BS_INVALID);
	find.method.brute = false;
	find.query.feedback_docs = 3;
	assert_int_equal(bs_search(rig.searcher, &find, NULL, ERR), BS_INVALID);
	find.query.feedback_docs = 0;
	find.callbacks.batch = refuse;
	assert_int_equal(bs_search(rig.searcher, &find, NULL, ERR), BS_STOPPED);
	/* A phrase is never certain without reading its text. */
	find = (struct bs_search_request){QUERY("\"lock error\""), .output.mode = BS_SEARCH_COUNT,
	                                  .output.candidates = true};
	struct bs_search_result of_find;
	ok(bs_search(rig.searcher, &find, &of_find, ERR));
	assert_true(of_find.n_hits == of_find.n_candidates && of_find.stats.verify.verified == 0);
}

RUN_RANDOM_TESTS_EACH_WITH(100, 1, setup, teardown, test_patterns, test_stored, test_without_grams,
                           test_refusals)
