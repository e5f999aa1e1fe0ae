/* lexicon.c: looks up terms and iterates over them. See lexicon.h; lexicon_write.c writes.
 * FORMAT.md describes the bytes. */
#include "core/lexicon/lexicon.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/file/segment_sections.h"
#include "core/system/deadline.h"

#define SYMBOL_NS 10u /* estimated time of decoding a symbol */

static uint64_t block_count(const struct bs_lexicon *lexicon)
{
	return lexicon->n_terms / BS_LEXICON_BLOCK_TERMS +
	       (lexicon->n_terms % BS_LEXICON_BLOCK_TERMS != 0);
}

static uint64_t chapter_count(const struct bs_lexicon *lexicon)
{
	uint64_t n_blocks = block_count(lexicon);
	return n_blocks / BS_LEXICON_CHAPTER_BLOCKS + (n_blocks % BS_LEXICON_CHAPTER_BLOCKS != 0);
}

static enum bs_status wrong_terms(const struct bs_lexicon *lexicon, const struct bs_container *file,
                                  struct bs_error *err)
{
	return bs_container_corrupt(file, err, "the lexicon does not hold %llu terms",
	                            (unsigned long long)lexicon->n_terms);
}

static void free_codes(struct bs_term_codes *codes)
{
	if (codes)
		bs_term_codes_deinit(codes);
	free(codes);
}

enum bs_status bs_lexicon_open(struct bs_lexicon *lexicon, const struct bs_container *file,
                               uint64_t n_terms, uint64_t n_docs, struct bs_error *err)
{
	*lexicon = (struct bs_lexicon){
		.terms = bs_container_section(file, BS_SECTION_TERMS, 0),
		.separators = bs_container_section(file, BS_SECTION_TERM_SEPARATORS, 0),
		.chapters = bs_container_section(file, BS_SECTION_TERM_INDEX, 0),
		.code_lengths = bs_container_section(file, BS_SECTION_TERM_CODES, 0),
		.codes = calloc(1, sizeof(struct bs_term_codes *)),
		.n_terms = n_terms,
		.n_docs = n_docs,
	};
	/* A term has at least one bit of head and one of rest. Checking this limits n_terms, so
	 * that the number of chapters cannot overflow below. */
	bool fits = n_terms < UINT32_MAX && n_terms / 4 <= lexicon->terms.n_bytes &&
	            lexicon->chapters.n_bytes == chapter_count(lexicon) * BS_LEXICON_CHAPTER_BYTES;
	fits = fits && (n_terms == 0 ? lexicon->terms.n_bytes + lexicon->separators.n_bytes +
	                                               lexicon->code_lengths.n_bytes ==
	                                       0
	                             : lexicon->terms.n_bytes > BS_LEXICON_PAD_BYTES);
	if (fits && lexicon->codes)
		return BS_OK;
	bs_lexicon_deinit(lexicon);
	return fits ? bs_fail_memory(err, "a lexicon", sizeof(struct bs_term_codes *))
	            : wrong_terms(lexicon, file, err);
}

void bs_lexicon_deinit(struct bs_lexicon *lexicon)
{
	if (lexicon->codes)
		free_codes(*lexicon->codes);
	free(lexicon->codes);
	lexicon->codes = NULL;
}

static enum bs_status make_codes(const struct bs_lexicon *lexicon, struct bs_term_codes **codes_out,
                                 struct bs_error *err)
{
	*codes_out = malloc(sizeof(**codes_out));
	if (!*codes_out)
		return bs_fail_memory(err, "the codes of the lexicon", sizeof(**codes_out));
	enum bs_status status = bs_term_codes_read(*codes_out, &lexicon->code_lengths, err);
	if (!status && (*codes_out)->n_terms != lexicon->n_terms)
		status = wrong_terms(lexicon, lexicon->terms.file, err);
	if (status)
		free_codes(*codes_out);
	return status;
}

