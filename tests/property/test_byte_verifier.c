/* test_byte_verifier.c: compares the byte verifier with the matcher, which analyses the whole text,
 * on random documents and queries made of difficult pieces. Both must agree on the fields of a
 * document, on the JSON line that contains them, and on the fields as slices of that line. Also
 * compares the quick scanner of records with the parser. */
#include "core/base/hash.h"
#include "core/bitsift/search.h"
#include "corpus/read/record.h"
#include "corpus/read/record_scan.h"
#include "query/language/parse.h"
#include "query/verify/byte_verifier.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/core_rig.h"
#include "tests/rigs/dice.h"

#define MAX_KERNELS 8
#define MAX_FIELDS  3

/* Pieces of random texts. */
static const char *const pieces[] = {
	/* Letters and numbers; n and t end a JSON escape. */
	"a", "b", "A", "B", "n", "t", "t", "ab", "ba", "foo", "bar", "Foo", "Foo", "Bar", "FOO",
	"fooBar", "2Foo", "1", "1", "22", "3.14", "u0041", "T", "T", "1T22", "k", "s", "fi", "e",
	"kg", "l", "ae",
	/* Bytes that join words, and bytes that separate them. */
	"_", "_", "'", ".", ":", "@", "don't", "foo_bar", "obj.foo", "a@b", "-", ",", ";", " ", " ",
	" ", " ", " ", "\n", "\n", "\t", "\r", "\b", "\f", "\"", "\\", "\\\\", "/", "(", ")", "=",
	"`", "\x7f",
	/* Characters that fold to ASCII, to nothing, or to something else: soft hyphen, Kelvin,
	 * long s, fi, wide a, acute, ZWJ, VS16, e acute, (1), kg, dot below, not equal, Greek ; and
	 * `, iota below, l with stroke, ae. */
	"\u00ad", "\u212a", "\u017f", "\ufb01", "\uff41", "\u0301", "\u200d", "\ufe0f", "\u00e9",
	"\u3220", "\u338f", "\u0323", "=\u0338", "\u037e", "\u1fef", "\u0345", "\u0142", "\u00e6",
	/* Punctuation: apostrophe, one dot, space, dash. Script runs, an emoji, invalid UTF-8. */
	"\u2019", "\u2024", "\u00a0", "\u2014", "\u6f22", "\u5b57", "\U0001f600", "\x80", "\xff"};

/* Appends n pieces. is_ascii: only ASCII pieces, which the byte verifier can usually decide. Half
 * of the texts of more than 100 pieces lack white space, brackets and slashes, so that they have
 * few safe cuts (tokenizer_near.h). */
static void append_pieces(struct bs_buffer *to, uint64_t n, bool is_ascii)
{
	bool has_no_space = n > 100 && by_chance(50);
	while (n > 0) {
		const char *piece = pieces[below(COUNT(pieces))];
		if ((is_ascii && (piece[0] & 0x80)) ||
		    (has_no_space && strchr(" \n\t\r\b\f()/\\\x7f", piece[0])))
			continue;
		append_string(to, piece);
		n--;
	}
}

/* ---- documents ---- */

struct doc {
	struct bs_buffer texts[MAX_FIELDS];
	struct bs_field fields[MAX_FIELDS + 3];
	size_t n_fields;
	struct bs_buffer line;
};

static void doc_deinit(struct doc *doc)
{
	for (size_t i = 0; i < MAX_FIELDS; i++)
		bs_buffer_deinit(&doc->texts[i]);
	bs_buffer_deinit(&doc->line);
}

static const char *const names[] = {"text", "foo", "a"};

static void append_json(struct bs_buffer *to, const uint8_t *text, size_t n_bytes, unsigned escapes)
{
	static const char plain[] = "\n\t\r\b\f\"\\/";
	static const char letters[] = "ntrbf\"\\/";
	append_string(to, "\"");
	for (size_t i = 0; i < n_bytes; i++) {
		char escape[8];
		const char *found = text[i] ? strchr(plain, text[i]) : NULL;
		if (text[i] < 0x80 && by_chance(escapes))
			snprintf(escape, sizeof(escape), "\\u%04x", text[i]);
		else if (found && (text[i] != '/' || by_chance(50)))
			snprintf(escape, sizeof(escape), "\\%c", letters[found - plain]);
		else if (text[i] < 0x20)
			snprintf(escape, sizeof(escape), "\\u%04x", text[i]);
		else
			snprintf(escape, sizeof(escape), "%c", text[i]);
		append_string(to, escape);
	}
	append_string(to, "\"");
}

