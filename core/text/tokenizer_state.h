/* tokenizer_state.h: the state of the words analyzer, which its stages share. Private to the
 * words_*.c files and the tests. */
#pragma once

#include <unicode/utf16.h>

#include "core/base/buffer.h"
#include "core/simd/kernels.h"
#include "core/system/icu.h"
#include "core/text/token.h"

#define BS_TOKENIZER_BATCH_TOKENS 256

/* 32 KB of text are at most 64 KB of UTF-16: the window, ICU's tables and our own stay in a 1 MB
 * L2, and what one window costs (a ubrk_setText, the search for its end) is spread over thousands
 * of words. */
#define BS_TOKENIZER_WINDOW_BYTES ((size_t)32 * 1024)

/* What a byte of ASCII is. A byte that joins (MID) bears the classes it stands between, shifted. */
enum {
	BS_ASCII_LETTER = 1 << 0,
	BS_ASCII_DIGIT = 1 << 1,
	BS_ASCII_EXTEND = 1 << 2, /* _ */
	BS_ASCII_WORD = BS_ASCII_LETTER | BS_ASCII_DIGIT | BS_ASCII_EXTEND,
	BS_ASCII_MID_SHIFT = 3,
	BS_ASCII_MID_LETTER = BS_ASCII_LETTER << BS_ASCII_MID_SHIFT, /* ' . join letters */
	BS_ASCII_MID_DIGIT = BS_ASCII_DIGIT << BS_ASCII_MID_SHIFT,   /* ' . , ; join digits */
	BS_ASCII_CUT = 1 << 5,                                       /* . : @ */
	/* the text may be cut between such a byte */
	BS_ASCII_CUT_AFTER = 1 << 6,
	BS_ASCII_CUT_BEFORE = 1 << 7, /* and such a byte */
};

/* The class of a code point: one of the first five, and bits about NFC; classes of several are
 * joined by OR. */
enum {
	BS_CODE_POINT_UNKNOWN = 0, /* not met yet */
	/* a letter, mark or digit of a script of runs: begins a run or goes on with one */
	BS_CODE_POINT_SCRIPT_RUN = 1 << 0,
	BS_CODE_POINT_MARK = 1 << 1, /* any other mark: goes on with a run */
	/* no word, and no part of one: punctuation and the like */
	BS_CODE_POINT_INERT = 1 << 2,
	BS_CODE_POINT_APOSTROPHE = 1 << 3, /* becomes ' */
	BS_CODE_POINT_OTHER = 1 << 4,
	BS_CODE_POINT_KINDS = (1 << 5) - 1,
	/* stable: no mark changes places with a part of it; joins: it composes with nothing */
	BS_CODE_POINT_SETTLED = 1 << 5,
	/* may compose, or change places, with what stands before it */
	BS_CODE_POINT_JOINS = 1 << 6,
	/* does not join, and is its own NFC: a text of such is in NFC */
	BS_CODE_POINT_STABLE = 1 << 7,
};

struct bs_composed;

/* Objects of ICU, and tables made with it. The first three are NULL until bs_tokenizer_need_icu. */
struct bs_tokenizer_icu {
	UBreakIterator *breaks;
	uint8_t *code_point_classes; /* of every code point, filled when first met */
	uint16_t *simple_folds;      /* of the BMP, filled when first met: see tokenizer_term.c */
	const UNormalizer2 *nfkc_casefold, *nfd, *nfc; /* borrowed from ICU */
};

/* The options of the index that change words. */
struct bs_tokenizer_rules {
	struct sb_stemmer *stemmer; /* NULL: no stemming */
	bool fold_accents;
	bool split_identifiers;
	const struct bs_analyzer *analyzer; /* NULL: the rules of tokenizer.c */
};

/* Tables for words of ASCII, and of the code points that fold to ASCII. */
struct bs_tokenizer_ascii {
	struct bs_byte_classes classes; /* BS_ASCII_... of bytes */
	/* of every code point, filled when first met (tokenizer_near.c); nullable */
	uint8_t *forms;
	uint8_t parts[0x80]; /* enum bs_part_kind of ASCII characters, if identifiers are split */
};

/* Scratch for the normalization of a piece of text (tokenizer_nfc.c). */
struct bs_tokenizer_normal {
	struct bs_buffer window;      /* UTF-16 */
	struct bs_buffer edits;       /* where it differs from the text */
	struct bs_buffer ordered;     /* marks in canonical order */
	struct bs_composed *composed; /* NULL until it is needed */
};

