/* forward_index.c: see forward_index.h; bytes in FORMAT.md. */
#include "core/matrix/forward_index.h"

#include <math.h>
#include <string.h>

#include "core/file/segment_sections.h"
#include "core/matrix/run_samples.h"

#define HEAD_BYTES 8u /* u32 number of ordinals, u32 number of runs */
/* Runs per sample. A sample has 8 bytes, 2 bits for each run; a look-up decodes 16 runs on
 * average. */
#define SAMPLE_RUNS 32u
/* Low bits of the exponential Golomb code of gaps. With 3 to 6, sizes differ by at most a tenth of
 * a bit per posting. */
#define GAP_LOW_BITS 4u

/* Consecutive ordinals [first, end). */
struct run {
	uint64_t first;
	uint64_t end;
};

static uint32_t gamma_bits(uint64_t x)
{
	return 2 * bs_log2(x) + 1;
}

/* The gap before a run, less its minimum: 0 for the first run, 1 for the others. */
static uint64_t gap_before(const struct run *run, uint64_t last_end, bool is_first)
{
	return run->first - last_end - !is_first;
}

static uint64_t code_bits(uint64_t gap, const struct run *run)
{
	return gamma_bits((gap >> GAP_LOW_BITS) + 1) + GAP_LOW_BITS +
	       gamma_bits(run->end - run->first);
}

static struct run next_run(const uint32_t *ordinals, uint32_t n, uint32_t *i)
{
	struct run run = {ordinals[*i], (uint64_t)ordinals[*i] + 1};
	for (++*i; *i < n && ordinals[*i] == run.end; ++*i)
		run.end++;
	return run;
}

static uint64_t list_bytes(uint64_t n_runs, uint64_t n_bits)
{
	return HEAD_BYTES + bs_run_samples(n_runs, SAMPLE_RUNS) * BS_RUN_SAMPLE_BYTES +
	       (n_bits + 7) / 8;
}

static void measure(const uint32_t *ordinals, uint32_t n, uint32_t *n_runs_out,
                    uint64_t *n_bits_out)
{
	uint64_t end = 0;
	*n_runs_out = 0;
	*n_bits_out = 0;
	for (uint32_t i = 0; i < n; ++*n_runs_out) {
		bool is_first = i == 0;
		struct run run = next_run(ordinals, n, &i);
		*n_bits_out += code_bits(gap_before(&run, end, is_first), &run);
		end = run.end;
	}
}

uint64_t bs_forward_index_bytes(const uint32_t *ordinals, uint32_t n)
{
	uint32_t n_runs;
	uint64_t n_bits;
	if (n == 0)
		return 0;
	measure(ordinals, n, &n_runs, &n_bits);
	return list_bytes(n_runs, n_bits);
}

/* Writes n zeros, where n is the position of the highest bit of the value, then a one, then the n
 * lower bits, the lowest first. */
static void put_gamma(uint8_t *bytes, uint64_t *at, uint64_t value)
{
	uint32_t n = bs_log2(value);
	*at = bs_append_bits(bytes, *at + n, 1, 1);
	*at = bs_append_bits(bytes, *at, value, n);
}

enum bs_status bs_forward_index_append(struct bs_buffer *to, const uint32_t *ordinals, uint32_t n,
                                       struct bs_error *err)
{
	uint32_t n_runs;
	uint64_t n_bits;
	if (n == 0)
		return BS_OK;
	measure(ordinals, n, &n_runs, &n_bits);
	uint64_t n_bytes = list_bytes(n_runs, n_bits);
	enum bs_status status = bs_buffer_reserve(to, (size_t)n_bytes, err);
	if (status)
		return status;
	uint8_t *list = to->data + to->used_bytes;
	uint8_t *sample = list + HEAD_BYTES;
	uint8_t *codes = sample + bs_run_samples(n_runs, SAMPLE_RUNS) * BS_RUN_SAMPLE_BYTES;
	memset(list, 0, (size_t)n_bytes);
	bs_store_u32(list, n);
	bs_store_u32(list + 4, n_runs);
	uint64_t at = 0, end = 0;
	for (uint32_t i = 0, r = 0; i < n; r++) {
		if (r > 0 && r % SAMPLE_RUNS == 0)
			sample = bs_run_sample_put(sample, end, at);
		struct run run = next_run(ordinals, n, &i);
		uint64_t gap = gap_before(&run, end, r == 0);
		put_gamma(codes, &at, (gap >> GAP_LOW_BITS) + 1);
		at = bs_append_bits(codes, at, gap, GAP_LOW_BITS);
		put_gamma(codes, &at, run.end - run.first);
		end = run.end;
	}
	to->used_bytes += (size_t)n_bytes;
	return BS_OK;
}

