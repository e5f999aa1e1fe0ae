/* lexicon.c: front-coded terms with document frequencies. See lexicon.h; bytes in FORMAT.md. */
#include "core/lexicon.h"

#include <string.h>

#include "core/bytes.h"
#include "core/segment_sections.h"

#define TERMS_PER_BLOCK   BS_LEXICON_BLOCK_TERMS
#define INDEX_ENTRY_BYTES BS_LEXICON_INDEX_BYTES

/* The first eight bytes as a number that sorts as the bytes do; shorter terms are padded with zeros. */
static uint64_t term_prefix(const uint8_t *term, size_t term_bytes)
{
	uint64_t prefix = 0;
	for (size_t i = 0; i < 8; i++)
		prefix = prefix << 8 | (i < term_bytes ? term[i] : 0);
	return prefix;
}

static int compare_terms(const uint8_t *a, size_t a_bytes, const uint8_t *b, size_t b_bytes)
{
	size_t n_bytes = a_bytes < b_bytes ? a_bytes : b_bytes;
	int order = n_bytes ? memcmp(a, b, n_bytes) : 0; /* no bytes may be at NULL */
	if (order)
		return order;
	return a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

/* ---- writing ---- */

void bs_lexicon_writer_init(struct bs_lexicon_writer *lexicon, struct bs_writer *writer)
{
	*lexicon = (struct bs_lexicon_writer){.writer = writer};
	bs_writer_section(writer, BS_SECTION_TERMS, 0);
}

static enum bs_status writer_index(struct bs_lexicon_writer *lexicon, const uint8_t *term, uint32_t term_bytes)
{
	uint8_t entry[INDEX_ENTRY_BYTES];
	bs_store_u64(entry, term_prefix(term, term_bytes));
	bs_store_u64(entry + 8, bs_writer_section_bytes(lexicon->writer));
	return bs_buffer_append(&lexicon->index, entry, sizeof(entry), NULL);
}

void bs_lexicon_writer_add(struct bs_lexicon_writer *lexicon, const uint8_t *term, uint32_t term_bytes, uint64_t df)
{
	if (lexicon->status)
		return;
	size_t n_shared = 0;
	if (lexicon->n_terms % TERMS_PER_BLOCK == 0) {
		lexicon->status = writer_index(lexicon, term, term_bytes);
	} else {
		const struct bs_buffer *last = &lexicon->last;
		while (n_shared < term_bytes && n_shared < last->used_bytes && term[n_shared] == last->data[n_shared])
			n_shared++;
	}
	bs_writer_varint(lexicon->writer, df);
	bs_writer_varint(lexicon->writer, n_shared);
	bs_writer_varint(lexicon->writer, term_bytes - n_shared);
	bs_writer_bytes(lexicon->writer, term + n_shared, term_bytes - n_shared);
	bs_buffer_clear(&lexicon->last);
	if (!lexicon->status)
		lexicon->status = bs_buffer_append(&lexicon->last, term, term_bytes, NULL);
	lexicon->n_terms++;
}

enum bs_status bs_lexicon_writer_finish(struct bs_lexicon_writer *lexicon, struct bs_error *err)
{
	bs_writer_section(lexicon->writer, BS_SECTION_TERM_INDEX, 0);
	bs_writer_bytes(lexicon->writer, lexicon->index.data, lexicon->index.used_bytes);
	bs_buffer_deinit(&lexicon->index);
	bs_buffer_deinit(&lexicon->last);
	if (lexicon->status)
		return bs_fail_memory(err, "the lexicon's index", 0);
	return BS_OK;
}

/* ---- reading ---- */

static uint64_t block_count(const struct bs_lexicon *lexicon)
{
	return (lexicon->n_terms + TERMS_PER_BLOCK - 1) / TERMS_PER_BLOCK;
}

enum bs_status bs_lexicon_open(struct bs_lexicon *lexicon, const struct bs_container *file, uint64_t n_terms,
                               struct bs_error *err)
{
	*lexicon = (struct bs_lexicon){
		.terms = bs_container_section(file, BS_SECTION_TERMS, 0),
		.index = bs_container_section(file, BS_SECTION_TERM_INDEX, 0),
		.n_terms = n_terms,
	};
	if (n_terms > lexicon->terms.n_bytes || lexicon->index.n_bytes != block_count(lexicon) * INDEX_ENTRY_BYTES)
		return bs_container_corrupt(file, err, "the lexicon does not hold %llu terms", (unsigned long long)n_terms);
	return BS_OK;
}

static enum bs_status corrupt_term(const struct bs_lexicon *lexicon, uint64_t block, struct bs_error *err)
{
	return bs_container_corrupt(lexicon->terms.file, err, "lexicon block %llu does not decode", (unsigned long long)block);
}

/* [start, end) of a block's bytes, verified. */
static enum bs_status block_span(const struct bs_lexicon *lexicon, uint64_t block, const uint8_t **start_out,
                                 const uint8_t **end_out, struct bs_error *err)
{
	uint64_t at = block * INDEX_ENTRY_BYTES;
	bool is_last = block + 1 == block_count(lexicon);
	enum bs_status status = bs_section_touch(&lexicon->index, at, is_last ? 16 : 32, err);
	if (status)
		return status;
	uint64_t start = bs_load_u64(lexicon->index.data + at + 8);
	uint64_t end = is_last ? lexicon->terms.n_bytes : bs_load_u64(lexicon->index.data + at + 24);
	if (start >= end || end > lexicon->terms.n_bytes)
		return corrupt_term(lexicon, block, err);
	*start_out = lexicon->terms.data + start;
	*end_out = lexicon->terms.data + end;
	return bs_section_touch(&lexicon->terms, start, end - start, err);
}

/* One entry as it stands in the file. */
struct coded_term {
	uint64_t df;
	uint64_t n_shared;
	uint64_t n_rest;
	const uint8_t *rest;
};

/* Decodes the entry at `at`; NULL if it does not lie within end. */
static const uint8_t *decode_term(const uint8_t *at, const uint8_t *end, struct coded_term *term)
{
	at = bs_varint_get(at, end, &term->df);
	if (at)
		at = bs_varint_get(at, end, &term->n_shared);
	if (at)
		at = bs_varint_get(at, end, &term->n_rest);
	if (!at || term->n_rest > (uint64_t)(end - at))
		return NULL;
	term->rest = at;
	return at + term->n_rest;
}

/* Order of the term sought against the first term of a block, by the prefix alone where that decides. */
static enum bs_status compare_head(const struct bs_lexicon *lexicon, uint64_t block, uint64_t prefix,
                                   const uint8_t *term, size_t term_bytes, int *order_out, struct bs_error *err)
{
	enum bs_status status = bs_section_touch(&lexicon->index, block * INDEX_ENTRY_BYTES, INDEX_ENTRY_BYTES, err);
	if (status)
		return status;
	uint64_t head = bs_load_u64(lexicon->index.data + block * INDEX_ENTRY_BYTES);
	*order_out = prefix < head ? -1 : 1;
	if (prefix != head)
		return BS_OK;
	const uint8_t *start, *end;
	struct coded_term coded;
	status = block_span(lexicon, block, &start, &end, err);
	if (status)
		return status;
	if (!decode_term(start, end, &coded) || coded.n_shared != 0)
		return corrupt_term(lexicon, block, err);
	*order_out = compare_terms(term, term_bytes, coded.rest, (size_t)coded.n_rest);
	return BS_OK;
}

/* The last block whose first term is <= term; 0 if there is none such. */
static enum bs_status find_block(const struct bs_lexicon *lexicon, const uint8_t *term, size_t term_bytes,
                                 uint64_t *block_out, struct bs_error *err)
{
	uint64_t prefix = term_prefix(term, term_bytes);
	uint64_t low = 0; /* its head is <= term, or it is block 0 */
	uint64_t high = block_count(lexicon);
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		int order;
		enum bs_status status = compare_head(lexicon, middle, prefix, term, term_bytes, &order, err);
		if (status)
			return status;
		if (order < 0)
			high = middle;
		else
			low = middle;
	}
	*block_out = low;
	return BS_OK;
}

