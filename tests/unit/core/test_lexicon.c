/* test_lexicon.c: every term is found, and similar terms that were not added are not; cursors give
 * the sorted list; damage is harmless. */
#include <pthread.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/lexicon_write.h"
#include "core/lexicon/term_codes.h"
#include "tests/rigs/core_rig.h"

struct term {
	uint8_t *bytes;
	uint32_t n_bytes;
	uint64_t df;
};

/* Distinct terms, sorted. */
struct terms {
	struct term *terms;
	size_t n_terms;
};

static int compare_bytes(const struct term *a, const uint8_t *bytes, uint32_t n_bytes)
{
	uint32_t n = a->n_bytes < n_bytes ? a->n_bytes : n_bytes;
	int order = n ? memcmp(a->bytes, bytes, n) : 0;
	return order ? order : (a->n_bytes > n_bytes) - (a->n_bytes < n_bytes);
}

static int compare_terms(const void *a, const void *b)
{
	const struct term *right = b;
	return compare_bytes(a, right->bytes, right->n_bytes);
}

/* Returns the number of terms that are smaller, which is the place of the term if it exists. */
static size_t place_of(const struct terms *terms, const uint8_t *bytes, uint32_t n_bytes)
{
	size_t place;
	BS_BINARY_SEARCH(place, i, 0, terms->n_terms,
	                 compare_bytes(&terms->terms[i], bytes, n_bytes) < 0);
	return place;
}

/* ---- making terms ---- */

static void term_set(struct term *term, const void *bytes, size_t n_bytes, uint64_t *random)
{
	*term = (struct term){.bytes = must_malloc(n_bytes), .n_bytes = (uint32_t)n_bytes};
	if (n_bytes)
		memcpy(term->bytes, bytes, n_bytes);
	term->df = 1 + (next_random(random) >> random_below(random, 64)) / 2;
}

enum kind {
	KIND_NUMBERS,
	KIND_SHORT,
	KIND_SHARED,
	KIND_NESTED,
	KIND_RAW,
	KIND_PAIRS,
	KIND_NAMES,
	KIND_LONG,
	KIND_MIXED,
	N_KINDS
};

static void term_make(struct term *term, enum kind kind, size_t i, uint64_t *random)
{
	static uint8_t bytes[10240];
	size_t n = 0;
	if (kind == KIND_MIXED)
		kind = (enum kind)random_below(random, KIND_MIXED);
	switch (kind) {
	case KIND_NUMBERS:
		n = (size_t)snprintf((char *)bytes, sizeof(bytes), "%zu", i);
		break;
	case KIND_SHORT: /* few letters, so that neighbours are similar */
		n = 1 + random_below(random, 6);
		for (size_t j = 0; j < n; j++)
			bytes[j] = (uint8_t)('a' + random_below(random, 3));
		break;
	case KIND_SHARED: /* a prefix longer than the eight bytes that TERM_INDEX has */
		n = (size_t)snprintf((char *)bytes, sizeof(bytes), "internationali%c%" PRIu64,
		                     's' + (int)(i % 2) * 7, random_below(random, 100000));
		break;
	/* One byte, repeated, or none. Some terms consist of zero bytes, because TERM_INDEX
	 * pads shorter terms with them. */
	case KIND_NESTED:
		n = random_below(random, 41);
		memset(bytes, i % 3 ? 'x' : 0, n);
		break;
	case KIND_RAW:
		n = 1 + random_below(random, 12);
		fill_random(bytes, n, random);
		break;
	case KIND_PAIRS:
		n = (size_t)snprintf((char *)bytes, sizeof(bytes), "\xff\xe4\xb8%c\xe4\xb9%c",
		                     0x80 + (int)random_below(random, 64),
		                     0x80 + (int)random_below(random, 64));
		break;
	case KIND_NAMES: /* as in source code: families of names, and numbers */
		n = (size_t)snprintf((char *)bytes, sizeof(bytes),
		                     random_below(random, 4) ? "unit%u_reg%u_%s%s" : "0x%08x%.0u",
		                     (unsigned)random_below(random, 1u << random_below(random, 30)),
		                     (unsigned)random_below(random, 40),
		                     random_below(random, 2) ? "field" : "power_state",
		                     random_below(random, 2) ? "_mask" : "__shift");
		break;
	default:
		n = 1 + random_below(random, sizeof(bytes));
		memset(bytes, 'l', n);
		bytes[random_below(random, n)] = (uint8_t)('a' + random_below(random, 26));
		break;
	}
	term_set(term, bytes, n, random);
}

