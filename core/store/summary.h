/*
 * summary.h: a summary shows in few bytes which words and trigrams an index certainly lacks, for
 * callers that do not want to open the index, or not yet. It has the words of the lexicons as
 * encoded places, and the exact set of trigrams. The place of a word is its bucket: a hash of the
 * word, a number below M. With n distinct words, an absent word appears present with probability n
 * / M. "May have" is never false for a word or trigram that is present.
 *
 * A summary is one run of bytes, which can be queried in the file summary-N that a manifest names,
 * or in a copy elsewhere. Its counts are in a second file, counts-N, with a number of its own; only
 * the maker of the next summary reads them. Format: FORMAT.md, "Summaries". summary_make.h makes
 * both files.
 */
#pragma once

#include "core/file/coded_section.h"
#include "core/store/manifest.h"
#include "core/store/multiset.h"

/* size of the beginning of a summary: numbers and flags, before the words and trigrams */
#define BS_SUMMARY_HEAD_BYTES 128u

/* The numbers and flags of a summary, without its words and trigrams. */
struct bs_summary_facts {
	uint64_t rate;     /* requested, in units of 1 / BS_SUMMARY_RATE_UNIT */
	uint64_t n_places; /* M: the number of places */
	/* documents (not rows of collections), including deleted ones, as scores count them */
	uint64_t n_docs;
	uint64_t n_positions; /* sum of the lengths of these n_docs documents */
	/* bs_summary_analysis of the manifest. Indexes with equal values can be ranked as one. */
	uint64_t analysis;
	/* The number of files that every search of files must read, because nothing is known about
	 * their grams: documents without grams, files deleted by id, and collections without a
	 * row. */
	uint64_t n_unknown_files;
	/* The maximum, over the skipped files (binary files, for example), of the offset after the
	 * first NUL byte. By default, a search reads a binary file up to its first NUL byte, so a
	 * match of this many bytes or more cannot be found in these files. UINT64_MAX: unknown for
	 * some file; 0: there are no such files. */
	uint64_t most_nul_end;
	bool has_words; /* whether the index has words; if not, the summary rules no word out */
	bool has_grams; /* whether the trigrams of the words are known */
	/* Whether the trigrams of the texts of files are known, because the index has grams. */
	bool has_text_grams;
};

bool bs_summary_facts_equal(const struct bs_summary_facts *a, const struct bs_summary_facts *b);

/* Immutable; any number of threads. Needs no release. */
struct bs_summary {
	struct bs_section section; /* the section that contains the summary */
	uint64_t offset;           /* offset of the summary in the section */
	uint64_t n_bytes;
	struct bs_summary_facts facts;
	struct bs_coded_set words, grams; /* buckets of the words' hashes; trigrams */
};

/* Opens the summary in exactly these bytes of a section, whose pages are verified as they are
 * touched. BS_CORRUPT; BS_NOT_FOUND if it has an earlier format; BS_UNSUPPORTED if it has a later
 * format. */
enum bs_status bs_summary_open(const struct bs_section *section, uint64_t offset, uint64_t n_bytes,
                               struct bs_summary *summary_out, struct bs_error *err) BS_WARN_UNUSED;
/* Opens a summary in memory. The bytes are borrowed and need no alignment. Unless the caller knows
 * that they are valid, it calls bs_summary_check next. */
enum bs_status bs_summary_open_bytes(const uint8_t *bytes, uint64_t n_bytes,
                                     struct bs_summary *summary_out,
                                     struct bs_error *err) BS_WARN_UNUSED;
/* Verifies the checksum, and that all lists decode. BS_CORRUPT, BS_NO_MEMORY. */
enum bs_status bs_summary_check(const struct bs_summary *summary,
                                struct bs_error *err) BS_WARN_UNUSED;
