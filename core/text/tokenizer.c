/*
 * tokenizer.c: finds the words of a text. They are defined by ICU: a piece of text -> UTF-16 in NFC
 * (tokenizer_nfc.c) -> script runs and the stretches between them -> ICU's word segments -> our
 * cuts. For pure ASCII a faster path without ICU's iterator finds the same words. tokenizer_term.c
 * processes the words found; tokenizer_near.c derives facts about the bytes of a text. This file
 * has, in this order: the ASCII path, the ICU path, opening a tokenizer, and cutting a text at safe
 * places into pieces of bounded size, each for one of the two paths.
 */
#include "core/text/tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/utf8.h>

#include "core/base/bytes.h"
#include "core/bitsift/host.h"
#include "core/system/deadline.h"
#include "core/text/tokenizer_class.h"
#include "core/text/tokenizer_nfc.h"
#include "core/text/tokenizer_term.h"

/* A piece for ICU ends early, at a safe cut, if this many bytes of ASCII follow. With fewer, the
 * ASCII path would not save the cost of another ubrk_setText. */
#define ASCII_RESUME_BYTES ((size_t)16)

/* Room for a whole batch of usual words, so that batches are limited by tokens, not by bytes. */
#define ARENA_BYTES ((size_t)BS_TOKENIZER_BATCH_TOKENS * 32)

/* Scratch larger than this is freed after the text that needed it. */
#define SCRATCH_KEPT_BYTES ((size_t)1 << 22)

/* The approximate cost of a byte of text, for the deadline. */
#define BYTE_NS     4u
#define SPEND_BYTES 4096

/* The size of an ASCII window, which is classified at once: its bytes, classes and edges fit into
 * the L1 cache. */
#define ASCII_WINDOW_BYTES ((size_t)4096)

/*
 * ASCII. This is not a second definition of a word: the tokenizer asks ICU, when it is opened,
 * which bytes are letters, digits or joints (ICU 72 made '@' a letter and ':' no joint; other
 * versions differ). The tests compare both paths on all short strings.
 *
 * The rules (UAX #29, ICU's root locale) for ASCII: a segment that can be a word is
 *
 *     unit { unit | joint unit }        unit: letter, digit or _
 *
 * A joint is between two letters or two digits, as its class allows: ' and . between either, comma
 * and semicolon only between digits. Every other byte is not a word and is a boundary on both sides
 * (spaces and line ends that ICU keeps together are not words either). A segment is a word unless
 * it is a single _.
 */
/* ASCII text to tokenize: text[start..end). */
struct ascii_stretch {
	const uint8_t *text;
	size_t start;
	size_t end;
};

/* The classes of the byte next to a byte, or next to a line (64 bytes that are classified
 * together); each is 0 or 1. */
struct neighbour {
	uint64_t is_letter;
	uint64_t is_digit;
	uint64_t is_unit;  /* a letter, digit or _ */
	uint64_t is_alpha; /* a letter for u_isalnum, too; not an @ that ICU takes for a letter */
};

static struct neighbour neighbour_of(unsigned class)
{
	return (struct neighbour){
		.is_letter = class & BS_ASCII_LETTER,
		.is_digit = class / BS_ASCII_DIGIT & 1,
		.is_unit = (class & BS_ASCII_WORD) != 0,
		.is_alpha = class / BS_ASCII_CUT_BEFORE & class & 1,
	};
}

static struct neighbour neighbour_at(const struct bs_tokenizer *tokenizer,
                                     const struct ascii_stretch *stretch, size_t at)
{
	return at < stretch->end ? neighbour_of(tokenizer->ascii.classes.of[stretch->text[at]])
	                         : (struct neighbour){.is_unit = 0};
}

/* A bit for each byte of a line: 1 if the byte is in this class. */
static uint64_t bytes_of(const struct bs_line_classes *line, unsigned class)
{
	return line->of[__builtin_ctz(class)];
}

/*
 * A bit for each of the 64 bytes of a line: 1 if the byte belongs to a word by the rules above.
 * last: the number of the last valid byte of the line.
 *
 *      text     it's 3.14 _ a.b
 *      units    ## # # ## # # #      letters, digits and _
 *      joints     #   #      #       if both neighbours are in the class that the byte joins
 *      cuts                  #       . : between letters, and @ if it is a unit (as in ICU 72)
 *      words    #### ####   # #      units and joints, without cuts and single _
 */
static uint64_t word_bits(const struct bs_line_classes *line, struct neighbour before,
                          struct neighbour after, unsigned last)
{
	uint64_t letters = bytes_of(line, BS_ASCII_LETTER), digits = bytes_of(line, BS_ASCII_DIGIT);
	uint64_t alphas = letters & bytes_of(line, BS_ASCII_CUT_BEFORE);
	uint64_t units = letters | digits | bytes_of(line, BS_ASCII_EXTEND);
	uint64_t joints = (bytes_of(line, BS_ASCII_MID_LETTER) & (letters << 1 | before.is_letter) &
	                   (letters >> 1 | after.is_letter << last)) |
	                  (bytes_of(line, BS_ASCII_MID_DIGIT) & (digits << 1 | before.is_digit) &
	                   (digits >> 1 | after.is_digit << last));
	uint64_t is_between =
		(alphas << 1 | before.is_alpha) & (alphas >> 1 | after.is_alpha << last);
	uint64_t cuts = bytes_of(line, BS_ASCII_CUT) & (units | is_between);
	uint64_t lone = bytes_of(line, BS_ASCII_EXTEND) & ~(units << 1 | before.is_unit) &
	                ~(units >> 1 | after.is_unit << last);
	return (units | joints) & ~cuts & ~lone;
}

