/*
 * term_symbols.h: which strings of up to eight bytes a lexicon's terms are coded in, private to its writer.
 *
 * Rests of terms are cut greedily: the longest symbol that fits. Symbols are found by doing so to a sample, again and
 * again: each generation keeps the symbols, and joins the neighbours, that would stand for most bytes. (As FSST does:
 * Boncz, Neumann, Leis, "FSST: fast random access string compression", 2020; but thousands of symbols, since a prefix
 * code follows, and the end of a term may be part of one.)
 */
#ifndef BS_CORE_LEXICON_TERM_SYMBOLS_H
#define BS_CORE_LEXICON_TERM_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/status.h"

#define BS_SYMBOL_END   256u /* numbers below are bytes, this one is the bare end of a term */
#define BS_FIRST_JOINED 257u

struct bs_symbol {
	uint64_t bytes; /* the first is the lowest; zeros above them */
	uint32_t n_bytes;
	bool is_end;
};

struct bs_rest {
	const uint8_t *bytes; /* eight more may be read */
	uint32_t n_bytes;
};

struct bs_symbol_slot;

struct bs_symbols {
	struct bs_symbol *symbols;
	uint32_t n_symbols;
	struct bs_symbol_slot *slots; /* a hash table of those of two bytes or more */
	uint32_t slot_mask;
	uint16_t *lengths;       /* by two first bytes: bit n - 1, a symbol of n bytes; bit n + 7, one that also ends */
	uint16_t last_byte[256]; /* symbol of this byte and the end, or 0 */
};

/* Finds at most max_symbols (at least BS_FIRST_JOINED) for the sample; a joined one occurs least_count times in it. The
 * caller's struct; release with bs_symbols_deinit, also after a failure. BS_NO_MEMORY. */
enum bs_status bs_symbols_find(struct bs_symbols *symbols, const struct bs_rest *sample, size_t n_sample,
                               uint32_t max_symbols, uint32_t least_count, struct bs_error *err) BS_WARN_UNUSED;
void bs_symbols_deinit(struct bs_symbols *symbols);

/* The symbol that the rest begins with; its is_end says that nothing is left, not even the end. */
uint32_t bs_symbols_next(const struct bs_symbols *symbols, const uint8_t *bytes, size_t n_bytes);

#endif
