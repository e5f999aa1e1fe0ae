/*
 * summary.h: what an index certainly lacks, in few bytes, for who does not want to open it, or not
 * yet: the words of its lexicons as coded places (one hash of each, a number below M, so that an
 * absent word seems to be there at the rate of words / M), and the trigrams, all of them and no
 * other. "May have" is never wrong about what is there.
 *
 * It is one run of bytes that can be asked wherever it lies: in the file summary-N that a manifest
 * names, or copied from there to any place. Beside it stands counts-M, which only who makes the
 * next summary reads. Bytes in FORMAT.md, "Summaries". summary_make.h makes both.
 */
#pragma once

#include "core/file/coded_section.h"
#include "core/store/manifest.h"
#include "core/store/multiset.h"

#define BS_SUMMARY_HEAD_BYTES 128u

/* The numbers and flags of a summary, without its words and trigrams. */
struct bs_summary_facts {
	uint64_t rate;        /* asked for, in 1 / BS_SUMMARY_RATE_UNIT */
	uint64_t n_places;    /* M */
	uint64_t n_docs;      /* of words, deleted ones too: what scores count with, */
	uint64_t n_positions; /* and the sum of their lengths */
	/* bs_summary_analysis of its manifest: those of two indexes that rank as one are equal */
	uint64_t analysis;
	/* Files that a search of files must read whatever the grams say: how many documents, those
	 * deleted by id, and collections have none, and, of those that are no documents (binary
	 * ones, say), where the first NUL byte ends, at most: what is longer cannot stand before
	 * it. UINT64_MAX: anywhere; 0: there are none. */
	uint64_t n_unknown_files;
	uint64_t most_nul_end;
	bool has_words; /* else nothing is known of words: the index has none */
	bool has_grams; /* of the keys of its words, and, */
	/* if the index has grams, of its files' texts. Else nothing is known of them */
	bool has_text_grams;
};

bool bs_summary_facts_equal(const struct bs_summary_facts *a, const struct bs_summary_facts *b);

/* Immutable, for any number of threads; nothing is to be closed. */
struct bs_summary {
	struct bs_section section; /* where it lies, */
	uint64_t offset;           /* from here on */
	uint64_t n_bytes;
	struct bs_summary_facts facts;
	struct bs_coded_set words, grams; /* places of words; trigrams */
};

/* The summary in exactly these bytes of a section, whose pages are verified as they are touched.
 * BS_CORRUPT; BS_NOT_FOUND: it is of an earlier making, which is none; BS_UNSUPPORTED: a later
 * program's. */
enum bs_status bs_summary_open(const struct bs_section *section, uint64_t offset, uint64_t n_bytes,
                               struct bs_summary *summary_out, struct bs_error *err) BS_WARN_UNUSED;
/* The same of bytes that are no section, borrowed, aligned to anything: whoever has them knows that
 * they are sound, or calls bs_summary_check. */
enum bs_status bs_summary_open_bytes(const uint8_t *bytes, uint64_t n_bytes,
                                     struct bs_summary *summary_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Its checksum, and that all of it decodes. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_summary_check(const struct bs_summary *summary,
                                struct bs_error *err) BS_WARN_UNUSED;
/* The bytes, to be copied; verified. BS_CORRUPT. */
enum bs_status bs_summary_bytes(const struct bs_summary *summary, const uint8_t **bytes_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* How many numbers a set has, at most, as some that came may be counted twice. */
uint64_t bs_summary_n(const struct bs_coded_set *set);
/* How often an absent word seems to be there, at most. */
double bs_summary_rate(const struct bs_summary *summary);

/* hash: bs_hash_term of a word's key (lexicon.h); not of bigrams and pairs of words, which are not
 * in it. True if nothing is known. BS_CORRUPT. */
enum bs_status bs_summary_may_have_word(const struct bs_summary *summary, uint64_t hash,
                                        bool *may_out, struct bs_error *err) BS_WARN_UNUSED;
/* The place of a word. */
uint64_t bs_summary_place(uint64_t hash, uint64_t n_places);
/* Whether some word's key has the three bytes, or (core/text/grams.h: folded) some file's text.
 * BS_CORRUPT. */
enum bs_status bs_summary_may_have_gram(const struct bs_summary *summary, const uint8_t gram[3],
                                        bool *may_out, struct bs_error *err) BS_WARN_UNUSED;
/* Grams as they are coded: the first byte is the highest, so that those of like beginnings are
 * near. */
static inline uint32_t bs_summary_gram(const uint8_t gram[3])
{
	return (uint32_t)gram[0] << 16 | (uint32_t)gram[1] << 8 | gram[2];
}

/* How words are cut, folded and weighed, as a number. BS_NO_MEMORY. */
enum bs_status bs_summary_analysis(const struct bs_manifest *manifest, uint64_t *analysis_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* Of an index: its file, and beside it the counts, if they are opened too. */
struct bs_summary_file {
	struct bs_container *container;
	struct bs_summary summary;
	struct bs_container *counts_container;
	/* with the counts, how often a place is that of a word of a segment */
	struct bs_told_tally words;
};

/* That of the commit. BS_NOT_FOUND: it has none, or one of other segments. Zeros are fine to
 * close. */
enum bs_status bs_summary_file_open(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    struct bs_summary_file *file_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* The counts of that summary, of the same commit. BS_NOT_FOUND: the file is missing; BS_CORRUPT: or
 * damaged, or of another summary. */
enum bs_status bs_summary_counts_open(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                      struct bs_summary_file *file,
                                      struct bs_error *err) BS_WARN_UNUSED;
void bs_summary_file_close(struct bs_summary_file *file);
/* What opening it came to: there is none, or it is damaged, or a later program's, which counts as
 * none to all but a check. */
static inline bool bs_summary_is_none(enum bs_status status)
{
	return status == BS_NOT_FOUND || status == BS_CORRUPT || status == BS_UNSUPPORTED;
}

/* The words and trigrams of a summary that is made, and the counts of the words. */
struct bs_summary_tallies {
	struct bs_multiset words, grams;
};
/* Appends the bytes of the summary, and those of its counts. BS_CORRUPT (what is kept),
 * BS_NO_MEMORY. */
enum bs_status bs_summary_write(const struct bs_summary_facts *facts,
                                const struct bs_summary_tallies *tallies, struct bs_buffer *summary,
                                struct bs_buffer *counts, struct bs_error *err) BS_WARN_UNUSED;
/* Writes the files that a manifest names, of these bytes. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_summary_file_write(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                     const struct bs_buffer *summary,
                                     const struct bs_buffer *counts,
                                     struct bs_error *err) BS_WARN_UNUSED;
