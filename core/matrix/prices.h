/*
 * prices.h: the constants of index building that were fitted by measurement, each with the data it
 * was fitted on. Readers do not depend on them: an index may be built with other values.
 *
 * *P*: 1.4 M paragraphs, 32 terms each; *L*: the 78,000 files of the Linux tree, 351 terms each.
 * More: bench/README.md ("What was decided by measuring") and bench/NOTES.md.
 */
#pragma once

/* Columns of a term: core/matrix/term_treatment.c. Times on P and L with a warm cache. */
/* reading a line of a column in order, with its share of the loop and the branch */
#define BS_PRICE_LINE_NS      8.0
#define BS_PRICE_MISS_NS      40.0  /* reading an isolated line */
#define BS_PRICE_LOOK_NS      125.0 /* looking up a term in a document's rare-term list */
#define BS_PRICE_EXCEPTION_NS 1.0   /* decoding a false positive and clearing its bit */
/* Entries of a term in the tables, and padding of its list. Sizes of P and L. */
#define BS_PRICE_EXCEPTION_TERM_BITS 40.0
#define BS_PRICE_EXCEPTION_MIN_DF    8.0 /* below this df, more rows pass wrongly than rightly: P */
/* Bits of a posting in a rare-term list if its term has df 1. Sizes of P and L. */
#define BS_PRICE_LISTED_BITS    8.5
#define BS_PRICE_LISTED_DF_BITS 1.25 /* added for each doubling of the df */

/* How much slower a query may be for a smaller index: chosen so that P and L have the sizes of
 * bench/README.md. */
/* One bit per posting at BIT_DENSITY, for documents of SHORT_TERMS terms. */
#define BS_PRICE_BIT_NS          5500.0
#define BS_PRICE_SHORT_TERMS     32.0 /* P */
#define BS_PRICE_LONGER_POWER    0.75 /* exponent of the relative document length: L against P */
#define BS_PRICE_MOST_BIT_FACTOR 20.0 /* L is below it; longer ones not measured */
#define BS_PRICE_BIT_DENSITY     0.3  /* the default; AND candidates of P */
/* A user who asks for denser columns wants a small index: P at 0.5. */
#define BS_PRICE_DENSER_POWER 5.5
/* Density added for each doubling of the document length: L. */
#define BS_PRICE_DENSER_BY    0.05
#define BS_PRICE_MOST_DENSER  0.2
#define BS_PRICE_MOST_DENSITY 0.6

/* Widths of a shard: indexer/segment/shard_build.c. */
/* Worth of a bit of a coarse level in bits of document columns: P. */
#define BS_PRICE_COARSE_WORTH      1.2
#define BS_PRICE_COARSE_MIN_BLOCKS 4 /* with fewer, nothing can be skipped */

/* Size classes: indexer/segment/size_classes.c. */
/* Cost of one more shard for every query: look-ups of terms, cache misses per level. P. */
#define BS_PRICE_SHARD_NS 700.0
/* Exponent of the number of documents that share a coarse bit, for their distinct terms: P, L. */
#define BS_PRICE_SPAN_POWER 0.88
/* Bytes of the document level with exact columns and false positives, relative to hashed columns
 * alone: P, L. */
#define BS_PRICE_EXACT_BYTES 1.5
/* Bits of a rare term in the rare-term list that a matrix row has in addition: P and L. */
#define BS_PRICE_CLASS_LISTED_BITS 10.0

/*
 * Forward indexes: indexer/segment/forward_build.c. A look-up takes 160 ns; it counts as less
 * because only the first term of a query is looked up in all documents. Words of one stem are
 * neighbours, so more documents have the neighbourhood of a term than if ordinals were drawn
 * evenly, by NEAR_FACTOR. (843 lists of P: eight hashes of neighbourhoods of four and of eight
 * differ by 17 look-ups. With half of the factor the index is 0.3 MiB smaller and AND candidates
 * take 25.0 us instead of 23.7.)
 */