/* A list being read: the numbers of its head, and the offsets of its parts. */
struct list {
	const struct bs_section *section;
	uint64_t start;
	uint32_t n; /* number of ordinals */
	uint32_t n_runs;
	uint64_t n_samples;
	uint64_t pairs_off; /* where the coded runs (gap, length) begin in the section */
	uint64_t end;       /* where the list ends in the section */
};

static enum bs_status corrupt_list(const struct bs_section *section, uint64_t start,
                                   struct bs_error *err)
{
	return bs_container_corrupt(section->file, err, "the forward index at %llu does not decode",
	                            (unsigned long long)start);
}

static enum bs_status open_list(struct list *list, const struct bs_section *section, uint64_t start,
                                uint64_t end, struct bs_error *err)
{
	if (start > end || end - start < HEAD_BYTES)
		return corrupt_list(section, start, err);
	enum bs_status status = bs_section_touch(section, start, HEAD_BYTES, err);
	if (status)
		return status;
	*list = (struct list){.section = section, .start = start, .end = end};
	list->n = bs_load_u32(section->data + start);
	list->n_runs = bs_load_u32(section->data + start + 4);
	if (list->n_runs == 0 || list->n < list->n_runs)
		return corrupt_list(section, start, err);
	list->n_samples = bs_run_samples(list->n_runs, SAMPLE_RUNS);
	list->pairs_off = start + HEAD_BYTES + list->n_samples * BS_RUN_SAMPLE_BYTES;
	return list->pairs_off < end ? BS_OK : corrupt_list(section, start, err);
}

/* Decodes the runs of a stretch (run_samples.h) or of a whole list, in order. `bytes` have been
 * verified. */
struct decoder {
	const uint8_t *bytes;
	uint64_t n_bytes;
	uint64_t at;       /* bit offset of the next run */
	uint64_t last_end; /* end of the previous run */
	bool is_first;     /* the next run is the first of the list: its gap may be 0 */
};

/* Returns at least 57 bits from the current position on; zeros after the last byte. */
static inline uint64_t peek(const struct decoder *decoder)
{
	uint64_t byte = decoder->at / 8;
	uint8_t rest[8] = {0};
	if (byte + 8 <= decoder->n_bytes)
		return bs_load_u64(decoder->bytes + byte) >> (decoder->at % 8);
	if (byte >= decoder->n_bytes)
		return 0;
	memcpy(rest, decoder->bytes + byte, (size_t)(decoder->n_bytes - byte));
	return bs_load_u64(rest) >> (decoder->at % 8);
}

/* Decodes a gamma code. Returns 0, which has no code, if the code is invalid: more than 32 leading
 * zeros. */
static uint64_t get_gamma(struct decoder *decoder)
{
	uint64_t bits = peek(decoder);
	uint32_t n = (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 33);
	if (n > 32)
		return 0;
	decoder->at += n + 1;
	bits = 2 * n + 1 <= 57 ? bits >> (n + 1) : peek(decoder);
	decoder->at += n;
	return UINT64_C(1) << n | (bits & ((UINT64_C(1) << n) - 1));
}

static bool end_run(struct decoder *decoder, uint64_t gap, uint64_t length, struct run *run_out)
{
	run_out->first = decoder->last_end + gap + !decoder->is_first;
	run_out->end = run_out->first + length;
	decoder->last_end = run_out->end;
	decoder->is_first = false;
	return decoder->at <= decoder->n_bytes * 8 && run_out->end <= UINT32_MAX;
}

/* Decodes a run whose codes may be longer than one load. */
static bool get_long_run(struct decoder *decoder, struct run *run_out)
{
	uint64_t high = get_gamma(decoder);
	uint64_t gap = (high - 1) << GAP_LOW_BITS | (peek(decoder) & ((1u << GAP_LOW_BITS) - 1));
	decoder->at += GAP_LOW_BITS;
	uint64_t length = get_gamma(decoder);
	return high && length && end_run(decoder, gap, length, run_out);
}

