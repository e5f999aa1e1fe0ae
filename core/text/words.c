/*
 * words.c: opens and closes a words analyzer, and cuts a text at safe places into pieces of bounded size for one of its
 * two paths: pure ASCII goes to words_ascii.c, all else to words_icu.c. See words.h and words_internal.h.
 *
 * A safe cut is a place where neither path can tell a text that goes on from one that ends:
 *
 *   - after a line feed. ICU breaks after it whatever follows (rules WB3, WB3a), and nothing looks across it.
 *   - between an inert ASCII byte (white space, a control, ( ) { } = ...: Word_Break Other, WSegSpace, CR, LF or
 *     Newline, and inert when ICU itself is asked) and an ASCII letter or digit.
 *
 * ICU's forward rules are an automaton that is started afresh at each boundary, so what lies before one has no say in
 * what comes after it: it is enough that there is a boundary at the cut with and without the text behind it. There is:
 * no rule joins an inert character to a letter or digit (WB999), and no rule that would let a segment end before the
 * inert character looks further than the next character that is not ignorable, which is the inert one. An inert
 * character extended by marks is no exception, since the letter follows it directly. Dictionary segments hold no ASCII,
 * and neither do runs; a cut at . : @ looks at the two neighbours of that one character, neither of which is beyond a
 * safe cut, as . : and @ are neither inert nor letters or digits and a line feed is not alphabetic.
 *
 * All these bytes are ASCII, so a cut never divides a UTF-8 sequence, valid or not, and can be looked for in bytes.
 */
#include "core/text/words.h"

#include <stdlib.h>
#include <string.h>

#include "core/text/words_internal.h"

/* A piece for ICU ends at a safe cut that has this much ASCII behind it: less would not repay another ubrk_setText. */
#define ASCII_RESUME_BYTES ((size_t)16)

/* Room for a whole batch of usual words, so that batches end for want of tokens, not of bytes. */
#define ARENA_BYTES ((size_t)BS_WORDS_BATCH_TOKENS * 32)

/* Scratch above this is returned after the text that needed it. */
#define SCRATCH_KEPT_BYTES ((size_t)1 << 22)

static bool is_listed_stemmer(const char *language)
{
	for (const char **name = bs_stemmer.sb_stemmer_list(); *name; name++)
		if (strcmp(*name, language) == 0)
			return true;
	return false;
}

static enum bs_status fail_unknown_stemmer(const char *language, struct bs_error *err)
{
	char known[400] = "";
	size_t used = 0;
	for (const char **name = bs_stemmer.sb_stemmer_list(); *name; name++) {
		size_t n_bytes = strlen(*name);
		if (used + n_bytes + 2 > sizeof(known))
			break;
		known[used++] = ' ';
		memcpy(known + used, *name, n_bytes + 1);
		used += n_bytes;
	}
	return bs_fail(err, BS_INVALID, "unknown stemmer: %.40s; the known ones are:%s", language, known);
}

static enum bs_status open_stemmer(struct bs_words *words, const char *language, struct bs_error *err)
{
	enum bs_status status = bs_stemmer_load(err);
	if (status)
		return status;
	words->stemmer = bs_stemmer.sb_stemmer_new(language, "UTF_8");
	if (words->stemmer)
		return BS_OK;
	if (is_listed_stemmer(language))
		return bs_fail_memory(err, "a stemmer", sizeof(void *));
	return fail_unknown_stemmer(language, err);
}

static enum bs_status open_icu(struct bs_words *words, struct bs_error *err)
{
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	UErrorCode code = U_ZERO_ERROR;
	words->nfkc_casefold = bs_icu.unorm2_getNFKCCasefoldInstance(&code);
	words->nfd = bs_icu.unorm2_getNFDInstance(&code);
	words->nfc = bs_icu.unorm2_getNFCInstance(&code);
	words->breaks = bs_icu.ubrk_open(UBRK_WORD, "", NULL, 0, &code);
	if (U_FAILURE(code))
		return bs_words_fail_icu(err, "opening the word break rules", code);
	return bs_words_learn_ascii(words, err);
}

