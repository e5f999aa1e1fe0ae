/*
 * lexicon_write.c: codes sorted terms. See lexicon_write.h; FORMAT.md describes the bytes.
 *
 * Three passes over the added terms: the first finds the symbols from a sample of the rests; the
 * second splits all rests into symbols and counts them; the third writes the terms with the codes
 * made from the counts. The symbols of all rests are kept between the second and the third pass.
 */
#include "core/lexicon/lexicon_write.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/vector.h"
#include "core/file/segment_sections.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/term_codes.h"
#include "core/system/deadline.h"

/* MAX_SYMBOLS: the maximum number of symbols of a lexicon. TERMS_PER_SYMBOL: the minimum number of
 * terms per joined symbol (a symbol of more than one byte, or of a byte and the end of a term). A
 * joined symbol takes up to 9 bytes in the file, and half a byte in each code. Measured on the
 * Linux tree (5.5 M terms): twice as many symbols save 0.05 bytes per term, half as many cost 0.14.
 * Opening takes 0.7 ms with this number, 1.0 ms with twice as many. */
#define MAX_SYMBOLS      4096u
#define TERMS_PER_SYMBOL 16u
/* A joined symbol pays off if it is used at least LEAST_COUNT times in the sample; a use saves
 * about 4 bits. If the sample is a small part of the terms, fewer uses suffice. */
#define LEAST_COUNT  12u
#define SAMPLE_TERMS 65536u
/* The minimum number of terms for codes by context, which take 4 to 6 KB. */
#define CONTEXT_TERMS 8192u

/* Symbols. The rest of each front-coded term is split greedily into the longest symbols that fit.
 * To find symbols, the sample is split repeatedly. Each generation keeps the symbols that represent
 * the most bytes of the sample, including new ones, which join two adjacent symbols. This is the
 * method of FSST (Boncz, Neumann, Leis, "FSST: fast random access string compression", 2020), but
 * with thousands of symbols, because a prefix code follows, and with symbols that include the end
 * of a term. */
/* The number of generations. More do not help: 6 and 10 differ by 0.1 %. Each of the first
 * generations doubles the maximum length of symbols. */
#define GENERATIONS 6
/* If the sample has all terms (and more than EARLY_TERMS), all generations except the last use only
 * one in EARLY_SHARE blocks of it, and a joined symbol must occur only EARLY_LEAST_COUNT times
 * there. This halves the time for small lexicons, which are written often when an index grows in
 * small steps; sizes differ by less than 0.1 %. */
#define EARLY_SHARE       8u
#define EARLY_LEAST_COUNT 2u
#define EARLY_TERMS       4096u /* a sample of at most this many terms is always used entirely */

/* the symbol that is only the end of a term; smaller numbers are single bytes */
#define SYMBOL_END   256u
#define FIRST_JOINED 257u

struct symbol {
	uint64_t bytes; /* the first byte is the lowest; unused bytes are 0 */
	uint32_t n_bytes;
	bool is_end; /* the symbol includes the end of the term */
};

/* The rest of a front-coded term. */
struct rest {
	const uint8_t *bytes; /* eight bytes after n_bytes are readable, too */
	uint32_t n_bytes;
};

struct symbol_slot {
	uint64_t bytes;  /* of the symbol */
	uint32_t shape;  /* 2 * n_bytes + is_end of the symbol; 0: empty slot */
	uint32_t number; /* index of the symbol in symbols.symbols */
};

struct symbols {
	struct symbol *symbols;
	uint32_t n_symbols;
	struct symbol_slot *slots; /* hash table of the symbols of two or more bytes */
	uint32_t slot_mask;
	/* Indexed by the first two bytes of a symbol. Bit n - 1: there is a symbol of n bytes; bit
	 * n + 7: there is one of n bytes and the end of the term. */
	uint16_t *lengths;
	uint16_t last_byte[256]; /* [b]: symbol of byte b and the end of the term; 0: none */
};

static uint64_t first_bytes(uint64_t word, uint32_t n)
{
	return n >= 8 ? word : word & ((UINT64_C(1) << (8 * n)) - 1);
}

static uint32_t slot_of(const struct symbols *symbols, uint64_t bytes, uint32_t shape)
{
	uint64_t x = (bytes + shape) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint32_t)(x >> 40) & symbols->slot_mask;
}

/* Returns the number of a joined symbol; 0 if there is no such symbol. */
static uint32_t find_joined(const struct symbols *symbols, uint64_t bytes, uint32_t shape)
{
	for (uint32_t at = slot_of(symbols, bytes, shape);; at = (at + 1) & symbols->slot_mask) {
		const struct symbol_slot *slot = &symbols->slots[at];
		if (slot->shape == 0)
			return 0;
		if (slot->bytes == bytes && slot->shape == shape)
			return slot->number;
	}
}

