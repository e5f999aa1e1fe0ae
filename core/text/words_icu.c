/* words_icu.c: the definition of a word, by ICU: a piece of text -> UTF-16 -> runs and the stretches between them ->
 * ICU's word segments -> their cuts. Complete by itself; words_ascii.c only does some of it faster. */
#include <unicode/utf8.h>

#include "core/text/words_internal.h"

/* What a code point is to this file. */
enum code_point_class {
	CLASS_UNKNOWN = 0, /* not met yet */
	CLASS_SCRIPT_RUN,         /* a letter, mark or digit of a script of runs: begins a run or goes on with one */
	CLASS_MARK,        /* any other mark: goes on with a run */
	CLASS_INERT,       /* no word, and no part of one: punctuation and the like */
	CLASS_OTHER,
};

/* A piece of text as UTF-16, and a place in it that moves forward only. */
struct window {
	const UChar *units;
	int32_t n_units;
	const uint8_t *text;
	size_t end_byte; /* of the window */
	int32_t at_unit; /* the place, counted in both, */
	size_t at_byte;  /* always between two code points */
};

/* What stands between two runs. */
struct stretch {
	int32_t start;
	int32_t end;
	bool is_inert; /* no word in it */
	bool is_ascii;
};

static bool is_of_script_run(UChar32 c)
{
	if (!(U_MASK(bs_icu.u_charType(c)) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)))
		return false;
	static const UScriptCode scripts[] = {USCRIPT_HAN, USCRIPT_HIRAGANA, USCRIPT_KATAKANA, USCRIPT_THAI,
	                                      USCRIPT_LAO, USCRIPT_KHMER,    USCRIPT_MYANMAR};
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		if (bs_icu.uscript_hasScript(c, scripts[i]))
			return true;
	return false;
}

bool bs_words_is_of_script_run(struct bs_words *words, UChar32 c)
{
	uint8_t class = words->code_point_classes[c];
	return class == CLASS_UNKNOWN ? is_of_script_run(c) : class == CLASS_SCRIPT_RUN;
}

static enum bs_status classify(struct bs_words *words, UChar32 c, uint8_t *class_out, struct bs_error *err)
{
	bool is_inert = false;
	*class_out = CLASS_OTHER;
	if (is_of_script_run(c)) {
		*class_out = CLASS_SCRIPT_RUN;
	} else if (U_MASK(bs_icu.u_charType(c)) & U_GC_M_MASK) {
		*class_out = CLASS_MARK;
	} else {
		enum bs_status status = bs_words_is_inert(words, c, &is_inert, err);
		if (status)
			return status;
		if (is_inert)
			*class_out = CLASS_INERT;
	}
	words->code_point_classes[c] = *class_out;
	return BS_OK;
}

/* class_of() for what was met before costs one load. Moves ICU's iterator. */
static inline enum bs_status class_of(struct bs_words *words, UChar32 c, uint8_t *class_out, struct bs_error *err)
{
	*class_out = words->code_point_classes[c];
	return *class_out == CLASS_UNKNOWN ? classify(words, c, class_out, err) : BS_OK;
}

/* text[start..end) -> words->window. An invalid sequence becomes one or more U+FFFD. */
static enum bs_status decode(struct bs_analysis *analysis, size_t start, size_t end, struct window *window_out)
{
	struct bs_buffer *buffer = &analysis->words->window;
	const uint8_t *text = analysis->text;
	size_t most_units = end - start < INT32_MAX ? end - start : INT32_MAX;
	enum bs_status status = bs_buffer_reserve(buffer, (most_units + 1) * sizeof(UChar), analysis->err);
	if (status)
		return status;
	UChar *units = (UChar *)(void *)buffer->data;
	int32_t n_units = 0;
	for (size_t at = start; at < end;) {
		if (n_units >= INT32_MAX - 1)
			return bs_fail(analysis->err, BS_UNSUPPORTED,
			               "no white space for more than %ld characters from byte %zu on", (long)INT32_MAX,
			               start);
		UChar32 c;
		U8_NEXT_OR_FFFD(text, at, end, c);
		U16_APPEND_UNSAFE(units, n_units, c);
	}
	*window_out = (struct window){
		.units = units,
		.n_units = n_units,
		.text = text,
		.end_byte = end,
		.at_byte = start,
	};
	return BS_OK;
}

/* Moves the place to a unit that is not behind it; returns its byte. */
static size_t move_to(struct window *window, int32_t unit)
{
	size_t at = window->at_byte;
	for (int32_t i = window->at_unit; i < unit;) {
		UChar32 c;
		U8_NEXT_OR_FFFD(window->text, at, window->end_byte, c);
		i += U16_LENGTH(c);
	}
	window->at_unit = unit;
	window->at_byte = at;
	return at;
}

static bool is_alphabetic_before(const struct window *window, int32_t at)
{
	if (at == 0)
		return false;
	UChar32 c = window->units[at - 1];
	if (U16_IS_TRAIL((uint32_t)c))
		c = U16_GET_SUPPLEMENTARY(window->units[at - 2], c);
	return bs_icu.u_isalpha(c);
}

static bool is_alphabetic_at(const struct window *window, int32_t at)
{
	if (at == window->n_units)
		return false;
	UChar32 c = bs_words_next(window->units, &at);
	return bs_icu.u_isalpha(c);
}

static bool is_cut_character(const struct window *window, int32_t at)
{
	UChar unit = window->units[at];
	return (unit == '.' || unit == ':' || unit == '@') && is_alphabetic_before(window, at) &&
	       is_alphabetic_at(window, at + 1);
}

