/*
 * tokenizer_nfc.c: see tokenizer_nfc.h.
 *
 * Nearly all text is in NFC and consists of stable code points (BS_CODE_POINT_STABLE), which are
 * recognized by one load each. Around other code points, the text is normalized by segments: the
 * NFC of a text is that of its segments. A segment begins at a code point that does not join the
 * one before it, and ends before the next such code point. Most segments have two to four units and
 * few are distinct, so their NFC is cached. Where the NFC differs from the text, an edit records
 * which units represent which bytes:
 *
 *      text       c  a  f  e U+0301 .  x         bytes 0..7
 *      units      c  a  f  é  .  x
 *      edit                |                     unit 3, 1 unit; byte 3, 3 bytes
 */
#include "core/text/tokenizer_nfc.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/vector.h"
#include "core/system/deadline.h"
#include "core/text/tokenizer_class.h"

/* The approximate cost of a byte of text and of a normalized unit, for the deadline. */
#define BYTE_NS     4u
#define UNIT_NS     10u
#define SPEND_BYTES 4096

/* Units [unit, unit + n_units) of the window are the NFC of bytes [byte, byte + n_bytes) of the
 * text. */
struct edit {
	int32_t unit, n_units;
	size_t byte, n_bytes;
};

/* Normalizing in linear time. */

/* ICU moves each mark past marks of higher classes one by one, which is quadratic in long sequences
 * of code points without a boundary. The marks of such sequences are sorted first. To find them,
 * has_long_sequence looks at the beginning of each step of STEP_UNITS units: a sequence of at least
 * 2 * STEP_UNITS units contains a whole step, which has at least STEP_UNITS / 2 code points. */
#define STEP_UNITS 32

static bool has_long_sequence(const UNormalizer2 *form, const UChar *units, int32_t n_units)
{
	int32_t n = 0;
	for (int32_t start = 0; start < n_units && n < STEP_UNITS / 2; start += STEP_UNITS) {
		int32_t at = start - (start > 0 && U16_IS_TRAIL(units[start]));
		for (n = 0; at < n_units && n < STEP_UNITS / 2; n++)
			if (bs_icu.unorm2_hasBoundaryBefore(form, bs_tokenizer_next(units, &at)))
				break;
	}
	return n >= STEP_UNITS / 2;
}

/* A mark is coded as a number: its canonical combining class, shifted by CLASS_SHIFT, plus its code
 * point. */
#define CLASS_SHIFT 24
#define N_CLASSES   256

/* Sorts n marks by class, stably. to: room for n marks. */
static void order_marks(const uint32_t *marks, size_t n, uint32_t *to)
{
	size_t starts[N_CLASSES + 1] = {0};
	for (size_t i = 0; i < n; i++)
		starts[(marks[i] >> CLASS_SHIFT) + 1]++;
	for (size_t class = 0; class < N_CLASSES; class ++)
		starts[class + 1] += starts[class];
	for (size_t i = 0; i < n; i++)
		to[starts[marks[i] >> CLASS_SHIFT]++] = marks[i];
}

/* The state of putting code points into canonical order. */
struct ordering {
	const UNormalizer2 *form;
	struct bs_buffer *out; /* UTF-16 */
	struct bs_u32s marks;  /* marks since the last code point that is not a mark */
	struct bs_buffer sorted;
	struct bs_error *err;
};

static enum bs_status append_unit_pair(struct ordering *ordering, UChar32 c)
{
	UChar units[2];
	int32_t n = 0;
	U16_APPEND_UNSAFE(units, n, (uint32_t)c);
	return bs_buffer_append(ordering->out, units, (size_t)n * sizeof(UChar), ordering->err);
}

static enum bs_status flush_marks(struct ordering *ordering)
{
	size_t n = bs_vector_n(&ordering->marks);
	if (n == 0)
		return BS_OK;
	bs_buffer_clear(&ordering->sorted);
	enum bs_status status = bs_buffer_reserve(&ordering->sorted,
	                                          ordering->marks.bytes.used_bytes, ordering->err);
	if (status)
		return status;
	uint32_t *sorted = (uint32_t *)(void *)ordering->sorted.data;
	order_marks(ordering->marks.items, n, sorted);
	for (size_t i = 0; i < n && !status; i++)
		status = append_unit_pair(ordering,
		                          (UChar32)(sorted[i] & ((1u << CLASS_SHIFT) - 1)));
	bs_vector_clear(&ordering->marks);
	return status;
}