/* Returns the number of the longest symbol at the beginning of bytes[0..n_bytes), which are the
 * last bytes of a rest. The symbol's is_end is true if it also covers the end of the term. */
static uint32_t symbols_next(const struct symbols *symbols, const uint8_t *bytes, size_t n_bytes)
{
	if (n_bytes == 0)
		return SYMBOL_END;
	if (n_bytes == 1)
		return symbols->last_byte[bytes[0]] ? symbols->last_byte[bytes[0]] : bytes[0];
	uint64_t word = bs_load_u64(bytes);
	uint32_t lengths = symbols->lengths[word & 0xffff];
	if (n_bytes <= 8 && lengths >> (n_bytes + 7) & 1) {
		uint32_t number = find_joined(symbols, first_bytes(word, (uint32_t)n_bytes),
		                              (uint32_t)n_bytes * 2 + 1);
		if (number)
			return number;
	}
	lengths &= n_bytes < 8 ? (1u << n_bytes) - 1 : 0xff;
	while (lengths) {
		uint32_t n = 32 - (uint32_t)__builtin_clz(lengths);
		uint32_t number = find_joined(symbols, first_bytes(word, n), n * 2);
		if (number)
			return number;
		lengths ^= 1u << (n - 1);
	}
	return bytes[0];
}

/* Fills the look-up tables of symbols_next. */
static void index_symbols(struct symbols *symbols)
{
	memset(symbols->slots, 0, ((size_t)symbols->slot_mask + 1) * sizeof(*symbols->slots));
	memset(symbols->lengths, 0, 65536 * sizeof(*symbols->lengths));
	memset(symbols->last_byte, 0, sizeof(symbols->last_byte));
	for (uint32_t i = FIRST_JOINED; i < symbols->n_symbols; i++) {
		const struct symbol *symbol = &symbols->symbols[i];
		if (symbol->n_bytes == 1) {
			symbols->last_byte[symbol->bytes] = (uint16_t)i;
			continue;
		}
		uint32_t shape = symbol->n_bytes * 2 + symbol->is_end;
		uint32_t at = slot_of(symbols, symbol->bytes, shape);
		while (symbols->slots[at].shape != 0)
			at = (at + 1) & symbols->slot_mask;
		symbols->slots[at] = (struct symbol_slot){symbol->bytes, shape, i};
		symbols->lengths[symbol->bytes & 0xffff] |=
			(uint16_t)(1u << (symbol->n_bytes - 1 + 8 * symbol->is_end));
	}
}

/* A slot of the table of adjacent symbols. */
struct pair {
	/* (number of the first symbol << 16 | number of the second) + 1; 0: empty slot. Numbers are
	 * below MAX_SYMBOLS. */
	uint32_t name;
	uint32_t count; /* how often the second symbol follows the first */
};

/* A symbol that may be kept in the next generation. */
struct candidate {
	struct symbol symbol;
	/* number of bytes of the sample that the symbol represents; the end of a term counts as a
	 * byte */
	uint64_t score;
};

struct training {
	struct symbols *symbols;
	const struct rest *sample;
	size_t n_sample;
	uint64_t *counts; /* uses of each symbol */
	/* Hash table of adjacent symbols. It grows only as needed, so that it stays in the
	 * processor's caches. */
	struct pair *pairs;
	size_t pair_mask, n_pairs;
	struct candidate *candidates;
	size_t n_candidates;
};

#define LEAST_PAIR_SLOTS 4096u
#define SYMBOL_NS        20u /* estimated time of a symbol, for the deadline */

static struct pair *slot_of_pair(const struct training *training, uint32_t name)
{
	size_t at = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 32) & training->pair_mask;
	while (training->pairs[at].name != 0 && training->pairs[at].name != name)
		at = (at + 1) & training->pair_mask;
	return &training->pairs[at];
}

/* Quadruples the table. False: no memory. */
static bool grow_pairs(struct training *training)
{
	struct pair *old = training->pairs;
	size_t n_old = training->pair_mask + 1;
	training->pairs = calloc(n_old * 4, sizeof(*old));
	if (!training->pairs) {
		training->pairs = old;
		return false;
	}
	training->pair_mask = n_old * 4 - 1;
	for (size_t i = 0; i < n_old; i++)
		if (old[i].name != 0)
			*slot_of_pair(training, old[i].name) = old[i];
	free(old);
	return true;
}

static bool count_pair(struct training *training, uint32_t first, uint32_t second)
{
	uint32_t name = (first << 16 | second) + 1;
	struct pair *pair = slot_of_pair(training, name);
	pair->count++;
	if (pair->name == name)
		return true;
	pair->name = name;
	return ++training->n_pairs * 2 <= training->pair_mask || grow_pairs(training);
}

static enum bs_status fail_symbols(size_t n_bytes, struct bs_error *err)
{
	return bs_fail_memory(err, "the symbols of the lexicon", n_bytes);
}