#define BS_PRICE_LISTS_NS        100.0 /* a shard of lists, whatever its size: P */
#define BS_PRICE_LIST_LOOK_NS    75.0  /* P */
#define BS_PRICE_FILTER_NS       5.0   /* one word of the filter of 64 documents: P */
#define BS_PRICE_NEAR_FACTOR     40.0
#define BS_PRICE_LIST_PLACE_BITS 24.0 /* entries of a list in the tables */
/* Bits of a posting of a frequent term, filter included: L; bench/NOTES.md. */
#define BS_PRICE_FREQUENT_BITS 10.0
#define BS_PRICE_FREQUENT_NS   160.0 /* look-up by each query with the term: P */
#define BS_PRICE_EXACT_BITS    64.0  /* entries of an exact column in the tables */

/* Rare-term lists: indexer/segment/rare_build.c. Documents with fewer rare terms than this share a
 * list: entropies of P and L. */
#define BS_PRICE_SHARED_BELOW 24u

/* Tf levels: core/matrix/tf_levels.c. Ten best hits on L and P. */
/* With fewer documents, looking at each document is cheaper than at lines: P. */
#define BS_PRICE_LEVELS_MIN_SHARE (1.0 / 512)
#define BS_PRICE_LEVELS_MIN_DF    8u
#define BS_PRICE_FEW_MIN_DF       2048u /* for dense columns, in a large index: L */
#define BS_PRICE_LEVELS_DENSITY   0.35  /* above it, few levels of one column: L */

/* Pairs of words: indexer/choose/word_pair_choice.c. A pair pays if each of its bits saves this
 * many nanoseconds of a phrase. As for words, the price rises by a power of the relative document
 * length. Phrases of P, L, and a million records of 250 bytes. */
#define BS_PRICE_PAIR_BIT_NS       0.02
#define BS_PRICE_PAIR_LONGER_POWER 1.44
/* Maximum bits of all pairs for each posting of a word: short records with titles stay below. */
#define BS_PRICE_PAIR_MOST_BITS 4.0
/* In documents of the sample. A pair of a single document may be there by chance. */
#define BS_PRICE_PAIR_MIN_DOCS    2u
#define BS_PRICE_PAIR_WORD_SHARE  0.002 /* of the documents; rarer words get no pairs */
#define BS_PRICE_PAIR_HEAD_SHARE  0.005 /* of the documents; rarer pairs get no wide pair */
#define BS_PRICE_VERIFY_FILE_NS   5000u /* opening a file to verify it: L */
#define BS_PRICE_VERIFY_RECORD_NS 1000u /* finding a record to verify it: P */
/* reading and searching the text, for each of its words */
#define BS_PRICE_VERIFY_WORD_NS 3u

/* Samples: indexer/choose/sample.c. Of 64,512 package descriptions (30 MB), 4 MB choose pairs that
 * answer phrases as fast as those chosen from all. Of 235,822 records of 265 bytes with titles full
 * of common words, an eighth is needed. */
#define BS_PRICE_SAMPLE_SHARE 8u         /* divisor: the share of a source */
#define BS_PRICE_SAMPLE_LEAST (4u << 20) /* bytes; the sample is at least this */
/* The sample may be smaller than SAMPLE_LEAST if it is this part of the amount asked for. */
#define BS_PRICE_SAMPLE_LEAST_SHARE 6u

/* Tiers of grams, by the share of the files that have them: indexer/choose/gram_choice.c. Patterns
 * of grep on L. */
#define BS_PRICE_GRAM_LEFT_OUT      0.4
#define BS_PRICE_GRAM_COMMON        0.1
#define BS_PRICE_GRAM_MIDDLING      0.02
#define BS_PRICE_GRAM_LONG_FREQUENT 0.05

/* Tiers of grams of records: 250 bytes, as in tables, which are searched for parts of words more
 * than for long literals. A million rows whose candidates are matched at once (bs_text_filter):
 * with 2, 3 and 2 columns per trigram and 1 per longer gram the index, words included, is 13 %
 * smaller than with 2, 3 and 5, and takes 3 to 5 % more time; with 2, 2 and 2 it is 18 % smaller
 * and takes 13 to 18 % more. */
/* Above 1: no trigram is left out, because few are frequent, and the first documents are not
 * typical. */
#define BS_PRICE_RECORD_GRAM_LEFT_OUT 2.0
#define BS_PRICE_RECORD_GRAM_COMMON   0.08
#define BS_PRICE_RECORD_GRAM_MIDDLING 0.005