/* The verified bytes, for a copy. BS_CORRUPT. */
enum bs_status bs_summary_bytes(const struct bs_summary *summary, const uint8_t **bytes_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* An upper bound of the number of members of a set: those in both base and more count twice. */
uint64_t bs_summary_n(const struct bs_coded_set *set);
/* An upper bound of the rate at which absent words appear present. */
double bs_summary_rate(const struct bs_summary *summary);

/* Whether the index may have a word. hash is bs_hash_term of its key (lexicon.h). Bigrams and word
 * pairs are not in the summary. True if nothing is known. BS_CORRUPT. */
enum bs_status bs_summary_may_have_word(const struct bs_summary *summary, uint64_t hash,
                                        bool *may_out, struct bs_error *err) BS_WARN_UNUSED;
/* The place of a word: its hash, scaled to [0, n_places). */
uint64_t bs_summary_place(uint64_t hash, uint64_t n_places);
/* Whether some word's key or, with has_text_grams, some file's folded text (core/text/grams.h) may
 * contain the three bytes. BS_CORRUPT. */
enum bs_status bs_summary_may_have_gram(const struct bs_summary *summary, const uint8_t gram[3],
                                        bool *may_out, struct bs_error *err) BS_WARN_UNUSED;
/* The number of a trigram. The first byte is the highest, so that trigrams with a common prefix are
 * adjacent. */
static inline uint32_t bs_summary_gram(const uint8_t gram[3])
{
	return (uint32_t)gram[0] << 16 | (uint32_t)gram[1] << 8 | gram[2];
}

/* A hash of the rules by which words are tokenized, folded and weighted. BS_NO_MEMORY. */
enum bs_status bs_summary_analysis(const struct bs_manifest *manifest, uint64_t *analysis_out,
                                   struct bs_error *err) BS_WARN_UNUSED;

/* The files of an index's summary: the summary and, if opened, the counts. */
struct bs_summary_file {
	struct bs_container *container;
	struct bs_summary summary;
	struct bs_container *counts_container;
	/* If the counts are open: how many words have each place, summed over the segments. */
	struct bs_stored_multiset words;
};

/* Opens the summary of the commit. BS_NOT_FOUND if it has none; BS_CORRUPT if the summary was made
 * for other segments. bs_summary_file_close accepts the struct after a failure, too, and zeros. */
enum bs_status bs_summary_file_open(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    struct bs_summary_file *file_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Opens the counts file that belongs to the summary in *file, which must be open: for each place,
 * the number of words that have it (`words`). BS_NOT_FOUND if the counts file is missing;
 * BS_CORRUPT if it is damaged or belongs to another summary. */
enum bs_status bs_summary_counts_open(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                      struct bs_summary_file *file,
                                      struct bs_error *err) BS_WARN_UNUSED;
void bs_summary_file_close(struct bs_summary_file *file);
/* Whether a caller should treat this status of opening a summary as "no summary": the summary is
 * missing, damaged, or of an earlier or later format. Only an index check distinguishes these. */
static inline bool bs_summary_is_missing(enum bs_status status)
{
	return status == BS_NOT_FOUND || status == BS_CORRUPT || status == BS_UNSUPPORTED;
}

/* The words of a new summary, with their counts, and its trigrams. */
struct bs_summary_multisets {
	struct bs_multiset words, grams;
};
/* Appends the bytes of the summary and those of its counts to the two buffers. BS_CORRUPT if a list
 * that is copied from a file (`kept` in struct bs_multiset) is damaged, BS_NO_MEMORY. */
enum bs_status bs_summary_write(const struct bs_summary_facts *facts,
                                const struct bs_summary_multisets *tallies,
                                struct bs_buffer *summary, struct bs_buffer *counts,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Writes the two files; the manifest has their numbers. BS_IO, BS_NO_MEMORY. */
enum bs_status bs_summary_file_write(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                     const struct bs_buffer *summary,
                                     const struct bs_buffer *counts,
                                     struct bs_error *err) BS_WARN_UNUSED;
