/*
 * prices.h: every constant of an index that was fitted by measurement, with what it was fitted on.
 * An index may be made with others: nothing that reads one knows them.
 *
 * *P*: 1.4 M paragraphs, 32 terms each; *L*: the 78,000 files of the Linux tree, 351 each. Where
 * more is known, bench/README.md ("What was decided by measuring") and bench/NOTES.md have it.
 */
#pragma once

/* Columns of a term: core/matrix/term_treatment.c. Times are of P and L, in a warm cache. */
/* a line of a column that is read in order, with its loop and branch */
#define BS_PRICE_LINE_NS      8.0
#define BS_PRICE_MISS_NS      40.0  /* a line alone somewhere */
#define BS_PRICE_LOOK_NS      125.0 /* a document asked for a term that is listed */
#define BS_PRICE_EXCEPTION_NS 1.0   /* an exception decoded and its bit cleared */
/* its places in the tables, and what fills up a list: sizes of P and L */
#define BS_PRICE_EXCEPTION_TERM_BITS 40.0
#define BS_PRICE_EXCEPTION_MIN_DF    8.0 /* below, there are more wrong ones than right ones: P */
/* of a posting in a rare-term list, where its term has a df of 1: sizes, P, L */
#define BS_PRICE_LISTED_BITS    8.5
#define BS_PRICE_LISTED_DF_BITS 1.25 /* ... and for each doubling of that */

/* What a query would wait for a smaller index: so that P and L become as large as bench/README.md
 * has them. */
/* a bit a posting at BIT_DENSITY, for documents of SHORT_TERMS terms */
#define BS_PRICE_BIT_NS          5500.0
#define BS_PRICE_SHORT_TERMS     32.0 /* P */
#define BS_PRICE_LONGER_POWER    0.75 /* of how many times longer documents are: L beside P */
#define BS_PRICE_MOST_BIT_FACTOR 20.0 /* L is below; not measured for longer ones */
#define BS_PRICE_BIT_DENSITY     0.3  /* the default: AND candidates of P */
/* who asks for denser columns wants a small index: P at 0.5 */
#define BS_PRICE_DENSER_POWER 5.5
/* more density each time that documents are twice as long: L */
#define BS_PRICE_DENSER_BY    0.05
#define BS_PRICE_MOST_DENSER  0.2
#define BS_PRICE_MOST_DENSITY 0.6

/* Widths of a shard: indexer/segment/shard_build.c. */
/* bits of a coarse level against document columns in its place: P */
#define BS_PRICE_COARSE_WORTH      1.2
#define BS_PRICE_COARSE_MIN_BLOCKS 4 /* in fewer there is nothing to skip */

/* Size classes: indexer/segment/size_classes.c. */
/* a shard more, for every query: terms looked up, cache misses a level: P */
#define BS_PRICE_SHARD_NS 700.0
/* terms of documents that share a coarse bit, by their number: P, L */
#define BS_PRICE_SPAN_POWER 0.88
/* document level with exact columns and false positives, by hashed ones: P, L */
#define BS_PRICE_EXACT_BYTES 1.5
/* of a rare term in the list that a row of a matrix has besides: P and L */
#define BS_PRICE_CLASS_LISTED_BITS 10.0

/*
 * Forward indexes: indexer/segment/forward_build.c. A look takes 160 ns, but only the first term of
 * a query is looked up in all documents, so one counts as less. More documents have the
 * neighbourhood of a term than if ordinals were drawn evenly, by NEAR_FACTOR: words of one stem are
 * neighbours. (843 lists of P: eight hashes of neighbourhoods of four and of eight differ by 17
 * looks; with half of the factor 0.3 MiB less, AND candidates 23.7 -> 25.0 us.)
 */
