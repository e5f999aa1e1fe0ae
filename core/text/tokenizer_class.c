/* tokenizer_class.c: see tokenizer_class.h. */
#include "core/text/tokenizer_class.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/text/tokenizer_parts.h"

enum bs_status bs_tokenizer_fail_icu(struct bs_error *err, const char *what, UErrorCode code)
{
	enum bs_status status = code == U_MEMORY_ALLOCATION_ERROR ? BS_NO_MEMORY : BS_UNSUPPORTED;
	return bs_fail(err, status, "ICU: %s: %s", what, bs_icu.u_errorName(code));
}

/* sizes of the tables code_point_classes and simple_folds */
#define CLASSES_BYTES ((size_t)UCHAR_MAX_VALUE + 1)
#define FOLDS_BYTES   (0x10000 * sizeof(uint16_t))

/* Maps pages, because calloc would clear memory that was used before, which takes longer than
 * parsing a query. */
static void *zero_pages(size_t n_bytes)
{
	void *pages =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return pages == MAP_FAILED ? NULL : pages;
}

static void free_pages(void *pages, size_t n_bytes)
{
	if (pages)
		(void)munmap(pages, n_bytes);
}

static enum bs_status open_breaks(struct bs_tokenizer *tokenizer, struct bs_error *err)
{
	UErrorCode code = U_ZERO_ERROR;
	/* More than a megabyte of untouched zero pages; only those of scripts in use take
	 * memory. */
	tokenizer->icu.code_point_classes = zero_pages(CLASSES_BYTES);
	tokenizer->icu.simple_folds = zero_pages(FOLDS_BYTES);
	if (!tokenizer->icu.code_point_classes || !tokenizer->icu.simple_folds)
		return bs_fail_memory(err, "the classes and folds of code points",
		                      CLASSES_BYTES + FOLDS_BYTES);
	tokenizer->icu.breaks = bs_icu.ubrk_open(UBRK_WORD, "", NULL, 0, &code);
	return U_FAILURE(code) ? bs_tokenizer_fail_icu(err, "opening the word break rules", code)
	                       : BS_OK;
}

enum bs_status bs_tokenizer_need_icu(struct bs_tokenizer *tokenizer, struct bs_error *err)
{
	if (tokenizer->icu.breaks)
		return BS_OK;
	enum bs_status status = open_breaks(tokenizer, err);
	if (status)
		bs_tokenizer_close_icu(tokenizer);
	return status;
}

void bs_tokenizer_close_icu(struct bs_tokenizer *tokenizer)
{
	if (tokenizer->icu.breaks)
		bs_icu.ubrk_close(tokenizer->icu.breaks);
	free_pages(tokenizer->icu.code_point_classes, CLASSES_BYTES);
	free_pages(tokenizer->icu.simple_folds, FOLDS_BYTES);
	tokenizer->icu.breaks = NULL;
	free(tokenizer->normal.composed);
	tokenizer->icu.code_point_classes = NULL;
	tokenizer->icu.simple_folds = NULL;
	tokenizer->normal.composed = NULL;
}

bool bs_tokenizer_is_of_script_run(struct bs_tokenizer *tokenizer, UChar32 c)
{
	static const UScriptCode scripts[] = {USCRIPT_HAN,    USCRIPT_HIRAGANA, USCRIPT_KATAKANA,
	                                      USCRIPT_THAI,   USCRIPT_LAO,      USCRIPT_KHMER,
	                                      USCRIPT_MYANMAR};
	if (tokenizer->icu.code_point_classes &&
	    tokenizer->icu.code_point_classes[c] != BS_CODE_POINT_UNKNOWN)
		return tokenizer->icu.code_point_classes[c] & BS_CODE_POINT_SCRIPT_RUN;
	if (!(U_MASK(bs_icu.u_charType(c)) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)))
		return false;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		if (bs_icu.uscript_hasScript(c, scripts[i]))
			return true;
	return false;
}

/* Finds the end of ICU's first segment of the units. */
static enum bs_status first_segment(struct bs_tokenizer *tokenizer, const UChar *units,
                                    int32_t n_units, int32_t *end_out, int32_t *rule_status_out,
                                    struct bs_error *err)
{
	UErrorCode code = U_ZERO_ERROR;
	enum bs_status status = bs_tokenizer_need_icu(tokenizer, err);
	if (status)
		return status;
	bs_icu.ubrk_setText(tokenizer->icu.breaks, units, n_units, &code);
	if (U_FAILURE(code))
		return bs_tokenizer_fail_icu(err, "asking for the class of a character", code);
	bs_icu.ubrk_first(tokenizer->icu.breaks);
	*end_out = bs_icu.ubrk_next(tokenizer->icu.breaks);
	*rule_status_out = bs_icu.ubrk_getRuleStatus(tokenizer->icu.breaks);
	return BS_OK;
}