/* Whether text[at] belongs to the same word as the digit at text[at - step]; false outside the
 * stretch. */
static bool is_joined_to_digit(const struct bs_tokenizer *tokenizer,
                               const struct ascii_stretch *stretch, size_t at, int step)
{
	if (at < stretch->start || at >= stretch->end)
		return false;
	unsigned class = tokenizer->ascii.classes.of[stretch->text[at]];
	size_t beyond = step < 0 ? at - 1 : at + 1;
	if (!(class & BS_ASCII_MID_DIGIT) || beyond < stretch->start || beyond >= stretch->end)
		return class & BS_ASCII_WORD;
	return tokenizer->ascii.classes.of[stretch->text[beyond]] & BS_ASCII_DIGIT;
}

/* Whether text[at] is the T of a segment of digits, T and digits. */
static bool is_date_cut(const struct bs_tokenizer *tokenizer, const struct ascii_stretch *stretch,
                        size_t at)
{
	const uint8_t *class = tokenizer->ascii.classes.of, *text = stretch->text;
	size_t first = at, behind = at + 1;
	if (text[at] != 'T')
		return false;
	while (first > stretch->start && class[text[first - 1]] & BS_ASCII_DIGIT)
		first--;
	while (behind < stretch->end && class[text[behind]] & BS_ASCII_DIGIT)
		behind++;
	return first < at && behind > at + 1 &&
	       !is_joined_to_digit(tokenizer, stretch, first - 1, -1) &&
	       !is_joined_to_digit(tokenizer, stretch, behind, 1);
}

/* The subset of `bits`, bytes of the line at text[at], for which is_date_cut is true. */
static uint64_t date_cuts(const struct bs_tokenizer *tokenizer, const struct ascii_stretch *stretch,
                          size_t at, uint64_t bits)
{
	uint64_t cuts = 0;
	for (; bits; bits &= bits - 1)
		if (is_date_cut(tokenizer, stretch, at + (size_t)__builtin_ctzll(bits)))
			cuts |= bits & -bits;
	return cuts;
}

/* A part of a stretch. It begins at a word boundary. */
struct ascii_window {
	size_t start;
	size_t n_bytes;
	const uint8_t *folded;
	size_t n_edges;
	/* Beginnings and ends of words, alternating, relative to start. */
	uint16_t edges[ASCII_WINDOW_BYTES + 2];
};

/* Finds the words of a window. A last word that reaches the end may continue after it. */
static void find_edges(const struct bs_tokenizer *tokenizer, const struct ascii_stretch *stretch,
                       const struct bs_line_classes *lines, struct ascii_window *window)
{
	struct neighbour before = {.is_unit = 0};
	uint16_t *edge = window->edges;
	uint64_t carry = 0;
	if (window->start > stretch->start)
		before =
			neighbour_of(tokenizer->ascii.classes.of[stretch->text[window->start - 1]]);
	for (size_t at = 0; at < window->n_bytes; at += 64) {
		size_t left = window->n_bytes - at;
		size_t next = left < 64 ? left : 64;
		struct neighbour after =
			neighbour_at(tokenizer, stretch, window->start + at + next);
		const struct bs_line_classes *line = &lines[at / 64];
		uint64_t of_words = word_bits(line, before, after, (unsigned)next - 1);
		uint64_t digits = bytes_of(line, BS_ASCII_DIGIT);
		uint64_t between = bytes_of(line, BS_ASCII_LETTER) &
		                   (digits << 1 | before.is_digit) &
		                   (digits >> 1 | after.is_digit << (next - 1));
		if (between)
			of_words &= ~date_cuts(tokenizer, stretch, window->start + at, between);
		for (uint64_t found = of_words ^ (of_words << 1 | carry); found; found &= found - 1)
			*edge++ = (uint16_t)(at + (size_t)__builtin_ctzll(found));
		carry = of_words >> 63;
		before = (struct neighbour){
			.is_letter = bytes_of(line, BS_ASCII_LETTER) >> 63,
			.is_digit = digits >> 63,
			.is_unit = (bytes_of(line, BS_ASCII_LETTER) | digits |
		                    bytes_of(line, BS_ASCII_EXTEND)) >>
		                   63,
			.is_alpha = (bytes_of(line, BS_ASCII_LETTER) &
		                     bytes_of(line, BS_ASCII_CUT_BEFORE)) >>
		                    63,
		};
	}
	if (carry)
		*edge++ = (uint16_t)window->n_bytes;
	window->n_edges = (size_t)(edge - window->edges);
}