static enum bs_status order_one(struct ordering *ordering, UChar32 c)
{
	uint32_t class = bs_icu.unorm2_getCombiningClass(ordering->form, c);
	uint32_t mark = class << CLASS_SHIFT | (uint32_t)c;
	if (class)
		return bs_vector_append(&ordering->marks, &mark, ordering->err);
	enum bs_status status = flush_marks(ordering);
	return status ? status : append_unit_pair(ordering, c);
}

/* Writes to *ordering->out the decompositions of the code points, in canonical order. The normal
 * form of this output equals that of the input. */
static enum bs_status put_in_order(struct ordering *ordering, const UChar *units, int32_t n_units)
{
	enum bs_status status = BS_OK;
	bs_buffer_clear(ordering->out);
	for (int32_t at = 0, spent = 0; at < n_units && !status;) {
		UErrorCode code = U_ZERO_ERROR;
		UChar parts[64]; /* the longest decomposition has 18 units */
		UChar32 c = bs_tokenizer_next(units, &at);
		int32_t n_parts =
			bs_icu.unorm2_getDecomposition(ordering->form, c, parts, 64, &code);
		if (U_FAILURE(code))
			return bs_tokenizer_fail_icu(ordering->err, "decomposing a character",
			                             code);
		if (n_parts < 0)
			status = order_one(ordering, c);
		for (int32_t i = 0; i < n_parts && !status;)
			status = order_one(ordering, bs_tokenizer_next(parts, &i));
		if (!status && at - spent >= SPEND_BYTES) {
			status = bs_deadline_check_after((uint64_t)(at - spent) * 4 * UNIT_NS,
			                                 ordering->err);
			spent = at;
		}
	}
	return status ? status : flush_marks(ordering);
}

static enum bs_status order(struct bs_tokenizer *tokenizer, const UNormalizer2 *form,
                            const UChar **from, int32_t *from_units, struct bs_error *err)
{
	struct ordering ordering = {.form = form, .out = &tokenizer->normal.ordered, .err = err};
	enum bs_status status = put_in_order(&ordering, *from, *from_units);
	bs_vector_deinit(&ordering.marks);
	bs_buffer_deinit(&ordering.sorted);
	if (!status && tokenizer->normal.ordered.used_bytes / sizeof(UChar) > INT32_MAX)
		status = bs_fail(err, BS_UNSUPPORTED, "a word of more than %ld characters",
		                 (long)INT32_MAX);
	*from = (const UChar *)(const void *)tokenizer->normal.ordered.data;
	*from_units = (int32_t)(tokenizer->normal.ordered.used_bytes / sizeof(UChar));
	return status;
}

enum bs_status bs_tokenizer_normalize(struct bs_tokenizer *tokenizer, const UNormalizer2 *form,
                                      const UChar *from, int32_t from_units, struct bs_buffer *to,
                                      int32_t *n_units_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (from_units > 2 * STEP_UNITS && has_long_sequence(form, from, from_units))
		status = order(tokenizer, form, &from, &from_units, err);
	size_t wanted = (size_t)from_units + (size_t)from_units / 2 + 32;
	while (!status) {
		status = bs_deadline_check_after((uint64_t)from_units * 2 * UNIT_NS, err);
		if (!status)
			status = bs_buffer_reserve(to, wanted * sizeof(UChar), err);
		if (status)
			break;
		size_t room = to->capacity_bytes / sizeof(UChar);
		UErrorCode code = U_ZERO_ERROR;
		*n_units_out = bs_icu.unorm2_normalize(
			form, from, from_units, (UChar *)(void *)to->data,
			room < INT32_MAX ? (int32_t)room : INT32_MAX, &code);
		if (U_SUCCESS(code))
			return BS_OK;
		if (code != U_BUFFER_OVERFLOW_ERROR || (size_t)*n_units_out <= room)
			return bs_tokenizer_fail_icu(err, "normalizing a word", code);
		wanted = (size_t)*n_units_out;
	}
	return status;
}

/* Segments. */

#define REMEMBERED_UNITS   4  /* maximum units of a cached segment */
#define REMEMBERED_RESULTS 6  /* maximum units of the NFC of a cached segment */
#define REMEMBERED_BITS    10 /* log2 of the number of cached segments */

/* A cached segment and its NFC. n_units 0: empty. */
struct bs_composed {
	UChar raw[REMEMBERED_UNITS]; /* padded with zeros */
	UChar nfc[REMEMBERED_RESULTS];
	uint8_t n_units, n_results;
};