/* Splits one in `every` blocks of the sample into symbols. Counts the symbols and the pairs of
 * adjacent symbols. */
static enum bs_status count_sample(struct training *training, uint32_t every, struct bs_error *err)
{
	const struct symbol *all = training->symbols->symbols;
	memset(training->counts, 0, training->symbols->n_symbols * sizeof(*training->counts));
	memset(training->pairs, 0, (training->pair_mask + 1) * sizeof(*training->pairs));
	training->n_pairs = 0;
	for (size_t i = 0; i < training->n_sample; i++) {
		if (i / BS_LEXICON_BLOCK_TERMS % every != 0)
			continue;
		const struct rest *rest = &training->sample[i];
		uint32_t last = UINT32_MAX;
		enum bs_status status = bs_deadline_check_after(rest->n_bytes * SYMBOL_NS / 4, err);
		if (status)
			return status;
		for (uint32_t at = 0, is_end = 0; !is_end;) {
			uint32_t number = symbols_next(training->symbols, rest->bytes + at,
			                               rest->n_bytes - at);
			training->counts[number]++;
			if (last != UINT32_MAX &&
			    all[last].n_bytes + all[number].n_bytes <= BS_SYMBOL_BYTES &&
			    !count_pair(training, last, number))
				return fail_symbols((training->pair_mask + 1) * 4 *
				                            sizeof(*training->pairs),
				                    err);
			last = number;
			at += all[number].n_bytes;
			is_end = all[number].is_end;
		}
	}
	return BS_OK;
}

static void add_candidate(struct training *training, struct symbol symbol, uint64_t count)
{
	training->candidates[training->n_candidates++] =
		(struct candidate){symbol, count * (symbol.n_bytes + symbol.is_end)};
}

/* The candidates are the present joined symbols and the joins of adjacent symbols that were counted
 * at least least_count times. */
static void take_candidates(struct training *training, uint32_t least_count)
{
	const struct symbol *all = training->symbols->symbols;
	training->n_candidates = 0;
	for (uint32_t i = FIRST_JOINED; i < training->symbols->n_symbols; i++)
		if (training->counts[i] >= least_count)
			add_candidate(training, all[i], training->counts[i]);
	for (size_t i = 0; i <= training->pair_mask; i++) {
		const struct pair *pair = &training->pairs[i];
		if (pair->name == 0 || pair->count < least_count)
			continue;
		const struct symbol *a = &all[(pair->name - 1) >> 16];
		const struct symbol *b = &all[(pair->name - 1) & 0xffff];
		uint64_t bytes = a->bytes | (b->n_bytes ? b->bytes << (8 * a->n_bytes) : 0);
		add_candidate(training, (struct symbol){bytes, a->n_bytes + b->n_bytes, b->is_end},
		              pair->count);
	}
}

static int compare_symbols(const struct symbol *x, const struct symbol *y)
{
	int order = bs_compare_u64(x->bytes, y->bytes);
	return order ? order
	             : bs_compare_u64(x->n_bytes * 2 + x->is_end, y->n_bytes * 2 + y->is_end);
}

/* Of equal symbols, the one with the higher score comes first. */
static int compare_by_symbol(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = compare_symbols(&x->symbol, &y->symbol);
	return order ? order : bs_compare_u64(y->score, x->score);
}

static int compare_by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = bs_compare_u64(y->score, x->score);
	return order ? order : compare_symbols(&x->symbol, &y->symbol);
}

/* Makes the candidates with the highest scores the joined symbols. */
static void choose(struct training *training, uint32_t max_symbols)
{
	struct candidate *all = training->candidates;
	struct symbols *symbols = training->symbols;
	size_t n = 0;
	qsort(all, training->n_candidates, sizeof(*all), compare_by_symbol);
	for (size_t i = 0; i < training->n_candidates; i++)
		if (n == 0 || compare_symbols(&all[n - 1].symbol, &all[i].symbol) != 0)
			all[n++] = all[i];
	qsort(all, n, sizeof(*all), compare_by_score);
	symbols->n_symbols = FIRST_JOINED;
	for (size_t i = 0; i < n && symbols->n_symbols < max_symbols; i++)
		symbols->symbols[symbols->n_symbols++] = all[i].symbol;
	index_symbols(symbols);
}

static size_t power_of_two(size_t least)
{
	size_t n = 16;
	while (n < least)
		n *= 2;
	return n;
}

