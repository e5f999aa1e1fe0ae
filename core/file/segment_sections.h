/* segment_sections.h: the numbers of the sections of segments, tombstones and exclusions. Private
 * to the files that read and write them; FORMAT.md tells what each holds. A number is never used
 * again for something else. */
#pragma once

/* The one section of tombstones. */
#define BS_SECTION_BITS 1u

/* Of a segment; exclusions have those of documents. */
enum bs_section_id {
	BS_SECTION_META = 1,   /* fixed numbers of the segment */
	BS_SECTION_FIELDS = 2, /* names of the fields */
	/* ranks of the levels, and the table from df to columns per level */
	BS_SECTION_TREATMENTS = 3,
	BS_SECTION_SHARDS = 4,          /* one entry a shard */
	BS_SECTION_TF_LEVELS = 5,       /* which tf levels words have */
	BS_SECTION_TERM_SEPARATORS = 8, /* lexicon */
	BS_SECTION_TERM_CODES = 9,
	BS_SECTION_TERMS = 10,
	BS_SECTION_TERM_INDEX = 11,
	BS_SECTION_GRAM_META = 14,    /* grams: fixed numbers */
	BS_SECTION_GRAM_SHARDS = 15,  /* one entry a shard of grams */
	BS_SECTION_GRAM_ROWS = 16,    /* per shard of grams: document of each row, packed */
	BS_SECTION_GRAM_COLUMNS = 17, /* per shard of grams */
	BS_SECTION_GRAM_TIERS = 18,   /* per tier that has a list: trigrams, packed */
	/* per shard of forward indexes: words, see forward_index.h */
	BS_SECTION_FORWARD_FILTERS = 19,
	BS_SECTION_COLUMNS = 20,   /* per shard: the lines of its columns */
	BS_SECTION_POPCOUNTS = 21, /* per shard: u64 a level, u32 an exact column */
	/* per shard: u32 ordinals of the terms that have a column of their own */
	BS_SECTION_EXACT_TERMS = 22,
	BS_SECTION_ROWS = 23, /* per shard: document of each row, packed */
	/* per shard of forward indexes: one a row, and one more, packed */
	BS_SECTION_FORWARD_OFFSETS = 24,
	/* per shard of forward indexes: the ordinals of a row's terms, as runs */
	BS_SECTION_FORWARD_TERMS = 25,
	/* ordinals of the terms that have false positives, ascending, packed */
	BS_SECTION_EXCEPTION_TERMS = 26,
	BS_SECTION_EXCEPTION_OFFSETS = 27, /* one a term, and one more, packed */
	/* per term: rows that pass its columns and do not have it, Elias-Fano */
	BS_SECTION_EXCEPTION_ROWS = 28,
	/* per shard of forward indexes: u64 a group of 64, and one more */
	BS_SECTION_FORWARD_FILTER_OFFSETS = 29,
	BS_SECTION_SOURCE_RANGES = 30,
	BS_SECTION_DOC_LENGTHS = 31, /* one a document, packed */
	BS_SECTION_DOC_FLAGS = 32,
	BS_SECTION_DOC_PLACES = 33,
	BS_SECTION_DOC_NAME_OFFSETS = 34, /* one a block, and one more, packed */
	BS_SECTION_DOC_NAMES = 35,
	BS_SECTION_DOC_CHECKSUMS = 36,  /* u64 a document */
	BS_SECTION_DOC_TF_OFFSETS = 37, /* one a document, and one more, packed */
	BS_SECTION_DOC_TFS = 38,        /* how often words stand in documents: tf_code.h */
	/* per shard of forward indexes: its exact columns, a bit a row, in words */
	BS_SECTION_FORWARD_COLUMNS = 39,
	BS_SECTION_STORE_DICTIONARY = 40,
	BS_SECTION_STORE_OFFSETS = 41,
	BS_SECTION_STORE_FRAMES = 42,
	BS_SECTION_RARE_CODES = 53,      /* lists of rare terms: how they are coded */
	BS_SECTION_RARE_OFFSETS = 54,    /* one a list, and one more, packed */
	BS_SECTION_RARE_TERM_LISTS = 55, /* see rare_term_list.h */
	BS_SECTION_VALUE_FIELDS = 56,    /* numbers and dates of records: see value_column.h */
	BS_SECTION_VALUE_PARTS = 57,     /* one entry a field and shard */
	BS_SECTION_VALUE_KEYS = 58,
	BS_SECTION_VALUE_KEY_OFFSETS = 59, /* one a block of keys, and one more, packed */
	/* bit-sliced ranks of values, a line for 512 documents */
	BS_SECTION_VALUE_LINES = 60,
	BS_SECTION_VALUE_LISTS = 61, /* those of fields that few documents have */
	/* ids of documents: where buckets begin, packed, see id_table.h */
	BS_SECTION_ID_STARTS = 62,
	BS_SECTION_ID_ENTRIES = 63, /* packed */
	BS_SECTION_ID_ORDER = 65,   /* ids ascend with the documents: instead of 62 and 63 */
	/* of a condensed segment, per shard of a matrix: terms of its rows, see term_vectors.h */
	BS_SECTION_TERM_VECTORS = 66,
	BS_SECTION_ROW_CODES = 67, /* of a condensed segment: how they are coded */
	/* two u32 a field: how many of its texts are numbers or dates, and how many are not */
	BS_SECTION_FIELD_TEXTS = 68,
	/* trigrams of words and texts, coded (core/file/coded.h): for summaries */
	BS_SECTION_GRAM_SET = 64,
};
