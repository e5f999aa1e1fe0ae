/* rare_term_list.c: see rare_term_list.h; bytes in FORMAT.md. */
#include "core/matrix/rare_term_list.h"

#include <string.h>

#include "core/file/segment_sections.h"
#include "core/matrix/run_samples.h"

#define SAMPLE_RUNS    64u
#define HEAD_BYTES     8u  /* head of the section of codes: u32 docs_log2, u32 0 */
#define MOST_RUN_BYTES 16u /* at most three codes of 15 bits and two numbers of 32 bits */

enum {
	GAPS,
	LENGTHS,
	DOCS,
	CODES
};

static const uint32_t n_symbols[CODES] = {BS_RARE_GAPS, BS_RARE_LENGTHS, BS_RARE_DOCS};
static const uint32_t first_symbol[CODES + 1] = {0, BS_RARE_GAPS, BS_RARE_GAPS + BS_RARE_LENGTHS,
                                                 BS_RARE_GAPS + BS_RARE_LENGTHS + BS_RARE_DOCS};
#define CODES_BYTES (HEAD_BYTES + (BS_RARE_GAPS + BS_RARE_LENGTHS + BS_RARE_DOCS) / 2)

/* Ordinals [first, end), which have the same set of documents. */
struct run {
	uint64_t first;
	uint64_t end;
	uint32_t docs;
};

/* The symbol of a gap in a list of n_runs runs. Gaps are about inversely proportional to n_runs.
 * Adding the logarithm of n_runs gives all lists similar symbols, so they can share a code. */
static uint32_t gap_symbol(uint64_t gap, uint64_t n_runs)
{
	return bs_log2(gap + 1) + bs_log2(n_runs);
}

static struct run next_run(const struct bs_rare_term *terms, size_t n_terms, size_t *i)
{
	struct run run = {terms[*i].ordinal, (uint64_t)terms[*i].ordinal + 1, terms[*i].docs};
	for (++*i; *i < n_terms && terms[*i].ordinal == run.end && terms[*i].docs == run.docs; ++*i)
		run.end++;
	return run;
}

static uint64_t count_runs(const struct bs_rare_term *terms, size_t n_terms)
{
	uint64_t n_runs = 0;
	for (size_t i = 0; i < n_terms; n_runs++)
		(void)next_run(terms, n_terms, &i);
	return n_runs;
}

/* The number of subsets of the documents that share a list, including the empty set; 0 for a single
 * document, whose set needs no code. */
static uint32_t sets_of(uint32_t docs_log2)
{
	return docs_log2 ? 1u << (1u << docs_log2) : 0;
}

void bs_rare_count(struct bs_rare_counts *counts, const struct bs_rare_term *terms, size_t n_terms)
{
	uint64_t n_runs = count_runs(terms, n_terms), end = 0;
	for (size_t i = 0; i < n_terms;) {
		struct run run = next_run(terms, n_terms, &i);
		counts->gaps[gap_symbol(run.first - end, n_runs)]++;
		counts->lengths[bs_log2(run.end - run.first)]++;
		counts->docs[run.docs]++;
		end = run.end;
	}
}

enum bs_status bs_rare_codes_make(struct bs_rare_codes *codes, const struct bs_rare_counts *counts,
                                  uint32_t docs_log2, struct bs_error *err)
{
	const uint64_t *all[CODES] = {counts->gaps, counts->lengths, counts->docs};
	uint32_t n_sets = sets_of(docs_log2);
	enum bs_status status = BS_OK;
	memset(codes, 0, sizeof(*codes));
	codes->docs_log2 = docs_log2;
	for (uint32_t code = 0; code < CODES && !status; code++) {
		uint32_t first = first_symbol[code], n = n_symbols[code];
		status = bs_code_smoothed(all[code], n, code == DOCS, code == DOCS ? n_sets : n,
		                          codes->lengths + first, codes->values + first, err);
	}
	return status;
}

