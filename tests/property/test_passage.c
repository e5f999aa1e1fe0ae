/* test_passage.c: compares the passages of files with a naive searcher. Random texts contain
 * characters that affect folding, encodings and line ends, in UTF-8 with and without a byte order
 * mark, and in UTF-16. */
#include <unistd.h>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include "core/bitsift/search.h"
#include "corpus/read/reader.h"
#include "corpus/read/source.h"
#include "query/answer/passage.h"
#include "query/language/parse.h"
#include "query/verify/match.h"
#include "tests/rigs/buffer_rig.h"
#include "tests/rigs/dice.h"
#include "tests/rigs/test.h"
#include "tests/rigs/words_rig.h"

#define MOST_BYTES 4096

static const char *const pieces[] = {"cat", "CAT", "c\u00adat", "\uff43\uff41\uff54", "dog",
                                     "don\u2019t", "don't", "\ufb01ne", "fine", "stra\u00dfe",
                                     "STRASSE", "e\u0301t\u00e9", "\u00e9te\u0301", "\u6f22",
                                     "\u5b57", "\u6f22\u0301", "\u304b\u3099", "\u304c",
                                     "\uff76\uff9e", "\U00020000", "\u0e44\u0e17\u0e22", "\u0e33",
                                     /* Separators, invalid UTF-8, invisible characters. */
                                     " ", " ", " ", "\n", "\r\n", "\r", "\t", ". ", "-", "\xff",
                                     "\xe3\x81", "\xc3", "\U0001f44d", "\ufeff", "\u200d", "3.14"};
static const char *const queries[] = {
	"cat", "dog", "fine", "strasse", "don't", "\u00e9t\u00e9", "\u6f22", "\u5b57", "\u304c",
	"\U00020000", "\u0e44\u0e17\u0e22",
	/* Positional queries, and operators. */
	"\"cat dog\"", "\u6f22\u5b57", "\u304c\u6f22", "\"cat dog\"~2", "cat -fine", "ca*",
	"cat OR \"dog fine\"", "dog~1"};

enum encoding {
	UTF8,
	UTF8_MARK,
	UTF16_LITTLE,
	UTF16_BIG,
	ENCODINGS
};

/* A file, its text in UTF-8, and the offset in the file of each byte of that text. */
struct sample {
	uint8_t raw[4 * MOST_BYTES], text[4 * MOST_BYTES];
	size_t raw_bytes, text_bytes;
	size_t raw_of[4 * MOST_BYTES + 1];
	size_t mark_bytes;
};

static void add_unit(struct sample *sample, uint32_t unit, bool is_big)
{
	sample->raw[sample->raw_bytes++] = (uint8_t)(is_big ? unit >> 8 : unit);
	sample->raw[sample->raw_bytes++] = (uint8_t)(is_big ? unit : unit >> 8);
}

static void make_sample(struct sample *sample, enum encoding encoding)
{
	char bytes[MOST_BYTES] = "";
	size_t n_bytes = 0;
	for (size_t n = below(60); n > 0; n--) {
		const char *piece = pieces[below(COUNT(pieces))];
		memcpy(bytes + n_bytes, piece, strlen(piece));
		n_bytes += strlen(piece);
		if (below(2))
			bytes[n_bytes++] = ' ';
	}
	sample->raw_bytes = sample->text_bytes = sample->mark_bytes = 0;
	if (encoding >= UTF16_LITTLE) {
		add_unit(sample, 0xfeff, encoding == UTF16_BIG);
	} else if (encoding == UTF8_MARK) {
		memmove(bytes + 3, bytes, n_bytes);
		memcpy(bytes, "\xef\xbb\xbf", 3);
		n_bytes += 3;
	}
	if (encoding < UTF16_LITTLE && n_bytes >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0)
		sample->mark_bytes = 3;
	for (size_t at = 0, from; at < n_bytes;) {
		UChar32 c;
		from = at;
		U8_NEXT_OR_FFFD((const uint8_t *)bytes, at, n_bytes, c);
		for (size_t i = 0; i < 4; i++)
			sample->raw_of[sample->text_bytes + i] =
				sample->raw_bytes + (encoding < UTF16_LITTLE ? i : 0);
		if (encoding < UTF16_LITTLE) {
			memcpy(sample->raw + sample->raw_bytes, bytes + from, at - from);
			memcpy(sample->text + sample->text_bytes, bytes + from, at - from);
			sample->raw_bytes += at - from;
			sample->text_bytes += at - from;
			continue;
		}
		U8_APPEND_UNSAFE(sample->text, sample->text_bytes, (uint32_t)c);
		if (c > 0xffff)
			add_unit(sample, U16_LEAD(c), encoding == UTF16_BIG);
		add_unit(sample, (uint32_t)(c > 0xffff ? U16_TRAIL(c) : c), encoding == UTF16_BIG);
	}
	sample->raw_of[sample->text_bytes] = sample->raw_bytes;
}

