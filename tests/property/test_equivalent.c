/*
 * test_equivalent.c: canonically equivalent texts have the same words at the same positions, and
 * equivalent queries the same answers. Random texts and queries with words of many scripts are
 * converted to NFC, to NFD, and to a mixture of both in which some adjacent marks are swapped where
 * that is equivalent. Every form must give the same answer, with and without the index. Also checks
 * that the reported bytes of a word fold to the word.
 *
 * Arguments: [N_QUERIES [SEED]]
 */
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "core/bitsift/search.h"
#include "core/bitsift/writer.h"
#include "core/text/tokenizer_run.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/library_rig.h"
#include "tests/rigs/words_rig.h"

/* ---- texts ---- */

/* Ranges of letters and of marks for random words. */
static const struct {
	UChar32 first, last;           /* letters */
	UChar32 first_mark, last_mark; /* marks */
} scripts[] = {
	{'a', 'z', 0x300, 0x345},             /* Latin */
	{0xe0, 0x24f, 0x300, 0x338},          /* Latin, composed */
	{0x1ea0, 0x1ef9, 0x300, 0x323},       /* Vietnamese */
	{0x391, 0x3c9, 0x300, 0x345},         /* Greek */
	{0x1f00, 0x1ffc, 0x300, 0x345},       /* Greek, composed */
	{0x410, 0x45f, 0x300, 0x308},         /* Cyrillic */
	{0x5d0, 0x5ea, 0x5b0, 0x5c2},         /* Hebrew */
	{0xfb1d, 0xfb4e, 0x5b0, 0x5bc},       /* Hebrew, presentation forms */
	{0x621, 0x64a, 0x64b, 0x655},         /* Arabic */
	{0x710, 0x72f, 0x730, 0x74a},         /* Syriac */
	{0x904, 0x961, 0x93a, 0x94d},         /* Devanagari */
	{0x985, 0x9df, 0x9bc, 0x9d7},         /* Bengali */
	{0xa05, 0xa5e, 0xa3c, 0xa4d},         /* Gurmukhi */
	{0xb05, 0xb5d, 0xb3c, 0xb57},         /* Oriya */
	{0xb83, 0xbb9, 0xbbe, 0xbd7},         /* Tamil */
	{0xc85, 0xcb9, 0xcbc, 0xcd6},         /* Kannada */
	{0xd05, 0xd3a, 0xd3e, 0xd57},         /* Malayalam */
	{0xd85, 0xdc6, 0xdca, 0xddf},         /* Sinhala */
	{0xe01, 0xe2e, 0xe31, 0xe4d},         /* Thai */
	{0xf40, 0xf6c, 0xf71, 0xfb9},         /* Tibetan */
	{0x1000, 0x102a, 0x102b, 0x103e},     /* Myanmar */
	{0xac00, 0xd7a3, 0x11a8, 0x11c2},     /* Hangul; the marks are final letters of syllables */
	{0x1100, 0x1112, 0x1161, 0x1175},     /* Hangul, letter by letter */
	{0x3041, 0x30fa, 0x3099, 0x309a},     /* Kana */
	{0x4e00, 0x4e60, 0x3099, 0x309a},     /* Han */
	{0xf900, 0xfad9, 0x302a, 0x302d},     /* Han, compatibility ideographs */
	{0x1b05, 0x1b33, 0x1b34, 0x1b44},     /* Balinese */
	{0x11083, 0x110af, 0x110b0, 0x110ba}, /* Kaithi */
	{0x11305, 0x11339, 0x1133c, 0x11357}, /* Grantha */
};
#define N_SCRIPTS COUNT(scripts)

static void append_code_point(struct bs_buffer *to, uint32_t c)
{
	uint8_t bytes[U8_MAX_LENGTH];
	size_t n = 0;
	U8_APPEND_UNSAFE(bytes, n, c);
	append_bytes(to, bytes, n);
}

static UChar32 draw(UChar32 first, UChar32 last, bool is_mark)
{
	UChar32 c = first;
	for (int i = 0; i < 100; i++) {
		c = first + (UChar32)below((uint32_t)(last - first) + 1);
		uint32_t mask = U_GET_GC_MASK(c);
		if (mask &
		    (is_mark ? U_GC_M_MASK | (first >= 0x1100 && first < 0x1200 ? U_GC_L_MASK : 0u)
		             : U_GC_L_MASK))
			return c;
	}
	return first;
}