enum bs_status bs_words_new(const struct bs_words_options *options, struct bs_words **words_out, struct bs_error *err)
{
	static const struct bs_words_options no_options = {NULL, false};
	if (!options)
		options = &no_options;
	*words_out = NULL;
	struct bs_words *words = calloc(1, sizeof(*words));
	if (!words)
		return bs_fail_memory(err, "a words analyzer", sizeof(*words));
	words->fold_accents = options->fold_accents;
	words->ascii_path = true;
	words->window_bytes = BS_WORDS_WINDOW_BYTES;

	enum bs_status status = bs_kernel_choose(NULL, &words->kernel, err);
	/* Over a megabyte, but of untouched zero pages: only those of the scripts met become real. */
	words->code_point_classes = calloc(UCHAR_MAX_VALUE + 1, 1);
	words->simple_folds = calloc(0x10000, sizeof(*words->simple_folds));
	if (!status && (!words->code_point_classes || !words->simple_folds))
		status = bs_fail_memory(err, "the classes and folds of code points", UCHAR_MAX_VALUE + 1);
	if (!status && options->stem_language)
		status = open_stemmer(words, options->stem_language, err);
	if (!status)
		status = open_icu(words, err);
	if (status) {
		bs_words_free(words);
		return status;
	}
	*words_out = words;
	return BS_OK;
}

void bs_words_free(struct bs_words *words)
{
	if (!words)
		return;
	if (words->breaks)
		bs_icu.ubrk_close(words->breaks);
	if (words->stemmer)
		bs_stemmer.sb_stemmer_delete(words->stemmer);
	bs_buffer_deinit(&words->window);
	bs_buffer_deinit(&words->folded);
	bs_buffer_deinit(&words->spare[0]);
	bs_buffer_deinit(&words->spare[1]);
	bs_buffer_deinit(&words->whole);
	bs_buffer_deinit(&words->unmarked);
	bs_buffer_deinit(&words->arena);
	free(words->code_point_classes);
	free(words->simple_folds);
	free(words->ascii_forms);
	free(words);
}

void bs_words_use_kernel(struct bs_words *words, const struct bs_kernel *kernel)
{
	words->kernel = kernel;
}

void bs_words_tune(struct bs_words *words, size_t window_bytes, bool ascii_path)
{
	words->window_bytes = window_bytes;
	words->ascii_path = ascii_path;
}