/* Sets the places of the terms of script runs. A term of a run is one character with the marks that
 * fold with it, and the terms of a run are adjacent. */
static void place_runs(struct naive *naive, const struct sample *sample, struct kept *kept)
{
	struct kept_token *tokens = (struct kept_token *)(void *)kept->tokens.data;
	size_t n = kept_n(kept);
	for (size_t i = 0; i < n;) {
		size_t start = (size_t)tokens[i].start_byte, end = (size_t)tokens[i].end_byte,
		       at = start;
		UChar32 c;
		U8_NEXT_OR_FFFD(sample->text, at, end, c);
		if (!naive_starts_run(c)) {
			i++;
			continue;
		}
		for (size_t from = start, next = start; from < end; from = at) {
			for (at = next; at < end; at = next) {
				U8_NEXT_OR_FFFD(sample->text, next, end, c);
				if (at > from && unorm2_hasBoundaryBefore(naive->nfkc_casefold, c))
					break;
			}
			UChar raw[64], folded[256];
			int32_t n_units = 0;
			for (size_t byte = from; byte < at;) {
				U8_NEXT_OR_FFFD(sample->text, byte, at, c);
				U16_APPEND_UNSAFE(raw, n_units, c);
			}
			UErrorCode code = U_ZERO_ERROR;
			int32_t n_folded = unorm2_normalize(naive->nfkc_casefold, raw, n_units,
			                                    folded, 256, &code);
			assert_true(U_SUCCESS(code));
			for (int32_t unit = 0; unit < n_folded; i++) {
				if (i < n && tokens[i].is_bigram)
					continue;
				assert_true(i < n);
				bs_tokenizer_next(folded, &unit);
				tokens[i].start_byte = from;
				tokens[i].end_byte = at;
			}
			next = at;
		}
	}
}

/* The naive searcher: marks where words of the query start and end. False: it does not support this
 * kind of query. */
static bool find_naively(const struct bs_query_tree *query, const struct kept *kept, bool *starts,
                         bool *ends, size_t *n_out)
{
	*n_out = 0;
	for (size_t node = 0; node < query->n_nodes; node++) {
		const struct bs_query_node *leaf = &query->nodes[node];
		if (leaf->n_children > 0)
			continue;
		if (leaf->kind == BS_NODE_NEAR)
			return false;
		for (size_t i = 0; i < kept_n(kept); i++) {
			size_t places[8], n_there = 0;
			for (uint32_t item = 0; item < leaf->n_items; item++) {
				const struct bs_element *element =
					&query->elements[leaf->items[item].element];
				if (element->kind == BS_ELEMENT_FUZZY ||
				    element->kind == BS_ELEMENT_PREFIX)
					return false;
				for (size_t k = i; k < kept_n(kept); k++) {
					const struct kept_token *token = kept_at(kept, k);
					if (!token->is_bigram && !kept_at(kept, i)->is_bigram &&
					    element->is_positive &&
					    token->position == kept_at(kept, i)->position +
					                               leaf->items[item].position &&
					    token->term_bytes == element->term_bytes &&
					    memcmp(kept->terms.data + token->term_off,
					           element->term, element->term_bytes) == 0)
						places[n_there++] = k;
				}
			}
			for (size_t k = 0; n_there == leaf->n_items && k < n_there; k++) {
				starts[kept_at(kept, places[k])->start_byte] = true;
				ends[kept_at(kept, places[k])->end_byte] = true;
				++*n_out;
			}
		}
	}
	return true;
}