/* Scratch for one term on its way through the options. */
struct bs_tokenizer_term {
	struct bs_buffer folded; /* UTF-16, as is `spare` */
	struct bs_buffer spare[2];
	struct bs_buffer whole;    /* UTF-8: the folded term */
	struct bs_buffer unmarked; /* UTF-8: that term without accents */
	/* enum bs_part_kind of the characters of a word that may be several */
	struct bs_buffer parts;
};

/* Tokens that wait to be passed to the caller. */
struct bs_tokenizer_batch {
	struct bs_buffer arena; /* the terms of the tokens; fixed while there are tokens */
	struct bs_token tokens[BS_TOKENIZER_BATCH_TOKENS];
	size_t n_tokens;
};

struct bs_tokenizer {
	struct bs_tokenizer_icu icu;
	struct bs_tokenizer_rules rules;
	bool ascii_path;     /* false only in tests */
	size_t window_bytes; /* the most text that is normalized at once */
	const struct bs_kernel *kernel;
	struct bs_tokenizer_ascii ascii;
	struct bs_tokenizer_normal normal;
	struct bs_tokenizer_term term;
	struct bs_tokenizer_batch batch;
};

/* One call of bs_tokenizer_analyze. */
struct bs_analysis {
	struct bs_tokenizer *tokenizer;
	const uint8_t *text;
	bs_token_fn fn;
	void *context;
	struct bs_error *err;
	uint64_t next_position; /* 64 bits, so that only a flush must look for an overflow */
	uint64_t n_positions;
	bool after_script_run; /* the last term was a run's: another run now leaves a gap */
	/* the term at the position before the next, if it is one code point of a run; else 0 */
	UChar32 last_of_script_run;
	/* the word in hand is an identifier, whose parts follow: it takes no position */
	bool is_whole;
	/* such a word was the last token: no part has taken its position yet */
	bool owes_position;
};

/* A span of the text. */
struct bs_byte_span {
	uint64_t start_byte;
	uint64_t end_byte;
};

/* A piece of text as UTF-16 in NFC, and a place in it that only moves forward (tokenizer_nfc.h). */
struct bs_tokenizer_window {
	UChar *units; /* the analyzer's */
	int32_t n_units;
	const uint8_t *text;
	size_t end_byte; /* of the piece */
	const struct bs_buffer *edits;
	int32_t at_unit;   /* the place in units, */
	size_t at_byte;    /* and in bytes: always between two code points */
	size_t at_edit;    /* the first edit that does not end before it, */
	int32_t edit_unit; /* and where that edit begins; INT32_MAX: no edit is left */
};

/* True if a text may be cut before its byte at, which is neither its first nor its end. */
static inline bool bs_tokenizer_is_cut(const struct bs_tokenizer *tokenizer, const uint8_t *text,
                                       size_t at)
{
	return text[at - 1] == '\n' ||
	       ((tokenizer->ascii.classes.of[text[at - 1]] & BS_ASCII_CUT_AFTER) &&
	        (tokenizer->ascii.classes.of[text[at]] & BS_ASCII_CUT_BEFORE));
}

/* The last safe cut in (start, end], or start if there is none. text[end] must be readable. */
static inline size_t bs_tokenizer_last_cut(const struct bs_tokenizer *tokenizer,
                                           const uint8_t *text, size_t start, size_t end)
{
	while (end > start && !bs_tokenizer_is_cut(tokenizer, text, end))
		end--;
	return end;
}

/* The first safe cut from start on (start > 0), or end. */
static inline size_t bs_tokenizer_next_cut(const struct bs_tokenizer *tokenizer,
                                           const uint8_t *text, size_t start, size_t end)
{
	while (start < end && !bs_tokenizer_is_cut(tokenizer, text, start))
		start++;
	return start;
}

/* The code point at units[*at], moving on. The units are well-formed UTF-16: our own decoder and
 * ICU wrote them. */
static inline UChar32 bs_tokenizer_next(const UChar *units, int32_t *at)
{
	uint32_t lead = units[(*at)++];
	return (lead & 0xfc00) == 0xd800 ? U16_GET_SUPPLEMENTARY((UChar32)lead, units[(*at)++])
	                                 : (UChar32)lead;
}

/* The code point that ends at units[*at], moving back. *at > 0. */
static inline UChar32 bs_tokenizer_previous(const UChar *units, int32_t *at)
{
	uint32_t trail = units[--*at];
	return (trail & 0xfc00) == 0xdc00
	               ? U16_GET_SUPPLEMENTARY((UChar32)units[--*at], (UChar32)trail)
	               : (UChar32)trail;
}

static inline bool bs_tokenizer_is_mark(UChar32 c)
{
	return U_MASK(bs_icu.u_charType(c)) & U_GC_M_MASK;
}

static inline bool bs_tokenizer_is_apostrophe(UChar32 c)
{
	return c == 0x2019 || c == 0x2bc;
}