/* Makes at most n_terms terms: n_terms are drawn, and duplicates are removed. */
static void terms_make(struct terms *terms, size_t n_terms, enum kind kind, uint64_t *random)
{
	*terms = (struct terms){.terms = must_calloc(n_terms + 1, sizeof(struct term))};
	for (size_t i = 0; i < n_terms; i++)
		term_make(&terms->terms[i], kind, i, random);
	qsort(terms->terms, n_terms, sizeof(struct term), compare_terms);
	for (size_t i = 0; i < n_terms; i++) {
		if (i > 0 &&
		    compare_terms(&terms->terms[terms->n_terms - 1], &terms->terms[i]) == 0)
			free(terms->terms[i].bytes);
		else
			terms->terms[terms->n_terms++] = terms->terms[i];
	}
}

static void terms_deinit(struct terms *terms)
{
	for (size_t i = 0; i < terms->n_terms; i++)
		free(terms->terms[i].bytes);
	free(terms->terms);
}

static void write_lexicon(const char *path, const struct terms *terms)
{
	struct bs_lexicon_writer lexicon;
	unlink(path);
	struct bs_file_writer *writer = new_file(path);
	bs_lexicon_writer_init(&lexicon, writer);
	for (size_t i = 0; i < terms->n_terms; i++)
		bs_lexicon_writer_add(&lexicon, terms->terms[i].bytes, terms->terms[i].n_bytes,
		                      terms->terms[i].df);
	ok(bs_lexicon_writer_finish(&lexicon, ERR));
	finish_file(writer);
}

static struct bs_container *open_lexicon(const char *path, uint64_t n_terms,
                                         struct bs_lexicon *lexicon)
{
	struct bs_container *file = open_file(path);
	ok(bs_lexicon_open(lexicon, file, n_terms, UINT64_MAX, ERR));
	return file;
}

/* ---- finding ---- */

static void check_find(const struct bs_lexicon *lexicon, const struct terms *terms,
                       const uint8_t *bytes, uint32_t n_bytes)
{
	bool found;
	uint64_t ordinal, df;
	size_t place = place_of(terms, bytes, n_bytes);
	bool is_there =
		place < terms->n_terms && compare_bytes(&terms->terms[place], bytes, n_bytes) == 0;
	ok(bs_lexicon_find(lexicon, bytes, n_bytes, &found, &ordinal, &df, ERR));
	assert_int_equal(found, is_there);
	if (is_there) {
		assert_int_equal(ordinal, place);
		assert_true(df == terms->terms[place].df);
		/* A df above the number of documents is refused. */
		struct bs_lexicon fewer = *lexicon;
		fewer.n_docs = df - 1;
		expect_status(bs_lexicon_find(&fewer, bytes, n_bytes, &found, &ordinal, &df, ERR),
		              BS_CORRUPT);
	}
}

/* Looks up the term, and similar terms, which may be in the lexicon or not. */
static void check_around(const struct bs_lexicon *lexicon, const struct terms *terms,
                         const struct term *term)
{
	uint32_t n = term->n_bytes;
	FREED uint8_t *bytes = must_malloc(n + 2);
	memcpy(bytes, term->bytes, n);
	check_find(lexicon, terms, bytes, n);
	for (int c = 0; c < 256; c += 51) {
		bytes[n] = (uint8_t)c;
		check_find(lexicon, terms, bytes, n + 1);
	}
	check_find(lexicon, terms, bytes, n ? n - 1 : 0);
	for (uint32_t at = n < 12 ? 0 : n - 12; at < n; at++) {
		bytes[at]++;
		check_find(lexicon, terms, bytes, n);
		bytes[at] = (uint8_t)(bytes[at] - 2);
		check_find(lexicon, terms, bytes, n);
		bytes[at]++;
	}
}