static enum bs_status allocate(struct training *training, uint32_t max_symbols,
                               struct bs_error *err)
{
	struct symbols *symbols = training->symbols;
	size_t n_bytes = 0;
	for (size_t i = 0; i < training->n_sample; i++)
		n_bytes += training->sample[i].n_bytes;
	size_t n_slots = power_of_two((size_t)max_symbols * 4);
	training->pair_mask = LEAST_PAIR_SLOTS - 1;
	symbols->slot_mask = (uint32_t)n_slots - 1;
	symbols->symbols = calloc(max_symbols, sizeof(*symbols->symbols));
	symbols->slots = calloc(n_slots, sizeof(*symbols->slots));
	symbols->lengths = calloc(65536, sizeof(*symbols->lengths));
	training->counts = calloc(max_symbols, sizeof(*training->counts));
	training->pairs = calloc(training->pair_mask + 1, sizeof(*training->pairs));
	training->candidates = calloc(n_bytes + max_symbols, sizeof(*training->candidates));
	if (symbols->symbols && symbols->slots && symbols->lengths && training->counts &&
	    training->pairs && training->candidates)
		return BS_OK;
	return fail_symbols(n_bytes * sizeof(struct candidate), err);
}

/* Finds at most max_symbols symbols; max_symbols >= FIRST_JOINED. A joined symbol occurs at least
 * least_count times in the sample. All generations except the last use only one in early_share
 * blocks of the sample. The caller frees the arrays of `symbols`, also after a failure.
 * BS_NO_MEMORY, or the deadline's status. */
static enum bs_status symbols_find(struct symbols *symbols, const struct rest *sample,
                                   size_t n_sample, uint32_t early_share, uint32_t max_symbols,
                                   uint32_t least_count, struct bs_error *err)
{
	struct training training = {.symbols = symbols, .sample = sample, .n_sample = n_sample};
	enum bs_status status = allocate(&training, max_symbols, err);
	if (status)
		goto out;
	for (uint32_t i = 0; i < 256; i++)
		symbols->symbols[i] = (struct symbol){i, 1, false};
	symbols->symbols[SYMBOL_END] = (struct symbol){0, 0, true};
	symbols->n_symbols = FIRST_JOINED;
	index_symbols(symbols);
	for (int i = 0; i < GENERATIONS && max_symbols > FIRST_JOINED; i++) {
		bool is_part = early_share > 1 && i + 1 < GENERATIONS;
		status = count_sample(&training, is_part ? early_share : 1, err);
		if (status)
			break;
		take_candidates(&training, is_part ? EARLY_LEAST_COUNT : least_count);
		choose(&training, max_symbols);
	}
out:
	free(training.counts);
	free(training.pairs);
	free(training.candidates);
	return status;
}

static void append(struct bs_lexicon_writer *lexicon, struct bs_buffer *buffer, const void *bytes,
                   size_t n_bytes)
{
	if (!lexicon->status)
		lexicon->status = bs_buffer_append(buffer, bytes, n_bytes, &lexicon->error);
}

/* Keeps the first n_kept bytes of the buffer and appends `bytes`. */
static void replace(struct bs_lexicon_writer *lexicon, struct bs_buffer *buffer, size_t n_kept,
                    const uint8_t *bytes, size_t n_bytes)
{
	buffer->used_bytes = n_kept;
	append(lexicon, buffer, bytes, n_bytes);
}

void bs_lexicon_writer_init(struct bs_lexicon_writer *lexicon, struct bs_file_writer *writer)
{
	*lexicon = (struct bs_lexicon_writer){.writer = writer};
}

/* Adds the separator of the next block: the first n_bytes bytes of the first term of the block. The
 * first separator of a chapter is stored whole. */
static void add_separator(struct bs_lexicon_writer *lexicon, const uint8_t *term, size_t n_bytes)
{
	struct bs_buffer *last = &lexicon->last_separator;
	uint64_t block = lexicon->n_terms / BS_LEXICON_BLOCK_TERMS;
	if (block % BS_LEXICON_CHAPTER_BLOCKS == 0)
		bs_buffer_clear(last);
	size_t n_shared = bs_common_bytes(last->data, last->used_bytes, term, n_bytes);
	uint64_t start = lexicon->terms.used_bytes;
	uint8_t head[2 * BS_VARINT_MAX_BYTES];
	size_t head_bytes = bs_varint_put(head, last->used_bytes - n_shared);
	head_bytes += bs_varint_put(head + head_bytes, n_bytes - n_shared);
	append(lexicon, &lexicon->separators, head, head_bytes);
	append(lexicon, &lexicon->separators, term + n_shared, n_bytes - n_shared);
	append(lexicon, &lexicon->starts.bytes, &start, sizeof(start));
	replace(lexicon, last, n_shared, term + n_shared, n_bytes - n_shared);
}

/* Appends a term to lexicon->terms, front-coded (lexicon_write.h). */
static void add_term(struct bs_lexicon_writer *lexicon, size_t n_dropped, uint64_t df,
                     const uint8_t *rest, size_t rest_bytes)
{
	uint8_t head[3 * BS_VARINT_MAX_BYTES];
	size_t head_bytes = bs_varint_put(head, n_dropped);
	head_bytes += bs_varint_put(head + head_bytes, df);
	head_bytes += bs_varint_put(head + head_bytes, rest_bytes);
	append(lexicon, &lexicon->terms, head, head_bytes);
	append(lexicon, &lexicon->terms, rest, rest_bytes);
}