/* The decoded codes; NULL until read_codes has succeeded. */
static inline const struct bs_term_codes *codes_of(const struct bs_lexicon *lexicon)
{
	return __atomic_load_n(lexicon->codes, __ATOMIC_ACQUIRE);
}

/* Decodes the codes, unless a thread has done so already. If several threads decode them at once,
 * the copy of the first one is kept; all copies are equal. */
static enum bs_status read_codes(const struct bs_lexicon *lexicon, struct bs_error *err)
{
	struct bs_term_codes *made, *none = NULL;
	if (codes_of(lexicon))
		return BS_OK;
	enum bs_status status = make_codes(lexicon, &made, err);
	if (!status && !__atomic_compare_exchange_n(lexicon->codes, &none, made, false,
	                                            __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		free_codes(made);
	return status;
}

static enum bs_status corrupt_block(const struct bs_lexicon *lexicon, uint64_t block,
                                    struct bs_error *err)
{
	return bs_container_corrupt(lexicon->terms.file, err, "lexicon block %llu does not decode",
	                            (unsigned long long)block);
}

/* An open chapter. The pages of its separators are verified. */
struct chapter {
	const uint8_t *at;  /* the next separator */
	const uint8_t *end; /* end of the chapter's separators */
	uint64_t terms_off; /* where the chapter's first block begins in lexicon->terms */
};

static enum bs_status open_chapter(const struct bs_lexicon *lexicon, uint64_t c,
                                   struct chapter *chapter_out, struct bs_error *err)
{
	const uint8_t *entry = lexicon->chapters.data + c * BS_LEXICON_CHAPTER_BYTES;
	bool is_last = c + 1 == chapter_count(lexicon);
	enum bs_status status = bs_section_touch(&lexicon->chapters, c * BS_LEXICON_CHAPTER_BYTES,
	                                         (is_last ? 1 : 2) * BS_LEXICON_CHAPTER_BYTES, err);
	if (status)
		return status;
	uint64_t start = bs_load_u64(entry + 16);
	uint64_t end = is_last ? lexicon->separators.n_bytes
	                       : bs_load_u64(entry + BS_LEXICON_CHAPTER_BYTES + 16);
	if (start >= end || end > lexicon->separators.n_bytes)
		return corrupt_block(lexicon, c * BS_LEXICON_CHAPTER_BLOCKS, err);
	*chapter_out = (struct chapter){lexicon->separators.data + start,
	                                lexicon->separators.data + end, bs_load_u64(entry + 8)};
	return bs_section_touch(&lexicon->separators, start, end - start, err);
}

/* A separator in its stored form. */
struct separator {
	uint64_t block_bytes; /* length of the separator's block */
	uint64_t n_shared;    /* length of the prefix shared with the previous separator */
	uint64_t n_rest;      /* length of `rest` */
	const uint8_t *rest;  /* the bytes after the shared prefix */
};

/* Reads the separator at `at`. last_bytes: length of the previous separator; 0: none. Returns the
 * byte after the separator; NULL if the separator is invalid. */
static inline const uint8_t *read_separator(const uint8_t *at, const uint8_t *end,
                                            uint64_t last_bytes, struct separator *separator)
{
	if (end - at < BS_SEPARATOR_HEAD_BYTES)
		return NULL;
	uint64_t n_dropped = at[1] & 15;
	separator->block_bytes = at[0];
	separator->n_rest = at[1] >> 4;
	at += BS_SEPARATOR_HEAD_BYTES;
	if (separator->block_bytes == BS_SEPARATOR_LONG) {
		at = bs_varint_get(at, end, &separator->block_bytes);
		if (at)
			at = bs_varint_get(at, end, &n_dropped);
		if (at)
			at = bs_varint_get(at, end, &separator->n_rest);
	}
	if (!at || n_dropped > last_bytes || separator->n_rest > (uint64_t)(end - at))
		return NULL;
	separator->n_shared = last_bytes - n_dropped;
	separator->rest = at;
	return at + separator->n_rest;
}

/* Compares a term with the first separator of chapter c. The separator itself is read only if its
 * first eight bytes equal those of the term. */
static enum bs_status compare_chapter(const struct bs_lexicon *lexicon, uint64_t c, uint64_t prefix,
                                      const uint8_t *term, size_t term_bytes, int *order_out,
                                      struct bs_error *err)
{
	enum bs_status status =
		bs_section_touch(&lexicon->chapters, c * BS_LEXICON_CHAPTER_BYTES, 8, err);
	if (status)
		return status;
	uint64_t head = bs_load_u64(lexicon->chapters.data + c * BS_LEXICON_CHAPTER_BYTES);
	*order_out = prefix < head ? -1 : 1;
	if (prefix != head)
		return BS_OK;
	struct chapter chapter;
	struct separator separator;
	status = open_chapter(lexicon, c, &chapter, err);
	if (status)
		return status;
	if (!read_separator(chapter.at, chapter.end, 0, &separator))
		return corrupt_block(lexicon, c * BS_LEXICON_CHAPTER_BLOCKS, err);
	*order_out = bs_compare_bytes(term, term_bytes, separator.rest, (size_t)separator.n_rest);
	return BS_OK;
}

/* Finds the last chapter whose first separator is <= term; chapter 0 if there is none. */
static enum bs_status find_chapter(const struct bs_lexicon *lexicon, const uint8_t *term,
                                   size_t term_bytes, uint64_t *chapter_out, struct bs_error *err)
{
	uint64_t prefix = bs_first_eight(term, term_bytes);
	/* invariant: the first separator of chapter `low` is <= term, or low is 0 */
	uint64_t low = 0;
	uint64_t high = chapter_count(lexicon);
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;
		int order;
		enum bs_status status =
			compare_chapter(lexicon, middle, prefix, term, term_bytes, &order, err);
		if (status)
			return status;
		if (order < 0)
			high = middle;
		else
			low = middle;
	}
	*chapter_out = low;
	return BS_OK;
}

/* A block of terms, found for the term looked up. */
struct block {
	uint64_t number;
	uint64_t off; /* where the block begins in lexicon->terms */
	uint64_t n_bytes;
	uint64_t separator_bytes; /* length of the block's separator */
	/* length of the prefix that the separator shares with the term looked up */
	uint64_t n_matched;
};

/* True if the separator is greater than the term. The previous separator must be <= term, and
 * *n_matched must be the length of the prefix that the previous separator shares with the term. If
 * false is returned, *n_matched becomes that length for this separator. The separator is
 * front-coded and need not be rebuilt. If its n_shared > *n_matched, it differs from the term at
 * the same byte as the previous separator, so it is smaller than the term. If n_shared <
 * *n_matched, it is greater than the previous separator at a byte that the previous separator and
 * the term have in common, so it is greater than the term. */
static inline bool is_separator_above(const struct separator *separator, const uint8_t *term,
                                      size_t term_bytes, uint64_t *n_matched)
{
	if (separator->n_shared != *n_matched)
		return separator->n_shared < *n_matched;
	uint64_t n = *n_matched;
	uint64_t i = 0;
	while (i < separator->n_rest && n < term_bytes && separator->rest[i] == term[n]) {
		i++;
		n++;
	}
	if (i < separator->n_rest && (n == term_bytes || separator->rest[i] > term[n]))
		return true;
	*n_matched = n;
	return false;
}

/* Finds the last block whose separator is <= term, or block 0. */
static enum bs_status find_block(const struct bs_lexicon *lexicon, const uint8_t *term,
                                 size_t term_bytes, struct block *block_out, struct bs_error *err)
{
	uint64_t c;
	struct chapter chapter;
	struct separator separator;
	enum bs_status status = find_chapter(lexicon, term, term_bytes, &c, err);
	if (!status)
		status = open_chapter(lexicon, c, &chapter, err);
	if (status)
		return status;
	uint64_t number = c * BS_LEXICON_CHAPTER_BLOCKS;
	uint64_t n_left = block_count(lexicon) - number;
	uint64_t n_matched = 0, last_bytes = 0, off = chapter.terms_off;
	for (uint64_t i = 0; i < BS_LEXICON_CHAPTER_BLOCKS && i < n_left; i++) {
		chapter.at = read_separator(chapter.at, chapter.end, last_bytes, &separator);
		if (!chapter.at || separator.block_bytes > lexicon->terms.n_bytes)
			return corrupt_block(lexicon, number + i, err);
		if (is_separator_above(&separator, term, term_bytes, &n_matched) && i > 0)
			break;
		last_bytes = separator.n_shared + separator.n_rest;
		*block_out = (struct block){number + i, off, separator.block_bytes, last_bytes,
		                            n_matched};
		off += separator.block_bytes;
	}
	return BS_OK;
}

/* Checks the bounds of a block, verifies its pages, and makes sure that the codes are decoded. */
static enum bs_status open_block(const struct bs_lexicon *lexicon, uint64_t number, uint64_t off,
                                 uint64_t n_bytes, struct bs_bits *bits_out, struct bs_error *err)
{
	uint64_t most = lexicon->terms.n_bytes - BS_LEXICON_PAD_BYTES;
	if (n_bytes == 0 || n_bytes > most || off > most - n_bytes)
		return corrupt_block(lexicon, number, err);
	const uint8_t *at = lexicon->terms.data + off;
	*bits_out = (struct bs_bits){.at = at, .end = at + n_bytes};
	enum bs_status status =
		bs_section_touch(&lexicon->terms, off, n_bytes + BS_LEXICON_PAD_BYTES, err);
	return status ? status : read_codes(lexicon, err);
}

/* A decoded head (term_codes.h). */
struct head {
	uint64_t n_dropped;
	uint64_t df;
	uint32_t df_magnitude;
};

/* Reads a number that follows a head: six bits with the length of the number in bits, then the
 * number. */
static bool get_number(struct bs_bits *bits, uint64_t *number_out)
{
	if (!bs_bits_fill(bits))
		return false;
	uint32_t n = (uint32_t)(bits->window >> 58);
	uint64_t number = 0;
	bs_bits_skip(bits, 6);
	for (uint32_t n_left = n; n_left > 0;) {
		uint32_t n_now = n_left > 32 ? n_left - 32 : n_left;
		if (!bs_bits_fill(bits))
			return false;
		number = number << n_now | bits->window >> (64 - n_now);
		bs_bits_skip(bits, n_now);
		n_left -= n_now;
	}
	*number_out = number;
	return true;
}

static inline bool get_head(const struct bs_lexicon *lexicon, struct bs_bits *bits,
                            uint32_t context, struct head *head)
{
	if (!bs_bits_fill(bits))
		return false;
	uint32_t coded = bs_code_get(codes_of(lexicon)->heads[context], bits->window);
	if (!coded)
		return false;
	uint32_t symbol = BS_CODED_SYMBOL(coded);
	bs_bits_skip(bits, BS_CODED_BITS(coded));
	head->df_magnitude = symbol % BS_DF_MAGNITUDES;
	head->n_dropped = symbol / BS_DF_MAGNITUDES;
	head->df = head->df_magnitude + 1;
	if (head->n_dropped == BS_DROP_MORE) {
		if (!get_number(bits, &head->n_dropped) || !bs_bits_fill(bits))
			return false;
		head->n_dropped += BS_DROP_MORE;
	}
	if (head->df_magnitude > 2 && head->df_magnitude < BS_DF_MORE) {
		/* After bs_bits_fill the window had at least 33 bits. The code of the head took at
		 * most 15 of them, and the df takes at most 5. */
		uint32_t n = bs_df_bits(head->df_magnitude);
		head->df = UINT64_C(1) << n | bits->window >> (64 - n);
		bs_bits_skip(bits, n);
	} else if (head->df_magnitude == BS_DF_MORE) {
		if (!get_number(bits, &head->df))
			return false;
		head->df += BS_DF_MORE_LEAST;
	}
	return head->df <= lexicon->n_docs;
}

/* Decodes the next symbol of a rest; 0: invalid. */
static inline uint32_t get_symbol(const struct bs_lexicon *lexicon, struct bs_bits *bits,
                                  uint32_t context)
{
	if (!bs_bits_fill(bits))
		return 0;
	uint32_t coded = bs_code_get(codes_of(lexicon)->rests[context], bits->window);
	bs_bits_skip(bits, BS_CODED_BITS(coded));
	return coded;
}

/* Skips a rest. Returns the number of its bytes; UINT64_MAX: invalid. */
static inline uint64_t skip_rest(const struct bs_lexicon *lexicon, struct bs_bits *bits,
                                 uint32_t context)
{
	for (uint64_t n_bytes = 0;;) {
		uint32_t coded = get_symbol(lexicon, bits, context);
		if (!coded)
			return UINT64_MAX;
		n_bytes += BS_CODED_BYTES(coded);
		if (BS_CODED_IS_END(coded))
			return n_bytes;
		context = BS_CODED_CONTEXT(coded);
	}
}

/* Like skip_rest, but also adds to *n_matched the number of bytes by which the rest extends the
 * prefix that the current term shares with the term looked up. */
static uint64_t match_rest(const struct bs_lexicon *lexicon, struct bs_bits *bits, uint32_t context,
                           const uint8_t *term, size_t term_bytes, uint64_t *n_matched)
{
	uint64_t start = *n_matched;
	for (uint64_t n_bytes = 0;;) {
		uint32_t coded = get_symbol(lexicon, bits, context);
		if (!coded)
			return UINT64_MAX;
		const uint8_t *bytes = codes_of(lexicon)->symbols[BS_CODED_SYMBOL(coded)];
		for (uint32_t i = 0; i < BS_CODED_BYTES(coded); i++, n_bytes++)
			if (*n_matched == start + n_bytes && *n_matched < term_bytes &&
			    bytes[i] == term[*n_matched])
				++*n_matched;
		if (BS_CODED_IS_END(coded))
			return n_bytes;
		context = BS_CODED_CONTEXT(coded);
	}
}

/* Looks a term up in a block without rebuilding the terms of the block. n_matched: length of the
 * prefix that the current term of the block shares with the term looked up. If the next term of the
 * block shares fewer than n_matched bytes with the current one, the next term and all later terms
 * are greater than the term looked up. */
static enum bs_status find_in_block(const struct bs_lexicon *lexicon, const struct block *block,
                                    const uint8_t *term, size_t term_bytes, bool *found_out,
                                    uint64_t *ordinal_out, uint64_t *df_out, struct bs_error *err)
{
	struct bs_bits bits;
	enum bs_status status =
		open_block(lexicon, block->number, block->off, block->n_bytes, &bits, err);
	if (status)
		return status;
	uint64_t first = block->number * BS_LEXICON_BLOCK_TERMS;
	uint64_t n_left = lexicon->n_terms - first;
	uint64_t n_matched = block->n_matched, last_bytes = block->separator_bytes;
	uint32_t context = 0;
	for (uint64_t i = 0; i < BS_LEXICON_BLOCK_TERMS && i < n_left; i++) {
		struct head head;
		if (!get_head(lexicon, &bits, context, &head) || head.n_dropped > last_bytes)
			return corrupt_block(lexicon, block->number, err);
		uint64_t n_shared = last_bytes - head.n_dropped;
		if (n_shared < n_matched)
			return BS_OK;
		uint32_t rest_context = bs_first_context(head.n_dropped);
		uint64_t n_rest = n_shared > n_matched ? skip_rest(lexicon, &bits, rest_context)
		                                       : match_rest(lexicon, &bits, rest_context,
		                                                    term, term_bytes, &n_matched);
		if (n_rest == UINT64_MAX)
			return corrupt_block(lexicon, block->number, err);
		last_bytes = n_shared + n_rest;
		if (n_matched == term_bytes && last_bytes == term_bytes) {
			*found_out = true;
			*ordinal_out = first + i;
			*df_out = head.df;
			return BS_OK;
		}
		context = bs_head_context(n_rest, head.df_magnitude);
	}
	return BS_OK;
}

enum bs_status bs_lexicon_find(const struct bs_lexicon *lexicon, const uint8_t *term,
                               uint32_t term_bytes, bool *found_out, uint64_t *ordinal_out,
                               uint64_t *df_out, struct bs_error *err)
{
	*found_out = false;
	*ordinal_out = 0;
	*df_out = 0;
	if (lexicon->n_terms == 0)
		return BS_OK;
	struct block block = {0};
	enum bs_status status = find_block(lexicon, term, term_bytes, &block, err);
	return status ? status
	              : find_in_block(lexicon, &block, term, term_bytes, found_out, ordinal_out,
	                              df_out, err);
}

/* Enters the next block and rebuilds its separator. */
static enum bs_status cursor_enter(struct bs_lexicon_cursor *cursor, struct bs_error *err)
{
	const struct bs_lexicon *lexicon = cursor->lexicon;
	uint64_t block = cursor->next_block;
	struct separator separator;
	enum bs_status status = BS_OK;
	if (block % BS_LEXICON_CHAPTER_BLOCKS == 0) {
		struct chapter chapter;
		status = open_chapter(lexicon, block / BS_LEXICON_CHAPTER_BLOCKS, &chapter, err);
		if (status)
			return status;
		cursor->next_separator = chapter.at;
		cursor->separators_end = chapter.end;
		cursor->next_block_off = chapter.terms_off;
		bs_buffer_clear(&cursor->separator);
	}
	const uint8_t *at = read_separator(cursor->next_separator, cursor->separators_end,
	                                   cursor->separator.used_bytes, &separator);
	if (!at)
		return corrupt_block(lexicon, block, err);
	cursor->separator.used_bytes = (size_t)separator.n_shared;
	cursor->separator_shared = separator.n_shared;
	status =
		bs_buffer_append(&cursor->separator, separator.rest, (size_t)separator.n_rest, err);
	if (!status)
		status = open_block(lexicon, block, cursor->next_block_off, separator.block_bytes,
		                    &cursor->bits, err);
	cursor->next_separator = at;
	cursor->next_block_off += separator.block_bytes;
	cursor->next_block++;
	cursor->head_context = 0;
	return status;
}

/* Makes the separator of the block the current term, because the first term of the block is coded
 * relative to it. A separator is as short as possible; therefore the first term and the separator
 * share the same prefix with the last term of the previous block. */
static enum bs_status cursor_take_separator(struct bs_lexicon_cursor *cursor, struct bs_error *err)
{
	const struct bs_buffer *separator = &cursor->separator;
	size_t n = bs_common_bytes(separator->data, separator->used_bytes, cursor->term.data,
	                           cursor->term.used_bytes);
	cursor->n_shared = n;
	cursor->term.used_bytes = n;
	return n == separator->used_bytes ? BS_OK
	                                  : bs_buffer_append(&cursor->term, separator->data + n,
	                                                     separator->used_bytes - n, err);
}

static enum bs_status cursor_take_rest(struct bs_lexicon_cursor *cursor, uint32_t context,
                                       struct bs_error *err)
{
	const struct bs_lexicon *lexicon = cursor->lexicon;
	for (uint64_t i = 0;; i++) {
		uint32_t coded = get_symbol(lexicon, &cursor->bits, context);
		if (!coded)
			return corrupt_block(lexicon, cursor->next / BS_LEXICON_BLOCK_TERMS, err);
		enum bs_status asked = bs_deadline_each(i, SYMBOL_NS, err);
		if (asked)
			return asked;
		if (cursor->term.capacity_bytes - cursor->term.used_bytes < BS_SYMBOL_BYTES) {
			enum bs_status status =
				bs_buffer_reserve(&cursor->term, BS_SYMBOL_BYTES, err);
			if (status)
				return status;
		}
		memcpy(cursor->term.data + cursor->term.used_bytes,
		       codes_of(lexicon)->symbols[BS_CODED_SYMBOL(coded)], BS_SYMBOL_BYTES);
		cursor->term.used_bytes += BS_CODED_BYTES(coded);
		if (BS_CODED_IS_END(coded) && cursor->term.used_bytes > UINT32_MAX)
			return corrupt_block(lexicon, cursor->next / BS_LEXICON_BLOCK_TERMS, err);
		if (BS_CODED_IS_END(coded))
			return BS_OK;
		context = BS_CODED_CONTEXT(coded);
	}
}

enum bs_status bs_lexicon_cursor_next(struct bs_lexicon_cursor *cursor, bool *end_out,
                                      struct bs_error *err)
{
	const struct bs_lexicon *lexicon = cursor->lexicon;
	enum bs_status status = BS_OK;
	*end_out = cursor->next >= lexicon->n_terms && !cursor->is_waiting;
	if (*end_out || cursor->is_waiting) {
		cursor->is_waiting = false;
		return BS_OK;
	}
	bool is_first = cursor->next % BS_LEXICON_BLOCK_TERMS == 0;
	if (is_first)
		status = cursor_enter(cursor, err);
	if (!status && is_first)
		status = cursor_take_separator(cursor, err);
	if (status)
		return status;
	struct head head;
	size_t last_bytes = cursor->term.used_bytes;
	if (!get_head(lexicon, &cursor->bits, cursor->head_context, &head) ||
	    head.n_dropped > last_bytes || (is_first && head.n_dropped != 0))
		return corrupt_block(lexicon, cursor->next / BS_LEXICON_BLOCK_TERMS, err);
	cursor->term.used_bytes = last_bytes - (size_t)head.n_dropped;
	size_t n_shared = cursor->term.used_bytes;
	status = cursor_take_rest(cursor, bs_first_context(head.n_dropped), err);
	if (status)
		return status;
	if (!is_first)
		cursor->n_shared = n_shared;
	cursor->head_context =
		bs_head_context(cursor->term.used_bytes - n_shared, head.df_magnitude);
	cursor->df = head.df;
	cursor->ordinal = cursor->next++;
	return BS_OK;
}

/* Positions the cursor before the first term of a block. Reads the chapter's separators up to that
 * block. */
static enum bs_status cursor_go(struct bs_lexicon_cursor *cursor, uint64_t block,
                                struct bs_error *err)
{
	enum bs_status status = BS_OK;
	cursor->next_block = block - block % BS_LEXICON_CHAPTER_BLOCKS;
	bs_buffer_clear(&cursor->term);
	while (cursor->next_block < block && !status)
		status = cursor_enter(cursor, err);
	cursor->next = block * BS_LEXICON_BLOCK_TERMS;
	return status;
}

enum bs_status bs_lexicon_cursor_seek(struct bs_lexicon_cursor *cursor, const uint8_t *from,
                                      uint32_t from_bytes, struct bs_error *err)
{
	const struct bs_lexicon *lexicon = cursor->lexicon;
	cursor->next = 0;
	cursor->is_waiting = false;
	if (lexicon->n_terms == 0)
		return BS_OK;
	struct block block = {0};
	enum bs_status status = find_block(lexicon, from, from_bytes, &block, err);
	if (!status)
		status = cursor_go(cursor, block.number, err);
	for (bool end = false; !status && !end;) {
		/* Decode terms up to the first one that is >= from, and let bs_lexicon_cursor_next
		 * return that one. */
		status = bs_lexicon_cursor_next(cursor, &end, err);
		const struct bs_buffer *term = &cursor->term;
		cursor->is_waiting =
			!status && !end &&
			bs_compare_bytes(term->data, term->used_bytes, from, from_bytes) >= 0;
		end |= cursor->is_waiting;
	}
	return status;
}

void bs_lexicon_cursor_deinit(struct bs_lexicon_cursor *cursor)
{
	bs_buffer_deinit(&cursor->term);
	bs_buffer_deinit(&cursor->separator);
}