/* Decodes a run; fast if its codes fit into one load, as nearly all do. */
static inline bool get_run(struct decoder *decoder, struct run *run_out)
{
	uint64_t bits = peek(decoder);
	uint32_t n = (uint32_t)__builtin_ctzll(bits | UINT64_C(1) << 20);
	uint64_t rest = bits >> (2 * n + 1 + GAP_LOW_BITS);
	uint32_t m = (uint32_t)__builtin_ctzll(rest | UINT64_C(1) << 20);
	if (2 * n + 1 + GAP_LOW_BITS + 2 * m + 1 > 57 || n == 20 || m == 20)
		return get_long_run(decoder, run_out);
	uint64_t high = UINT64_C(1) << n | (bits >> (n + 1) & ((UINT64_C(1) << n) - 1));
	uint64_t gap =
		(high - 1) << GAP_LOW_BITS | (bits >> (2 * n + 1) & ((1u << GAP_LOW_BITS) - 1));
	uint64_t length = UINT64_C(1) << m | (rest >> (m + 1) & ((UINT64_C(1) << m) - 1));
	decoder->at += 2 * n + 1 + GAP_LOW_BITS + 2 * m + 1;
	return end_run(decoder, gap, length, run_out);
}

/* Makes a decoder for a stretch and verifies its bytes. */
static enum bs_status start_stretch(const struct list *list, uint64_t stretch,
                                    struct decoder *decoder, struct bs_error *err)
{
	const uint8_t *samples = list->section->data + list->start + HEAD_BYTES;
	uint64_t first_bit = stretch ? bs_run_sample_bit(samples, stretch - 1) : 0;
	uint64_t end_byte = list->end - list->pairs_off;
	if (stretch < list->n_samples)
		end_byte = ((uint64_t)bs_run_sample_bit(samples, stretch) + 7) / 8;
	if (first_bit / 8 >= end_byte || end_byte > list->end - list->pairs_off)
		return corrupt_list(list->section, list->start, err);
	*decoder = (struct decoder){
		.bytes = list->section->data + list->pairs_off + first_bit / 8,
		.n_bytes = end_byte - first_bit / 8,
		.at = first_bit % 8,
		.last_end = stretch ? bs_run_sample_end(samples, stretch - 1) : 0,
		.is_first = stretch == 0,
	};
	return bs_section_touch(list->section, list->pairs_off + first_bit / 8, decoder->n_bytes,
	                        err);
}

enum bs_status bs_forward_index_has(const struct bs_section *section, uint64_t start, uint64_t end,
                                    uint64_t ordinal, bool *has_out, struct bs_error *err)
{
	struct list list;
	struct decoder decoder;
	*has_out = false;
	if (start == end)
		return BS_OK;
	enum bs_status status = open_list(&list, section, start, end, err);
	if (!status && list.n_samples)
		status = bs_section_touch(section, start + HEAD_BYTES,
		                          list.n_samples * BS_RUN_SAMPLE_BYTES, err);
	if (status)
		return status;
	uint64_t stretch =
		bs_run_stretch(section->data + start + HEAD_BYTES, list.n_samples, ordinal);
	status = start_stretch(&list, stretch, &decoder, err);
	uint64_t n_runs =
		stretch < list.n_samples ? SAMPLE_RUNS : list.n_runs - stretch * SAMPLE_RUNS;
	for (struct run run = {0, 0}; n_runs > 0 && !status && run.end <= ordinal; n_runs--) {
		if (!get_run(&decoder, &run))
			return corrupt_list(section, start, err);
		*has_out = run.first <= ordinal && ordinal < run.end;
	}
	return status;
}

enum bs_status bs_forward_index_count(const struct bs_section *section, uint64_t start,
                                      uint64_t end, uint32_t *n_out, struct bs_error *err)
{
	struct list list = {.n = 0};
	enum bs_status status = start == end ? BS_OK : open_list(&list, section, start, end, err);
	*n_out = status ? 0 : list.n;
	return status;
}

static enum bs_status append_run(struct bs_buffer *ordinals, const struct run *run,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint64_t ordinal = run->first; ordinal < run->end && !status; ordinal++) {
		uint32_t value = (uint32_t)ordinal;
		status = bs_buffer_append(ordinals, &value, sizeof(value), err);
	}
	return status;
}