static struct bs_composed *recall(struct bs_tokenizer *tokenizer, const UChar *raw, int32_t n_units,
                                  bool *is_known_out)
{
	UChar key[REMEMBERED_UNITS] = {0};
	uint64_t bits;
	for (int32_t i = 0; i < n_units; i++)
		key[i] = raw[i];
	memcpy(&bits, key, sizeof(bits));
	struct bs_composed *found =
		&tokenizer->normal
			 .composed[bits * UINT64_C(0x9e3779b97f4a7c15) >> (64 - REMEMBERED_BITS)];
	*is_known_out = found->n_units == n_units && memcmp(found->raw, key, sizeof(key)) == 0;
	return found;
}

/* Fills in the classes of the code points of a normalized segment. */
static enum bs_status learn_classes(struct bs_tokenizer *tokenizer, const UChar *units,
                                    int32_t n_units, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (int32_t at = 0; at < n_units && !status;) {
		uint8_t ignored;
		status = bs_tokenizer_class_of(tokenizer, bs_tokenizer_next(units, &at), &ignored,
		                               err);
	}
	return status;
}

/* Finds the NFC of a segment: *n_nfc_out units at *nfc_out, valid until the next call. */
static enum bs_status compose(struct bs_tokenizer *tokenizer, const UChar *raw, int32_t n_units,
                              const UChar **nfc_out, int32_t *n_nfc_out, struct bs_error *err)
{
	struct bs_composed *remembered = NULL;
	bool is_known = false;
	if (!tokenizer->normal.composed)
		tokenizer->normal.composed =
			calloc((size_t)1 << REMEMBERED_BITS, sizeof(*tokenizer->normal.composed));
	if (!tokenizer->normal.composed)
		return bs_fail_memory(err, "composed characters",
		                      sizeof(*tokenizer->normal.composed) << REMEMBERED_BITS);
	if (n_units <= REMEMBERED_UNITS)
		remembered = recall(tokenizer, raw, n_units, &is_known);
	if (is_known) {
		*nfc_out = remembered->nfc;
		*n_nfc_out = remembered->n_results;
		return BS_OK;
	}
	enum bs_status status = bs_tokenizer_normalize(tokenizer, tokenizer->icu.nfc, raw, n_units,
	                                               &tokenizer->term.spare[0], n_nfc_out, err);
	*nfc_out = (const UChar *)(const void *)tokenizer->term.spare[0].data;
	if (!status)
		status = learn_classes(tokenizer, *nfc_out, *n_nfc_out, err);
	if (status || !remembered || *n_nfc_out > REMEMBERED_RESULTS)
		return status;
	*remembered =
		(struct bs_composed){.n_units = (uint8_t)n_units, .n_results = (uint8_t)*n_nfc_out};
	memcpy(remembered->raw, raw, (size_t)n_units * sizeof(UChar));
	memcpy(remembered->nfc, *nfc_out, (size_t)*n_nfc_out * sizeof(UChar));
	return BS_OK;
}

static size_t utf8_bytes(const UChar *units, int32_t n_units)
{
	size_t n_bytes = 0;
	for (int32_t at = 0; at < n_units;) {
		uint32_t c = (uint32_t)bs_tokenizer_next(units, &at);
		n_bytes += U8_LENGTH(c);
	}
	return n_bytes;
}

/* The length of the common prefix of a and b, without a lead surrogate at its end. */
static int32_t common_head(const UChar *a, const UChar *b, int32_t n_units)
{
	int32_t n = 0;
	while (n < n_units && a[n] == b[n])
		n++;
	return n > 0 && U16_IS_LEAD(a[n - 1]) ? n - 1 : n;
}

static int32_t common_tail(const UChar *a, int32_t n_a, const UChar *b, int32_t n_b)
{
	int32_t n = 0;
	while (n < n_a && n < n_b && a[n_a - n - 1] == b[n_b - n - 1])
		n++;
	return n > 0 && U16_IS_TRAIL(a[n_a - n]) ? n - 1 : n;
}

static enum bs_status fail_long(const struct bs_analysis *analysis, size_t at)
{
	return bs_fail(analysis->err, BS_UNSUPPORTED,
	               "no white space for more than %ld characters before byte %zu",
	               (long)INT32_MAX, at);
}

/* Replaces the segment at the end of the window, from unit `first` and byte `first_byte` on, by its
 * NFC. to_byte: the end of the segment in the text. */