#define BS_PRICE_LISTS_NS        100.0 /* a shard of them, whatever is in it: P */
#define BS_PRICE_LIST_LOOK_NS    75.0  /* P */
#define BS_PRICE_FILTER_NS       5.0   /* a word of the filter of 64 documents: P */
#define BS_PRICE_NEAR_FACTOR     40.0
#define BS_PRICE_LIST_PLACE_BITS 24.0 /* of a list in the tables */
/* of a posting of a frequent term, filter included: L; bench/NOTES.md */
#define BS_PRICE_FREQUENT_BITS 10.0
#define BS_PRICE_FREQUENT_NS   160.0 /* ... looked up by each query that has the term: P */
#define BS_PRICE_EXACT_BITS    64.0  /* an exact column's places in the tables */

/* Rare-term lists: indexer/segment/rare_build.c. Documents with fewer rare terms share one:
 * entropies of P and L. */
#define BS_PRICE_SHARED_BELOW 24u

/* Tf levels: core/matrix/tf_levels.c. Ten best of L and P. */
/* in fewer documents, looking at each is cheaper than at lines: P */
#define BS_PRICE_LEVELS_MIN_SHARE (1.0 / 512)
#define BS_PRICE_LEVELS_MIN_DF    8u
#define BS_PRICE_FEW_MIN_DF       2048u /* where columns are dense and the index large: L */
#define BS_PRICE_LEVELS_DENSITY   0.35  /* above, few levels, a column each: L */

/* Pairs of words: indexer/choose/word_pair_choice.c. A pair pays if a bit of it saves so many
 * nanoseconds of a phrase; as for words, times a power of how many times longer documents are.
 * Phrases of P, L, and a million records of 250 bytes. */
#define BS_PRICE_PAIR_BIT_NS       0.02
#define BS_PRICE_PAIR_LONGER_POWER 1.44
/* of all pairs, for each posting of a word: short records with titles, below */
#define BS_PRICE_PAIR_MOST_BITS 4.0
/* of the sample; a pair met in one only may be there by chance */
#define BS_PRICE_PAIR_MIN_DOCS    2u
#define BS_PRICE_PAIR_WORD_SHARE  0.002 /* of the documents: rarer words are not worth a pair, */
#define BS_PRICE_PAIR_HEAD_SHARE  0.005 /* rarer pairs not a wide one */
#define BS_PRICE_VERIFY_FILE_NS   5000u /* a file to verify: opening it, L, */
#define BS_PRICE_VERIFY_RECORD_NS 1000u /* or finding a record, P, */
/* and reading and searching the text of each of its words */
#define BS_PRICE_VERIFY_WORD_NS 3u

/* Samples: indexer/choose/sample.c. Of 64,512 descriptions of packages (30 MB) 4 MB choose pairs
 * that answer phrases as fast as those of all; of 235,822 records of 265 bytes, under titles full
 * of common words, an eighth. */
#define BS_PRICE_SAMPLE_SHARE 8u         /* of a source, */
#define BS_PRICE_SAMPLE_LEAST (4u << 20) /* but not less than this, */
/* or this part of what is asked for, if that is less still */
#define BS_PRICE_SAMPLE_LEAST_SHARE 6u

/* Tiers of grams, by the share of the files that have them: indexer/choose/gram_choice.c. Grep's
 * patterns on L. */
#define BS_PRICE_GRAM_LEFT_OUT      0.4
#define BS_PRICE_GRAM_COMMON        0.1
#define BS_PRICE_GRAM_MIDDLING      0.02
#define BS_PRICE_GRAM_LONG_FREQUENT 0.05

/* Those of records, of 250 bytes as they stand in tables, which are asked for parts of words more
 * than for long literals. A million rows whose candidates are matched at once (bs_text_filter):
 * columns of 2, 3 and 2 of a trigram, 1 of a longer gram, take 13 % less than an index with 2, 3
 * and 5 does, words included, for 3 to 5 % more time; 2, 2 and 2 18 % less for 13 to 18 %. */
/* none is: there are few, and the first documents are not like all */
#define BS_PRICE_RECORD_GRAM_LEFT_OUT 2.0
#define BS_PRICE_RECORD_GRAM_COMMON   0.08
#define BS_PRICE_RECORD_GRAM_MIDDLING 0.005