/* Adds the words between edges as tokens; their terms are in the arena. */
static enum bs_status put_edges(struct bs_analysis *analysis, const struct ascii_window *window)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	for (size_t i = 0; i < window->n_edges;) {
		size_t room = 2 * (BS_TOKENIZER_BATCH_TOKENS - tokenizer->batch.n_tokens);
		size_t end = window->n_edges - i < room ? window->n_edges : i + room;
		uint32_t position = (uint32_t)analysis->next_position;
		struct bs_token *token = tokenizer->batch.tokens + tokenizer->batch.n_tokens;
		analysis->next_position += (end - i) / 2;
		analysis->n_positions += (end - i) / 2;
		tokenizer->batch.n_tokens += (end - i) / 2;
		for (; i < end; i += 2) {
			uint32_t from = window->edges[i], to = window->edges[i + 1];
			*token++ = (struct bs_token){
				.term = window->folded + from,
				.term_bytes = to - from,
				.position = position++,
				.start_byte = window->start + from,
				.end_byte = window->start + to,
			};
		}
		enum bs_status status = BS_OK;
		if (tokenizer->batch.n_tokens == BS_TOKENIZER_BATCH_TOKENS)
			status = bs_tokenizer_deliver(analysis);
		if (status)
			return status;
	}
	return BS_OK;
}

/* Adds the words between edges one by one, applying the options. */
static enum bs_status put_edges_one_by_one(struct bs_analysis *analysis,
                                           const struct ascii_window *window)
{
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < window->n_edges && !status; i += 2) {
		size_t from = window->start + window->edges[i];
		status = bs_tokenizer_put_ascii(analysis, analysis->text + from,
		                                (size_t)window->edges[i + 1] - window->edges[i],
		                                from);
	}
	return status;
}

/* Tokenizes text[at..at + n_bytes). *next_out is the start of the next window: the end of this one,
 * or the start of its last word if it may continue; `at` if that word is all of the window. */
static enum bs_status put_window(struct bs_analysis *analysis, const struct ascii_stretch *stretch,
                                 size_t at, size_t n_bytes, size_t *next_out)
{
	struct bs_tokenizer *tokenizer = analysis->tokenizer;
	struct bs_line_classes lines[ASCII_WINDOW_BYTES / 64];
	struct ascii_window window;
	size_t n_lines = (n_bytes + 63) / 64;
	enum bs_status status = bs_tokenizer_make_room(analysis, 1, n_lines * 64);
	if (status)
		return status;
	uint8_t *folded = tokenizer->batch.arena.data + tokenizer->batch.arena.used_bytes;
	memcpy(folded, analysis->text + at, n_bytes);
	memset(folded + n_bytes, 0, n_lines * 64 - n_bytes);
	tokenizer->kernel->text.classify(&tokenizer->ascii.classes, folded, n_lines, lines);
	window.start = at;
	window.n_bytes = n_bytes;
	window.folded = folded;
	find_edges(tokenizer, stretch, lines, &window);
	*next_out = at + n_bytes;
	if (*next_out < stretch->end && window.n_edges &&
	    window.edges[window.n_edges - 1] == n_bytes) {
		window.n_edges -= 2;
		*next_out = at + window.edges[window.n_edges];
	}
	if (window.n_edges == 0)
		return BS_OK;
	if (tokenizer->rules.stemmer || tokenizer->rules.split_identifiers)
		return put_edges_one_by_one(analysis, &window);
	tokenizer->batch.arena.used_bytes += n_bytes;
	analysis->last_of_script_run = 0;
	analysis->after_script_run = false;
	return put_edges(analysis, &window);
}

/* Finds the end of the word that begins at start, by the rules of word_bits and date_cuts, byte by
 * byte. */
static enum bs_status find_word_end(struct bs_analysis *analysis,
                                    const struct ascii_stretch *stretch, size_t start,
                                    size_t *end_out)
{
	const struct bs_tokenizer *tokenizer = analysis->tokenizer;
	unsigned class = tokenizer->ascii.classes.of[stretch->text[start]];
	for (*end_out = start + 1; *end_out < stretch->end; ++*end_out) {
		size_t at = *end_out;
		struct neighbour before = neighbour_of(class),
				 after = neighbour_at(tokenizer, stretch, at + 1);
		class = tokenizer->ascii.classes.of[stretch->text[at]];
		bool is_joint =
			(class & BS_ASCII_MID_LETTER && before.is_letter && after.is_letter) ||
			(class & BS_ASCII_MID_DIGIT && before.is_digit && after.is_digit);
		bool is_cut = class & BS_ASCII_CUT &&
		              (class & BS_ASCII_WORD || (before.is_alpha && after.is_alpha));
		bool is_between = class & BS_ASCII_LETTER && before.is_digit && after.is_digit;
		if (is_cut || !(class & BS_ASCII_WORD || is_joint) ||
		    (is_between && is_date_cut(tokenizer, stretch, at)))
			return BS_OK;
		enum bs_status status = bs_deadline_each(at - start, BYTE_NS, analysis->err);
		if (status)
			return status;
	}
	return BS_OK;
}