void bs_lexicon_writer_add(struct bs_lexicon_writer *lexicon, const uint8_t *term,
                           uint32_t term_bytes, uint64_t df)
{
	size_t n_last = lexicon->last.used_bytes;
	size_t n_common = bs_common_bytes(lexicon->last.data, n_last, term, term_bytes);
	size_t n_shared = n_common;
	if (lexicon->n_terms % BS_LEXICON_BLOCK_TERMS == 0) {
		n_shared = lexicon->n_terms == 0 ? 0 : n_common + 1;
		n_last = n_shared;
		add_separator(lexicon, term, n_shared);
	}
	add_term(lexicon, n_last - n_shared, df, term + n_shared, term_bytes - n_shared);
	replace(lexicon, &lexicon->last, n_common, term + n_common, term_bytes - n_common);
	lexicon->n_terms++;
}

/* A term of lexicon->terms, decoded. */
struct added {
	uint64_t n_dropped;
	uint64_t df;
	struct rest rest;
};

/* Decodes the term at `at`. Returns where the next term begins. */
static const uint8_t *read_added(const uint8_t *at, struct added *term)
{
	/* The varints are complete, because add_term wrote them. */
	const uint8_t *end = at + 3 * BS_VARINT_MAX_BYTES;
	uint64_t n_bytes = 0;
	at = bs_varint_get(at, end, &term->n_dropped);
	at = bs_varint_get(at, end, &term->df);
	at = bs_varint_get(at, end, &n_bytes);
	term->rest = (struct rest){at, (uint32_t)n_bytes};
	return at + n_bytes;
}

struct coding {
	struct bs_lexicon_writer *lexicon;
	struct symbols symbols;
	uint16_t *cut; /* the symbols of the rests of all terms, in the order of terms */
	size_t n_cut;
	bool by_context; /* each context has a code; false: one code for heads, one for rests */
	/* n_heads: number of codes for heads; n_codes: number of codes for heads and rests */
	uint32_t n_heads, n_codes;
	/* A row of BS_N_HEADS counts for each code of heads, then a row of MAX_SYMBOLS counts for
	 * each code of rests. */
	uint64_t *counts;
	uint8_t *lengths; /* code lengths, in rows like those of `counts` */
	/* code << 4 | length, in rows like those of `counts`; one memory access for both */
	uint32_t *values;
	uint32_t *number_of; /* numbers of the used symbols, in the order of the file */
	uint32_t n_used;
	struct bs_buffer block;     /* coded block to be written */
	struct bs_u64s block_bytes; /* bytes of each block */
	struct bs_u64s chapters;    /* three u64 per chapter: see BS_LEXICON_CHAPTER_BYTES */
	struct bs_bits_writer bits; /* appends to `block` */
};

/* The index in `counts`, `lengths` and `values` where the row of a code begins. */
static size_t row_of(const struct coding *coding, uint32_t code)
{
	uint32_t n_heads = code < coding->n_heads ? code : coding->n_heads;
	return (size_t)n_heads * BS_N_HEADS + (size_t)(code - n_heads) * MAX_SYMBOLS;
}

/* heads_row returns the index (see row_of) of the row of the code for heads in a context; rests_row
 * returns the index of the row of the code for rests. */
static size_t heads_row(const struct coding *coding, uint32_t context)
{
	return coding->by_context ? (size_t)context * BS_N_HEADS : 0;
}

static size_t rests_row(const struct coding *coding, uint32_t context)
{
	return (size_t)coding->n_heads * BS_N_HEADS +
	       (coding->by_context ? (size_t)context * MAX_SYMBOLS : 0);
}

/* Finds the symbols, from a sample of blocks at regular intervals. The sample points to the rests
 * in lexicon->terms, where eight bytes after a rest are readable. */
static enum bs_status find_symbols(struct coding *coding, struct bs_error *err)
{
	struct bs_lexicon_writer *lexicon = coding->lexicon;
	uint64_t every = lexicon->n_terms / SAMPLE_TERMS + 1;
	uint64_t max_symbols = FIRST_JOINED + lexicon->n_terms / TERMS_PER_SYMBOL;
	const uint64_t *starts = lexicon->starts.items;
	size_t n_blocks = bs_vector_n(&lexicon->starts);
	struct rest *sample =
		malloc((n_blocks / every + 1) * BS_LEXICON_BLOCK_TERMS * sizeof(*sample));
	if (!sample)
		return bs_fail_memory(err, "the symbols of the lexicon",
		                      SAMPLE_TERMS * sizeof(*sample));
	size_t n = 0;
	for (size_t block = 0; block < n_blocks; block += every) {
		const uint8_t *at = lexicon->terms.data + starts[block];
		uint64_t n_left = lexicon->n_terms - block * BS_LEXICON_BLOCK_TERMS;
		for (uint64_t i = 0; i < BS_LEXICON_BLOCK_TERMS && i < n_left; i++) {
			struct added term;
			at = read_added(at, &term);
			sample[n++] = term.rest;
		}
	}
	uint32_t least_count = every >= 4 ? LEAST_COUNT / 3 : LEAST_COUNT;
	uint32_t early_share = every == 1 && n > EARLY_TERMS ? EARLY_SHARE : 1;
	enum bs_status status =
		symbols_find(&coding->symbols, sample, n, early_share,
	                     (uint32_t)(max_symbols < MAX_SYMBOLS ? max_symbols : MAX_SYMBOLS),
	                     least_count, err);
	free(sample);
	return status;
}

