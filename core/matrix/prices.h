/*
 * prices.h: the constants of index building that were fitted by measurement, most with the data
 * they were fitted on. Readers do not depend on them: an index may be built with other values.
 *
 * The comments name two data sets: *P*, 1.4 M paragraphs (32 terms on average), and *L*, the 78,000
 * files of the Linux tree (351 terms on average). More: bench/README.md ("What was decided by
 * measuring") and bench/NOTES.md.
 */
#pragma once

/* Used by core/matrix/term_treatment.c, which chooses the columns of a term. The times were
 * measured on data sets P and L with a warm cache. */
/* Reading the next line of a column, including the loop and the branch for it. */
#define BS_PRICE_LINE_NS           8.0
#define BS_PRICE_MISS_NS           40.0  /* reading an isolated line */
#define BS_PRICE_LOOK_NS           125.0 /* looking up a term in a document's rare-term list */
#define BS_PRICE_FALSE_POSITIVE_NS 1.0   /* decoding a false positive and clearing its bit */
/* Fixed size of a term's false-positive list: its entries in tables, and its padding. Fitted
 * on data sets P and L. */
#define BS_PRICE_FALSE_POSITIVE_TERM_BITS 40.0
/* Below this df, a term of data set P has more false positives than matches. */
#define BS_PRICE_FALSE_POSITIVE_MIN_DF 8.0
/* Bits of a posting in a rare-term list if the term has df 1. Fitted on data sets P and L. */
#define BS_PRICE_LISTED_BITS    8.5
#define BS_PRICE_LISTED_DF_BITS 1.25 /* added for each doubling of the df */

/* The price of size: how much slower a query may become for a smaller index. Chosen so that the
 * indexes of data sets P and L have the sizes in bench/README.md. */
/* Price of one bit per posting at density BIT_DENSITY, for documents of SHORT_TERMS terms. */
#define BS_PRICE_BIT_NS      5500.0
#define BS_PRICE_SHORT_TERMS 32.0 /* the mean number of terms of a document of data set P */
/* The price is multiplied by this power of terms / SHORT_TERMS. Fitted on data sets L and P. */
#define BS_PRICE_LONGER_POWER    0.75
#define BS_PRICE_MOST_BIT_FACTOR 20.0 /* maximum of this factor; data set L does not reach it */
/* Default density, chosen by how long finding the candidates of AND queries takes on data set P. */
#define BS_PRICE_BIT_DENSITY 0.3
/* The price is multiplied by this power of density / BIT_DENSITY, because users who request denser
 * columns want a small index. Fitted on data set P at density 0.5. */
#define BS_PRICE_DENSER_POWER 5.5
/* Density added for each doubling of the document length. Fitted on data set L. */
#define BS_PRICE_DENSER_BY    0.05
#define BS_PRICE_MOST_DENSER  0.2 /* maximum density added */
#define BS_PRICE_MOST_DENSITY 0.6 /* maximum of the result, unless the user chose more */

/* Used by indexer/segment/shard_build.c, which chooses the levels of a shard and their widths, and
 * by size_classes.c, which estimates the result of this choice. */
/* A coarse level may have this many times the bits of the document columns that it replaces.
 * Fitted on data set P. */
#define BS_PRICE_COARSE_WORTH      1.2
#define BS_PRICE_COARSE_MIN_BLOCKS 4 /* with fewer blocks, a coarse level skips nothing */

/* Used by indexer/segment/size_classes.c, which divides documents into shards by their length. */
/* Time that one more shard adds to every query: look-ups of terms, and cache misses per level.
 * Measured on data set P. */
#define BS_PRICE_SHARD_NS 700.0
/* n documents that share a coarse bit have n to this power times the distinct terms of one. Fitted
 * on data sets P and L. */
#define BS_PRICE_SPAN_POWER 0.88
/* Size of the document level, with exact columns and false positives, relative to its hashed
 * columns alone. Measured on data sets P and L. */
#define BS_PRICE_EXACT_BYTES 1.5
/* Bits per rare term of a document in its rare-term list. A document with a row of columns has
 * such a list, one with a forward index does not. Measured on data sets P and L. */
#define BS_PRICE_CLASS_LISTED_BITS 10.0

/*
 * Used by indexer/segment/forward_build.c for forward indexes. A look-up takes 160 ns. It counts as
 * FORWARD_LOOK_NS, because only the first term of a query is looked up in all documents. Words of
 * one stem have adjacent ordinals, so the neighbourhood of a term (forward_index.h) is in
 * NEAR_FACTOR times as many documents as if ordinals were random. (With half of NEAR_FACTOR, the
 * index of data set P is 0.3 MiB smaller and AND candidates take 25.0 us instead of 23.7.) The
 * times were measured on data set P.
 */
