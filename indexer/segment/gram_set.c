/* gram_set.c: see gram_set.h. */
#include "indexer/segment/gram_set.h"

#include <stdlib.h>

#include "core/base/vector.h"
#include "core/file/coded.h"
#include "core/file/segment_sections.h"

#define LINE_WORDS (BS_GRAM_SET_LINE_BITS / 64)

void bs_gram_set_clear(struct bs_gram_set *set)
{
	free(set->bits);
	*set = (struct bs_gram_set){.bits = NULL};
}

static enum bs_status make_bits(struct bs_gram_set *set, struct bs_error *err)
{
	if (!set->bits)
		set->bits = calloc(BS_GRAM_TRIGRAMS / 64, sizeof(*set->bits));
	return set->bits ? BS_OK
	                 : bs_fail_memory(err, "trigrams of a segment", BS_GRAM_TRIGRAMS / 8);
}

static inline bool has_bit(const uint64_t *bits, uint32_t number)
{
	return bits[number / 64] >> (number % 64) & 1;
}

/* Not inlined, because it is rarely called: nearly all bits are already set. */
static __attribute__((noinline)) void set_bit(struct bs_gram_set *set, uint32_t number)
{
	uint32_t line = number / BS_GRAM_SET_LINE_BITS;
	set->bits[number / 64] |= UINT64_C(1) << (number % 64);
	set->lines[line / 64] |= UINT64_C(1) << (line % 64);
}

enum bs_status bs_gram_set_add(struct bs_gram_set *set, const uint32_t *trigrams, size_t n,
                               struct bs_error *err)
{
	enum bs_status status = make_bits(set, err);
	const uint64_t *bits = set->bits;
	for (size_t i = 0; i < n && bits; i++) {
		uint32_t number = __builtin_bswap32(trigrams[i]) >> 8;
		if (!has_bit(bits, number))
			set_bit(set, number);
	}
	return status;
}

enum bs_status bs_gram_set_add_bytes(struct bs_gram_set *set, const uint8_t *bytes, size_t n_bytes,
                                     struct bs_error *err)
{
	const uint64_t *bits = set->bits;
	if (n_bytes < 3)
		return BS_OK;
	enum bs_status status = bits ? BS_OK : make_bits(set, err);
	bits = set->bits;
	uint32_t gram = (uint32_t)bytes[0] << 8 | bytes[1];
	for (const uint8_t *at = bytes + 2, *end = bytes + n_bytes; at < end && bits; at++) {
		gram = (gram << 8 | *at) & (BS_GRAM_TRIGRAMS - 1);
		if (!has_bit(bits, gram))
			set_bit(set, gram);
	}
	return status;
}

static enum bs_status append_line(const struct bs_gram_set *set, uint32_t line,
                                  struct bs_u64s *numbers, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t word = line * LINE_WORDS; word < (line + 1) * LINE_WORDS && !status; word++)
		for (uint64_t bits = set->bits[word]; bits && !status; bits &= bits - 1) {
			uint64_t number = (uint64_t)word * 64 + (uint32_t)__builtin_ctzll(bits);
			status = bs_vector_append(numbers, &number, err);
		}
	return status;
}

enum bs_status bs_gram_set_write(const struct bs_gram_set *set, struct bs_file_writer *writer,
                                 struct bs_error *err)
{
	struct bs_u64s numbers = {0};
	struct bs_buffer coded = {0};
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < sizeof(set->lines) / sizeof(*set->lines); i++)
		for (uint64_t lines = set->lines[i]; lines && !status; lines &= lines - 1)
			status = append_line(set, i * 64 + (uint32_t)__builtin_ctzll(lines),
			                     &numbers, err);
	if (!status)
		status = bs_coded_write(numbers.items, bs_vector_n(&numbers), &coded, err);
	if (!status) {
		bs_file_writer_section(writer, BS_SECTION_GRAM_SET, 0);
		bs_file_writer_bytes(writer, coded.data, coded.used_bytes);
	}
	bs_vector_deinit(&numbers);
	bs_buffer_deinit(&coded);
	return status;
}