static uint32_t head_of(const struct added *term)
{
	uint64_t drop = term->n_dropped < BS_DROP_MORE ? term->n_dropped : BS_DROP_MORE;
	return (uint32_t)drop * BS_DF_MAGNITUDES + bs_df_magnitude(term->df);
}

/* Splits all rests into symbols. Counts the uses of heads and symbols in each context. */
static enum bs_status cut_all(struct coding *coding, struct bs_error *err)
{
	const struct bs_lexicon_writer *lexicon = coding->lexicon;
	const struct symbol *symbols = coding->symbols.symbols;
	size_t capacity = 0;
	uint32_t head_context = 0;
	const uint8_t *at = lexicon->terms.data;
	enum bs_status status = BS_OK;
	for (uint64_t i = 0; i < lexicon->n_terms && !status; i++) {
		struct added term;
		at = read_added(at, &term);
		if (capacity - coding->n_cut <= term.rest.n_bytes) {
			capacity += capacity / 2 + term.rest.n_bytes + 4096;
			uint16_t *more = realloc(coding->cut, capacity * sizeof(*more));
			if (!more)
				return bs_fail_memory(err, "the symbols of the lexicon",
				                      capacity * sizeof(*more));
			coding->cut = more;
		}
		if (i % BS_LEXICON_BLOCK_TERMS == 0)
			head_context = 0;
		coding->counts[heads_row(coding, head_context) + head_of(&term)]++;
		uint32_t context = bs_first_context(term.n_dropped);
		for (uint32_t j = 0, is_end = 0; !is_end && !status;) {
			status = bs_deadline_each(coding->n_cut, SYMBOL_NS, err);
			uint32_t number = symbols_next(&coding->symbols, term.rest.bytes + j,
			                               term.rest.n_bytes - j);
			coding->cut[coding->n_cut++] = (uint16_t)number;
			coding->counts[rests_row(coding, context) + number]++;
			j += symbols[number].n_bytes;
			is_end = symbols[number].is_end;
			context = is_end ? 0 : bs_next_context(term.rest.bytes[j - 1]);
		}
		head_context = bs_head_context(term.rest.n_bytes, bs_df_magnitude(term.df));
	}
	return status;
}

static bool is_used(const struct coding *coding, uint32_t symbol)
{
	for (uint32_t code = coding->n_heads; code < coding->n_codes; code++)
		if (coding->counts[row_of(coding, code) + symbol] > 0)
			return true;
	return false;
}

static enum bs_status make_codes(struct coding *coding, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t code = 0; code < coding->n_codes && !status; code++) {
		size_t row = row_of(coding, code);
		uint32_t n = code < coding->n_heads ? BS_N_HEADS : MAX_SYMBOLS;
		status = bs_code_lengths(coding->counts + row, n, coding->lengths + row, err);
		if (!status)
			bs_code_values(coding->lengths + row, n, coding->values + row);
	}
	for (uint32_t i = 0; i < coding->symbols.n_symbols; i++)
		if (is_used(coding, i))
			coding->number_of[coding->n_used++] = i;
	return status;
}

/* Writes n code lengths, two per byte. order: the symbols whose lengths are written; NULL: symbols
 * 0 to n - 1. */
static void write_lengths(struct bs_file_writer *writer, const uint8_t *lengths,
                          const uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 2) {
		uint8_t low = lengths[order ? order[i] : i];
		uint8_t high = i + 1 < n ? lengths[order ? order[i + 1] : i + 1] : 0;
		uint8_t byte = (uint8_t)(low | high << 4);
		bs_file_writer_bytes(writer, &byte, 1);
	}
}