/* Tokenizes text[start..end), which is ASCII: a stretch of the ICU path, or text between two safe
 * cuts. The text outside does not matter, because a . or : at an edge joins nothing. */
static enum bs_status analyze_ascii(struct bs_analysis *analysis, size_t start, size_t end)
{
	struct ascii_stretch stretch = {analysis->text, start, end};
	size_t window_bytes = analysis->tokenizer->window_bytes;
	size_t most_bytes = window_bytes < ASCII_WINDOW_BYTES ? window_bytes : ASCII_WINDOW_BYTES;
	enum bs_status status = BS_OK;
	for (size_t at = start, next; at < end && !status; at = next) {
		status = put_window(analysis, &stretch, at,
		                    end - at < most_bytes ? end - at : most_bytes, &next);
		if (status || next != at)
			continue;
		/* A word longer than a window. */
		status = find_word_end(analysis, &stretch, at, &next);
		if (!status)
			status = bs_tokenizer_put_ascii(analysis, stretch.text + at, next - at, at);
	}
	return status;
}

/* The text between two script runs. */
struct stretch {
	int32_t start;
	int32_t end;
	bool is_inert; /* has no words */
	bool is_ascii;
};

/* Whether the character before `at` is alphabetic. A mark counts as the letter that it follows. */
static bool is_alphabetic_before(const struct bs_tokenizer_window *window, int32_t at)
{
	while (at > 0) {
		UChar32 c = bs_tokenizer_previous(window->units, &at);
		if (c < 0x80 || !bs_tokenizer_is_mark(c))
			return bs_icu.u_isalpha(c);
	}
	return false;
}

static bool is_alphabetic_at(const struct bs_tokenizer_window *window, int32_t at)
{
	return at < window->n_units && bs_icu.u_isalpha(bs_tokenizer_next(window->units, &at));
}

static bool is_cut_character(const struct bs_tokenizer_window *window, int32_t at)
{
	UChar unit = window->units[at];
	return unit == '@' || ((unit == '.' || unit == ':') && is_alphabetic_before(window, at) &&
	                       is_alphabetic_at(window, at + 1));
}

static enum bs_status put_piece(struct bs_analysis *analysis, struct bs_tokenizer_window *window,
                                int32_t start, int32_t end)
{
	return start == end ? BS_OK : bs_tokenizer_put_word(analysis, window, start, end);
}

/* The unit of the T if the segment is digits, T and digits; otherwise -1. */
static int32_t find_date_cut(const struct bs_tokenizer_window *window, int32_t start, int32_t end)
{
	int32_t cut = -1;
	for (int32_t at = start; at < end;) {
		int32_t here = at;
		UChar32 c = bs_tokenizer_next(window->units, &at);
		if (c == 'T' && here > start && at < end && cut < 0)
			cut = here;
		else if (bs_icu.u_charType(c) != U_DECIMAL_DIGIT_NUMBER)
			return -1;
	}
	return cut;
}

static enum bs_status put_segment(struct bs_analysis *analysis, struct bs_tokenizer_window *window,
                                  int32_t start, int32_t end)
{
	const UChar *units = window->units;
	int32_t piece = start, date_cut = -1;
	bool may_be_date = true;
	for (int32_t at = start;; at++) {
		/* Nearly all letters are greater than every unit at which words are cut. */
		while (at < end && units[at] > 'T')
			at++;
		if (at >= end)
			break;
		if (units[at] == 'T' && may_be_date) {
			date_cut = find_date_cut(window, start, end);
			may_be_date = false; /* a date has one T */
		}
		if (at != date_cut && !is_cut_character(window, at))
			continue;
		enum bs_status status = put_piece(analysis, window, piece, at);
		if (status)
			return status;
		piece = at + 1;
	}
	return put_piece(analysis, window, piece, end);
}

static bool is_regional_indicator(UChar32 c)
{
	return c >= 0x1f1e6 && c <= 0x1f1ff;
}

/* Whether a segment begins with a flag or a keycap. */
static bool is_emoji_sequence(const struct bs_tokenizer_window *window, int32_t start, int32_t end)
{
	const UChar *units = window->units;
	int32_t at = start;
	UChar32 c = bs_tokenizer_next(units, &at);
	if (is_regional_indicator(c))
		return at < end && is_regional_indicator(bs_tokenizer_next(units, &at));
	bool is_key = c == '#' || c == '*' || (c >= '0' && c <= '9');
	return is_key && end - at >= 2 && units[at] == 0xfe0f && units[at + 1] == 0x20e3;
}

static bool is_emoji(const struct bs_tokenizer_window *window, int32_t start, int32_t end)
{
	int32_t at = start;
	UChar32 c = bs_tokenizer_next(window->units, &at);
	if (c >= 0x80 && bs_icu.u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC))
		return true;
	return is_emoji_sequence(window, start, end);
}