static void append_word(struct bs_buffer *to)
{
	static const char *const odd[] = {"\u212a",  "\u212b",      "\u037e",       "\u1fef",
	                                  "=\u0338", "\u0344",      "\U0001d15e",   "1T2",
	                                  "foo_bar", "3.14",        "don\u2019t",   "\u01fd",
	                                  "\u0142",  "HTTPServer2", "\u034f\u0301", "\u00e9\u0323"};
	size_t script = below(N_SCRIPTS);
	if (below(12) == 0) {
		append_string(to, odd[below(COUNT(odd))]);
		return;
	}
	for (uint32_t n = 1 + below(4); n > 0; n--) {
		append_code_point(
			to, (uint32_t)draw(scripts[script].first, scripts[script].last, false));
		for (uint32_t n_marks = below(2) ? 0 : 1 + below(3); n_marks > 0; n_marks--)
			append_code_point(to, (uint32_t)draw(scripts[script].first_mark,
			                                     scripts[script].last_mark, true));
	}
}

#define N_WORDS 120

static struct bs_buffer vocabulary[N_WORDS];

static void make_vocabulary(void)
{
	for (size_t i = 0; i < N_WORDS; i++) {
		bs_buffer_clear(&vocabulary[i]);
		append_word(&vocabulary[i]);
	}
}

/* The first words are drawn most often. */
static const struct bs_buffer *draw_word(void)
{
	uint32_t most = 1 + below(N_WORDS);
	return &vocabulary[below(most)];
}

static void append_drawn(struct bs_buffer *to)
{
	const struct bs_buffer *word = draw_word();
	append_bytes(to, word->data, word->used_bytes);
}

static void make_text(struct bs_buffer *text, uint32_t n_words)
{
	static const char *const separators[] = {".",  ":", "@",  ", ",     "_",
	                                         "-",  "'", "\n", "",       " (",
	                                         ") ", ";", "=",  "\u3000", "\u2019"};
	bs_buffer_clear(text);
	for (uint32_t i = 0; i < n_words; i++) {
		append_drawn(text);
		append_string(text, below(3) ? " " : separators[below(COUNT(separators))]);
	}
}

/* ---- forms ---- */

enum form {
	FORM_NFC,
	FORM_NFD,
	FORM_MIXED,
	N_FORMS
};

static const UNormalizer2 *nfc, *nfd, *nfkc_casefold;

#define MAX_UNITS 65536
static UChar text_units[MAX_UNITS], form_units[MAX_UNITS], part_units[MAX_UNITS];

static int32_t normalize(const UNormalizer2 *form, const UChar *from, int32_t n, UChar *to)
{
	UErrorCode code = U_ZERO_ERROR;
	n = unorm2_normalize(form, from, n, to, MAX_UNITS, &code);
	assert_true(U_SUCCESS(code));
	return n;
}

static int32_t to_units(const struct bs_buffer *text)
{
	int32_t n = 0;
	for (size_t at = 0; at < text->used_bytes;) {
		UChar32 c;
		U8_NEXT_OR_FFFD(text->data, at, text->used_bytes, c);
		U16_APPEND_UNSAFE(text_units, n, (uint32_t)c);
	}
	return n;
}

/* Swaps some adjacent marks of different combining classes, which is canonically equivalent. */
static void shuffle_marks(UChar *units, int32_t n)
{
	for (int32_t i = 0; i + 1 < n; i++) {
		if (U16_IS_SURROGATE(units[i]) || U16_IS_SURROGATE(units[i + 1]) || below(2))
			continue;
		uint8_t a = u_getCombiningClass(units[i]), b = u_getCombiningClass(units[i + 1]);
		if (!a || !b || a == b)
			continue;
		UChar unit = units[i];
		units[i] = units[i + 1];
		units[i + 1] = unit;
	}
}

/* Rewrites each part between two normalization boundaries in NFC or NFD, sometimes with its marks
 * in another order. */
static int32_t mix(int32_t n_text)
{
	int32_t n = 0;
	for (int32_t start = 0, end; start < n_text; start = end) {
		end = start;
		U16_FWD_1(text_units, end, n_text);
		for (int32_t next = end; next < n_text; end = next)
			if (unorm2_hasBoundaryBefore(nfc, bs_tokenizer_next(text_units, &next)))
				break;
		int32_t n_part = normalize(below(3) ? nfd : nfc, text_units + start, end - start,
		                           part_units);
		shuffle_marks(part_units, n_part);
		memcpy(form_units + n, part_units, (size_t)n_part * sizeof(UChar));
		n += n_part;
	}
	return n;
}

