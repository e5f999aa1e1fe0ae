/* tokenizer_state.h: the state of the tokenizer, shared by its stages. Private to the tokenizer_*.c
 * files and the tests. */
#pragma once

#include <unicode/utf16.h>

#include "core/base/buffer.h"
#include "core/simd/kernels.h"
#include "core/system/icu.h"
#include "core/text/token.h"

#define BS_TOKENIZER_BATCH_TOKENS 256

/* 32 KB of text are at most 64 KB of UTF-16, so the window, ICU's tables and our own fit into an L2
 * cache of 1 MB. The fixed cost of a window (a ubrk_setText, the search for its end) is spread over
 * thousands of words. */
#define BS_TOKENIZER_WINDOW_BYTES ((size_t)32 * 1024)

/* The classes of an ASCII byte. The MID class of a byte that joins letters, or digits, is the class
 * of letters or digits, shifted. */
enum {
	BS_ASCII_LETTER = 1 << 0,
	BS_ASCII_DIGIT = 1 << 1,
	BS_ASCII_EXTEND = 1 << 2, /* _ */
	BS_ASCII_WORD = BS_ASCII_LETTER | BS_ASCII_DIGIT | BS_ASCII_EXTEND,
	BS_ASCII_MID_SHIFT = 3,
	BS_ASCII_MID_LETTER = BS_ASCII_LETTER << BS_ASCII_MID_SHIFT, /* ' . join letters */
	BS_ASCII_MID_DIGIT = BS_ASCII_DIGIT << BS_ASCII_MID_SHIFT,   /* ' . , ; join digits */
	BS_ASCII_CUT = 1 << 5, /* . : @, at which words may be cut */
	/* The text may be cut after a CUT_AFTER byte that precedes a CUT_BEFORE byte. */
	BS_ASCII_CUT_AFTER = 1 << 6,
	BS_ASCII_CUT_BEFORE = 1 << 7, /* see CUT_AFTER */
};

/* The class of a code point: one of the kinds SCRIPT_RUN to OTHER, and flags about NFC. The OR of
 * several classes shows what occurs in a text. */
enum {
	BS_CODE_POINT_UNKNOWN = 0, /* not met yet */
	/* bs_tokenizer_is_of_script_run: begins or continues a script run. */
	BS_CODE_POINT_SCRIPT_RUN = 1 << 0,
	BS_CODE_POINT_MARK = 1 << 1, /* any other mark: continues a run */
	/* Neither a word nor part of one: punctuation and the like. */
	BS_CODE_POINT_INERT = 1 << 2,
	BS_CODE_POINT_APOSTROPHE = 1 << 3, /* becomes ' */
	BS_CODE_POINT_OTHER = 1 << 4,
	BS_CODE_POINT_KINDS = (1 << 5) - 1,
	/* Together with STABLE: no mark is reordered with a part of the code point. Together with
	 * JOINS: the code point composes with nothing. */
	BS_CODE_POINT_SETTLED = 1 << 5,
	/* The code point may compose, or be reordered, with the one before it. */
	BS_CODE_POINT_JOINS = 1 << 6,
	/* The code point is its own NFC, and neither composes nor is reordered with the one before
	 * it. A text of stable code points is in NFC. */
	BS_CODE_POINT_STABLE = 1 << 7,
};

struct bs_composed;

/* ICU objects and tables made with ICU. The first three are NULL until bs_tokenizer_need_icu. */
struct bs_tokenizer_icu {
	UBreakIterator *breaks;      /* the word break iterator */
	uint8_t *code_point_classes; /* BS_CODE_POINT_... of each code point; filled on first use */
	/* the fold of each code point of the BMP; filled on first use: see tokenizer_term.c */
	uint16_t *simple_folds;
	const UNormalizer2 *nfkc_casefold, *nfd, *nfc; /* borrowed from ICU */
};

/* The options of the index that change words. */
struct bs_tokenizer_rules {
	struct sb_stemmer *stemmer; /* NULL: no stemming */
	bool fold_accents;
	bool split_identifiers;
	const struct bs_analyzer *analyzer; /* NULL: the rules of tokenizer.c */
};