static void put_number(struct bs_bits_writer *bits, const uint32_t *values, uint32_t symbol,
                       uint64_t number)
{
	uint32_t n = bs_log2(number);
	bs_bits_put_code(bits, values[symbol]);
	bs_bits_put(bits, number ^ UINT64_C(1) << n, n);
}

enum bs_status bs_rare_term_list_append(const struct bs_rare_codes *codes,
                                        const struct bs_rare_term *terms, size_t n_terms,
                                        struct bs_buffer *to, struct bs_error *err)
{
	uint64_t n_runs = count_runs(terms, n_terms), end = 0;
	if (n_runs == 0)
		return BS_OK;
	uint64_t n_samples = bs_run_samples(n_runs, SAMPLE_RUNS);
	enum bs_status status =
		bs_buffer_reserve(to,
	                          (size_t)(BS_VARINT_MAX_BYTES + n_samples * BS_RUN_SAMPLE_BYTES +
	                                   n_runs * MOST_RUN_BYTES + 16),
	                          err);
	if (status)
		return status;
	to->used_bytes += bs_varint_put(to->data + to->used_bytes, n_runs);
	uint8_t *sample = to->data + to->used_bytes;
	to->used_bytes += (size_t)(n_samples * BS_RUN_SAMPLE_BYTES);
	size_t start = to->used_bytes, i = 0;
	struct bs_bits_writer bits = {.to = to};
	for (uint64_t r = 0; r < n_runs; r++) {
		if (r > 0 && r % SAMPLE_RUNS == 0)
			sample = bs_run_sample_put(sample, end,
			                           (to->used_bytes - start) * 8 + bits.n_bits);
		struct run run = next_run(terms, n_terms, &i);
		uint64_t gap = run.first - end, length = run.end - run.first;
		put_number(&bits, codes->values, gap_symbol(gap, n_runs), gap + 1);
		put_number(&bits, codes->values + first_symbol[LENGTHS], bs_log2(length), length);
		if (codes->docs_log2)
			bs_bits_put_code(&bits, codes->values[first_symbol[DOCS] + run.docs]);
		end = run.end;
	}
	bs_bits_end(&bits);
	return BS_OK;
}

void bs_rare_term_lists_begin(const struct bs_rare_codes *codes, struct bs_file_writer *writer)
{
	uint8_t head[CODES_BYTES] = {0};
	bs_store_u32(head, codes->docs_log2);
	bs_code_nibbles(codes->lengths, first_symbol[CODES], head + HEAD_BYTES);
	bs_file_writer_put(writer, BS_SECTION_RARE_CODES, 0, head, sizeof(head));
	bs_file_writer_section(writer, BS_SECTION_RARE_TERM_LISTS, 0);
}

void bs_rare_term_lists_end(const struct bs_u64s *offsets, struct bs_file_writer *writer)
{
	static const uint8_t pad[BS_BITS_PAD_BYTES];
	bs_file_writer_bytes(writer, pad, sizeof(pad));
	bs_packed_write_u64(writer, BS_SECTION_RARE_OFFSETS, 0, offsets->items,
	                    bs_vector_n(offsets));
}

/* The code length of a symbol in bits. */
static uint8_t length_of(const struct bs_section *section, uint32_t code, uint32_t symbol)
{
	uint32_t i = first_symbol[code] + symbol;
	return section->data[HEAD_BYTES + i / 2] >> (i % 2 * 4) & 15;
}

static enum bs_status read_codes(struct bs_rare_term_lists *lists, const struct bs_section *section,
                                 struct bs_error *err)
{
	bool valid = true;
	enum bs_status status = bs_code_set_init(&lists->codes, CODES, err);
	for (uint32_t code = 0; code < CODES && valid && !status; code++)
		status = bs_code_read(&lists->codes, code,
		                      section->data + HEAD_BYTES + first_symbol[code] / 2, NULL,
		                      n_symbols[code], &valid, err);
	bs_code_set_finish(&lists->codes, status ? 0 : CODES);
	/* The empty set, and sets with documents that a list cannot have, must have no codes. */
	for (uint32_t docs = 0; docs < BS_RARE_DOCS && valid; docs++)
		valid = (docs > 0 && docs < sets_of(lists->docs_log2)) ||
		        length_of(section, DOCS, docs) == 0;
	return status || valid ? status
	                       : bs_container_corrupt(section->file, err,
	                                              "the codes of rare terms break their rules");
}