static enum bs_status break_stretch(struct bs_analysis *analysis,
                                    struct bs_tokenizer_window *window,
                                    const struct stretch *stretch)
{
	UBreakIterator *breaks = analysis->tokenizer->icu.breaks;
	UErrorCode code = U_ZERO_ERROR;
	bs_icu.ubrk_setText(breaks, window->units + stretch->start, stretch->end - stretch->start,
	                    &code);
	if (U_FAILURE(code))
		return bs_tokenizer_fail_icu(analysis->err, "breaking text into words", code);
	int32_t start = bs_icu.ubrk_first(breaks);
	for (int32_t end; (end = bs_icu.ubrk_next(breaks)) != UBRK_DONE; start = end) {
		bool is_word = bs_icu.ubrk_getRuleStatus(breaks) >= UBRK_WORD_NONE_LIMIT ||
		               is_emoji(window, stretch->start + start, stretch->start + end);
		enum bs_status status =
			bs_deadline_check_after((uint64_t)(end - start) * BYTE_NS, analysis->err);
		if (!status && is_word)
			status = put_segment(analysis, window, stretch->start + start,
			                     stretch->start + end);
		if (status)
			return status;
	}
	return BS_OK;
}

static enum bs_status analyze_stretch(struct bs_analysis *analysis,
                                      struct bs_tokenizer_window *window,
                                      const struct stretch *stretch)
{
	if (stretch->is_inert)
		return BS_OK;
	if (stretch->is_ascii && analysis->tokenizer->ascii_path) {
		struct bs_tokenizer_window ahead = *window;
		struct bs_byte_span span = bs_tokenizer_span(&ahead, stretch->start, stretch->end);
		/* Only if the original text is ASCII, too: some signs, such as the Kelvin sign,
		 * become ASCII in NFC. */
		if (span.end_byte - span.start_byte == (uint64_t)(stretch->end - stretch->start)) {
			*window = ahead;
			return analyze_ascii(analysis, (size_t)span.start_byte,
			                     (size_t)span.end_byte);
		}
	}
	return break_stretch(analysis, window, stretch);
}

/* Replaces apostrophes of all kinds by '. Has no branch, so that compilers vectorize the loop. */
static void map_apostrophes(UChar *units, int32_t n_units)
{
	for (int32_t i = 0; i < n_units; i++)
		units[i] = bs_tokenizer_is_apostrophe(units[i]) ? '\'' : units[i];
}

/* Finds the stretch or the script run that starts at unit `start`; it ends where the other kind
 * begins, or at the window's end. Replaces apostrophes of all kinds by ASCII ones; the bytes of the
 * text are unchanged. */
static enum bs_status find_stretch(struct bs_analysis *analysis, struct bs_tokenizer_window *window,
                                   int32_t start, bool is_script_run, struct stretch *stretch_out)
{
	/* bs_tokenizer_decode has filled in the classes of these code points */
	const uint8_t *code_points = analysis->tokenizer->icu.code_point_classes;
	unsigned goes_on_with = BS_CODE_POINT_SCRIPT_RUN | (is_script_run ? BS_CODE_POINT_MARK : 0);
	unsigned classes = 0;
	uint32_t bits = 0;
	int32_t at = start, end = start;
	for (bool goes_on = true; goes_on && end < window->n_units;) {
		int32_t block =
			window->n_units - end > SPEND_BYTES ? end + SPEND_BYTES : window->n_units;
		while (end < block) {
			UChar32 c = bs_tokenizer_next(window->units, &at);
			uint8_t class = code_points[c];
			if (!(class & goes_on_with) == is_script_run) {
				goes_on = false;
				break;
			}
			end = at;
			classes |= class;
			bits |= (uint32_t)c;
		}
		enum bs_status status =
			goes_on ? bs_deadline_check_after(SPEND_BYTES * BYTE_NS, analysis->err)
				: BS_OK;
		if (status)
			return status;
	}
	*stretch_out = (struct stretch){
		.start = start,
		.end = end,
		.is_inert = !(classes & BS_CODE_POINT_KINDS & ~(unsigned)BS_CODE_POINT_INERT),
		.is_ascii = bits < 0x80,
	};
	if (classes & BS_CODE_POINT_APOSTROPHE)
		map_apostrophes(window->units + start, end - start);
	return BS_OK;
}

/* Tokenizes text[start..end), which lies between two safe cuts, with ICU. */
static enum bs_status analyze_icu(struct bs_analysis *analysis, size_t start, size_t end)
{
	struct bs_tokenizer_window window = {0};
	enum bs_status status = bs_tokenizer_need_icu(analysis->tokenizer, analysis->err);
	if (!status)
		status = bs_tokenizer_decode(analysis, start, end, &window);
	for (int32_t at = 0; !status && at < window.n_units;) {
		struct stretch stretch;
		status = find_stretch(analysis, &window, at, false, &stretch);
		if (!status)
			status = analyze_stretch(analysis, &window, &stretch);
		at = stretch.end;
		if (status || at == window.n_units)
			break;
		status = find_stretch(analysis, &window, at, true, &stretch);
		if (status)
			break;
		at = stretch.end;
		status = bs_tokenizer_put_script_run(analysis, &window, stretch.start, at);
	}
	return status;
}