/* Tables for ASCII words, and for code points that fold to ASCII. */
struct bs_tokenizer_ascii {
	struct bs_byte_classes classes; /* BS_ASCII_... of bytes */
	/* The ASCII form of each code point, filled on first use (tokenizer_near.c); nullable. */
	uint8_t *forms;
	uint8_t parts[0x80]; /* enum bs_part_kind of ASCII characters, for splitting */
};

/* Scratch for the normalization of a piece of text (tokenizer_nfc.c). */
struct bs_tokenizer_normal {
	struct bs_buffer window;      /* UTF-16 */
	struct bs_buffer edits;       /* differences between window and text */
	struct bs_buffer ordered;     /* UTF-16: text with many marks, decomposed and in order */
	struct bs_composed *composed; /* cached NFC of segments; NULL until it is needed */
};

/* Scratch for one term while options are applied. */
struct bs_tokenizer_term {
	struct bs_buffer folded; /* UTF-16, as is `spare` */
	struct bs_buffer spare[2];
	struct bs_buffer whole;    /* UTF-8: the folded term */
	struct bs_buffer unmarked; /* UTF-8: the folded term without accents */
	/* enum bs_part_kind of the characters of a word that may have several parts */
	struct bs_buffer parts;
};

/* Tokens not yet passed to the caller. */
struct bs_tokenizer_batch {
	/* the terms of the tokens; not reallocated while there are tokens */
	struct bs_buffer arena;
	struct bs_token tokens[BS_TOKENIZER_BATCH_TOKENS];
	size_t n_tokens;
};

struct bs_tokenizer {
	struct bs_tokenizer_icu icu;
	struct bs_tokenizer_rules rules;
	bool ascii_path;     /* false only in tests */
	size_t window_bytes; /* bytes of text normalized at once; more if they have no safe cut */
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
	uint64_t next_position; /* 64 bits, so that only bs_tokenizer_deliver checks overflow */
	uint64_t n_positions;
	/* The previous term was in a script run. If the next one begins another run, a position is
	 * left free between them. */
	bool after_script_run;
	/* The previous term, if it is a single code point of a script run and the next term follows
	 * at the next position; otherwise 0. */
	UChar32 last_of_script_run;
	/* The current word is an identifier whose parts follow, so it does not advance the
	 * position. */
	bool is_whole;
	/* The last token was an identifier with parts, and no part has taken its position yet. */
	bool owes_position;
};

/* A span of the text. */
struct bs_byte_span {
	uint64_t start_byte;
	uint64_t end_byte;
};

/* A piece of text as UTF-16 in NFC, and a place in it that only moves forward (tokenizer_nfc.h). */
struct bs_tokenizer_window {
	UChar *units; /* borrowed from the tokenizer */
	int32_t n_units;
	const uint8_t *text;
	size_t end_byte; /* end of the piece */
	const struct bs_buffer *edits;
	int32_t at_unit;   /* the place in units */
	size_t at_byte;    /* the place in bytes; always between two code points */
	size_t at_edit;    /* index of the first edit that does not end before the place */
	int32_t edit_unit; /* first unit of edit at_edit; INT32_MAX: no more edits */
};

/* Whether a safe cut is before byte `at`, which is neither the first byte of the text nor its
 * end. */
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

/* The first safe cut from start (> 0) on, or end. */
static inline size_t bs_tokenizer_next_cut(const struct bs_tokenizer *tokenizer,
                                           const uint8_t *text, size_t start, size_t end)
{
	while (start < end && !bs_tokenizer_is_cut(tokenizer, text, start))
		start++;
	return start;
}

/* Returns the code point at units[*at] and moves *at past it. The units must be well-formed UTF-16;
 * those of our decoder and of ICU are. */
static inline UChar32 bs_tokenizer_next(const UChar *units, int32_t *at)
{
	uint32_t lead = units[(*at)++];
	return (lead & 0xfc00) == 0xd800 ? U16_GET_SUPPLEMENTARY((UChar32)lead, units[(*at)++])
	                                 : (UChar32)lead;
}

/* Returns the code point that ends at units[*at] and moves *at before it. *at > 0. */
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