static void draw_doc(struct doc *doc)
{
	bool is_ascii = by_chance(60);
	unsigned escapes = by_chance(80) ? 0 : 10;
	static const struct bs_field nested[] = {{"n", 1, (const uint8_t *)"1", 1},
	                                         {"n.foo", 5, (const uint8_t *)"a]b", 3},
	                                         {"z.", 2, (const uint8_t *)"-1e+5", 5}};
	size_t n_flat = (size_t)(1 + below(MAX_FIELDS)), n_nested = by_chance(50) ? 0 : 3;
	doc->n_fields = n_nested + n_flat;
	memcpy(doc->fields, nested, sizeof(nested));
	bs_buffer_clear(&doc->line);
	append_string(&doc->line,
	              n_nested == 0
	                      ? "{\"id\": \"foo bar\", "
	                      : "{ \"n\" : [1, {\"foo\": \"a]b\"}, [ ]], \"z\":{\"\" :-1e+5},");
	for (size_t i = 0; i < n_flat; i++) {
		bs_buffer_clear(&doc->texts[i]);
		append_bytes(&doc->texts[i], "", 0);
		append_pieces(&doc->texts[i], below(by_chance(90) ? 12 : 1500), is_ascii);
		doc->fields[n_nested + i] = (struct bs_field){
			.name = names[i],
			.name_bytes = strlen(names[i]),
			.text = doc->texts[i].data ? doc->texts[i].data : (const uint8_t *)"",
			.text_bytes = doc->texts[i].used_bytes};
		append_json(&doc->line, (const uint8_t *)names[i], strlen(names[i]), 0);
		append_string(&doc->line, by_chance(50) ? ":" : " : ");
		append_json(&doc->line, doc->fields[n_nested + i].text, doc->texts[i].used_bytes,
		            escapes);
		append_string(&doc->line, i + 1 < n_flat ? ", " : " }");
	}
}

/* ---- queries ---- */

/* Appends bytes of a document's text, or random pieces, without characters of query syntax. */
static void append_words(struct bs_buffer *to, const struct doc *doc, bool is_phrase)
{
	size_t start = to->used_bytes;
	const struct bs_field *field = &doc->fields[below(doc->n_fields)];
	if (by_chance(60) && field->text_bytes > 0) {
		size_t at = (size_t)below(field->text_bytes);
		size_t n = (size_t)(1 + below(is_phrase ? 25 : 6));
		append_bytes(to, field->text + at,
		             n < field->text_bytes - at ? n : field->text_bytes - at);
	} else {
		append_pieces(to, 1 + below(is_phrase ? 6 : 3), by_chance(70));
	}
	for (size_t i = start; i < to->used_bytes; i++) {
		bool is_space = to->data[i] <= ' ' && !is_phrase;
		if (is_space || strchr("\"()*~", to->data[i]))
			to->data[i] = is_space || !is_phrase ? 'a' : ' ';
	}
}

static void draw_leaf(struct bs_buffer *to, const struct doc *doc)
{
	uint64_t what = below(100);
	bool is_phrase = what >= 50;
	if (by_chance(10))
		append_string(to, "foo:");
	if (is_phrase)
		append_string(to, "\"");
	else
		append_string(to, "b");
	to->used_bytes -= !is_phrase && by_chance(90);
	append_words(to, doc, is_phrase);
	append_string(to, is_phrase   ? what < 90 ? "\"" : "\"~3"
	                  : what < 12 ? "*"
	                  : what < 16 ? "~1"
	                              : "");
}

static void draw_query(struct bs_buffer *to, const struct doc *doc)
{
	static const char *const between[] = {" ", " ", " OR ", " -", " AND "};
	bs_buffer_clear(to);
	for (uint64_t n = below(3);; n--) {
		draw_leaf(to, doc);
		if (n == 0)
			break;
		append_string(to, between[below(COUNT(between))]);
	}
}

/* ---- comparing ---- */

/* n_answered: the verifier's verdicts, by kind. n_early: verdicts YES for a prefix of a text. */
static uint64_t n_answered[3], n_early;