enum bs_status bs_rare_term_lists_open(struct bs_rare_term_lists *lists,
                                       const struct bs_container *file, uint64_t n_docs,
                                       struct bs_error *err)
{
	struct bs_section codes = bs_container_section(file, BS_SECTION_RARE_CODES, 0);
	*lists = (struct bs_rare_term_lists){
		.bytes = bs_container_section(file, BS_SECTION_RARE_TERM_LISTS, 0)};
	if (codes.n_bytes != CODES_BYTES || lists->bytes.n_bytes < BS_BITS_PAD_BYTES)
		return bs_container_corrupt(file, err,
		                            "the lists of rare terms are missing or cut off");
	enum bs_status status = bs_section_touch(&codes, 0, codes.n_bytes, err);
	if (status)
		return status;
	lists->docs_log2 = bs_load_u32(codes.data);
	if (lists->docs_log2 > BS_RARE_MOST_DOCS_LOG2)
		return bs_container_corrupt(file, err, "lists of rare terms of 2^%u documents",
		                            lists->docs_log2);
	lists->n_lists = (n_docs + (1u << lists->docs_log2) - 1) >> lists->docs_log2;
	status = bs_packed_open(&lists->offsets,
	                        bs_container_section(file, BS_SECTION_RARE_OFFSETS, 0),
	                        lists->n_lists + 1, err);
	return status ? status : read_codes(lists, &codes, err);
}

void bs_rare_term_lists_deinit(struct bs_rare_term_lists *lists)
{
	bs_code_set_deinit(&lists->codes);
}

/* A list being read: an iterator over its runs. Its bytes are verified (bs_section_touch). */
struct walk {
	const struct bs_rare_term_lists *lists;
	uint64_t start; /* offset of the list in the section */
	uint64_t n_runs;
	uint64_t n_samples;
	const uint8_t *samples;
	const uint8_t *bytes; /* coded runs, then BS_BITS_PAD_BYTES */
	uint64_t n_bytes;     /* length of `bytes`, including the padding */
	uint64_t at;          /* bit offset of the next run */
	uint32_t class;       /* log2 of n_runs, a summand of every gap_symbol */
	uint64_t last_end;    /* end of the previous run */
	uint64_t n_left;      /* runs left */
};

static enum bs_status corrupt(const struct walk *walk, struct bs_error *err)
{
	return bs_container_corrupt(walk->lists->bytes.file, err,
	                            "the list of rare terms at %llu does not decode",
	                            (unsigned long long)walk->start);
}

/* Starts at the first run. n_runs stays 0 for an empty list. */
static enum bs_status walk_start(struct walk *walk, const struct bs_rare_term_lists *lists,
                                 uint64_t list, struct bs_error *err)
{
	const struct bs_section *bytes = &lists->bytes;
	uint64_t end;
	*walk = (struct walk){.lists = lists};
	enum bs_status status = bs_packed_get_span(&lists->offsets, list, &walk->start, &end, err);
	if (status || walk->start == end)
		return status;
	if (walk->start > end || end > bytes->n_bytes - BS_BITS_PAD_BYTES)
		return corrupt(walk, err);
	status = bs_section_touch(bytes, walk->start, end - walk->start + BS_BITS_PAD_BYTES, err);
	if (status)
		return status;
	walk->samples = bs_varint_get(bytes->data + walk->start, bytes->data + end, &walk->n_runs);
	if (!walk->samples || walk->n_runs == 0 || walk->n_runs > UINT32_MAX)
		return corrupt(walk, err);
	walk->n_samples = bs_run_samples(walk->n_runs, SAMPLE_RUNS);
	if (walk->n_samples * BS_RUN_SAMPLE_BYTES >= (uint64_t)(bytes->data + end - walk->samples))
		return corrupt(walk, err);
	walk->bytes = walk->samples + walk->n_samples * BS_RUN_SAMPLE_BYTES;
	walk->n_bytes = (uint64_t)(bytes->data + end - walk->bytes) + BS_BITS_PAD_BYTES;
	walk->class = bs_log2(walk->n_runs);
	walk->n_left = walk->n_runs;
	return BS_OK;
}