/* The first byte from start that is not ASCII, or end. */
static size_t find_non_ascii(const uint8_t *text, size_t start, size_t end)
{
	size_t at = start;
	for (; end - at >= 32; at += 32) {
		uint64_t eights[4];
		memcpy(eights, text + at, 32);
		if ((eights[0] | eights[1] | eights[2] | eights[3]) & UINT64_C(0x8080808080808080))
			break;
	}
	for (; end - at >= 8; at += 8) {
		uint64_t eight;
		memcpy(&eight, text + at, 8);
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	while (at < end && text[at] < 0x80)
		at++;
	return at;
}

/* The last safe cut in (start, end], or start if there is none. text[end] must be readable. */
static size_t find_last_cut(const struct bs_words *words, const uint8_t *text, size_t start, size_t end)
{
	for (size_t at = end; at > start; at--)
		if (bs_words_is_cut(words, text, at))
			return at;
	return start;
}

/* The first safe cut from start on (start > 0), or end. */
static size_t find_next_cut(const struct bs_words *words, const uint8_t *text, size_t start, size_t end)
{
	for (size_t at = start; at < end; at++)
		if (bs_words_is_cut(words, text, at))
			return at;
	return end;
}

/* Where the pure ASCII from start on can safely end; start if there is none, or no safe end to it. */
static size_t find_ascii_end(const struct bs_words *words, const uint8_t *text, size_t start, size_t text_bytes)
{
	for (size_t reach = words->window_bytes;; reach *= 2) {
		size_t limit = text_bytes - start > reach ? start + reach : text_bytes;
		size_t end = find_non_ascii(text, start, limit);
		if (end == text_bytes)
			return end;
		size_t cut = find_last_cut(words, text, start, end);
		if (cut > start || end < limit)
			return cut;
	}
}

/* Where a piece for ICU that starts at start ends: at the first safe cut beyond the window's size. */
static size_t find_window_end(const struct bs_words *words, const uint8_t *text, size_t start, size_t text_bytes)
{
	size_t window_bytes = words->window_bytes;
	if (text_bytes - start <= window_bytes)
		return text_bytes;
	size_t cut = find_last_cut(words, text, start, start + window_bytes);
	return cut > start ? cut : find_next_cut(words, text, start + window_bytes + 1, text_bytes);
}

/* The same where the ASCII path may take over: or sooner, at the first safe cut with some pure ASCII behind it. */
static size_t find_mixed_end(const struct bs_words *words, const uint8_t *text, size_t start, size_t text_bytes)
{
	size_t cut = start;
	for (;;) {
		cut = find_next_cut(words, text, cut + 1, text_bytes);
		if (cut - start >= words->window_bytes || text_bytes - cut <= ASCII_RESUME_BYTES)
			return cut;
		size_t resume = cut + ASCII_RESUME_BYTES;
		if (find_non_ascii(text, cut, resume) == resume)
			return cut;
	}
}

/* Analyses one piece from start on; end_out is where the next one starts. */
static enum bs_status analyze_piece(struct bs_analysis *analysis, size_t start, size_t text_bytes, size_t *end_out)
{
	const struct bs_words *words = analysis->words;
	const uint8_t *text = analysis->text;
	if (!words->ascii_path) {
		*end_out = find_window_end(words, text, start, text_bytes);
		return bs_words_analyze_icu(analysis, start, *end_out);
	}
	*end_out = find_ascii_end(words, text, start, text_bytes);
	if (*end_out > start)
		return bs_words_analyze_ascii(analysis, start, *end_out, false, false);
	*end_out = find_mixed_end(words, text, start, text_bytes);
	return bs_words_analyze_icu(analysis, start, *end_out);
}

static void trim(struct bs_buffer *scratch)
{
	if (scratch->capacity_bytes > SCRATCH_KEPT_BYTES)
		bs_buffer_deinit(scratch);
}

static void trim_scratch(struct bs_words *words)
{
	trim(&words->window);
	trim(&words->folded);
	trim(&words->spare[0]);
	trim(&words->spare[1]);
	trim(&words->whole);
	trim(&words->unmarked);
	trim(&words->arena);
}

enum bs_status bs_words_analyze(struct bs_words *words, const uint8_t *text, size_t text_bytes, uint32_t first_position,
                                bs_token_fn fn, void *context, struct bs_words_sum *sum_out, struct bs_error *err)
{
	struct bs_analysis analysis = {
		.words = words,
		.text = text,
		.fn = fn,
		.context = context,
		.err = err,
		.next_position = first_position,
	};
	words->n_tokens = 0;
	bs_buffer_clear(&words->arena);
	enum bs_status status = bs_buffer_reserve(&words->arena, ARENA_BYTES + BS_TOKEN_SLACK_BYTES, err);
	for (size_t at = 0, end; at < text_bytes && !status; at = end)
		status = analyze_piece(&analysis, at, text_bytes, &end);
	if (!status)
		status = bs_words_flush(&analysis);
	trim_scratch(words);
	if (!status && sum_out)
		*sum_out = (struct bs_words_sum){
			.next_position = (uint32_t)analysis.next_position,
			.n_positions = (uint32_t)analysis.n_positions,
		};
	return status;
}

enum bs_status bs_words_versions(char icu_out[16], char unicode_out[16], struct bs_error *err)
{
	enum bs_status status = bs_icu_load(err);
	if (status)
		return status;
	/* ICU's texts are at most 20 bytes ("255.255.255.255"), and fit for every version there has been. */
	char text[U_MAX_VERSION_STRING_LENGTH];
	UVersionInfo version;
	bs_icu.u_getVersion(version);
	bs_icu.u_versionToString(version, text);
	memcpy(icu_out, text, 15);
	icu_out[15] = '\0';
	bs_icu.u_getUnicodeVersion(version);
	bs_icu.u_versionToString(version, text);
	memcpy(unicode_out, text, 15);
	unicode_out[15] = '\0';
	return BS_OK;
}