static void take_form(const struct bs_buffer *text, enum form form, struct bs_buffer *out)
{
	int32_t n = to_units(text);
	n = form == FORM_MIXED ? mix(n)
	                       : normalize(form == FORM_NFC ? nfc : nfd, text_units, n, form_units);
	bs_buffer_clear(out);
	for (int32_t at = 0; at < n;)
		append_code_point(out, (uint32_t)bs_tokenizer_next(form_units, &at));
}

/* ---- the analyzer ---- */

static void assert_same_words(const struct kept *a, const struct kept *b)
{
	assert_int_equal(kept_n(a), kept_n(b));
	assert_buffers_equal(&a->terms, &b->terms);
	for (size_t i = 0; i < kept_n(a); i++) {
		assert_int_equal(kept_at(a, i)->term_bytes, kept_at(b, i)->term_bytes);
		assert_int_equal(kept_at(a, i)->position, kept_at(b, i)->position);
		assert_int_equal(kept_at(a, i)->is_bigram, kept_at(b, i)->is_bigram);
		assert_int_equal(kept_at(a, i)->is_whole, kept_at(b, i)->is_whole);
	}
}

/* Stores text[start..end) in *folded: typographic apostrophes replaced by ', in NFC, and folded. */
static void fold(const uint8_t *text, size_t start, size_t end, struct bs_buffer *folded)
{
	int32_t n = 0;
	while (start < end) {
		UChar32 c;
		U8_NEXT_OR_FFFD(text, start, end, c);
		U16_APPEND_UNSAFE(text_units, n, (uint32_t)(c == 0x2019 || c == 0x2bc ? '\'' : c));
	}
	n = normalize(nfc, text_units, n, form_units);
	n = normalize(nfkc_casefold, form_units, n, part_units);
	bs_buffer_clear(folded);
	for (int32_t at = 0; at < n;)
		append_code_point(folded, (uint32_t)bs_tokenizer_next(part_units, &at));
}

/* Checks that the bytes reported for a word fold to the word. The bytes reported for a term of a
 * script run must contain the term when folded. */
static void assert_stands(struct bs_tokenizer *tokenizer, const struct bs_buffer *text,
                          const struct kept *kept, struct bs_buffer *folded)
{
	for (size_t i = 0; i < kept_n(kept); i++) {
		const struct kept_token *token = kept_at(kept, i);
		const uint8_t *term = kept->terms.data + token->term_off;
		assert_true(token->start_byte < token->end_byte &&
		            token->end_byte <= text->used_bytes);
		if (token->is_bigram)
			continue;
		fold(text->data, token->start_byte, token->end_byte, folded);
		bool is_run = bs_tokenizer_begins_run(tokenizer, text->data, token->start_byte,
		                                      token->end_byte);
		bool stands = is_run ? memmem(folded->data, folded->used_bytes, term,
		                              token->term_bytes) != NULL
		                     : folded->used_bytes == token->term_bytes &&
		                               memcmp(folded->data, term, token->term_bytes) == 0;
		if (!stands)
			fail_msg("%.*s does not stand where it is said to stand: %.*s in %.*s",
			         (int)token->term_bytes, (const char *)term,
			         (int)(token->end_byte - token->start_byte),
			         (const char *)text->data + token->start_byte,
			         (int)text->used_bytes, (const char *)text->data);
	}
}

static void test_words(void **state)
{
	static const struct bs_tokenizer_options options[] = {
		{.stem_language = NULL},
		{.fold_accents = true},
		{.split_identifiers = true},
		{.stem_language = "french", .fold_accents = true}};
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0}, folded = {0};
	struct bs_buffer forms[N_FORMS] = {{0}};
	struct kept kept[N_FORMS];
	memset(kept, 0, sizeof(kept));
	for (size_t o = 0; o < COUNT(options); o++) {
		struct bs_tokenizer *tokenizer;
		ok(bs_tokenizer_new(&options[o], &tokenizer, ERR));
		for (unsigned long i = 0; i < rounds.n; i++) {
			random_state = rounds.seed * UINT64_C(1000003) + i;
			make_vocabulary();
			make_text(&text, 1 + below(30));
			for (int form = 0; form < N_FORMS; form++) {
				take_form(&text, (enum form)form, &forms[form]);
				kept_analyze(tokenizer, forms[form].data, forms[form].used_bytes,
				             &kept[form]);
				assert_same_words(&kept[FORM_NFC], &kept[form]);
				if (!options[o].fold_accents)
					assert_stands(tokenizer, &forms[form], &kept[form],
					              &folded);
			}
		}
		bs_tokenizer_free(tokenizer);
	}
	for (int form = 0; form < N_FORMS; form++) {
		bs_buffer_deinit(&forms[form]);
		kept_deinit(&kept[form]);
	}
}