struct bench {
	struct bs_tokenizer *tokenizer;
	struct bs_query_tree *query;
	struct bs_plan plan;
	struct bs_matcher *matcher;
	struct bs_byte_verifier *byte_verifier;
	struct bs_buffer text;
	const struct bs_kernel *kernels[MAX_KERNELS];
	size_t n_kernels;
	struct bs_record_parser *parser;
	struct bs_record_scan scan;
	struct bs_term_table fields;
	bool splits;
};

/* No query of this test uses the name of a document. */
static const struct bs_doc_ref no_ref;

/* Fills the parts of a plan that the verifier reads: how frequent each element is. */
static void make_plan(struct bench *bench)
{
	struct bs_plan *plan = &bench->plan;
	plan->query = bench->query;
	bs_vector_clear(&plan->elements);
	bs_vector_clear(&plan->terms);
	for (uint32_t i = 0; i < bench->query->n_elements; i++) {
		struct bs_plan_element element = {.first_term = i, .n_terms = 1};
		struct bs_plan_term term = {.df = below(1000), .element = i};
		append_bytes(&plan->elements.bytes, &element, sizeof(element));
		append_bytes(&plan->terms.bytes, &term, sizeof(term));
	}
}

static void fail_with(const struct bench *bench, const struct doc *doc, const char *where)
{
	print_escaped("query", bench->text.data, bench->text.used_bytes);
	print_escaped("line", doc->line.data, doc->line.used_bytes);
	fail_msg("%s: the quick verifier says another thing", where);
}

static void check_words(const struct bench *bench, const struct doc *doc,
                        const struct bs_match *match, const struct bs_match *quick,
                        const char *where)
{
	bool is_same = match->n_words == quick->n_words;
	for (size_t i = 0; i < match->n_words && is_same; i++)
		is_same = match->words[i].tf == quick->words[i].tf &&
		          match->words[i].term_bytes == quick->words[i].term_bytes &&
		          memcmp(match->words[i].term, quick->words[i].term,
		                 match->words[i].term_bytes) == 0;
	if (!is_same)
		fail_with(bench, doc, where);
}

static void check_answer(const struct bench *bench, const struct doc *doc,
                         const struct bs_match *match, enum bs_verdict byte_verdict,
                         const char *where)
{
	n_answered[byte_verdict]++;
	if (byte_verdict != BS_VERDICT_UNKNOWN &&
	    (byte_verdict == BS_VERDICT_YES) != match->matches)
		fail_with(bench, doc, where);
}

static void check_fields(struct bench *bench, const struct doc *doc, const struct bs_field *fields,
                         size_t n_fields, bool is_json, const struct bs_match *match,
                         const char *where)
{
	struct bs_match quick = {0};
	enum bs_verdict byte_verdict;
	for (int needs_words = 0; needs_words < 2; needs_words++) {
		ok(bs_byte_verifier_fields(bench->byte_verifier, no_ref, fields, n_fields, is_json,
		                           needs_words, &byte_verdict, &quick, ERR));
		check_answer(bench, doc, match, byte_verdict, where);
		if (needs_words && byte_verdict == BS_VERDICT_YES)
			check_words(bench, doc, match, &quick, where);
	}
}

/* Checks the verifier on the line, and on the fields as slices of the line. The quick scanner must
 * find the fields of the document, unless it declines the line. */
static void check_line(struct bench *bench, const struct doc *doc, const struct bs_match *match)
{
	struct bs_document parsed, scanned;
	struct bs_refusal refusal;
	enum bs_verdict byte_verdict;
	bool is_known;
	const uint8_t *line = doc->line.data;
	size_t n = doc->line.used_bytes;
	ok(bs_byte_verifier_json(bench->byte_verifier, no_ref, line, n, &byte_verdict, ERR));
	check_answer(bench, doc, match, byte_verdict, "line");
	ok(bs_record_parse(bench->parser, line, n, &parsed, &refusal, ERR));
	assert_true(!refusal.reason && parsed.text.n_fields == doc->n_fields);
	ok(bs_record_scan_line(&bench->scan, line, n, false, &scanned, &is_known, ERR));
	bool has_unicode = memmem(line, n, "\\u", 2);
	assert_true(is_known || has_unicode);
	if (is_known) {
		assert_int_equal(scanned.text.n_fields, doc->n_fields);
		for (size_t i = 0; i < doc->n_fields; i++) {
			const struct bs_field *a = &doc->fields[i], *b = &scanned.text.fields[i];
			assert_int_equal(b->name_bytes, a->name_bytes);
			assert_memory_equal(b->name, a->name, a->name_bytes);
			assert_int_equal(b->text_bytes, a->text_bytes);
			assert_memory_equal(b->text, a->text, a->text_bytes);
		}
	}
	ok(bs_record_scan_line(&bench->scan, line, n, true, &scanned, &is_known, ERR));
	assert_true(is_known && scanned.text.n_fields == doc->n_fields);
	check_fields(bench, doc, scanned.text.fields, scanned.text.n_fields, true, match,
	             "fields in the line");
}