/* ---- walking ---- */

static void check_walk(struct bs_lexicon_cursor *cursor, const struct terms *terms,
                       const uint8_t *from, uint32_t from_bytes, size_t most)
{
	size_t place = place_of(terms, from, from_bytes);
	bool end = false;
	ok(bs_lexicon_cursor_seek(cursor, from, from_bytes, ERR));
	for (size_t i = place; i < terms->n_terms && i < place + most; i++) {
		ok(bs_lexicon_cursor_next(cursor, &end, ERR));
		assert_false(end);
		assert_int_equal(cursor->ordinal, i);
		assert_true(cursor->df == terms->terms[i].df);
		assert_int_equal(cursor->term.used_bytes, terms->terms[i].n_bytes);
		assert_memory_equal(cursor->term.data, terms->terms[i].bytes,
		                    cursor->term.used_bytes);
	}
	for (int again = 0; place + most > terms->n_terms && again < 2; again++) {
		ok(bs_lexicon_cursor_next(cursor, &end, ERR));
		assert_true(end);
	}
}

/* ---- a reader that follows FORMAT.md literally, bit by bit ---- */

struct twin {
	const uint8_t *bits; /* the bits of a block */
	uint64_t at;
	uint32_t n_symbols;
	const uint8_t *symbols[65536], *head_lengths, *rest_lengths;
	bool by_context;
};

static uint64_t twin_bits(struct twin *twin, uint32_t n)
{
	uint64_t value = 0;
	for (; n > 0; n--, twin->at++)
		value = value << 1 | (twin->bits[twin->at / 8] >> (7 - twin->at % 8) & 1);
	return value;
}

/* Reads a canonical code bit by bit. After each bit, compares the bits so far with the codes of
 * this length, in ascending order. */
static uint32_t twin_code(struct twin *twin, const uint8_t *lengths, uint32_t n)
{
	uint32_t code = 0, sought = 0;
	for (uint32_t length = 1; length <= 15; length++) {
		sought = sought << 1 | (uint32_t)twin_bits(twin, 1);
		code <<= 1;
		for (uint32_t i = 0; i < n; i++)
			if ((lengths[i / 2] >> (4 * (i % 2)) & 15) == length && code++ == sought)
				return i;
	}
	fail_msg("no code");
	return 0;
}

static uint64_t twin_number(struct twin *twin)
{
	uint32_t n = (uint32_t)twin_bits(twin, 6);
	return twin_bits(twin, n);
}

static void twin_open(struct twin *twin, const uint8_t *codes)
{
	twin->n_symbols = bs_load_u32(codes + 8);
	twin->by_context = bs_load_u32(codes + 12);
	const uint8_t *at = codes + 16;
	for (uint32_t i = 0; i < twin->n_symbols; i++) {
		twin->symbols[i] = at;
		at += 1 + (*at & 15);
	}
	twin->head_lengths = at;
	twin->rest_lengths = at + (twin->by_context ? 19 : 1) * 128;
}

static uint32_t twin_rest_context(const uint8_t *term, uint64_t n_bytes)
{
	uint8_t byte = term[n_bytes - 1];
	if (byte >= 128)
		return 11;
	return byte >= 'a' && byte <= 'z' ? 10 : (byte >= '0' && byte <= '9' ? 9 : 8);
}