/* Moves to the stretch (the runs from one sample to the next) that may contain the ordinal. */
static enum bs_status seek(struct walk *walk, uint64_t ordinal, struct bs_error *err)
{
	uint64_t stretch = bs_run_stretch(walk->samples, walk->n_samples, ordinal);
	if (stretch == 0)
		return BS_OK;
	walk->at = bs_run_sample_bit(walk->samples, stretch - 1);
	walk->last_end = bs_run_sample_end(walk->samples, stretch - 1);
	walk->n_left -= stretch * SAMPLE_RUNS;
	return walk->at / 8 < walk->n_bytes ? BS_OK : corrupt(walk, err);
}

/* The next 57 bits or more, highest bit first; 0 if the position is after the list. */
static inline uint64_t peek(const struct walk *walk)
{
	uint64_t byte = walk->at / 8, word;
	if (byte + 8 > walk->n_bytes)
		return 0;
	memcpy(&word, walk->bytes + byte, sizeof(word));
	return __builtin_bswap64(word) << (walk->at % 8);
}

/* The number whose highest set bit is bit n and whose lower n bits are the highest n bits of
 * `window`. */
static inline uint64_t number_of(uint64_t window, uint32_t n)
{
	return UINT64_C(1) << n | window >> 1 >> (63 - n);
}

/* Decodes a number: a code gives the position of its highest bit plus a bias; the lower bits
 * follow. Returns 0 if the number is invalid. */
static uint64_t get_number(struct walk *walk, const struct bs_code *code, uint32_t bias)
{
	uint32_t coded = bs_code_get(code, peek(walk));
	walk->at += BS_CODED_BITS(coded);
	if (!coded || coded >> 4 < bias || (coded >> 4) - bias > 32)
		return 0;
	uint64_t number = number_of(peek(walk), (coded >> 4) - bias);
	walk->at += (coded >> 4) - bias;
	return number;
}

/* Decodes a run; false if it is invalid. Nearly every run fits into the bits of one load. */
static inline bool get_run(struct walk *walk, struct run *run_out)
{
	const struct bs_code *codes = walk->lists->codes.codes;
	uint64_t window = peek(walk), gap, length;
	uint32_t of_gap = bs_code_get(&codes[GAPS], window), bits = BS_CODED_BITS(of_gap),
		 n = (of_gap >> 4) - walk->class;
	uint32_t of_length = n <= 24 ? bs_code_get(&codes[LENGTHS], window << bits << n) : 0;
	if (__builtin_expect(of_gap && of_length && of_length >> 4 <= 2, 1)) {
		gap = number_of(window << bits, n);
		bits += n;
		window <<= bits;
		length = number_of(window << BS_CODED_BITS(of_length), of_length >> 4);
		walk->at += bits + BS_CODED_BITS(of_length) + (of_length >> 4);
	} else {
		gap = get_number(walk, &codes[GAPS], walk->class);
		length = gap ? get_number(walk, &codes[LENGTHS], 0) : 0;
	}
	run_out->docs = 1;
	if (walk->lists->docs_log2) {
		uint32_t coded = bs_code_get(&codes[DOCS], peek(walk));
		walk->at += BS_CODED_BITS(coded);
		run_out->docs = coded >> 4;
	}
	run_out->first = walk->last_end + gap - 1;
	walk->last_end = run_out->end = run_out->first + length;
	walk->n_left--;
	return length && run_out->docs && run_out->end <= UINT32_MAX &&
	       walk->at <= (walk->n_bytes - BS_BITS_PAD_BYTES) * 8;
}