/* Draws a long text with the document's fields in it. */
static void draw_long(struct bs_buffer *to, const struct doc *doc)
{
	static const char *const fillers[] = {"zz ", " ", "z", ". ", "\n\n", "\xc3\xa9 "};
	for (uint64_t n = 1 + below(4); n > 0; n--) {
		const struct bs_field *field = &doc->fields[below(doc->n_fields)];
		const char *filler = fillers[below(COUNT(fillers))];
		append_bytes(to, field->text, field->text_bytes);
		for (uint64_t i = below(5000); i > 0; i--)
			append_string(to, filler);
	}
}

/* Passes a long text to the verifier in growing prefixes, each at another address. A verdict about
 * a prefix must hold for the whole text. */
static void check_grown(struct bench *bench, const struct doc *doc)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	struct bs_match match;
	enum bs_verdict verdict = BS_VERDICT_UNKNOWN;
	draw_long(&text, doc);
	struct bs_field field = {.name = "",
	                         .text = text.data ? text.data : (const uint8_t *)"",
	                         .text_bytes = text.used_bytes};
	ok(bs_match_document(bench->matcher, no_ref, &field, 1, &match, ERR));
	bool is_new = true, takes_heads = bs_byte_verifier_takes_heads(bench->byte_verifier);
	for (size_t n = 0; n < text.used_bytes || is_new;) {
		n += 1 + (size_t)below(20000);
		bool is_whole = n >= text.used_bytes || !takes_heads;
		n = is_whole ? text.used_bytes : n;
		uint8_t *there = must_malloc(n + 1);
		memcpy(there, field.text, n);
		ok(bs_byte_verifier_grown(bench->byte_verifier, no_ref, there, n, is_new, is_whole,
		                          &verdict, ERR));
		check_answer(bench, doc, &match, verdict,
		             is_whole ? "text that grew" : "beginning");
		assert_true(is_whole || verdict != BS_VERDICT_NO);
		n_early += !is_whole && verdict == BS_VERDICT_YES;
		free(there);
		is_new = false;
	}
}

static void check_query(struct bench *bench, const struct doc *doc)
{
	struct bs_query_options options = {
		.tokenizer = bench->tokenizer, .fields = &bench->fields, .longest_field_bytes = 4};
	struct bs_match match;
	char some[] = "foo=3", other[] = "n.foo=100", text[] = "text=2";
	char *weights[] = {by_chance(50) ? some : other, text, NULL};
	draw_query(&bench->text, doc);
	bs_tokenizer_split(bench->tokenizer, false);
	if (bs_query_parse(bench->text.data, bench->text.used_bytes, &options, &bench->query, NULL,
	                   NULL))
		return;
	bs_tokenizer_split(bench->tokenizer, bench->splits);
	make_plan(bench);
	ok(bs_matcher_new(bench->query, bench->tokenizer, &bench->matcher, ERR));
	bs_matcher_weigh_fields(bench->matcher, weights);
	ok(bs_match_document(bench->matcher, no_ref, doc->fields, doc->n_fields, &match, ERR));
	const struct bs_kernel *kernel = bench->kernels[below(bench->n_kernels)];
	ok(bs_byte_verifier_new(&bench->plan, bench->tokenizer, kernel, &bench->byte_verifier,
	                        ERR));
	if (bench->byte_verifier) {
		bs_byte_verifier_weigh_fields(bench->byte_verifier, weights);
		check_fields(bench, doc, doc->fields, doc->n_fields, false, &match, "fields");
		check_line(bench, doc, &match);
		if (by_chance(5))
			check_grown(bench, doc);
	}
	bs_byte_verifier_free(bench->byte_verifier);
	bs_matcher_free(bench->matcher);
	bs_query_tree_free(bench->query);
}

