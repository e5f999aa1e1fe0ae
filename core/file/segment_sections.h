/* segment_sections.h: numbers of the sections of segments, tombstones and exclusions. Only for
 * files that read or write them. FORMAT.md describes each section. A number is never reused. */
#pragma once

/* The only section of a tombstones file. */
#define BS_SECTION_BITS 1u

/* The sections of a segment. An exclusions file has sections 30 to 36. "each shard" means that the
 * section has one instance for each shard. */
enum bs_section_id {
	BS_SECTION_META = 1,   /* the hash scheme, then struct bs_segment_meta */
	BS_SECTION_FIELDS = 2, /* names of the fields */
	/* the ranks of the levels, and the term treatments: the numbers of columns of each level,
	 * by df */
	BS_SECTION_TREATMENTS = 3,
	BS_SECTION_SHARDS = 4,          /* one entry for each shard */
	BS_SECTION_TF_LEVELS = 5,       /* the tf levels of words */
	BS_SECTION_TERM_SEPARATORS = 8, /* sections 8 to 11: the lexicon */
	BS_SECTION_TERM_CODES = 9,
	BS_SECTION_TERMS = 10,
	BS_SECTION_TERM_INDEX = 11,
	/* sections 14 to 18 are grams; 14 has the gram scheme, struct bs_gram_meta, and the number
	 * of gram shards */
	BS_SECTION_GRAM_META = 14,
	BS_SECTION_GRAM_SHARDS = 15,  /* one entry for each gram shard */
	BS_SECTION_GRAM_ROWS = 16,    /* each gram shard: the document of each row, packed */
	BS_SECTION_GRAM_COLUMNS = 17, /* each gram shard: its matrix */
	/* each tier with a list: its trigrams, or buckets of 5-grams; packed */
	BS_SECTION_GRAM_TIERS = 18,
	/* each shard of forward indexes: its filters, see forward_index.h */
	BS_SECTION_FORWARD_FILTERS = 19,
	BS_SECTION_COLUMNS = 20, /* each shard: the lines of its columns */
	/* each shard: the number of set bits, as a u64 for each level and a u32 for each exact
	 * column */
	BS_SECTION_POPCOUNTS = 21,
	/* each shard: u32 ordinals of the terms with exact columns */
	BS_SECTION_EXACT_TERMS = 22,
	BS_SECTION_ROWS = 23, /* each shard: the document of each row, packed */
	/* each shard of forward indexes: where the terms of each row begin, and the end of the
	 * last; packed */
	BS_SECTION_FORWARD_OFFSETS = 24,
	/* each shard of forward indexes: the ordinals of the terms of each row, as runs */
	BS_SECTION_FORWARD_TERMS = 25,
	/* ordinals of the terms with false-positive lists, ascending, packed */
	BS_SECTION_FALSE_POSITIVE_TERMS = 26,
	BS_SECTION_FALSE_POSITIVE_OFFSETS = 27, /* where each list begins, and the end; packed */
	/* False-positive lists: the rows that pass the columns of a term without having it.
	 * Elias-Fano. */
	BS_SECTION_FALSE_POSITIVE_ROWS = 28,
	/* each shard of forward indexes: where the filter of each group of 64 rows begins, and the
	 * end, in u64 */
	BS_SECTION_FORWARD_FILTER_OFFSETS = 29,
	BS_SECTION_SOURCE_RANGES = 30,
	BS_SECTION_DOC_LENGTHS = 31, /* length of each document, packed */
	BS_SECTION_DOC_FLAGS = 32,
	BS_SECTION_DOC_PLACES = 33,
	/* where each block of names begins, and the end; packed */
	BS_SECTION_DOC_NAME_OFFSETS = 34,
	BS_SECTION_DOC_NAMES = 35,
	BS_SECTION_DOC_CHECKSUMS = 36, /* a u64 for each document */
	/* where the tfs of each document begin, and the end; packed */
	BS_SECTION_DOC_TF_OFFSETS = 37,
	BS_SECTION_DOC_TFS = 38, /* tf of words in documents: tf_code.h */
	/* each shard of forward indexes: its exact columns, one bit per row, in 64-bit words */
	BS_SECTION_FORWARD_COLUMNS = 39,
	BS_SECTION_STORE_DICTIONARY = 40,
	BS_SECTION_STORE_OFFSETS = 41,
	BS_SECTION_STORE_FRAMES = 42,
	BS_SECTION_RARE_CODES = 53,      /* the codes of rare-term lists */
	BS_SECTION_RARE_OFFSETS = 54,    /* where each list begins, and the end; packed */
	BS_SECTION_RARE_TERM_LISTS = 55, /* see rare_term_list.h */
	BS_SECTION_VALUE_FIELDS = 56,    /* numbers and dates of records: see value_column.h */
	BS_SECTION_VALUE_PARTS = 57,     /* one entry for each field and shard */
	BS_SECTION_VALUE_KEYS = 58,
	/* where each block of keys begins, and the end; packed */
	BS_SECTION_VALUE_KEY_OFFSETS = 59,
	/* the ranks of values, bit-sliced; a line has a bit for each of 512 documents */
	BS_SECTION_VALUE_LINES = 60,
	BS_SECTION_VALUE_LISTS = 61, /* rows with ranks that are not in section 60 */
	/* table of the ids of in-memory documents: where its buckets begin, packed; see
	 * id_table.h */
	BS_SECTION_ID_STARTS = 62,
	BS_SECTION_ID_ENTRIES = 63, /* entries of the table of ids, packed */
	/* used instead of 62 and 63 if ids ascend with document numbers */
	BS_SECTION_ID_ORDER = 65,
	/* condensed segment, each shard with a matrix: the terms of its rows, see term_vectors.h */
	BS_SECTION_TERM_VECTORS = 66,
	BS_SECTION_ROW_CODES = 67, /* condensed segment: the codes of section 66 */
	/* two u32 for each field: how many of its texts are numbers or dates, and how many are
	 * not */
	BS_SECTION_FIELD_TEXTS = 68,
	/* 1 + the lines of each file, or 0 if they are unknown; packed */
	BS_SECTION_DOC_LINES = 69,
	/* the trigrams of words and texts, as coded numbers (core/file/coded.h), for summaries */
	BS_SECTION_GRAM_SET = 64,
};