/* Decodes a term from the previous one; the first of a block from the block's separator. */
static uint64_t twin_term(struct twin *twin, uint8_t *term, uint64_t *n_bytes,
                          uint32_t *head_context)
{
	uint32_t head = twin_code(
		twin, twin->head_lengths + (twin->by_context ? *head_context : 0) * 128, 256);
	uint64_t drop = head / 8 == 31 ? 31 + twin_number(twin) : head / 8;
	uint32_t df_magnitude = head % 8;
	uint64_t df = df_magnitude < 3 ? df_magnitude + 1 : 0;
	if (df_magnitude == 7)
		df = 64 + twin_number(twin);
	else if (df_magnitude >= 3)
		df = (1u << (df_magnitude - 1)) + twin_bits(twin, df_magnitude - 1);
	*n_bytes -= drop;
	uint64_t start = *n_bytes;
	uint32_t context = drop < 7 ? (uint32_t)drop : 7;
	for (bool is_end = false; !is_end;) {
		const uint8_t *lengths = twin->rest_lengths + (twin->by_context ? context : 0) *
		                                                      ((twin->n_symbols + 1) / 2);
		const uint8_t *symbol = twin->symbols[twin_code(twin, lengths, twin->n_symbols)];
		memcpy(term + *n_bytes, symbol + 1, *symbol & 15);
		*n_bytes += *symbol & 15;
		is_end = *symbol & 16;
		context = is_end ? 0 : twin_rest_context(term, *n_bytes);
	}
	uint64_t rest = *n_bytes - start;
	uint32_t row =
		rest <= 1 ? 0
			  : (rest <= 3 ? 1
	                               : (rest == 4 ? 2 : (rest <= 6 ? 3 : (rest <= 10 ? 4 : 5))));
	*head_context = 1 + row * 3 + (df < 3 ? (uint32_t)df - 1 : 2);
	return df;
}

static void check_twin(const char *path, const struct terms *terms)
{
	static struct twin twin;
	static uint8_t term[32768], separator[32768];
	AUTO(bs_buffer_deinit) struct bs_buffer file = {0};
	uint64_t n, n_bytes = 0, n_separator = 0;
	uint32_t context = 0;
	read_bytes(path, &file);
	uint8_t *separators = section_in(file.data, BS_SECTION_TERM_SEPARATORS, 0, &n);
	twin = (struct twin){0};
	twin_open(&twin, section_in(file.data, BS_SECTION_TERM_CODES, 0, &n));
	twin.bits = section_in(file.data, BS_SECTION_TERMS, 0, &n);
	for (size_t i = 0; i < terms->n_terms; i++) {
		if (i % 32 == 0) {
			uint64_t block_bytes = separators[0], drop = separators[1] & 15,
				 more = separators[1] >> 4;
			separators += 2;
			if (block_bytes == 0) {
				const uint8_t *at =
					bs_varint_get(separators, separators + 10, &block_bytes);
				at = bs_varint_get(at, at + 10, &drop);
				separators += bs_varint_get(at, at + 10, &more) - separators;
			}
			n_separator = i / 32 % 64 == 0 ? 0 : n_separator - drop;
			memcpy(separator + n_separator, separators, more);
			n_separator += more;
			separators += more;
			memcpy(term, separator, n_separator);
			n_bytes = n_separator;
			twin.at = (twin.at + 7) / 8 * 8;
			context = 0;
		}
		uint64_t df = twin_term(&twin, term, &n_bytes, &context);
		assert_true(df == terms->terms[i].df);
		assert_int_equal(n_bytes, terms->terms[i].n_bytes);
		assert_memory_equal(term, terms->terms[i].bytes, n_bytes);
	}
}

static void check_lexicon(const struct terms *terms, uint64_t *random)
{
	static const uint8_t least[1] = {0}, greatest[12] = {255, 255, 255, 255, 255, 255,
	                                                     255, 255, 255, 255, 255, 255};
	AUTO(bs_lexicon_deinit) struct bs_lexicon lexicon;
	write_lexicon("file", terms);
	if (terms->n_terms > 0)
		check_twin("file", terms);
	AUTO(bs_container_close_at)
	struct bs_container *file = open_lexicon("file", terms->n_terms, &lexicon);
	AUTO(bs_lexicon_cursor_deinit) struct bs_lexicon_cursor cursor = {.lexicon = &lexicon};
	size_t step = 1 + terms->n_terms / 2000;
	for (size_t i = 0; i < terms->n_terms; i += step)
		check_around(&lexicon, terms, &terms->terms[i]);
	check_find(&lexicon, terms, least, 0);
	check_find(&lexicon, terms, least, 1);
	check_find(&lexicon, terms, greatest, sizeof(greatest));
	check_walk(&cursor, terms, least, 0, SIZE_MAX / 2);
	check_walk(&cursor, terms, least, 1, 40);
	check_walk(&cursor, terms, greatest, sizeof(greatest), 40);
	/* One cursor for all seeks, so that each seek starts at the position of the previous
	 * one. */
	for (size_t i = 0; i < terms->n_terms; i += step) {
		const struct term *term = &terms->terms[i];
		FREED uint8_t *bytes = must_malloc(term->n_bytes + 1);
		memcpy(bytes, term->bytes, term->n_bytes);
		bytes[term->n_bytes] = 0;
		check_walk(&cursor, terms, bytes, term->n_bytes, 1 + random_below(random, 40));
		check_walk(&cursor, terms, bytes, term->n_bytes + 1, 2);
		check_walk(&cursor, terms, bytes, (uint32_t)random_below(random, term->n_bytes + 1),
		           2);
	}
}