enum bs_status bs_rare_term_lists_find(const struct bs_rare_term_lists *lists, uint32_t document,
                                       uint32_t ordinal, bool *has_out, struct bs_error *err)
{
	struct walk walk;
	struct run run;
	uint32_t which = document & ((1u << lists->docs_log2) - 1);
	*has_out = false;
	enum bs_status status =
		walk_start(&walk, lists, bs_rare_term_list_of(lists, document), err);
	if (!status && walk.n_samples > 0)
		status = seek(&walk, ordinal, err);
	while (!status && walk.n_left > 0) {
		if (!get_run(&walk, &run))
			return corrupt(&walk, err);
		if (ordinal >= run.end)
			continue;
		*has_out = ordinal >= run.first && run.docs >> which & 1;
		break;
	}
	return status;
}

/* Reads the code lengths of the segment, to encode a list again. */
static enum bs_status codes_again(const struct bs_rare_term_lists *lists,
                                  struct bs_rare_codes *codes, struct bs_error *err)
{
	struct bs_section section =
		bs_container_section(lists->bytes.file, BS_SECTION_RARE_CODES, 0);
	enum bs_status status = bs_section_touch(&section, 0, section.n_bytes, err);
	codes->docs_log2 = lists->docs_log2;
	for (uint32_t i = 0; i < first_symbol[CODES] && !status; i++)
		codes->lengths[i] = length_of(&section, GAPS, i);
	for (uint32_t code = 0; code < CODES && !status; code++)
		bs_code_values(codes->lengths + first_symbol[code], n_symbols[code],
		               codes->values + first_symbol[code]);
	return status;
}

static enum bs_status read_runs(struct walk *walk, uint64_t n_terms, struct bs_rare_terms *terms,
                                struct bs_error *err)
{
	struct run run;
	enum bs_status status = BS_OK;
	while (!status && walk->n_left > 0) {
		if (!get_run(walk, &run) || run.end > n_terms || run.docs == 0)
			return corrupt(walk, err);
		for (uint64_t ordinal = run.first; ordinal < run.end && !status; ordinal++) {
			struct bs_rare_term term = {(uint32_t)ordinal, run.docs};
			status = bs_vector_append(terms, &term, err);
		}
	}
	return status;
}

enum bs_status bs_rare_term_lists_read(const struct bs_rare_term_lists *lists, uint64_t list,
                                       uint64_t n_terms, struct bs_rare_terms *terms,
                                       struct bs_error *err)
{
	struct walk walk;
	bs_vector_clear(terms);
	enum bs_status status = walk_start(&walk, lists, list, err);
	return status || walk.n_runs == 0 ? status : read_runs(&walk, n_terms, terms, err);
}

enum bs_status bs_rare_term_lists_check(const struct bs_rare_term_lists *lists, uint64_t list,
                                        uint64_t n_terms, struct bs_rare_terms *terms,
                                        struct bs_error *err)
{
	struct walk walk;
	struct bs_rare_codes codes;
	struct bs_buffer again = {0};
	enum bs_status status = bs_rare_term_lists_read(lists, list, n_terms, terms, err);
	if (!status)
		status = walk_start(&walk, lists, list, err);
	if (status || walk.n_runs == 0)
		return status;
	status = codes_again(lists, &codes, err);
	if (!status)
		status = bs_rare_term_list_append(&codes, terms->items, bs_vector_n(terms), &again,
		                                  err);
	const uint8_t *start = lists->bytes.data + walk.start;
	size_t n_bytes = (size_t)(walk.bytes + walk.n_bytes - BS_BITS_PAD_BYTES - start);
	if (!status && (again.used_bytes != n_bytes || memcmp(again.data, start, n_bytes) != 0))
		status = corrupt(&walk, err);
	bs_buffer_deinit(&again);
	return status;
}