static enum bs_status replace(struct bs_analysis *analysis, struct bs_tokenizer_window *window,
                              int32_t first, size_t first_byte, size_t to_byte)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	const UChar *nfc = NULL;
	int32_t n_nfc = 0, n_raw = window->n_units - first;
	enum bs_status status =
		compose(tokenizer, window->units + first, n_raw, &nfc, &n_nfc, analysis->err);
	if (status)
		return status;
	UChar *raw = window->units + first;
	int32_t n_head = common_head(raw, nfc, n_raw < n_nfc ? n_raw : n_nfc);
	if (n_head == n_raw && n_raw == n_nfc)
		return BS_OK;
	int32_t n_tail = common_tail(raw + n_head, n_raw - n_head, nfc + n_head, n_nfc - n_head);
	size_t head_bytes = utf8_bytes(raw, n_head);
	struct edit edit = {.unit = first + n_head,
	                    .n_units = n_nfc - n_head - n_tail,
	                    .byte = first_byte + head_bytes};
	edit.n_bytes = to_byte - edit.byte - utf8_bytes(raw + n_raw - n_tail, n_tail);
	status = bs_buffer_append(&tokenizer->normal.edits, &edit, sizeof(edit), analysis->err);
	/* The window may have to grow, so that there is still room for one unit per byte of the
	 * rest. */
	size_t n_units = (size_t)first + (size_t)n_nfc, rest_bytes = window->end_byte - to_byte;
	size_t wanted = rest_bytes < INT32_MAX - n_units ? n_units + rest_bytes : INT32_MAX;
	if (!status && n_units >= INT32_MAX - 1)
		return fail_long(analysis, to_byte);
	if (!status && n_nfc > n_raw)
		status = bs_buffer_reserve(&tokenizer->normal.window, (wanted + 1) * sizeof(UChar),
		                           analysis->err);
	if (status)
		return status;
	window->units = (UChar *)(void *)tokenizer->normal.window.data;
	memcpy(window->units + first, nfc, (size_t)n_nfc * sizeof(UChar));
	window->n_units = first + n_nfc;
	return BS_OK;
}

/* Appends to the window the code points from text[*at] on that join the ones before, up to the end
 * of the segment; moves *at past them. */
static enum bs_status take_joined(struct bs_analysis *analysis, struct bs_tokenizer_window *window,
                                  size_t *at)
{
	enum bs_status status = BS_OK;
	for (size_t next = *at, spent = *at; next < window->end_byte && !status; *at = next) {
		UChar32 c;
		uint8_t class;
		U8_NEXT_OR_FFFD(window->text, next, window->end_byte, c);
		status = bs_tokenizer_class_of(analysis->tokenizer, c, &class, analysis->err);
		if (status || !(class & BS_CODE_POINT_JOINS))
			break;
		if (window->n_units >= INT32_MAX - 1)
			return fail_long(analysis, next);
		U16_APPEND_UNSAFE(window->units, window->n_units, (uint32_t)c);
		if (next - spent >= SPEND_BYTES) {
			spent = next;
			status = bs_deadline_check_after(SPEND_BYTES * BYTE_NS, analysis->err);
		}
	}
	return status;
}

/* Whether a mark of this class can be appended to the window unchanged, because neither the code
 * point before it nor the one at text[at] composes or is reordered with it. This recognizes most
 * marks of most scripts. */
static bool is_in_place(const struct bs_tokenizer *tokenizer,
                        const struct bs_tokenizer_window *window, uint8_t class, size_t at)
{
	const uint8_t *classes = tokenizer->icu.code_point_classes;
	int32_t unit = window->n_units;
	if (!(class & BS_CODE_POINT_SETTLED) || unit == 0)
		return false;
	uint8_t base = classes[bs_tokenizer_previous(window->units, &unit)];
	if ((base & (BS_CODE_POINT_STABLE | BS_CODE_POINT_SETTLED)) !=
	    (BS_CODE_POINT_STABLE | BS_CODE_POINT_SETTLED))
		return false;
	if (at == window->end_byte)
		return true;
	UChar32 next;
	U8_NEXT_OR_FFFD(window->text, at, window->end_byte, next);
	return classes[next] & BS_CODE_POINT_STABLE;
}

/* Appends c, which is at text[c_byte..*at) and not known to be stable, to the window; if necessary,
 * with the rest of its segment, normalized. */