/* Reports why Snowball made no stemmer: unknown language, or no memory. */
static enum bs_status fail_stemmer(const char *language, struct bs_error *err)
{
	char known[400] = "";
	size_t used = 0;
	for (const char **name = bs_stemmer.sb_stemmer_list(); *name; name++) {
		if (strcmp(*name, language) == 0)
			return bs_fail_memory(err, "a stemmer", sizeof(void *));
		if (used + strlen(*name) + 2 <= sizeof(known))
			used += (size_t)snprintf(known + used, sizeof(known) - used, " %s", *name);
	}
	return bs_fail(err, BS_INVALID, "unknown stemmer: %.40s; the known ones are:%s", language,
	               known);
}

static enum bs_status open_stemmer(struct bs_tokenizer *tokenizer, const char *language,
                                   struct bs_error *err)
{
	enum bs_status status = bs_stemmer_load(err);
	if (status)
		return status;
	tokenizer->rules.stemmer = bs_stemmer.sb_stemmer_new(language, "UTF_8");
	return tokenizer->rules.stemmer ? BS_OK : fail_stemmer(language, err);
}

static enum bs_status open_icu(struct bs_tokenizer *tokenizer, struct bs_error *err)
{
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	UErrorCode code = U_ZERO_ERROR;
	tokenizer->icu.nfkc_casefold = bs_icu.unorm2_getNFKCCasefoldInstance(&code);
	tokenizer->icu.nfd = bs_icu.unorm2_getNFDInstance(&code);
	tokenizer->icu.nfc = bs_icu.unorm2_getNFCInstance(&code);
	if (U_FAILURE(code))
		return bs_tokenizer_fail_icu(err, "opening the normalizers", code);
	return bs_tokenizer_load_ascii_classes(tokenizer, err);
}

enum bs_status bs_tokenizer_check_analyzer_name(const char *name, struct bs_error *err)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = name ? strlen(name) : 0;
	if (n > 0 && n < 64 && strspn(name, allowed) == n)
		return BS_OK;
	return bs_fail(err, BS_INVALID,
	               "an analyzer is called by 1 to 63 of a-z, A-Z, 0-9, '.', '_' and '-'");
}

enum bs_status bs_tokenizer_check_analyzer(const struct bs_analyzer *analyzer, const char *name,
                                           const char *where, struct bs_error *err)
{
	if (name && (!analyzer || strcmp(analyzer->name, name) != 0))
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: its words were cut by the analyzer %s, not by %s; use the "
		               "program that made it",
		               where, name, analyzer ? analyzer->name : "this program");
	if (!name && analyzer)
		return bs_fail(err, BS_UNSUPPORTED,
		               "%s: its words were not cut by the analyzer %s; rebuild it, or open "
		               "it without",
		               where, analyzer->name);
	return BS_OK;
}

enum bs_status bs_tokenizer_new(const struct bs_tokenizer_options *options,
                                struct bs_tokenizer **words_out, struct bs_error *err)
{
	*words_out = NULL;
	struct bs_tokenizer *tokenizer = calloc(1, sizeof(*tokenizer));
	if (!tokenizer)
		return bs_fail_memory(err, "a words analyzer", sizeof(*tokenizer));
	tokenizer->rules.analyzer = options ? options->analyzer : NULL;
	tokenizer->rules.fold_accents = options && options->fold_accents;
	tokenizer->rules.split_identifiers = options && options->split_identifiers;
	tokenizer->ascii_path = true;
	tokenizer->window_bytes = BS_TOKENIZER_WINDOW_BYTES;

	enum bs_status status = bs_kernel_choose(NULL, &tokenizer->kernel, err);
	if (!status)
		status = bs_tokenizer_check_analyzer(tokenizer->rules.analyzer,
		                                     options ? options->analyzer_name : NULL,
		                                     "the index", err);
	if (!status && options && options->stem_language)
		status = open_stemmer(tokenizer, options->stem_language, err);
	if (!status)
		status = open_icu(tokenizer, err);
	if (status) {
		bs_tokenizer_free(tokenizer);
		return status;
	}
	*words_out = tokenizer;
	return BS_OK;
}

static void trim_scratch(struct bs_tokenizer *tokenizer, size_t kept_bytes)
{
	struct bs_buffer *scratch[] = {&tokenizer->normal.window,  &tokenizer->normal.edits,
	                               &tokenizer->normal.ordered, &tokenizer->term.folded,
	                               &tokenizer->term.spare[0],  &tokenizer->term.spare[1],
	                               &tokenizer->term.whole,     &tokenizer->term.unmarked,
	                               &tokenizer->term.parts,     &tokenizer->batch.arena};
	for (size_t i = 0; i < sizeof(scratch) / sizeof(*scratch); i++)
		if (scratch[i]->capacity_bytes > kept_bytes)
			bs_buffer_deinit(scratch[i]);
}

void bs_tokenizer_free(struct bs_tokenizer *tokenizer)
{
	if (!tokenizer)
		return;
	bs_tokenizer_close_icu(tokenizer);
	if (tokenizer->rules.stemmer)
		bs_stemmer.sb_stemmer_delete(tokenizer->rules.stemmer);
	trim_scratch(tokenizer, 0);
	free(tokenizer->ascii.forms);
	free(tokenizer);
}