/* ---- indexes ---- */

#define N_DOCS 40

struct corpus {
	struct bs_memory_index *memory;
	struct bs_index *index;
	struct bs_searcher *searcher;
};

static void open_corpus(struct corpus *corpus, struct bs_buffer docs[N_DOCS], enum form form,
                        bool fold_accents, bool splits)
{
	struct bs_writer *writer;
	struct bs_buffer text = {0};
	ok(bs_memory_index_new(&corpus->memory, ERR));
	struct bs_writer_request request = {.memory = corpus->memory,
	                                    .write.n_threads = 1,
	                                    .index.fold_accents = fold_accents,
	                                    .index.split_identifiers = splits};
	ok(bs_writer_open(&request, &writer, ERR));
	for (int i = 0; i < N_DOCS; i++) {
		char id[16];
		int id_bytes = snprintf(id, sizeof(id), "%d", i);
		take_form(&docs[i], form, &text);
		struct bs_text texts[] = {{i % 2 ? "title" : "body", i % 2 ? 5 : 4,
		                           (const char *)text.data, text.used_bytes}};
		ok(bs_writer_add(writer, id, (size_t)id_bytes, texts, 1, ERR));
	}
	ok(bs_writer_commit(writer, NULL, ERR));
	bs_writer_close(writer);
	bs_buffer_deinit(&text);
	corpus->index = must_open_with(&(struct bs_open_request){.memory = corpus->memory});
	corpus->searcher = must_searcher(corpus->index);
}

static void close_corpus(struct corpus *corpus)
{
	bs_searcher_free(corpus->searcher);
	bs_index_close(corpus->index);
	bs_memory_index_free(corpus->memory);
}

static int hear(void *context, const struct bs_hit *hit)
{
	struct bs_buffer *heard = context;
	char score[32];
	append_bytes(heard, hit->id, hit->id_bytes);
	snprintf(score, sizeof(score), ":%.6f ", hit->score);
	append_string(heard, score);
	return 0;
}

/* Stores the answer to a query in *heard, or its error: an invalid query is invalid in every
 * form. */
static void ask(const struct corpus *corpus, const struct bs_buffer *query,
                enum bs_search_mode mode, bool brute, bool any, struct bs_buffer *heard)
{
	struct bs_search_request find = {.query.text = (const char *)query->data,
	                                 .query.text_bytes = query->used_bytes,
	                                 .output.mode = mode,
	                                 .output.limit = N_DOCS,
	                                 .method.brute = brute,
	                                 .query.any = any,
	                                 .callbacks.hit = hear,
	                                 .callbacks.context = heard};
	bs_buffer_clear(heard);
	enum bs_status status = bs_search(corpus->searcher, &find, NULL, ERR);
	if (status == BS_INVALID)
		append_string(heard, "invalid");
	else
		ok(status);
}

/* Appends a query word: a whole word, a fuzzy word, a prefix or a pattern. A word is cut between
 * two code points of its NFC form. */
static void append_operand(struct bs_buffer *to)
{
	AUTO(bs_buffer_deinit) struct bs_buffer word = {0};
	take_form(draw_word(), FORM_NFC, &word);
	size_t at = 0, cut = 0;
	uint32_t kind = below(10), n = below(4);
	for (uint32_t i = 0; i <= n && at < word.used_bytes; i++) {
		cut = at;
		U8_FWD_1(word.data, at, word.used_bytes);
	}
	if (kind == 0)
		append_string(to, below(2) ? "body:" : "title:");
	append_bytes(to, word.data, kind < 5 ? word.used_bytes : kind < 8 ? cut : at);
	if (kind == 4)
		append_string(to, below(2) ? "~1" : "~2");
	if (kind >= 5)
		append_string(to, kind == 5 || kind >= 8 ? "*" : "?");
	if (kind == 6 || kind == 7)
		append_bytes(to, word.data + at, word.used_bytes - at);
	if (kind == 9)
		append_drawn(to);
}