static enum bs_status take_unstable(struct bs_analysis *analysis,
                                    struct bs_tokenizer_window *window, UChar32 c, size_t c_byte,
                                    size_t *at)
{
	int32_t first = window->n_units;
	size_t first_byte = c_byte;
	uint8_t class;
	enum bs_status status =
		bs_tokenizer_class_of(analysis->tokenizer, c, &class, analysis->err);
	if (status)
		return status;
	bool is_as_it_is = class & BS_CODE_POINT_STABLE ||
	                   is_in_place(analysis->tokenizer, window, class, *at);
	U16_APPEND_UNSAFE(window->units, window->n_units, (uint32_t)c);
	if (is_as_it_is)
		return BS_OK;
	if (class & BS_CODE_POINT_JOINS && first > 0) {
		int32_t base_unit = first;
		UChar32 base = bs_tokenizer_previous(window->units, &base_unit);
		/* The segment includes the base before c, unless the base is U+FFFD, which composes
		 * with nothing and whose number of bytes is unknown. */
		first = base == 0xfffd ? first : base_unit;
		first_byte -= base == 0xfffd ? 0 : (size_t)U8_LENGTH((uint32_t)base);
	}
	status = take_joined(analysis, window, at);
	return status ? status : replace(analysis, window, first, first_byte, *at);
}

enum bs_status bs_tokenizer_decode(struct bs_analysis *analysis, size_t start, size_t end,
                                   struct bs_tokenizer_window *window_out)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	struct bs_buffer *buffer = &tokenizer->normal.window;
	const uint8_t *text = analysis->text, *classes = tokenizer->icu.code_point_classes;
	size_t most_units = end - start < INT32_MAX ? end - start : INT32_MAX;
	*window_out = (struct bs_tokenizer_window){
		.text = text, .end_byte = end, .edits = &tokenizer->normal.edits, .at_byte = start};
	bs_buffer_clear(&tokenizer->normal.edits);
	enum bs_status status =
		bs_buffer_reserve(buffer, (most_units + 1) * sizeof(UChar), analysis->err);
	UChar *units = window_out->units = (UChar *)(void *)buffer->data;
	int32_t n_units = 0;
	for (size_t at = start, spent = start; at < end && !status; spent = at) {
		size_t block = end - at > SPEND_BYTES ? at + SPEND_BYTES : end;
		if (n_units >= INT32_MAX - 2 * SPEND_BYTES)
			return fail_long(analysis, at);
		while (at < block && !status) {
			size_t c_byte = at;
			UChar32 c;
			U8_NEXT_OR_FFFD(text, at, end, c);
			if (classes[c] & BS_CODE_POINT_STABLE) {
				U16_APPEND_UNSAFE(units, n_units, (uint32_t)c);
				continue;
			}
			window_out->n_units = n_units;
			status = take_unstable(analysis, window_out, c, c_byte, &at);
			units = window_out->units;
			n_units = window_out->n_units;
		}
		if (!status && at - spent >= SPEND_BYTES)
			status = bs_deadline_check_after((at - spent) * BYTE_NS, analysis->err);
	}
	window_out->n_units = n_units;
	if (!status)
		bs_tokenizer_find_edit(window_out);
	return status;
}

/* Mapping units to bytes. */

void bs_tokenizer_find_edit(struct bs_tokenizer_window *window)
{
	const struct edit *edits = (const struct edit *)(const void *)window->edits->data;
	size_t n_edits = window->edits->used_bytes / sizeof(*edits);
	window->edit_unit = window->at_edit < n_edits ? edits[window->at_edit].unit : INT32_MAX;
}

void bs_tokenizer_step(struct bs_tokenizer_window *window, int32_t unit)
{
	size_t at = window->at_byte;
	for (int32_t i = window->at_unit; i < unit;) {
		UChar32 c;
		U8_NEXT_OR_FFFD(window->text, at, window->end_byte, c);
		i += U16_LENGTH(c);
	}
	window->at_unit = unit;
	window->at_byte = at;
}

size_t bs_tokenizer_step_over_edits(struct bs_tokenizer_window *window, int32_t unit, bool is_end)
{
	while (window->edit_unit < unit) {
		const struct edit *edit =
			(const struct edit *)(const void *)window->edits->data + window->at_edit;
		bs_tokenizer_step(window, edit->unit);
		if (unit < edit->unit + edit->n_units)
			return is_end ? edit->byte + edit->n_bytes : edit->byte;
		window->at_unit = edit->unit + edit->n_units;
		window->at_byte = edit->byte + edit->n_bytes;
		window->at_edit++;
		bs_tokenizer_find_edit(window);
	}
	bs_tokenizer_step(window, unit);
	return window->at_byte;
}