static enum bs_status put_piece(struct bs_analysis *analysis, struct window *window, int32_t start, int32_t end)
{
	if (start == end)
		return BS_OK;
	size_t start_byte = move_to(window, start);
	size_t end_byte = move_to(window, end);
	/* As long in bytes as in units: ASCII, or bytes that are no text. */
	bool is_ascii = end_byte - start_byte == (size_t)(end - start);
	for (size_t at = start_byte; at < end_byte && is_ascii; at++)
		is_ascii = analysis->text[at] < 0x80;
	if (is_ascii)
		return bs_words_put_ascii(analysis, analysis->text + start_byte, end_byte - start_byte, start_byte);
	return bs_words_put_word(analysis, window->units + start, end - start,
	                         (struct bs_byte_span){start_byte, end_byte});
}

static enum bs_status put_segment(struct bs_analysis *analysis, struct window *window, int32_t start, int32_t end)
{
	int32_t piece = start;
	for (int32_t at = start; at < end; at++) {
		if (!is_cut_character(window, at))
			continue;
		enum bs_status status = put_piece(analysis, window, piece, at);
		if (status)
			return status;
		piece = at + 1;
	}
	return put_piece(analysis, window, piece, end);
}

static bool is_word(UBreakIterator *breaks, const struct window *window, int32_t start)
{
	if (bs_icu.ubrk_getRuleStatus(breaks) >= UBRK_WORD_NONE_LIMIT)
		return true;
	UChar32 c = bs_words_next(window->units, &start);
	return c >= 0x80 && bs_icu.u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC);
}

static enum bs_status break_stretch(struct bs_analysis *analysis, struct window *window, const struct stretch *stretch)
{
	UBreakIterator *breaks = analysis->words->breaks;
	UErrorCode code = U_ZERO_ERROR;
	bs_icu.ubrk_setText(breaks, window->units + stretch->start, stretch->end - stretch->start, &code);
	if (U_FAILURE(code))
		return bs_words_fail_icu(analysis->err, "breaking text into words", code);
	int32_t start = bs_icu.ubrk_first(breaks);
	for (int32_t end; (end = bs_icu.ubrk_next(breaks)) != UBRK_DONE; start = end) {
		if (!is_word(breaks, window, stretch->start + start))
			continue;
		enum bs_status status = put_segment(analysis, window, stretch->start + start, stretch->start + end);
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status analyze_stretch(struct bs_analysis *analysis, struct window *window,
                                      const struct stretch *stretch)
{
	if (stretch->is_inert)
		return BS_OK;
	if (!stretch->is_ascii || !analysis->words->ascii_path)
		return break_stretch(analysis, window, stretch);
	size_t start_byte = move_to(window, stretch->start);
	size_t end_byte = move_to(window, stretch->end);
	return bs_words_analyze_ascii(analysis, start_byte, end_byte, is_alphabetic_before(window, stretch->start),
	                              is_alphabetic_at(window, stretch->end));
}

/* Finds the stretch that starts at unit start: up to the next run or the window's end. */
static enum bs_status find_stretch(struct bs_analysis *analysis, const struct window *window, int32_t start,
                                   struct stretch *stretch_out)
{
	*stretch_out = (struct stretch){.start = start, .end = start, .is_inert = true, .is_ascii = true};
	for (int32_t at = start; at < window->n_units;) {
		UChar32 c = bs_words_next(window->units, &at);
		uint8_t class;
		enum bs_status status = class_of(analysis->words, c, &class, analysis->err);
		if (status)
			return status;
		if (class == CLASS_SCRIPT_RUN)
			return BS_OK;
		stretch_out->end = at;
		stretch_out->is_inert &= class == CLASS_INERT;
		stretch_out->is_ascii &= c < 0x80;
	}
	return BS_OK;
}

/* Finds the end of the run that starts at unit start. */
static enum bs_status find_script_run_end(struct bs_analysis *analysis, const struct window *window, int32_t start,
                                   int32_t *end_out)
{
	*end_out = start;
	for (int32_t at = start; at < window->n_units;) {
		UChar32 c = bs_words_next(window->units, &at);
		uint8_t class;
		enum bs_status status = class_of(analysis->words, c, &class, analysis->err);
		if (status)
			return status;
		if (class != CLASS_SCRIPT_RUN && class != CLASS_MARK)
			return BS_OK;
		*end_out = at;
	}
	return BS_OK;
}

static enum bs_status analyze_script_run(struct bs_analysis *analysis, struct window *window, int32_t start, int32_t *end_out)
{
	enum bs_status status = find_script_run_end(analysis, window, start, end_out);
	if (status)
		return status;
	struct bs_byte_span span;
	span.start_byte = move_to(window, start);
	span.end_byte = move_to(window, *end_out);
	return bs_words_put_script_run(analysis, window->units + start, *end_out - start, span);
}

enum bs_status bs_words_analyze_icu(struct bs_analysis *analysis, size_t start, size_t end)
{
	struct window window = {0};
	enum bs_status status = decode(analysis, start, end, &window);
	for (int32_t at = 0; !status && at < window.n_units;) {
		struct stretch stretch;
		status = find_stretch(analysis, &window, at, &stretch);
		if (!status)
			status = analyze_stretch(analysis, &window, &stretch);
		at = stretch.end;
		if (!status && at < window.n_units)
			status = analyze_script_run(analysis, &window, at, &at);
	}
	return status;
}