static void make_query(struct bs_buffer *query)
{
	static const char *const joints[] = {" ", " OR ", " AND ", " -", ".",
	                                     "@", ":",    " NOT ", "",   " !"};
	bs_buffer_clear(query);
	uint32_t n = 1 + below(4), kind = below(6);
	append_string(query, kind == 0 ? "\"" : kind == 1 ? "(" : "");
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0)
			append_string(query, below(2) ? " " : joints[below(COUNT(joints))]);
		append_operand(query);
	}
	append_string(query, kind == 0 ? (below(3) ? "\"" : "\"~2") : kind == 1 ? ") " : "");
	if (kind <= 1 && below(2))
		append_operand(query);
}

static void assert_same_answer(const struct bs_buffer *query, const char *what,
                               const struct bs_buffer *expected, const struct bs_buffer *found)
{
	if (expected->used_bytes != found->used_bytes ||
	    (found->used_bytes > 0 && memcmp(expected->data, found->data, found->used_bytes) != 0))
		fail_msg("%s: %.*s\nexpected %.*s\nfound    %.*s", what, (int)query->used_bytes,
		         (const char *)query->data, (int)expected->used_bytes,
		         (const char *)expected->data, (int)found->used_bytes,
		         (const char *)found->data);
}

static unsigned long n_hits, n_invalid;

/* Runs the query in three forms on texts in three forms, with and without the index. */
static void check_query(const struct corpus corpora[N_FORMS], const struct bs_buffer *query)
{
	struct bs_buffer forms[N_FORMS] = {{0}};
	AUTO(bs_buffer_deinit) struct bs_buffer expected = {0}, found = {0};
	bool any = below(8) == 0;
	for (int form = 0; form < N_FORMS; form++)
		take_form(query, (enum form)form, &forms[form]);
	enum bs_search_mode mode = below(2) ? BS_SEARCH_IDS : BS_SEARCH_TOP;
	ask(&corpora[0], &forms[0], mode, false, any, &expected);
	for (int i = 1; i < N_FORMS * N_FORMS; i++) {
		const struct bs_buffer *form = &forms[i / N_FORMS];
		ask(&corpora[i % N_FORMS], form, mode, false, any, &found);
		assert_same_answer(form, "another form is answered otherwise", &expected, &found);
	}
	for (int of = 0; of < N_FORMS; of++) {
		ask(&corpora[of], &forms[of], BS_SEARCH_IDS, false, any, &expected);
		ask(&corpora[of], &forms[(of + 1) % N_FORMS], BS_SEARCH_IDS, true, any, &found);
		assert_same_answer(query, "without the index it is answered otherwise", &expected,
		                   &found);
	}
	n_invalid += expected.used_bytes == strlen("invalid");
	n_hits += expected.used_bytes > strlen("invalid");
	for (int form = 0; form < N_FORMS; form++)
		bs_buffer_deinit(&forms[form]);
}

#define QUERIES_EACH 100

static void test_queries(void **state)
{
	struct bs_buffer docs[N_DOCS] = {{0}}, query = {0};
	for (unsigned long i = 0; i * QUERIES_EACH < rounds.n; i++) {
		struct corpus corpora[N_FORMS];
		random_state = rounds.seed * UINT64_C(7368787) + i;
		make_vocabulary();
		for (int d = 0; d < N_DOCS; d++)
			make_text(&docs[d], below(20));
		for (int form = 0; form < N_FORMS; form++)
			open_corpus(&corpora[form], docs, (enum form)form, i % 3 == 1, i % 3 == 2);
		for (int q = 0; q < QUERIES_EACH; q++) {
			random_state =
				(rounds.seed * UINT64_C(7368787) + i) * QUERIES_EACH + (uint64_t)q;
			make_query(&query);
			check_query(corpora, &query);
		}
		for (int form = 0; form < N_FORMS; form++)
			close_corpus(&corpora[form]);
	}
	assert_reached(n_hits > rounds.n / 3);
	assert_reached(n_invalid < rounds.n / 4);
	for (int d = 0; d < N_DOCS; d++)
		bs_buffer_deinit(&docs[d]);
	bs_buffer_deinit(&query);
}

static int set_up(void **state)
{
	UErrorCode code = U_ZERO_ERROR;
	nfc = unorm2_getNFCInstance(&code);
	nfd = unorm2_getNFDInstance(&code);
	nfkc_casefold = unorm2_getNFKCCasefoldInstance(&code);
	return U_FAILURE(code);
}

static int tear_down(void **state)
{
	for (size_t i = 0; i < N_WORDS; i++)
		bs_buffer_deinit(&vocabulary[i]);
	return 0;
}

RUN_RANDOM_TESTS_WITH(300, 1, set_up, tear_down, test_words, test_queries)