/* Contexts of a character in which ICU may join the character with its neighbours. */
enum {
	BETWEEN_LETTERS,
	BETWEEN_DIGITS,
	AFTER_LETTER,
	BEFORE_LETTER,
	AFTER_DIGIT,
	BEFORE_DIGIT,
	N_BESIDE,
};

/* How ICU treats a character. */
struct manners {
	int32_t rule_status;  /* ICU's rule status of the character alone */
	bool joins[N_BESIDE]; /* for each context: whether ICU joins it with all its neighbours */
};

static enum bs_status learn_manners(struct bs_tokenizer *tokenizer, UChar32 c,
                                    struct manners *manners_out, struct bs_error *err)
{
	static const UChar beside[N_BESIDE][2] = {{'a', 'a'}, {'1', '1'}, {'a', 0},
	                                          {0, 'a'},   {'1', 0},   {0, '1'}};
	UChar units[4];
	int32_t n_units = 0, end = 0, rule_status = 0;
	U16_APPEND_UNSAFE(units, n_units, c);
	enum bs_status status =
		first_segment(tokenizer, units, n_units, &end, &manners_out->rule_status, err);
	for (size_t i = 0; i < N_BESIDE && !status; i++) {
		n_units = 0;
		if (beside[i][0])
			units[n_units++] = beside[i][0];
		U16_APPEND_UNSAFE(units, n_units, c);
		if (beside[i][1])
			units[n_units++] = beside[i][1];
		status = first_segment(tokenizer, units, n_units, &end, &rule_status, err);
		manners_out->joins[i] = end == n_units;
	}
	return status;
}

/* Whether ICU splits a sequence of characters like c by a dictionary, even if it treats c alone as
 * a symbol. Without this test, radicals (such as U+2F00, Word_Break Other) would be inert, and a
 * word of two radicals would be lost. */
static bool is_for_dictionaries(UChar32 c)
{
	switch (bs_icu.u_getIntPropertyValue(c, UCHAR_SCRIPT)) {
	case USCRIPT_HAN:
	case USCRIPT_HIRAGANA:
	case USCRIPT_KATAKANA:
		return true;
	default:
		return bs_icu.u_getIntPropertyValue(c, UCHAR_LINE_BREAK) == U_LB_COMPLEX_CONTEXT;
	}
}

static bool is_inert(UChar32 c, const struct manners *manners)
{
	switch (bs_icu.u_getIntPropertyValue(c, UCHAR_WORD_BREAK)) {
	case U_WB_OTHER:
	case U_WB_WSEGSPACE:
	case U_WB_CR:
	case U_WB_LF:
	case U_WB_NEWLINE:
		break;
	default:
		return false;
	}
	for (size_t i = 0; i < N_BESIDE; i++)
		if (manners->joins[i])
			return false;
	return manners->rule_status < UBRK_WORD_NONE_LIMIT &&
	       !bs_icu.u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC) &&
	       !is_for_dictionaries(c);
}

enum bs_status bs_tokenizer_is_inert(struct bs_tokenizer *tokenizer, UChar32 c, bool *is_inert_out,
                                     struct bs_error *err)
{
	struct manners manners;
	enum bs_status status = learn_manners(tokenizer, c, &manners, err);
	*is_inert_out = !status && is_inert(c, &manners);
	return status;
}

static uint8_t ascii_class(UChar32 c, const struct manners *manners)
{
	unsigned class = 0;
	if (manners->joins[AFTER_LETTER] && manners->joins[BEFORE_LETTER]) {
		if (manners->rule_status >= UBRK_WORD_LETTER)
			class = BS_ASCII_LETTER;
		else
			class = manners->rule_status >= UBRK_WORD_NUMBER ? BS_ASCII_DIGIT
			                                                 : BS_ASCII_EXTEND;
	} else {
		class |= manners->joins[BETWEEN_LETTERS] ? BS_ASCII_MID_LETTER : 0;
		class |= manners->joins[BETWEEN_DIGITS] ? BS_ASCII_MID_DIGIT : 0;
	}
	/* Even if ICU took @ for a joint between letters (no version so far does), it would never
	 * be part of a word, because words are cut at each @. */
	if (c == '@' && !(class & BS_ASCII_WORD))
		class = 0;
	else if (c == '.' || c == ':' || c == '@')
		class |= BS_ASCII_CUT;
	if (is_inert(c, manners))
		class |= BS_ASCII_CUT_AFTER;
	if ((class & (BS_ASCII_LETTER | BS_ASCII_DIGIT)) && bs_icu.u_isalnum(c))
		class |= BS_ASCII_CUT_BEFORE;
	return (uint8_t) class;
}