#define BS_PRICE_FORWARD_SHARD_NS   100.0 /* per shard with forward indexes, for each query */
#define BS_PRICE_FORWARD_LOOK_NS    75.0  /* a look-up, see above */
#define BS_PRICE_FILTER_NS          5.0   /* reading one word of the filter of 64 lists */
#define BS_PRICE_NEAR_FACTOR        40.0
#define BS_PRICE_FORWARD_ENTRY_BITS 24.0 /* table entries for a document's list */
/* Bits per posting of a frequent term: in the list and in the filter. Measured on data set L
 * (bench/NOTES.md). */
#define BS_PRICE_FREQUENT_BITS 10.0
/* Looking up a frequent term in a list. Measured on data set P. */
#define BS_PRICE_FREQUENT_NS 160.0
#define BS_PRICE_EXACT_BITS  64.0 /* table entries for an exact column */

/* Used by indexer/segment/rare_build.c. If documents have fewer rare terms than this on average, up
 * to eight documents share a rare-term list. Fitted by the entropy of the lists of data sets P and
 * L. */
#define BS_PRICE_SHARED_BELOW 24u

/* Used by core/matrix/tf_levels.c. Measured with searches for the ten best hits. */
/* A word in a smaller share of the documents has no levels, because reading the tf code of each of
 * its documents is cheaper than reading lines. Measured on data set P. */
#define BS_PRICE_LEVELS_MIN_SHARE (1.0 / 512)
#define BS_PRICE_LEVELS_MIN_DF    8u /* minimum df of a word with levels */
/* Minimum df of a word with levels if columns are dense. Fitted on data set L. */
#define BS_PRICE_FEW_MIN_DF 2048u
/* Columns count as dense above this density. Fitted on data set L. */
#define BS_PRICE_LEVELS_DENSITY 0.35

/* Used by indexer/choose/word_pair_choice.c. A word pair is indexed if each of its bits saves at
 * least PAIR_BIT_NS nanoseconds of a phrase query. This price grows by a power of terms /
 * SHORT_TERMS, as the price of words does. Measured with phrases of data sets P and L, and of a
 * million records of 250 bytes. */
#define BS_PRICE_PAIR_BIT_NS       0.02
#define BS_PRICE_PAIR_LONGER_POWER 1.44
/* The maximum number of bits that all pairs together may take, per posting of a word. Short records
 * with titles stay below this limit. */
#define BS_PRICE_PAIR_MOST_BITS 4.0
/* Minimum df of a pair in the sample. A pair of a single document may be chance. */
#define BS_PRICE_PAIR_MIN_DOCS    2u
#define BS_PRICE_PAIR_WORD_SHARE  0.002 /* share of the documents; rarer words get no pairs */
#define BS_PRICE_PAIR_HEAD_SHARE  0.005 /* share of the documents; rarer pairs are not widened */
#define BS_PRICE_VERIFY_FILE_NS   5000u /* opening a file to verify it (data set L) */
#define BS_PRICE_VERIFY_RECORD_NS 1000u /* finding a record to verify it (data set P) */
/* Reading and searching a text to verify it, per word of the text. */
#define BS_PRICE_VERIFY_WORD_NS 3u

/* Used by indexer/choose/sample.c. The word pairs chosen from a sample should answer phrases as
 * fast as pairs chosen from the whole source. For 64,512 package descriptions (30 MB), 4 MB
 * suffice. For 235,822 records of 265 bytes, with titles full of common words, an eighth is
 * needed. */
#define BS_PRICE_SAMPLE_SHARE 8u         /* the sample is 1/8 of a source */
#define BS_PRICE_SAMPLE_LEAST (4u << 20) /* minimum bytes of a sample */
/* If the caller limits the sample to less than 6 * SAMPLE_LEAST bytes, the minimum is a sixth of
 * that limit. */
#define BS_PRICE_SAMPLE_LEAST_SHARE 6u

/* Used by indexer/choose/gram_choice.c. Lower bounds of the tiers of grams: the share of all files
 * that have the gram. Measured with grep patterns on data set L. */
#define BS_PRICE_GRAM_LEFT_OUT      0.4
#define BS_PRICE_GRAM_COMMON        0.1
#define BS_PRICE_GRAM_MIDDLING      0.02
#define BS_PRICE_GRAM_LONG_FREQUENT 0.05

/* The same bounds for the grams of records of some 250 bytes, such as rows of tables, which are
 * searched for parts of words more than for long literals. Measured on a million rows whose
 * candidates are matched at once (bs_text_filter), with 2, 3 and 2 columns per common, middling and
 * rare trigram and 1 per longer gram. Compared with 2, 3 and 5 columns per trigram, the index,
 * words included, is 13 % smaller and queries take 3 to 5 % longer. With 2, 2 and 2 columns, the
 * index is 18 % smaller and queries take 13 to 18 % longer. */
/* Above 1, so that no trigram is left out: few are frequent, and the first documents, from which
 * tiers are chosen, are not typical. */
#define BS_PRICE_RECORD_GRAM_LEFT_OUT 2.0
#define BS_PRICE_RECORD_GRAM_COMMON   0.08
#define BS_PRICE_RECORD_GRAM_MIDDLING 0.005