static void write_codes(const struct coding *coding)
{
	struct bs_file_writer *writer = coding->lexicon->writer;
	bs_file_writer_section(writer, BS_SECTION_TERM_CODES, 0);
	bs_file_writer_u64(writer, coding->lexicon->n_terms);
	bs_file_writer_u32(writer, coding->n_used);
	bs_file_writer_u32(writer, coding->by_context);
	for (uint32_t i = 0; i < coding->n_used; i++) {
		const struct symbol *symbol = &coding->symbols.symbols[coding->number_of[i]];
		uint8_t bytes[9] = {(uint8_t)(symbol->n_bytes | (symbol->is_end ? 16 : 0))};
		bs_store_u64(bytes + 1, symbol->bytes);
		bs_file_writer_bytes(writer, bytes, 1 + symbol->n_bytes);
	}
	for (uint32_t code = 0; code < coding->n_codes; code++) {
		const uint8_t *lengths = coding->lengths + row_of(coding, code);
		if (code < coding->n_heads)
			write_lengths(writer, lengths, NULL, BS_N_HEADS);
		else
			write_lengths(writer, lengths, coding->number_of, coding->n_used);
	}
}

/* Writes a number: its length in bits, in six bits, then its bits. */
static void put_number(struct coding *coding, uint64_t number)
{
	uint32_t n = number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
	bs_bits_put(&coding->bits, n, 6);
	if (n > 32)
		bs_bits_put(&coding->bits, number >> 32, n - 32);
	bs_bits_put(&coding->bits, number & UINT32_MAX, n < 32 ? n : 32);
}

static void put_head(struct coding *coding, const struct added *term, uint32_t context)
{
	uint32_t head = head_of(term);
	uint32_t df_magnitude = head % BS_DF_MAGNITUDES;
	size_t at = heads_row(coding, context) + head;
	bs_bits_put_code(&coding->bits, coding->values[at]);
	if (term->n_dropped >= BS_DROP_MORE)
		put_number(coding, term->n_dropped - BS_DROP_MORE);
	if (df_magnitude == BS_DF_MORE)
		put_number(coding, term->df - BS_DF_MORE_LEAST);
	else if (df_magnitude > 2)
		bs_bits_put(&coding->bits, term->df - (UINT64_C(1) << bs_df_bits(df_magnitude)),
		            bs_df_bits(df_magnitude));
}

/* Writes the symbols of the rest of a term, from *cut on. Advances *cut to the symbols of the next
 * term. */
static enum bs_status put_rest(struct coding *coding, const struct added *term,
                               const uint16_t **cut, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint32_t context = bs_first_context(term->n_dropped);
	const struct symbol *symbol;
	uint32_t n_done = 0;
	do {
		size_t at = rests_row(coding, context) + **cut;
		bs_bits_put_code(&coding->bits, coding->values[at]);
		status = bs_deadline_each((size_t)(*cut - coding->cut), SYMBOL_NS, err);
		symbol = &coding->symbols.symbols[*(*cut)++];
		n_done += symbol->n_bytes;
		if (!symbol->is_end)
			context = bs_next_context(term->rest.bytes[n_done - 1]);
	} while (!symbol->is_end && !status);
	return status;
}

static enum bs_status write_terms(struct coding *coding, struct bs_error *err)
{
	static const uint8_t pad[BS_LEXICON_PAD_BYTES];
	struct bs_lexicon_writer *lexicon = coding->lexicon;
	const uint8_t *at = lexicon->terms.data;
	const uint16_t *cut = coding->cut;
	uint32_t context = 0;
	enum bs_status status = BS_OK;
	coding->bits = (struct bs_bits_writer){.to = &coding->block};
	bs_file_writer_section(lexicon->writer, BS_SECTION_TERMS, 0);
	for (uint64_t i = 0; i < lexicon->n_terms && !status; i++) {
		struct added term;
		at = read_added(at, &term);
		/* Room for a head (fewer than 16 bytes), a rest (at most a symbol of 15 bits for
		 * each byte, and one for the end), and the last bytes, which bs_bits_end writes. */
		status = bs_buffer_reserve(&coding->block, 64 + 2 * (size_t)term.rest.n_bytes, err);
		if (status)
			break;
		put_head(coding, &term, i % BS_LEXICON_BLOCK_TERMS == 0 ? 0 : context);
		status = put_rest(coding, &term, &cut, err);
		if (status)
			break;
		context = bs_head_context(term.rest.n_bytes, bs_df_magnitude(term.df));
		if ((i + 1) % BS_LEXICON_BLOCK_TERMS != 0 && i + 1 < lexicon->n_terms)
			continue;
		bs_bits_end(&coding->bits);
		uint64_t n_bytes = coding->block.used_bytes;
		bs_file_writer_bytes(lexicon->writer, coding->block.data, (size_t)n_bytes);
		bs_buffer_clear(&coding->block);
		status = bs_vector_append(&coding->block_bytes, &n_bytes, err);
	}
	bs_file_writer_bytes(lexicon->writer, pad, sizeof(pad));
	return status;
}