static enum bs_status learn_ascii(struct bs_tokenizer *tokenizer, struct bs_error *err)
{
	for (UChar32 c = 0; c < 0x80; c++) {
		struct manners manners;
		enum bs_status status = learn_manners(tokenizer, c, &manners, err);
		if (status)
			return status;
		tokenizer->ascii.classes.of[c] = ascii_class(c, &manners);
		tokenizer->ascii.parts[c] = (uint8_t)bs_part_kind_of(c);
	}
	bs_byte_classes_finish(&tokenizer->ascii.classes);
	return BS_OK;
}

/* The classes are the same for all tokenizers of the process, and asking ICU for them takes longer
 * than parsing a query. So the first tokenizer publishes them. Threads do not wait for each other:
 * two may ask ICU at the same time. */
enum {
	NOT_LEARNT,
	LEARNING,
	LEARNT,
};

static struct {
	unsigned state;
	struct bs_byte_classes classes;
	uint8_t parts[0x80];
} ascii_learnt;

static void publish_ascii(const struct bs_tokenizer *tokenizer)
{
	unsigned expected = NOT_LEARNT;
	if (!__atomic_compare_exchange_n(&ascii_learnt.state, &expected, LEARNING, false,
	                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	ascii_learnt.classes = tokenizer->ascii.classes;
	memcpy(ascii_learnt.parts, tokenizer->ascii.parts, sizeof(ascii_learnt.parts));
	__atomic_store_n(&ascii_learnt.state, LEARNT, __ATOMIC_RELEASE);
}

enum bs_status bs_tokenizer_load_ascii_classes(struct bs_tokenizer *tokenizer, struct bs_error *err)
{
	if (__atomic_load_n(&ascii_learnt.state, __ATOMIC_ACQUIRE) == LEARNT) {
		tokenizer->ascii.classes = ascii_learnt.classes;
		memcpy(tokenizer->ascii.parts, ascii_learnt.parts, sizeof(tokenizer->ascii.parts));
		return BS_OK;
	}
	enum bs_status status = learn_ascii(tokenizer, err);
	if (!status)
		publish_ascii(tokenizer);
	return status;
}

static enum bs_status learn_kind(struct bs_tokenizer *tokenizer, UChar32 c, uint8_t *kind_out,
                                 struct bs_error *err)
{
	*kind_out = BS_CODE_POINT_OTHER;
	if (bs_tokenizer_is_apostrophe(c)) {
		*kind_out = BS_CODE_POINT_APOSTROPHE;
	} else if (bs_tokenizer_is_of_script_run(tokenizer, c)) {
		*kind_out = BS_CODE_POINT_SCRIPT_RUN;
	} else if (bs_tokenizer_is_mark(c)) {
		*kind_out = BS_CODE_POINT_MARK;
	} else {
		bool is_nothing;
		enum bs_status status = bs_tokenizer_is_inert(tokenizer, c, &is_nothing, err);
		if (status)
			return status;
		if (is_nothing)
			*kind_out = BS_CODE_POINT_INERT;
	}
	return BS_OK;
}

enum bs_status bs_tokenizer_learn_class(struct bs_tokenizer *tokenizer, UChar32 c,
                                        uint8_t *class_out, struct bs_error *err)
{
	enum bs_status status = learn_kind(tokenizer, c, class_out, err);
	if (status)
		return status;
	bool is_joined = !bs_icu.unorm2_hasBoundaryBefore(tokenizer->icu.nfc, c);
	int32_t quick_check = bs_icu.u_getIntPropertyValue(c, UCHAR_NFC_QUICK_CHECK);
	if (is_joined)
		*class_out |= BS_CODE_POINT_JOINS;
	else if (quick_check != UNORM_NO)
		*class_out |= BS_CODE_POINT_STABLE;
	if (is_joined ? quick_check == UNORM_YES
	              : bs_icu.u_getIntPropertyValue(c, UCHAR_TRAIL_CANONICAL_COMBINING_CLASS) == 0)
		*class_out |= BS_CODE_POINT_SETTLED;
	tokenizer->icu.code_point_classes[c] = *class_out;
	return BS_OK;
}