static void check_passage(const struct sample *sample, const struct bs_passage *passage,
                          size_t start, size_t stop)
{
	size_t line = 1, line_start = sample->mark_bytes;
	for (size_t i = 0; i < start; i++) {
		if (sample->text[i] == '\n') {
			line++;
			line_start = i + 1;
		}
	}
	assert_int_equal(passage->line, line);
	assert_int_equal(passage->column, start - line_start + 1);
	assert_int_equal(passage->start_byte, sample->raw_of[start]);
	assert_int_equal(passage->stop_byte, sample->raw_of[stop]);
	assert_int_equal(passage->field_bytes, 0);
	assert_null(memchr(passage->text, '\n', passage->text_bytes));
	assert_true(passage->text_bytes > 0);
}

/* Each found word must lie within a passage, and each passage must begin and end with a found
 * word. */
static void check_passages(const struct sample *sample, const struct bs_passages *passages,
                           const bool *starts, const bool *ends)
{
	const struct bs_passage *list = passages->list.items;
	size_t n = bs_vector_n(&passages->list), now = 0;
	bool is_inside = false;
	for (size_t at = 0, start = 0; at <= sample->text_bytes; at++) {
		if (is_inside && ends[at] && list[now].stop_byte == sample->raw_of[at]) {
			check_passage(sample, &list[now++], start, at);
			is_inside = false;
		}
		if (starts[at] && !is_inside) {
			assert_true(now < n);
			assert_int_equal(list[now].start_byte, sample->raw_of[at]);
			is_inside = true;
			start = at;
		}
	}
	assert_false(is_inside);
	assert_int_equal(now, n);
	assert_true(passages->best < n);
}

static void fetch(struct bs_reader *reader, const struct sample *sample,
                  struct bs_document *document)
{
	struct bs_fingerprint fingerprint;
	char path[] = "/tmp/bitsift-passage-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, sample->raw, sample->raw_bytes), sample->raw_bytes);
	close(fd);
	ok(bs_reader_fetch_file(reader, NULL, path, document, &fingerprint, ERR));
	unlink(path);
}

static void test_naive(void **state)
{
	static struct sample sample;
	static bool starts[4 * MOST_BYTES + 1], ends[4 * MOST_BYTES + 1];
	struct bs_source_options reading = {0};
	struct bs_reader *reader;
	AUTO(rig_deinit) struct rig rig;
	AUTO(bs_passages_deinit) struct bs_passages passages = {0};
	AUTO(vector_deinit) struct bs_word_hits hits = {0};
	size_t n_compared = 0;
	rig_init(&rig, NULL);
	ok(bs_reader_new(&reading, &reader, ERR));
	for (size_t i = 0; i < rounds.n; i++) {
		const char *text = queries[below(COUNT(queries))];
		struct bs_query_options options = {.tokenizer = rig.tokenizer};
		struct bs_query_tree *query;
		struct bs_matcher *matcher;
		struct bs_match match;
		struct bs_document document;
		size_t n_found;
		make_sample(&sample, (enum encoding)below(ENCODINGS));
		fetch(reader, &sample, &document);
		assert_int_equal(document.text.fields[0].text_bytes, sample.text_bytes);
		assert_memory_equal(document.text.fields[0].text, sample.text, sample.text_bytes);
		ok(bs_query_parse((const uint8_t *)text, strlen(text), &options, &query, NULL,
		                  ERR));
		ok(bs_matcher_new(query, rig.tokenizer, &matcher, ERR));
		ok(bs_match_hits(matcher, (struct bs_doc_ref){0}, document.text.fields, 1, false,
		                 &match, &hits, ERR));
		size_t n_hits = bs_vector_n(&hits);
		ok(bs_passages_find(&passages, &document, hits.items, n_hits, ERR));
		naive_analyze(&rig.naive, sample.text, sample.text_bytes, &rig.expected);
		place_runs(&rig.naive, &sample, &rig.expected);
		memset(starts, 0, sizeof(starts));
		memset(ends, 0, sizeof(ends));
		if (find_naively(query, &rig.expected, starts, ends, &n_found)) {
			assert_int_equal(n_found > 0, n_hits > 0);
			if (n_hits > 0)
				check_passages(&sample, &passages, starts, ends);
			n_compared += n_hits > 0;
		}
		bs_matcher_free(matcher);
		bs_query_tree_free(query);
	}
	assert_reached(n_compared > 1000);
	bs_reader_free(reader);
}

RUN_RANDOM_TESTS(6000, 1, test_naive)