static void test_every_size(void **state)
{
	uint64_t random = 31;
	static const size_t sizes[] = {0,  1,  2,  15, 16,  17,  31,  32,
	                               33, 47, 48, 49, 255, 256, 257, 200000};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		AUTO(terms_deinit) struct terms terms;
		terms_make(&terms, sizes[i], KIND_NUMBERS, &random);
		assert_int_equal(terms.n_terms, sizes[i]);
		check_lexicon(&terms, &random);
	}
}

/* The largest ones have enough terms for codes by context, and for several chapters (groups of
 * blocks in TERM_INDEX). */
static void test_every_kind(void **state)
{
	static const size_t sizes[] = {10, 37, 118, 361, 1090, 40000};
	uint64_t random = 32;
	for (int kind = 0; kind < N_KINDS; kind++) {
		for (size_t i = 0; i < COUNT(sizes); i++) {
			AUTO(terms_deinit) struct terms terms;
			bool is_long = kind == KIND_LONG || kind == KIND_MIXED;
			terms_make(&terms, is_long && sizes[i] > 200 ? 200 : sizes[i],
			           (enum kind)kind, &random);
			check_lexicon(&terms, &random);
		}
	}
}

/* ---- threads ---- */

struct first_find {
	const struct bs_lexicon *lexicon;
	const struct terms *terms;
	pthread_barrier_t *start;
};

static void *find_first(void *context)
{
	const struct first_find *at = context;
	pthread_barrier_wait(at->start);
	for (size_t i = 0; i < at->terms->n_terms; i += 7)
		check_find(at->lexicon, at->terms, at->terms->terms[i].bytes,
		           at->terms->terms[i].n_bytes);
	return NULL;
}

/* The first lookup reads the codes; here several threads make it at the same time. */
static void test_threads(void **state)
{
	enum {
		N_THREADS = 4
	};
	AUTO(terms_deinit) struct terms terms;
	struct bs_lexicon lexicon;
	uint64_t random = 37;
	terms_make(&terms, 2000, KIND_NUMBERS, &random);
	write_lexicon("file", &terms);
	for (int i = 0; i < 20; i++) {
		pthread_t threads[N_THREADS];
		pthread_barrier_t start;
		AUTO(bs_container_close_at)
		struct bs_container *file = open_lexicon("file", terms.n_terms, &lexicon);
		struct first_find at = {&lexicon, &terms, &start};
		assert_null(*lexicon.codes);
		assert_int_equal(pthread_barrier_init(&start, NULL, N_THREADS), 0);
		for (int t = 0; t < N_THREADS; t++)
			assert_int_equal(pthread_create(&threads[t], NULL, find_first, &at), 0);
		for (int t = 0; t < N_THREADS; t++)
			assert_int_equal(pthread_join(threads[t], NULL), 0);
		pthread_barrier_destroy(&start);
		bs_lexicon_deinit(&lexicon);
	}
}