void bs_tokenizer_split(struct bs_tokenizer *tokenizer, bool splits)
{
	tokenizer->rules.split_identifiers = splits;
}

/*
 * A safe cut is a place where both paths (ASCII and ICU) tokenize the text before it in the same
 * way whether the text ends or continues there:
 *
 *   - after a line feed. ICU always breaks after it (rules WB3, WB3a), and no rule looks across.
 *   - between an inert ASCII byte (white space, a control, ( ) { } = ...: Word_Break Other,
 *     WSegSpace, CR, LF or Newline, and inert by ICU's answer) and an ASCII letter or digit.
 *
 * ICU's forward rules are an automaton that restarts at each boundary, so the text before a
 * boundary does not affect the text after it. It is enough that there is a boundary at the cut with
 * and without the text after it. There is: no rule joins an inert character to a letter or digit
 * (WB999), and the rules that end a segment before the inert character look only as far as the next
 * character that is not ignorable, which is the inert one. An inert character extended by marks is
 * no exception, because the letter follows it directly. Dictionary segments and script runs contain
 * no ASCII. A cut at . or : depends on the neighbours of that character and on marks before it;
 * none of these is beyond a safe cut, because . and : are neither inert nor letters or digits, and
 * a line feed is not alphabetic. NFC does not look beyond a safe cut: an ASCII letter or digit, or
 * a line feed, composes with nothing before it.
 *
 * All these bytes are ASCII, so a cut never divides a UTF-8 sequence, valid or not, and can be
 * found in bytes.
 */
/* Sets *end_out to the last safe cut in the pure ASCII that begins at start; to start if there is
 * none. */
static enum bs_status find_ascii_end(struct bs_analysis *analysis, size_t start, size_t text_bytes,
                                     size_t *end_out)
{
	const struct bs_tokenizer *tokenizer = analysis->tokenizer;
	const uint8_t *text = analysis->text;
	size_t from = start;
	enum bs_status status = BS_OK;
	while (!status) {
		size_t limit = text_bytes - from > tokenizer->window_bytes
		                       ? from + tokenizer->window_bytes
		                       : text_bytes;
		size_t end = tokenizer->kernel->text.find_opaque(text, from, limit, false);
		*end_out = end;
		if (end == text_bytes)
			return BS_OK;
		*end_out = bs_tokenizer_last_cut(tokenizer, text, from, end);
		if (*end_out > from)
			return BS_OK;
		*end_out = start;
		if (end < limit)
			return BS_OK;
		/* There is no cut so far: the text begins with a long word. */
		from = limit;
		status = bs_deadline_check_after(tokenizer->window_bytes * BYTE_NS, analysis->err);
	}
	return status;
}

/* The end of a piece for ICU that begins at start: the last safe cut within the window's size,
 * otherwise the first one after it. */
static size_t find_window_end(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                              size_t start, size_t text_bytes)
{
	size_t window_bytes = tokenizer->window_bytes;
	if (text_bytes - start <= window_bytes)
		return text_bytes;
	size_t cut = bs_tokenizer_last_cut(tokenizer, text, start, start + window_bytes);
	return cut > start ? cut
	                   : bs_tokenizer_next_cut(tokenizer, text, start + window_bytes + 1,
	                                           text_bytes);
}

/* The end of a piece for ICU if the ASCII path may continue after it: the first safe cut at which
 * the piece has at least window_bytes, or an earlier safe cut that is followed by
 * ASCII_RESUME_BYTES of pure ASCII, or by no more than that many bytes of text. */
static size_t find_mixed_end(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                             size_t start, size_t text_bytes)
{
	size_t cut = start;
	for (;;) {
		cut = bs_tokenizer_next_cut(tokenizer, text, cut + 1, text_bytes);
		if (cut - start >= tokenizer->window_bytes ||
		    text_bytes - cut <= ASCII_RESUME_BYTES)
			return cut;
		uint64_t behind[ASCII_RESUME_BYTES / 8];
		memcpy(behind, text + cut, sizeof(behind));
		if (!((behind[0] | behind[1]) & UINT64_C(0x8080808080808080)))
			return cut;
	}
}

/* Tokenizes a piece from start on. *end_out is the start of the next piece. */
static enum bs_status analyze_piece(struct bs_analysis *analysis, size_t start, size_t text_bytes,
                                    size_t *end_out)
{
	const struct bs_tokenizer *tokenizer = analysis->tokenizer;
	const uint8_t *text = analysis->text;
	if (!tokenizer->ascii_path) {
		*end_out = find_window_end(tokenizer, text, start, text_bytes);
		return analyze_icu(analysis, start, *end_out);
	}
	enum bs_status status = find_ascii_end(analysis, start, text_bytes, end_out);
	if (status)
		return status;
	if (*end_out > start)
		return analyze_ascii(analysis, start, *end_out);
	*end_out = find_mixed_end(tokenizer, text, start, text_bytes);
	return analyze_icu(analysis, start, *end_out);
}