static void write_separator_head(struct bs_file_writer *writer, uint64_t block_bytes,
                                 uint64_t n_dropped, uint64_t n_rest)
{
	bool is_long = block_bytes > UINT8_MAX || n_dropped > 15 || n_rest > 15;
	uint8_t head[BS_SEPARATOR_HEAD_BYTES] = {0};
	if (!is_long) {
		head[0] = (uint8_t)block_bytes;
		head[1] = (uint8_t)(n_dropped | n_rest << 4);
	}
	bs_file_writer_bytes(writer, head, sizeof(head));
	if (is_long) {
		bs_file_writer_varint(writer, block_bytes);
		bs_file_writer_varint(writer, n_dropped);
		bs_file_writer_varint(writer, n_rest);
	}
}

/* Writes the separators, with the sizes of their blocks in the headers, and an index entry for each
 * chapter. */
static enum bs_status write_index(struct coding *coding, struct bs_error *err)
{
	struct bs_lexicon_writer *lexicon = coding->lexicon;
	const uint64_t *block_bytes = coding->block_bytes.items;
	size_t n_blocks = bs_vector_n(&coding->block_bytes);
	const uint8_t *at = lexicon->separators.data;
	uint64_t terms_off = 0;
	enum bs_status status = BS_OK;
	bs_file_writer_section(lexicon->writer, BS_SECTION_TERM_SEPARATORS, 0);
	for (size_t block = 0; block < n_blocks && !status; block++) {
		uint64_t n_dropped = 0, n_rest = 0;
		at = bs_varint_get(at, at + BS_VARINT_MAX_BYTES, &n_dropped);
		at = bs_varint_get(at, at + BS_VARINT_MAX_BYTES, &n_rest);
		if (block % BS_LEXICON_CHAPTER_BLOCKS == 0) {
			uint64_t separators_off = bs_file_writer_section_bytes(lexicon->writer);
			uint64_t entry[] = {bs_first_eight(at, (size_t)n_rest), terms_off,
			                    separators_off};
			status = bs_vector_extend(&coding->chapters, entry,
			                          sizeof(entry) / sizeof(*entry), err);
		}
		write_separator_head(lexicon->writer, block_bytes[block], n_dropped, n_rest);
		bs_file_writer_bytes(lexicon->writer, at, (size_t)n_rest);
		at += n_rest;
		terms_off += block_bytes[block];
	}
	bs_file_writer_section(lexicon->writer, BS_SECTION_TERM_INDEX, 0);
	for (size_t i = 0; i < bs_vector_n(&coding->chapters); i++)
		bs_file_writer_u64(lexicon->writer, coding->chapters.items[i]);
	return status;
}

static enum bs_status code_terms(struct coding *coding, struct bs_error *err)
{
	size_t n = row_of(coding, coding->n_codes);
	coding->counts = calloc(n, sizeof(*coding->counts));
	coding->lengths = calloc(n, sizeof(*coding->lengths));
	coding->values = calloc(n, sizeof(*coding->values));
	coding->number_of = calloc(MAX_SYMBOLS, sizeof(*coding->number_of));
	if (!coding->counts || !coding->lengths || !coding->values || !coding->number_of)
		return bs_fail_memory(err, "the codes of the lexicon", n * 11);
	enum bs_status status =
		bs_buffer_reserve(&coding->lexicon->terms, 3 * BS_VARINT_MAX_BYTES, err);
	if (!status)
		status = find_symbols(coding, err);
	if (!status)
		status = cut_all(coding, err);
	if (!status)
		status = make_codes(coding, err);
	if (status)
		return status;
	write_codes(coding);
	status = write_terms(coding, err);
	return status ? status : write_index(coding, err);
}

enum bs_status bs_lexicon_writer_finish(struct bs_lexicon_writer *lexicon, struct bs_error *err)
{
	bool by_context = lexicon->n_terms >= CONTEXT_TERMS;
	uint32_t n_heads = by_context ? BS_HEAD_CONTEXTS : 1,
		 n_rests = by_context ? BS_REST_CONTEXTS : 1;
	struct coding coding = {.lexicon = lexicon,
	                        .by_context = by_context,
	                        .n_heads = n_heads,
	                        .n_codes = n_heads + n_rests};
	if (!lexicon->status && lexicon->n_terms > 0)
		lexicon->status = code_terms(&coding, &lexicon->error);
	void *arrays[] = {coding.symbols.symbols, coding.symbols.slots,
	                  coding.symbols.lengths, coding.cut,
	                  coding.counts,          coding.lengths,
	                  coding.values,          coding.number_of};
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++)
		free(arrays[i]);
	struct bs_buffer *buffers[] = {&coding.block,
	                               &coding.block_bytes.bytes,
	                               &coding.chapters.bytes,
	                               &lexicon->terms,
	                               &lexicon->separators,
	                               &lexicon->last,
	                               &lexicon->last_separator,
	                               &lexicon->starts.bytes};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers); i++)
		bs_buffer_deinit(buffers[i]);
	if (lexicon->status && err)
		*err = lexicon->error;
	return lexicon->status;
}