static void test_wrong_counts(void **state)
{
	AUTO(terms_deinit) struct terms terms;
	struct bs_lexicon lexicon;
	uint64_t random = 35;
	terms_make(&terms, 100, KIND_NUMBERS, &random);
	write_lexicon("file", &terms);
	AUTO(bs_container_close_at) struct bs_container *file = open_lexicon("file", 100, &lexicon);
	static const uint64_t wrong[] = {0, UINT64_MAX, UINT64_MAX - 14},
			      wrong_codes[] = {1, 96, 99, 101, 113, 1000};
	bs_lexicon_deinit(&lexicon);
	for (size_t i = 0; i < COUNT(wrong); i++)
		expect_status(bs_lexicon_open(&lexicon, file, wrong[i], UINT64_MAX, ERR),
		              BS_CORRUPT);
	/* Invalid codes are detected when the first term is read. */
	for (size_t i = 0; i < COUNT(wrong_codes); i++) {
		bool found, end;
		uint64_t ordinal, df;
		AUTO(bs_lexicon_cursor_deinit)
		struct bs_lexicon_cursor cursor = {.lexicon = &lexicon};
		ok(bs_lexicon_open(&lexicon, file, wrong_codes[i], UINT64_MAX, ERR));
		for (int twice = 0; twice < 2; twice++)
			expect_status(bs_lexicon_find(&lexicon, (const uint8_t *)"7", 1, &found,
			                              &ordinal, &df, ERR),
			              BS_CORRUPT);
		enum bs_status status =
			bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, ERR);
		if (!status)
			status = bs_lexicon_cursor_next(&cursor, &end, ERR);
		expect_status(status, BS_CORRUPT);
		bs_lexicon_deinit(&lexicon);
	}
}

/* Looks up and iterates over the terms of a lexicon that may be damaged. Only BS_OK and BS_CORRUPT
 * are allowed. */
static void use_damaged(const char *path, const struct terms *terms, uint64_t *random)
{
	AUTO(bs_lexicon_deinit) struct bs_lexicon lexicon;
	AUTO(bs_container_close_at) struct bs_container *file = open_file(path);
	enum bs_status status = bs_lexicon_open(&lexicon, file, terms->n_terms, UINT64_MAX, ERR);
	AUTO(bs_lexicon_cursor_deinit) struct bs_lexicon_cursor cursor = {.lexicon = &lexicon};
	for (int i = 0; i < 30 && status == BS_OK; i++) {
		const struct term *term = &terms->terms[random_below(random, terms->n_terms)];
		bool found, end = false;
		uint64_t ordinal, df;
		status = bs_lexicon_find(&lexicon, term->bytes, term->n_bytes, &found, &ordinal,
		                         &df, ERR);
		assert_true(status == BS_OK || status == BS_CORRUPT);
		assert_true(!found || ordinal < terms->n_terms);
		status = bs_lexicon_cursor_seek(&cursor, term->bytes, term->n_bytes, ERR);
		for (size_t n = 0; status == BS_OK && !end; n++) {
			assert_true(n <= terms->n_terms);
			status = bs_lexicon_cursor_next(&cursor, &end, ERR);
		}
		assert_true(status == BS_OK || status == BS_CORRUPT);
		status = BS_OK;
	}
}

static void test_damage_with_right_checksums(void **state)
{
	uint64_t random = 36;
	for (int kind = 0; kind < N_KINDS; kind++) {
		AUTO(terms_deinit) struct terms terms;
		AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, changed = {0};
		terms_make(&terms, kind == KIND_LONG || kind == KIND_MIXED ? 20 : 70,
		           (enum kind)kind, &random);
		write_lexicon("file", &terms);
		read_bytes("file", &bytes);
		size_t table_off = (size_t)bs_load_u64(bytes.data + 24);
		size_t index_off = (size_t)bs_load_u64(bytes.data + table_off + 32 + 8);
		for (int round = 0; round < 150; round++) {
			copy_bytes(&changed, &bytes);
			bool in_index = random_below(&random, 3) == 0;
			size_t first = in_index ? index_off : 64,
			       end = in_index ? table_off : index_off;
			damage_bytes(changed.data, first, end, &random);
			write_resealed("damaged", &changed);
			use_damaged("damaged", &terms, &random);
		}
	}
}

RUN_FOLDER_TESTS(test_every_size, test_every_kind, test_wrong_counts,
                 test_damage_with_right_checksums, test_threads)
