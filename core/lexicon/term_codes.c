/* term_codes.c: reads the prefix codes of a lexicon. See term_codes.h; FORMAT.md describes the
 * bytes. */
#include "core/lexicon/term_codes.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"

static enum bs_status corrupt_codes(const struct bs_section *section, struct bs_error *err)
{
	return bs_container_corrupt(section->file, err,
	                            "the codes of the lexicon break their own rules");
}

/* Reads the symbols, and computes the decoded entry (BS_CODED) of each into `what`. Returns the
 * byte after the symbols; NULL if they are invalid. */
static const uint8_t *read_symbols(struct bs_term_codes *codes, const uint8_t *at,
                                   const uint8_t *end, uint32_t *what)
{
	for (uint32_t i = 0; i < codes->n_symbols; i++) {
		if (at == end)
			return NULL;
		uint32_t n_bytes = *at & 15;
		uint32_t is_end = *at >> 4;
		if (n_bytes > BS_SYMBOL_BYTES || is_end > 1 || n_bytes + is_end == 0 ||
		    n_bytes > (size_t)(end - at - 1))
			return NULL;
		memcpy(codes->symbols[i], at + 1, n_bytes);
		what[i] = BS_CODED(i, n_bytes, is_end, n_bytes ? bs_next_context(at[n_bytes]) : 0);
		at += 1 + n_bytes;
	}
	return at;
}

/* Reads symbols and codes. by_context: the section has a code for each context. what: scratch for
 * the decoded entries of the symbols. */
static enum bs_status read_all(struct bs_term_codes *codes, const struct bs_section *section,
                               bool by_context, uint32_t *what, struct bs_error *err)
{
	uint32_t n_heads = by_context ? BS_HEAD_CONTEXTS : 1;
	uint32_t n_rests = by_context ? BS_REST_CONTEXTS : 1;
	uint32_t heads[BS_N_HEADS];
	const uint8_t *end = section->data + section->n_bytes;
	const uint8_t *at =
		read_symbols(codes, section->data + BS_TERM_CODES_HEAD_BYTES, end, what);
	uint32_t rest_bytes = codes->n_symbols / 2 + codes->n_symbols % 2;
	if (!at || (uint64_t)(end - at) !=
	                   (uint64_t)n_heads * BS_HEAD_CODE_BYTES + (uint64_t)n_rests * rest_bytes)
		return corrupt_codes(section, err);
	for (uint32_t i = 0; i < BS_N_HEADS; i++)
		heads[i] = BS_CODED(i, 0, 0, 0);
	enum bs_status status = BS_OK;
	bool valid = true;
	for (uint32_t i = 0; i < n_heads && valid && !status; i++, at += BS_HEAD_CODE_BYTES)
		status = bs_code_read(&codes->codes, i, at, heads, BS_N_HEADS, &valid, err);
	for (uint32_t i = 0; i < n_rests && valid && !status; i++, at += rest_bytes)
		status = bs_code_read(&codes->codes, n_heads + i, at, what, codes->n_symbols,
		                      &valid, err);
	if (!status && !valid)
		return corrupt_codes(section, err);
	bs_code_set_finish(&codes->codes, n_heads + n_rests);
	for (uint32_t i = 0; i < BS_HEAD_CONTEXTS; i++)
		codes->heads[i] = &codes->codes.codes[by_context ? i : 0];
	for (uint32_t i = 0; i < BS_REST_CONTEXTS; i++)
		codes->rests[i] = &codes->codes.codes[n_heads + (by_context ? i : 0)];
	return status;
}

enum bs_status bs_term_codes_read(struct bs_term_codes *codes, const struct bs_section *section,
                                  struct bs_error *err)
{
	*codes = (struct bs_term_codes){0};
	enum bs_status status = bs_section_touch(section, 0, section->n_bytes, err);
	if (status)
		return status;
	if (section->n_bytes < BS_TERM_CODES_HEAD_BYTES)
		return corrupt_codes(section, err);
	codes->n_terms = bs_load_u64(section->data);
	codes->n_symbols = bs_load_u32(section->data + 8);
	uint32_t by_context = bs_load_u32(section->data + 12);
	if (codes->n_symbols > BS_MAX_SYMBOLS || codes->n_symbols > section->n_bytes ||
	    by_context > 1)
		return corrupt_codes(section, err);
	size_t n_codes = by_context ? BS_HEAD_CONTEXTS + BS_REST_CONTEXTS : 2;
	uint32_t *what = malloc(((size_t)codes->n_symbols + 1) * sizeof(*what));
	codes->symbols = calloc((size_t)codes->n_symbols + 1, sizeof(*codes->symbols));
	status = bs_code_set_init(&codes->codes, n_codes, err);
	if (!status && (!what || !codes->symbols))
		status = bs_fail_memory(err, "the codes of the lexicon",
		                        codes->n_symbols * sizeof(*what));
	if (!status)
		status = read_all(codes, section, by_context, what, err);
	free(what);
	return status;
}

void bs_term_codes_deinit(struct bs_term_codes *codes)
{
	free(codes->symbols);
	bs_code_set_deinit(&codes->codes);
	*codes = (struct bs_term_codes){0};
}