/*
 * Walks a block without rebuilding its terms: n_matched is how many leading bytes of the term sought the current term
 * matches. A term that shares fewer bytes with its predecessor than that has left the neighbourhood for good.
 */
static enum bs_status find_in_block(const struct bs_lexicon *lexicon, uint64_t block, const uint8_t *term,
                                    size_t term_bytes, bool *found_out, uint64_t *ordinal_out, uint64_t *df_out,
                                    struct bs_error *err)
{
	const uint8_t *at, *end;
	enum bs_status status = block_span(lexicon, block, &at, &end, err);
	if (status)
		return status;
	uint64_t n_left = lexicon->n_terms - block * TERMS_PER_BLOCK;
	uint64_t n_matched = 0;
	for (uint64_t i = 0; i < TERMS_PER_BLOCK && i < n_left; i++) {
		struct coded_term coded;
		at = decode_term(at, end, &coded);
		if (!at)
			return corrupt_term(lexicon, block, err);
		if (coded.n_shared > n_matched)
			continue;
		if (coded.n_shared < n_matched)
			return BS_OK;
		uint64_t j = 0;
		while (j < coded.n_rest && n_matched < term_bytes && coded.rest[j] == term[n_matched]) {
			j++;
			n_matched++;
		}
		if (j == coded.n_rest && n_matched == term_bytes) {
			*found_out = true;
			*ordinal_out = block * TERMS_PER_BLOCK + i;
			*df_out = coded.df;
			return BS_OK;
		}
	}
	return BS_OK;
}