/* The state while the application's analyzer splits a text. */
struct cutting {
	struct bs_analysis *analysis;
	uint64_t start_byte; /* start of the last word */
	size_t text_bytes;
	enum bs_status status;
};

static int take_given(void *context, const uint8_t *term, size_t term_bytes, size_t start,
                      size_t stop)
{
	struct cutting *cutting = context;
	struct bs_analysis *analysis = cutting->analysis;
	if (cutting->status)
		return 1;
	if (start > stop || stop > cutting->text_bytes || start < cutting->start_byte)
		cutting->status =
			bs_fail(analysis->err, BS_INVALID,
		                "the analyzer %s put a word at bytes %zu to %zu of a text of %zu, "
		                "behind %llu",
		                analysis->tokenizer->rules.analyzer->name, start, stop,
		                cutting->text_bytes, (unsigned long long)cutting->start_byte);
	cutting->start_byte = start;
	if (!cutting->status)
		cutting->status = bs_deadline_check_after(term_bytes * BYTE_NS, analysis->err);
	if (!cutting->status)
		cutting->status = bs_tokenizer_put_analyzer_term(
			analysis, term, term_bytes, (struct bs_byte_span){start, stop});
	return cutting->status != BS_OK;
}

static enum bs_status analyze_given(struct bs_analysis *analysis, size_t text_bytes)
{
	const struct bs_analyzer *analyzer = analysis->tokenizer->rules.analyzer;
	static const uint8_t nothing[1];
	struct cutting cutting = {.analysis = analysis, .text_bytes = text_bytes};
	int result = analyzer->cut(analyzer->context, analysis->text ? analysis->text : nothing,
	                           text_bytes, take_given, &cutting);
	if (cutting.status || result == 0)
		return cutting.status;
	return bs_fail(analysis->err, BS_IO, "the analyzer %s failed with %d", analyzer->name,
	               result);
}

enum bs_status bs_tokenizer_analyze(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                    size_t text_bytes, uint32_t first_position, bs_token_fn fn,
                                    void *context, struct bs_tokenizer_sum *sum_out,
                                    struct bs_error *err)
{
	struct bs_analysis analysis = {.tokenizer = tokenizer,
	                               .text = text,
	                               .fn = fn,
	                               .context = context,
	                               .err = err,
	                               .next_position = first_position};
	tokenizer->batch.n_tokens = 0;
	bs_buffer_clear(&tokenizer->batch.arena);
	enum bs_status status =
		bs_buffer_reserve(&tokenizer->batch.arena, ARENA_BYTES + BS_TOKEN_SLACK_BYTES, err);
	if (!status && tokenizer->rules.analyzer)
		status = analyze_given(&analysis, text_bytes);
	for (size_t at = 0, end; at < text_bytes && !status && !tokenizer->rules.analyzer;
	     at = end) {
		status = analyze_piece(&analysis, at, text_bytes, &end);
		if (!status)
			status = bs_deadline_check_after((end - at) * BYTE_NS, err);
	}
	if (!status)
		status = bs_tokenizer_flush(&analysis);
	trim_scratch(tokenizer, SCRATCH_KEPT_BYTES);
	if (!status && sum_out)
		*sum_out = (struct bs_tokenizer_sum){
			.next_position = (uint32_t)analysis.next_position,
			.n_positions = (uint32_t)analysis.n_positions,
		};
	return status;
}

enum bs_status bs_tokenizer_append_nfc(struct bs_tokenizer *tokenizer, const uint8_t *text,
                                       size_t text_bytes, struct bs_buffer *to,
                                       struct bs_error *err)
{
	struct bs_analysis analysis = {.tokenizer = tokenizer, .text = text, .err = err};
	struct bs_tokenizer_window window = {0};
	if (tokenizer->rules.analyzer || bs_is_ascii(text, text_bytes))
		return bs_buffer_append(to, text, text_bytes, err);
	enum bs_status status = bs_tokenizer_need_icu(tokenizer, err);
	if (!status)
		status = bs_tokenizer_decode(&analysis, 0, text_bytes, &window);
	if (!status)
		/* A unit takes at most 3 bytes of UTF-8; a surrogate pair (2 units) takes 4. */
		status = bs_buffer_reserve(to, (size_t)window.n_units * 3, err);
	for (int32_t at = 0; at < window.n_units && !status;) {
		uint32_t c = (uint32_t)bs_tokenizer_next(window.units, &at);
		U8_APPEND_UNSAFE(to->data, to->used_bytes, c);
	}
	return status;
}

enum bs_status bs_tokenizer_versions(char icu_out[16], char unicode_out[16], struct bs_error *err)
{
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	/* The strings of all released versions fit into 16 bytes. */
	char text[U_MAX_VERSION_STRING_LENGTH];
	UVersionInfo version;
	bs_icu.u_getVersion(version);
	bs_icu.u_versionToString(version, text);
	snprintf(icu_out, 16, "%.15s", text);
	bs_icu.u_getUnicodeVersion(version);
	bs_icu.u_versionToString(version, text);
	snprintf(unicode_out, 16, "%.15s", text);
	return BS_OK;
}