enum bs_status bs_forward_index_read(const struct bs_section *section, uint64_t start, uint64_t end,
                                     uint64_t n_terms, struct bs_buffer *ordinals,
                                     struct bs_error *err)
{
	struct list list;
	struct bs_buffer again = {0};
	bs_buffer_clear(ordinals);
	if (start == end)
		return BS_OK;
	enum bs_status status = open_list(&list, section, start, end, err);
	if (!status)
		status = bs_section_touch(section, start, end - start, err);
	if (status)
		return status;
	struct decoder decoder = {.bytes = section->data + list.pairs_off,
	                          .n_bytes = end - list.pairs_off,
	                          .is_first = true};
	uint64_t n = 0;
	for (uint32_t r = 0; r < list.n_runs && !status; r++) {
		struct run run;
		bool is_right = get_run(&decoder, &run) && run.end <= n_terms;
		n += is_right ? run.end - run.first : 0;
		status = is_right && n <= list.n ? append_run(ordinals, &run, err)
		                                 : corrupt_list(section, start, err);
	}
	if (!status && n != list.n)
		status = corrupt_list(section, start, err);
	/* Encodes the ordinals again, to compare samples and padding bits. */
	if (!status)
		status = bs_forward_index_append(
			&again, (const uint32_t *)(const void *)ordinals->data, list.n, err);
	if (!status && (again.used_bytes != end - start ||
	                memcmp(again.data, section->data + start, again.used_bytes) != 0))
		status = corrupt_list(section, start, err);
	bs_buffer_deinit(&again);
	return status;
}

enum bs_status bs_forward_filter_open(struct bs_forward_filter *filter,
                                      const struct bs_container *file, uint32_t shard,
                                      uint32_t n_rows, struct bs_forward_hashing hashing,
                                      struct bs_error *err)
{
	filter->hashing = hashing;
	if (hashing.n_hashes < 1 || hashing.n_hashes > BS_FORWARD_MOST_HASHES ||
	    hashing.near_log2 > BS_FORWARD_MOST_NEAR_LOG2)
		return bs_container_corrupt(
			file, err, "shard %u: a filter of %u hashes of ordinals without %u bits",
			shard, hashing.n_hashes, hashing.near_log2);
	filter->offsets = bs_container_section(file, BS_SECTION_FORWARD_FILTER_OFFSETS, shard);
	filter->words = bs_container_section(file, BS_SECTION_FORWARD_FILTERS, shard);
	if (filter->offsets.n_bytes != ((uint64_t)bs_forward_groups(n_rows) + 1) * 8)
		return bs_container_corrupt(
			file, err, "shard %u: a filter of other forward indexes than it has",
			shard);
	return BS_OK;
}

enum bs_status bs_forward_filter_rows(const struct bs_forward_filter *filter, uint32_t group,
                                      struct bs_probe probe, uint64_t wanted, uint64_t *rows_out,
                                      struct bs_error *err)
{
	*rows_out = 0;
	enum bs_status status = bs_section_touch(&filter->offsets, (uint64_t)group * 8, 16, err);
	if (status)
		return status;
	uint64_t start = bs_load_u64(filter->offsets.data + (uint64_t)group * 8);
	uint64_t end = bs_load_u64(filter->offsets.data + (uint64_t)group * 8 + 8);
	if (start >= end || end - start > UINT32_MAX || end > filter->words.n_bytes / 8)
		return bs_container_corrupt(
			filter->words.file, err,
			"the filter of forward indexes %u has impossible bounds", group);
	uint64_t rows = wanted;
	for (uint32_t i = 0; i < filter->hashing.n_hashes && rows; i++) {
		uint64_t at = (start + bs_hash_position(probe, i, (uint32_t)(end - start))) * 8;
		status = bs_section_touch(&filter->words, at, 8, err);
		if (status)
			return status;
		rows &= bs_load_u64(filter->words.data + at);
	}
	*rows_out = rows;
	return BS_OK;
}

uint32_t bs_forward_neighbourhoods(uint32_t near_log2, const uint32_t *ordinals, uint32_t n)
{
	uint32_t n_found = 0;
	for (uint32_t i = 0; i < n; i++)
		n_found += i == 0 || ordinals[i] >> near_log2 != ordinals[i - 1] >> near_log2;
	return n_found;
}

uint32_t bs_forward_filter_width(struct bs_forward_hashing hashing, uint64_t n_neighbourhoods)
{
	double width = ceil((double)n_neighbourhoods * hashing.n_hashes / M_LN2);
	return width < 1 ? 1
	                 : (width > (double)(UINT32_MAX / 2) ? UINT32_MAX / 2 : (uint32_t)width);
}

void bs_forward_filter_set(struct bs_forward_hashing hashing, uint64_t *words, uint32_t n_columns,
                           uint32_t row_of_group, const uint32_t *ordinals, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i > 0 &&
		    ordinals[i] >> hashing.near_log2 == ordinals[i - 1] >> hashing.near_log2)
			continue;
		struct bs_probe probe = bs_forward_filter_probe(hashing, ordinals[i]);
		for (uint32_t hash = 0; hash < hashing.n_hashes; hash++)
			words[bs_hash_position(probe, hash, n_columns)] |= UINT64_C(1)
			                                                   << row_of_group;
	}
}