static void check_documents(const struct bs_tokenizer_options *options, uint64_t seed,
                            uint64_t n_docs)
{
	struct bs_record_options record_options = {0};
	random_state = seed;
	struct bench bench = {.splits = options && options->split_identifiers};
	AUTO(doc_deinit) struct doc doc = {0};
	bench.n_kernels = bs_kernel_list(bench.kernels, MAX_KERNELS);
	ok(bs_tokenizer_new(options, &bench.tokenizer, ERR));
	ok(bs_record_parser_new(&record_options, &bench.parser, ERR));
	for (uint32_t i = 0, number; i < COUNT(names); i++) {
		uint32_t n_bytes = (uint32_t)strlen(names[i]);
		ok(bs_term_table_intern(&bench.fields, (const uint8_t *)names[i], n_bytes,
		                        bs_hash_slot(names[i], n_bytes), &number, NULL, ERR));
	}
	memset(n_answered, 0, sizeof(n_answered));
	for (uint64_t i = 0; i < n_docs; i++) {
		draw_doc(&doc);
		for (int k = 0; k < 4; k++)
			check_query(&bench, &doc);
	}
	bs_buffer_deinit(&bench.text);
	bs_vector_deinit(&bench.plan.elements);
	bs_vector_deinit(&bench.plan.terms);
	bs_record_scan_deinit(&bench.scan);
	bs_term_table_deinit(&bench.fields);
	bs_record_parser_free(bench.parser);
	bs_tokenizer_free(bench.tokenizer);
}

static void test_plain_words(void **state)
{
	check_documents(NULL, rounds.seed + 11, rounds.n);
	/* The verifier is only useful if it usually decides. */
	assert_reached(n_answered[BS_VERDICT_NO] + n_answered[BS_VERDICT_YES] >
	               n_answered[BS_VERDICT_UNKNOWN]);
	assert_reached(n_answered[BS_VERDICT_YES] > 1000);
	assert_reached(n_early > rounds.n / 300);
}

static void test_folded_accents(void **state)
{
	check_documents(&(struct bs_tokenizer_options){.fold_accents = true}, rounds.seed + 12,
	                rounds.n);
}

static void test_identifiers(void **state)
{
	check_documents(&(struct bs_tokenizer_options){.split_identifiers = true}, rounds.seed + 15,
	                rounds.n);
	assert_true(n_answered[BS_VERDICT_NO] + n_answered[BS_VERDICT_YES] >
	            n_answered[BS_VERDICT_UNKNOWN]);
	check_documents(
		&(struct bs_tokenizer_options){.split_identifiers = true, .fold_accents = true},
		rounds.seed + 16, rounds.n);
}

static void test_stems_are_left_alone(void **state)
{
	check_documents(&(struct bs_tokenizer_options){.stem_language = "english"},
	                rounds.seed + 13, 20);
	assert_int_equal(n_answered[0] + n_answered[1] + n_answered[2], 0);
}

/* Truncated and damaged lines are declined or have fields; nothing beyond them is read. */
static void test_broken_lines(void **state)
{
	random_state = rounds.seed + 14;
	AUTO(doc_deinit) struct doc doc = {0};
	AUTO(bs_record_scan_deinit) struct bs_record_scan scan = {0};
	for (int i = 0; i < 20000; i++) {
		struct bs_document document;
		bool is_known;
		draw_doc(&doc);
		size_t n = (size_t)below(doc.line.used_bytes + 1);
		FREED uint8_t *line = must_malloc(n);
		memcpy(line, doc.line.data, n);
		if (n > 0 && by_chance(50))
			line[below(n)] = (uint8_t) "\"\\{}[]:, u"[below(10)];
		ok(bs_record_scan_line(&scan, line, n, by_chance(50), &document, &is_known, ERR));
		assert_true(!is_known || document.text.n_fields > 0);
	}
}

RUN_RANDOM_TESTS(6000, 0, test_plain_words, test_folded_accents, test_identifiers,
                 test_stems_are_left_alone, test_broken_lines)