enum bs_status bs_lexicon_find(const struct bs_lexicon *lexicon, const uint8_t *term, uint32_t term_bytes,
                               bool *found_out, uint64_t *ordinal_out, uint64_t *df_out, struct bs_error *err)
{
	*found_out = false;
	*ordinal_out = 0;
	*df_out = 0;
	if (lexicon->n_terms == 0)
		return BS_OK;
	uint64_t block;
	enum bs_status status = find_block(lexicon, term, term_bytes, &block, err);
	if (status)
		return status;
	return find_in_block(lexicon, block, term, term_bytes, found_out, ordinal_out, df_out, err);
}

/* ---- walking ---- */

enum bs_status bs_lexicon_cursor_next(struct bs_lexicon_cursor *cursor, bool *end_out, struct bs_error *err)
{
	const struct bs_lexicon *lexicon = cursor->lexicon;
	enum bs_status status;
	*end_out = cursor->next >= lexicon->n_terms;
	if (*end_out)
		return BS_OK;
	uint64_t block = cursor->next / TERMS_PER_BLOCK;
	const uint8_t *start, *end;
	status = block_span(lexicon, block, &start, &end, err);
	if (status)
		return status;
	if (cursor->next % TERMS_PER_BLOCK == 0) {
		cursor->at = start;
		bs_buffer_clear(&cursor->term);
	}
	struct coded_term coded;
	const uint8_t *at = decode_term(cursor->at, end, &coded);
	if (!at || coded.n_shared > cursor->term.used_bytes)
		return corrupt_term(lexicon, block, err);
	cursor->n_shared = coded.n_shared;
	cursor->term.used_bytes = (size_t)coded.n_shared;
	status = bs_buffer_append(&cursor->term, coded.rest, (size_t)coded.n_rest, err);
	if (status)
		return status;
	cursor->at = at;
	cursor->df = coded.df;
	cursor->ordinal = cursor->next++;
	return BS_OK;
}

enum bs_status bs_lexicon_cursor_seek(struct bs_lexicon_cursor *cursor, const uint8_t *from, uint32_t from_bytes,
                                      struct bs_error *err)
{
	const struct bs_lexicon *lexicon = cursor->lexicon;
	cursor->next = 0;
	if (lexicon->n_terms == 0)
		return BS_OK;
	uint64_t block;
	enum bs_status status = find_block(lexicon, from, from_bytes, &block, err);
	if (status)
		return status;
	cursor->next = block * TERMS_PER_BLOCK;
	for (bool end = false; !end;) {
		/* Stand before the first term that is not smaller: look one ahead, step back by restoring the cursor. */
		struct bs_lexicon_cursor before = *cursor;
		status = bs_lexicon_cursor_next(cursor, &end, err);
		if (status)
			return status;
		if (!end && compare_terms(cursor->term.data, cursor->term.used_bytes, from, from_bytes) >= 0) {
			/* The term before shares its leading bytes with this one; keep what this one shares. */
			cursor->next = before.next;
			cursor->at = before.at;
			return BS_OK;
		}
	}
	return BS_OK;
}

void bs_lexicon_cursor_deinit(struct bs_lexicon_cursor *cursor)
{
	bs_buffer_deinit(&cursor->term);
}
