/* test_check_segment.c: `check` must report invalid contents of segments, as in test_check.c. */
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/bitsift/index.h"
#include "core/check/check.h"
#include "core/file/segment_sections.h"
#include "core/store/index_dir.h"
#include "core/store/index_stats.h"
#include "corpus/changes/id_lookup.h"
#include "tests/rigs/check_rig.h"

/* ---- the numbers of a segment ---- */

static void test_head(void **state)
{
	make_small_index();
	EXPECT_REFUSED("seg", 0, "hash scheme 2", {BS_SECTION_META, 0, 0, 8, SET, 2});
	DAMAGE(META, 0, 8, 8, ADD, 1, "documents");
	DAMAGE(META, 0, 16, 8, ADD, 100, "the lexicon does not hold");
	DAMAGE(META, 0, 24, 8, ADD, 1, "postings where the lexicon has");
	DAMAGE(META, 0, 32, 8, ADD, 1, "positions where the documents have");
	DAMAGE(META, 0, 48, 8, ADD, 1, "shards");
	EXPECT_REFUSED("seg", 0, "shard 0 is of a kind unknown",
	               {BS_SECTION_SHARDS, 0, 4, 4, SET, 2});
	DAMAGE(SHARDS, 0, 12, 4, ADD, 1, "shard 0");
	DAMAGE(TREATMENTS, 0, 24, 1, SET, 0, "treatment table breaks its own rules");
	DAMAGE(TREATMENTS, 0, 9, 1, SET, 4, "treatment table breaks its own rules");
	/* The treatments of terms are changed, so that they no longer fit the columns. */
	DAMAGE(TREATMENTS, 0, 24, 1, SET, 12, "has an exception that does not pass its columns");
	DAMAGE(TREATMENTS, 0, 27, 1, SET, 0, "has false positives where its treatment has none");
	DAMAGE(TREATMENTS, 0, 27, 1, SET, 3, "treatment 0 has unknown flags");
}

/* ---- lexicon ---- */

/* Flips one bit in each byte of a section, under valid checksums. check must report at least nine
 * of ten flips. A flip may make another term whose hashed columns happen to be set; check cannot
 * report this. */
static void flip_all(uint32_t section)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	uint64_t n_bytes, n_missed = 0;
	FREED char *path = index_file("seg", 0);
	read_bytes(path, &bytes);
	uint8_t *at = section_in(bytes.data, section, 0, &n_bytes);
	for (uint64_t i = 0; i < n_bytes; i++) {
		struct bs_check_sums sum;
		uint8_t bit = (uint8_t)(1u << (i * 5 % 8));
		at[i] ^= bit;
		write_resealed(path, &bytes);
		enum bs_status status = bs_check_dir(dir_at("index"), NULL, &sum, ERR);
		assert_true(status == BS_OK || status == BS_CORRUPT);
		n_missed += status == BS_OK;
		at[i] ^= bit;
	}
	write_resealed(path, &bytes);
	print_message("section %u: %" PRIu64 " of %" PRIu64 " flips were not reported\n", section,
	              n_missed, n_bytes);
	assert_true(n_missed * 10 <= n_bytes);
}

static void test_lexicon(void **state)
{
	make_small_index();
	DAMAGE(TERM_INDEX, 0, 0, 8, SET, 1, "the chapter's entry");
	DAMAGE(TERM_INDEX, 0, 8, 8, SET, 1, "lexicon");
	DAMAGE(TERM_INDEX, 0, 16, 8, SET, 1, "lexicon");
	DAMAGE(TERM_SEPARATORS, 0, 0, 1, ADD, 1, "lexicon");
	DAMAGE(TERM_SEPARATORS, 0, 0, 1, ADD, (uint64_t)-1, "lexicon");
	DAMAGE(TERM_CODES, 0, 0, 8, ADD, 1, "the lexicon does not hold");
	DAMAGE(TERM_CODES, 0, 12, 4, SET, 2, "break their own rules");
	DAMAGE(TERM_CODES, 0, 8, 4, SET, UINT32_MAX, "break their own rules");
	DAMAGE(TERMS, 0, -1, 1, SET, 1, "lexicon: trailing bytes");
	flip_all(BS_SECTION_TERM_CODES);
	flip_all(BS_SECTION_TERMS);
	flip_all(BS_SECTION_TERM_SEPARATORS);
	flip_all(BS_SECTION_TERM_INDEX);
}

/* ---- shards ---- */

/* Returns the column of a level that has the most bits (level 3: the exact columns), the byte
 * offset of its line, and its number of bits. */
static uint32_t find_column(uint32_t l, int64_t *line_out, uint64_t *n_set_out)
{
	uint32_t fullest = 0;
	uint64_t most = 0;
	const struct bs_kernel *kernel;
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	ok(bs_kernel_choose(NULL, &kernel, ERR));
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	const struct bs_shard *shard = &snapshot.segments[0].shards[MATRIX];
	const struct bs_level *level =
		l < shard->hashed.n_levels ? &shard->hashed.levels[l] : &shard->exact.level;
	for (uint32_t c = 0; c < level->n_columns; c++) {
		bs_column column;
		ok(bs_shard_column(shard, level, c, NULL, &column, ERR));
		uint64_t n_set = kernel->lines.popcount(column, level->n_lines);
		fullest = n_set > most ? c : fullest;
		most = n_set > most ? n_set : most;
	}
	assert_true(most > 0);
	*line_out =
		(int64_t)((level->first_line + (uint64_t)fullest * level->n_lines) * BS_LINE_BYTES);
	*n_set_out = most;
	return fullest;
}

static void test_columns(void **state)
{
	make_small_index();
	static const char *const names[] = {"document", "group", "block", "exact"};
	for (uint32_t l = 0; l < 4; l++) {
		int64_t line;
		uint64_t n_set;
		char what[80];
		uint32_t c = find_column(l, &line, &n_set);
		/* POPCOUNTS has a sum for each of three levels, then a number for each exact
		 * column. */
		int64_t popcount = l < 3 ? 8 * (int64_t)l : 24 + 4 * (int64_t)c;
		unsigned n_bytes = l < 3 ? 8 : 4;
		if (l < 3)
			snprintf(what, sizeof(what), "shard 0: the %s columns have", names[l]);
		else
			snprintf(what, sizeof(what), "shard 0: %s column %u has", names[l], c);
		DAMAGE(POPCOUNTS, MATRIX, popcount, n_bytes, ADD, 1, what);
		/* Sets the last of the 512 lanes, then lane 39; only 36 are used. */
		snprintf(what, sizeof(what), "shard 0: %s column %u has bits past the last",
		         names[l], c);
		EXPECT("seg", 0, what,
		       {BS_SECTION_COLUMNS, MATRIX, line + 56, 8, SET, UINT64_C(1) << 63},
		       {BS_SECTION_POPCOUNTS, MATRIX, popcount, n_bytes, ADD, 1});
		EXPECT("seg", 0, what, {BS_SECTION_COLUMNS, MATRIX, line + 4, 1, ADD, 0x80},
		       {BS_SECTION_POPCOUNTS, MATRIX, popcount, n_bytes, ADD, 1});
		/* A column without bits, with the popcount that such a column has. */
		const struct edit empty[] = {
			{BS_SECTION_COLUMNS, MATRIX, line, 8, SET, 0},
			{BS_SECTION_POPCOUNTS, MATRIX, popcount, n_bytes, ADD, 0 - n_set},
			{BS_SECTION_SHARDS, 0, 32 * MATRIX + 24, 4, SET, 0}};
		expect_damage("seg", 0, empty, l < 3 ? 2 : 3, BS_CORRUPT,
		              l < 3 ? "lexicon: term" : "is in fewer documents");
	}
	/* Sets all bits of the column next to the fullest one. This column belongs to a word that
	 * some of the 36 documents lack. */
	int64_t line;
	uint64_t n_set;
	int64_t fullest = find_column(3, &line, &n_set);
	int64_t beside = fullest > 0 ? -1 : 1;
	int64_t popcount = 24 + 4 * (fullest + beside);
	line += beside * 64;
	EXPECT("seg", 0, "is in more documents of the shards",
	       {BS_SECTION_COLUMNS, MATRIX, line, 4, SET, UINT32_MAX},
	       {BS_SECTION_COLUMNS, MATRIX, line + 4, 1, SET, 0x0f},
	       {BS_SECTION_POPCOUNTS, MATRIX, popcount, 4, SET, 36});
	DAMAGE(SHARDS, 0, 32 * MATRIX + 24, 4, ADD, 1, "shard 0: its entry says that the sparsest");
	DAMAGE(SHARDS, 0, 32 * LISTS + 24, 4, ADD, 1, "shard 1: its entry says that the sparsest");
	DAMAGE(SHARDS, 0, 32 * LISTS + 20, 4, SET, 1, "shard 1: 1 columns of a level that is not");
	DAMAGE(EXACT_TERMS, MATRIX, 0, 4, SET, 5000, "exact columns: term");
	DAMAGE(EXACT_TERMS, MATRIX, 4, 4, SET, 0, "does not come after the one before");
}

/* Every document that has a term in its rare-term list must pass the columns of the term. */
static void test_listed(void **state)
{
	make_small_index_of_chances();
	DAMAGE(TREATMENTS, 0, 24, 1, SET, 12, "in a list, but does not pass its columns");
	DAMAGE(EXACT_TERMS, MATRIX, 0, 4, SET, 0, "in a list, but does not pass its columns");
	for (uint32_t l = 0; l < 3; l++) {
		int64_t line;
		uint64_t n_set;
		find_column(l, &line, &n_set);
		EXPECT("seg", 0, "in a list, but does not pass its columns",
		       {BS_SECTION_COLUMNS, MATRIX, line, 8, SET, 0},
		       {BS_SECTION_POPCOUNTS, MATRIX, 8 * (int64_t)l, 8, ADD, 0 - n_set});
	}
}

static void test_rare_term_lists(void **state)
{
	make_small_index_of_chances();
	DAMAGE(RARE_CODES, 0, 0, 4, SET, 4, "lists of rare terms of 2^4 documents");
	/* A code that refers to documents beyond those of its list. */
	DAMAGE(RARE_CODES, 0, 0, 4, SET, 2, "the codes of rare terms break their rules");
	DAMAGE(RARE_CODES, 0, 8, 4, SET, 0x11111111, "the codes of rare terms break their rules");
	DAMAGE(RARE_OFFSETS, 0, 0, 8, SET, 1, "lists of rare terms: the first does not begin at 0");
	DAMAGE(RARE_OFFSETS, 0, -1, 0, PACKED_ADD, (uint64_t)-1,
	       "lists of rare terms: the last ends at");
	DAMAGE(RARE_TERM_LISTS, 0, -1, 1, SET, 1, "lists of rare terms: trailing bytes");
	DAMAGE(RARE_TERM_LISTS, 0, 0, 1, SET, 0, "the list of rare terms at 0 does not decode");
	DAMAGE(RARE_TERM_LISTS, 0, 0, 1, ADD, 1, "the list of rare terms at 0 does not decode");
	flip_all(BS_SECTION_RARE_OFFSETS);
	flip_all(BS_SECTION_RARE_TERM_LISTS);
	/* A word with false-positive lists is in no rare-term list. */
	DAMAGE(TREATMENTS, 0, 27, 1, SET, 1, "term");
}

/* The bytes of a section of the first segment. */
static const uint8_t *read_section(uint32_t section, uint32_t instance, struct bs_buffer *bytes,
                                   uint64_t *n_bytes_out)
{
	FREED char *path = index_file("seg", 0);
	read_bytes(path, bytes);
	return section_in(bytes->data, section, instance, n_bytes_out);
}

/* Reads the values of a packed array of the first segment. Returns their number, at most `most`. */
static size_t read_packed(uint32_t section, uint32_t instance, uint64_t *values, size_t most)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	uint64_t n_bytes;
	const uint8_t *at = read_section(section, instance, &bytes, &n_bytes);
	size_t n = (size_t)bs_load_u64(at + n_bytes - 8);
	assert_true(n <= most);
	for (size_t i = 0; i < n; i++)
		values[i] = find_packed(at, n_bytes, (int64_t)i).value;
	return n;
}

/* The false positives of terms[i] are bytes offsets[i] to offsets[i + 1] of the section
 * FALSE_POSITIVE_ROWS. */
static void test_false_positives(void **state)
{
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	uint64_t terms[200], offsets[201], exact_bytes;
	make_small_index();
	uint32_t exact =
		bs_load_u32(read_section(BS_SECTION_EXACT_TERMS, MATRIX, &bytes, &exact_bytes));
	size_t n = read_packed(BS_SECTION_FALSE_POSITIVE_TERMS, 0, terms, COUNT(terms));
	assert_int_equal(read_packed(BS_SECTION_FALSE_POSITIVE_OFFSETS, 0, offsets, COUNT(offsets)),
	                 n + 1);
	assert_true(n > 2 && exact_bytes > 0);
	DAMAGE(FALSE_POSITIVE_TERMS, 0, 0, 8, SET, 5000, "false positives: term 5000 of");
	DAMAGE(FALSE_POSITIVE_TERMS, 0, 1, 0, PACKED_SET, terms[0],
	       "does not come after the one before");
	DAMAGE(FALSE_POSITIVE_OFFSETS, 0, 0, 8, SET, 1,
	       "false positives: the first does not begin at 0");
	DAMAGE(FALSE_POSITIVE_OFFSETS, 0, -1, 0, PACKED_ADD, 1,
	       "false positives: the last ends at");
	DAMAGE(FALSE_POSITIVE_OFFSETS, 0, 1, 0, PACKED_SET, 0, "has none");
	DAMAGE(FALSE_POSITIVE_OFFSETS, 0, 2, 0, PACKED_SET, 0,
	       "false positives: number 1 ends before it begins");
	DAMAGE(FALSE_POSITIVE_ROWS, 0, 0, 1, SET, 39, "false positives do not decode");
	DAMAGE(FALSE_POSITIVE_ROWS, 0, 0, 1, ADD, 1, "false positives do not decode");
	DAMAGE(FALSE_POSITIVE_ROWS, 0, -1, 1, SET, 0x80, "false positives: trailing bytes");
	DAMAGE(FALSE_POSITIVE_ROWS, 0, 1, 1, ADD, 1, "that does not pass its columns");
	bool has_gap = false, has_single = false, has_later = false;
	for (size_t i = 0; i < n; i++) {
		int64_t at = (int64_t)i;
		int64_t row_at = (int64_t)offsets[i];
		/* Moves the false positives of a term to the term with the next number, so that the
		 * first term lacks them. The first entry is left out, because the other entries are
		 * stored relative to it. */
		bool is_before_gap = i > 0 && i + 1 < n && terms[i] + 1 < terms[i + 1];
		if (!has_gap && is_before_gap)
			DAMAGE(FALSE_POSITIVE_TERMS, 0, at, 0, PACKED_ADD, 1,
			       "is in more documents of the shards");
		has_gap |= is_before_gap;
		/* Moves a false positive into a shard of forward indexes: to row 37, the fifth in
		 * bucket 1. */
		if (!has_single && offsets[i + 1] == offsets[i] + 2)
			DAMAGE(FALSE_POSITIVE_ROWS, 0, row_at + 1, 1, SET, 0x45,
			       "in a shard where it has no hashed columns");
		has_single |= offsets[i + 1] == offsets[i] + 2;
		/* Moves the false positives of a term to a term with an exact column. */
		if (!has_later && terms[i] > exact)
			DAMAGE(FALSE_POSITIVE_TERMS, 0, at, 0, PACKED_SET, exact,
			       "in a shard where it has no hashed columns");
		has_later |= terms[i] > exact;
	}
	assert_true(has_gap && has_single && has_later);
}

static void test_rows(void **state)
{
	make_small_index();
	DAMAGE(ROWS, MATRIX, 1, 0, PACKED_SET, 0,
	       "shard 0: row 1 is document 0, which has a row already");
	DAMAGE(ROWS, LISTS, 0, 8, SET, 1, "shard 1: row 0 is document 1, which has a row already");
	DAMAGE(ROWS, MATRIX, 1, 0, PACKED_SET, 38, "shard 0: row 1 is document 38 of 38");
}

static void test_lists(void **state)
{
	uint64_t offsets[3];
	make_small_index();
	assert_int_equal(read_packed(BS_SECTION_FORWARD_OFFSETS, LISTS, offsets, COUNT(offsets)),
	                 3);
	DAMAGE(FORWARD_OFFSETS, LISTS, 0, 8, SET, 1,
	       "forward indexes: the first does not begin at 0");
	DAMAGE(FORWARD_OFFSETS, LISTS, -1, 0, PACKED_ADD, 1, "forward indexes: the last ends at");
	DAMAGE(FORWARD_OFFSETS, LISTS, 1, 0, PACKED_SET, offsets[2] + 1,
	       "forward indexes: number 1 ends before it begins");
	DAMAGE(FORWARD_TERMS, LISTS, 0, 4, SET, 0, "the forward index at 0 does not decode");
	DAMAGE(FORWARD_TERMS, LISTS, 0, 4, ADD, 64, "the forward index at 0 does not decode");
	DAMAGE(FORWARD_TERMS, LISTS, 4, 4, SET, UINT32_MAX,
	       "the forward index at 0 does not decode");
	DAMAGE(FORWARD_TERMS, LISTS, 4, 4, ADD, (uint64_t)-1,
	       "the forward index at 0 does not decode");
}

/* Errors of a packed array that do not change its values: the place of its bits, their width, and
 * the number of values. */
static void test_packed(void **state)
{
	static const struct {
		uint32_t section, instance;
	} arrays[] = {{BS_SECTION_ROWS, MATRIX},
	              {BS_SECTION_ROWS, LISTS},
	              {BS_SECTION_FORWARD_OFFSETS, LISTS},
	              {BS_SECTION_FALSE_POSITIVE_TERMS, 0},
	              {BS_SECTION_FALSE_POSITIVE_OFFSETS, 0},
	              {BS_SECTION_DOC_LENGTHS, 0},
	              {BS_SECTION_DOC_NAME_OFFSETS, 0}};
	make_small_index();
	for (size_t i = 0; i < COUNT(arrays); i++) {
		uint32_t section = arrays[i].section;
		uint32_t instance = arrays[i].instance;
		char what[40];
		snprintf(what, sizeof(what), "section %u", section);
		EXPECT("seg", 0, what, {section, instance, 8, 8, SET, 57});
		EXPECT("seg", 0, what, {section, instance, 8, 8, SET, UINT64_MAX << 8});
		EXPECT("seg", 0, what, {section, instance, -8, 8, SET, UINT64_MAX});
		EXPECT("seg", 0, what, {section, instance, 9, 7, ADD, 1});
		EXPECT("seg", 0, what, {section, instance, -8, 8, SET, 0});
	}
}

static void test_filters(void **state)
{
	make_small_index();
	DAMAGE(FORWARD_FILTER_OFFSETS, LISTS, 0, 8, SET, 1,
	       "filters: the first does not begin at 0");
	DAMAGE(FORWARD_FILTER_OFFSETS, LISTS, -8, 8, ADD, 1, "filters: the last ends at");
	/* A bit of row 0 is changed; the filter has two rows. */
	DAMAGE(FORWARD_FILTERS, LISTS, 0, 1, ADD, 1, "shard 1: filter 0 lacks bits");
	DAMAGE(SHARDS, 0, 32 * LISTS + 12, 4, SET, 0, "shard 1: a filter of 0 hashes");
	DAMAGE(SHARDS, 0, 32 * LISTS + 12, 4, SET, 17, "shard 1: a filter of 17 hashes");
	DAMAGE(SHARDS, 0, 32 * LISTS + 16, 4, SET, 9, "of ordinals without 9 bits");
	/* Hashing parameters that are not those of the filter; changed bits of rows 1 and 63. */
	DAMAGE(SHARDS, 0, 32 * LISTS + 12, 4, ADD, 1, "shard 1: filter 0 lacks bits");
	DAMAGE(SHARDS, 0, 32 * LISTS + 16, 4, SET, 0, "shard 1: filter 0 lacks bits");
	DAMAGE(FORWARD_FILTERS, LISTS, -8, 1, ADD, 2, "shard 1: filter 0 lacks bits");
	DAMAGE(FORWARD_FILTERS, LISTS, -1, 1, ADD, 0x80, "shard 1: filter 0 lacks bits");
}

/* Damages the exact columns of a shard with forward indexes. */
static void test_list_columns(void **state)
{
	uint64_t random = 23;
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	struct bs_build_tuning tuning = {.policy = &policy, .forward_mode = BS_FORWARD_ALWAYS};
	struct bs_build_request request = {.dir = "index",
	                                   .index.words = true,
	                                   .rebuild = true,
	                                   .write.n_threads = 1,
	                                   .tuning = &tuning};
	policy.bit_ns = 10; /* space is cheap: many columns */
	write_documents(&random, 1000);
	index_sources(&request, (const char *const[]){"c.jsonl", NULL}, NULL);
	ok(check_index(NULL, ERR));
	DAMAGE(FORWARD_COLUMNS, 0, 0, 1, ADD, 1, "exact column 0 has");
	DAMAGE(POPCOUNTS, 0, 0, 4, ADD, 1, "exact column");
	DAMAGE(SHARDS, 0, 24, 4, ADD, 1, "the sparsest exact column");
	/* Sets the bit of row 1023; there are 1000 rows. */
	EXPECT("seg", 0, "bits past the last document",
	       {BS_SECTION_FORWARD_COLUMNS, 0, -1, 1, ADD, 0x80},
	       {BS_SECTION_POPCOUNTS, 0, -4, 4, ADD, 1});
	DAMAGE(EXACT_TERMS, 0, -4, 4, SET, UINT32_MAX, "exact columns: term 4294967295 of");
	DAMAGE(EXACT_TERMS, 0, 4, 4, SET, 0, "does not come after the one before");
	/* Moves an exact column to the next term, which the forward indexes contain. */
	DAMAGE(EXACT_TERMS, 0, 12, 4, ADD, 1, "a forward index has term 9,");
	DAMAGE(SHARDS, 0, 8, 4, ADD, 1, "section 39 has");
}

/* ---- documents ---- */

static void test_documents(void **state)
{
	make_small_index();
	DAMAGE(SOURCE_RANGES, 0, 4, 4, SET, 1, "range 0 of documents begins at 1");
	DAMAGE(SOURCE_RANGES, 0, 12, 4, SET, 0, "range 1 of documents begins at 0");
	DAMAGE(SOURCE_RANGES, 0, 12, 4, SET, 38, "range 1 of documents begins at 38");
	DAMAGE(SOURCE_RANGES, 0, 8, 4, SET, 3, "range 1 of documents is of source 3 of 3");
	DAMAGE(DOC_LENGTHS, 0, 0, 0, PACKED_ADD, 1, "positions where the documents have");
	DAMAGE(DOC_FLAGS, 0, 2, 1, SET, 0x80, "document 2 has unknown flags 0x80");
	DAMAGE(DOC_NAME_OFFSETS, 0, 0, 8, SET, 1, "names of documents: from 1 to");
	DAMAGE(DOC_NAME_OFFSETS, 0, -1, 0, PACKED_ADD, (uint64_t)-1,
	       "names of documents: from 0 to");
	DAMAGE(DOC_NAMES, 0, 0, 1, SET, 0xff, "the names of documents 0 to 37 do not decode");
	DAMAGE(DOC_NAMES, 0, -7, 1, SET, 100, "the names of documents 0 to 37 do not decode");
	DAMAGE(DOC_NAMES, 0, -6, 1, SET, 4, "the names of documents 0 to 37 do not decode");
	/* "a.txt", the last name, becomes a path that leads out of the folder, or nowhere. */
	DAMAGE(DOC_NAMES, 0, -5, 4, SET, 0x612f2e2e, "\"../at\", is not below its source");
	DAMAGE(DOC_NAMES, 0, -5, 1, SET, '/', "is not below its source");
	DAMAGE(DOC_NAMES, 0, -1, 1, SET, '/', "is not below its source");
	DAMAGE(DOC_NAMES, 0, -3, 1, SET, 0, "is not below its source");
	EXPECT("seg", 0, "is not below its source", {BS_SECTION_DOC_NAMES, 0, -5, 3, SET, 0x2e2f61},
	       {BS_SECTION_DOC_NAMES, 0, -2, 2, SET, 0x622f});
}

static void test_tfs(void **state)
{
	make_small_index();
	DAMAGE(DOC_TF_OFFSETS, 0, 0, 8, SET, 1,
	       "words in documents: the first does not begin at 0");
	DAMAGE(DOC_TF_OFFSETS, 0, -8, 8, ADD, 1, "section 37 ends after");
	DAMAGE(DOC_TFS, 0, -1, 1, SET, 1, "words in documents: trailing bytes");
	DAMAGE(SHARDS, 0, 32 * MATRIX + 28, 4, ADD, 1, "shard 0: its least length is");
	DAMAGE(TF_LEVELS, 0, 28, 4, SET, 1, "tf levels break their own rules");
	DAMAGE(TF_LEVELS, 0, 32, 4, SET, 2, "tf levels break their own rules");
	DAMAGE(TF_LEVELS, 0, 12, 4, SET, 9, "tf levels break their own rules");
	DAMAGE(TF_LEVELS, 0, 16, 8, SET, 1, "tf levels break their own rules");
	DAMAGE(TF_LEVELS, 0, 8, 4, SET, 9, "9 tf levels");
	/* Sets every other of the first 32 bits of tf codes, and clears the others. A word whose tf
	 * is then on another level is reported. */
	DAMAGE(DOC_TFS, 0, 0, 4, SET, 0x55555555, "times, but not its tf level");
}

static void test_grams(void **state)
{
	make_small_index();
	EXPECT_REFUSED("seg", 0, "gram scheme 4 is unknown",
	               {BS_SECTION_GRAM_META, 0, 0, 8, ADD, 1});
	DAMAGE(GRAM_META, 0, 8, 8, SET, 0, "gram shards of 0 documents");
	DAMAGE(GRAM_META, 0, 24, 8, SET, 2, "2 gram shards of 1 documents");
	DAMAGE(GRAM_META, 0, 36, 4, SET, (1u << 24) + 1, "a list of 16777217 grams of tier 1");
	DAMAGE(GRAM_META, 0, 48, 4, SET, (1u << 18) + 1, "a list of 262145 grams of tier 4");
	DAMAGE(GRAM_META, 0, 52, 4, SET, 1, "a list of 1 grams of tier 5");
	DAMAGE(GRAM_META, 0, 56, 1, SET, 1, "grams have 1 columns");
	DAMAGE(GRAM_META, 0, 57, 1, SET, 0, "grams have 0 columns");
	DAMAGE(GRAM_META, 0, 59, 1, SET, 9, "grams have 9 columns");
	DAMAGE(GRAM_META, 0, 60, 1, SET, 2, "grams have 2 columns");
	DAMAGE(GRAM_META, 0, 61, 1, SET, 3, "grams have 3 columns");
	DAMAGE(GRAM_SHARDS, 0, 0, 4, SET, BS_GRAM_SIZE_CLASSES,
	       "gram shard 0 has an impossible shape");
	DAMAGE(GRAM_SHARDS, 0, 4, 4, SET, 0, "gram shard 0 has an impossible shape");
	DAMAGE(GRAM_SHARDS, 0, 4, 4, SET, 65537, "gram shard 0 has an impossible shape");
	DAMAGE(GRAM_SHARDS, 0, 8, 4, ADD, 1, "gram shard 0 has an impossible shape");
	DAMAGE(GRAM_SHARDS, 0, 4, 4, SET, 9, "its shape asks for");
	/* An array of a single value consists of its base only. */
	DAMAGE(GRAM_ROWS, 0, 0, 8, SET, 1000, "grams, rows of shard 0: value 0 is 1000");
	DAMAGE(GRAM_TIERS, 0, 0, 8, SET, 1u << 24, "list of tier 0");
	DAMAGE(GRAM_COLUMNS, 0, 3, 1, SET, 0x80, "column 3 has bits past the last document");
	DAMAGE_MANIFEST(PASSED_OVER, -1, 1, SET, 'x', "files that are passed over");
	DAMAGE_MANIFEST(PASSED_OVER, 0, 4, SET, 3, "files that are passed over");
	DAMAGE_MANIFEST(PASSED_OVER, 8, 1, SET, '/', "is not below its source");
	DAMAGE_MANIFEST(PASSED_OVER, 8, 1, SET, 'x', "\"d.bin\", is out of order");
	DAMAGE(DOC_LINES, 0, 0, 8, ADD, 100000, "lines in fewer bytes, or is no file");
	DAMAGE_MANIFEST(FINGERPRINTS, 0, 1, SET, 0, "trailing bytes in a section");
	DAMAGE_MANIFEST(FINGERPRINTS, -1, 1, SET, 0xff, "a section ends too early");
	DAMAGE_MANIFEST(PASSED_ENTRIES, 0, 1, SET, 2, "a list of entries of kind 2");
	DAMAGE_MANIFEST(LEFT_OUT, 0, 1, SET, 9, "files left out of unknown source 9");
	DAMAGE_MANIFEST(LEFT_OUT, 1, 1, SET, 16, "files left out for unknown reason 16");
	DAMAGE_MANIFEST(LEFT_OUT, 2, 1, SET, 0, "a number of files left out that is no number");
	DAMAGE_MANIFEST(LEFT_OUT, 3, 1, SET, 100, "a section ends too early");
}

static void test_store(void **state)
{
	make_small_index();
	DAMAGE_IN(1, STORE_OFFSETS, 0, 0, 8, SET, 1, "stored text: the first does not begin at 0");
	DAMAGE_IN(1, STORE_OFFSETS, 0, 8, 8, SET, 1, "stored text: number 1 ends before it begins");
	DAMAGE_IN(1, STORE_OFFSETS, 0, -8, 8, ADD, 1, "stored text: the last ends at");
	DAMAGE_IN(1, STORE_FRAMES, 0, 20, 1, ADD, 1, "stored text: document 0");
	DAMAGE_IN(1, STORE_OFFSETS, 0, 16, 8, SET, 1, "stored text: document 2: not a frame");
	/* All documents share a frame, whose checksum follows it. */
	DAMAGE_IN(1, STORE_FRAMES, 0, -1, 1, ADD, 1, "stored text: document 0");
	/* Instance 0 of DOC_PLACES has the number of each document in the store, instance 1 the
	 * length of its record. */
	DAMAGE_IN(1, DOC_PLACES, 0, 3, 0, PACKED_SET, 3, "document 3 has no stored text");
	DAMAGE_IN(1, DOC_PLACES, 0, 2, 0, PACKED_SET, 0,
	          "document 2 has no stored text of its own");
	/* All records have the same length, so the array has a base but no bits. */
	DAMAGE_IN(1, DOC_PLACES, 1, 0, 8, ADD, 1, "bytes where document 1 has");
	DAMAGE_IN(1, DOC_PLACES, 3, 8, 1, ADD, 57, "section 33: value 0 of");
}

/* ---- numbers and dates ---- */

/* Makes an index of two shards. Field n has another value in each document (stored in a layer).
 * Field two has one of a few numbers and one of a few months (in layers). Field few is in few
 * documents (in a list). */
static void make_values_index(void)
{
	struct bs_build_tuning tuning = {.max_shard_blocks = 1, .forward_mode = BS_FORWARD_NEVER};
	struct bs_build_request request = {
		.dir = "index", .index.words = true, .write.n_threads = 1, .tuning = &tuning};
	FILE *file = must_fopen("v.jsonl", "w");
	for (unsigned i = 0; i < 700; i++) {
		fprintf(file,
		        "{\"id\":\"%u\",\"text\":\"word\",\"n\":%u,\"two\":[%u,\"20%02u-0%u\"]", i,
		        i * 37 % 701, i % 5, i % 7 + 10, i % 9 + 1);
		fprintf(file, i % 100 == 50 ? ",\"few\":-%u.5}\n" : "}\n", i);
	}
	assert_int_equal(fclose(file), 0);
	index_sources(&request, (const char *const[]){"v.jsonl", NULL}, NULL);
}

static void test_values(void **state)
{
	make_values_index();
	DAMAGE(VALUE_FIELDS, 0, 4, 4, SET, 2, "fields of");
	DAMAGE(VALUE_FIELDS, 0, 0, 4, SET, 1000, "fields of");
	EXPECT("seg", 0, "is out of order", {BS_SECTION_VALUE_FIELDS, 0, -1, 1, SET, 'A'},
	       {BS_SECTION_VALUE_FIELDS, 0, -3, 1, SET, 'a'});
	DAMAGE(VALUE_FIELDS, 0, 16 + 16, 4, SET, 100000, "is not within its file");
	DAMAGE(VALUE_FIELDS, 0, 48 + 8, 8, ADD, (uint64_t)-1, "does not follow the one before");
	DAMAGE(VALUE_KEYS, 0, 0, 1, SET, 0xff, "the names of values");
	DAMAGE(VALUE_KEYS, 0, 1, 1, SET, 0x11, "is no number or date");
	DAMAGE(VALUE_KEYS, 0, 3, 1, SET, 0xf0, "do not ascend");
	DAMAGE(VALUE_PARTS, 0, 4, 4, ADD, 100000, "values of shard 0 are not within");
	DAMAGE(VALUE_LISTS, 0, 8, 4, SET, 0, "do not ascend");
	DAMAGE(VALUE_LISTS, 0, 4, 4, SET, 7, "of 7 values");
	EXPECT("seg", 0, "has rank", {BS_SECTION_VALUE_LINES, 0, 64, 8, SET, UINT64_MAX},
	       {BS_SECTION_VALUE_LINES, 0, 128, 8, SET, UINT64_MAX},
	       {BS_SECTION_VALUE_LINES, 0, 192, 8, SET, UINT64_MAX},
	       {BS_SECTION_VALUE_LINES, 0, 256, 8, SET, UINT64_MAX});
	DAMAGE(FIELDS, 0, 1, 1, SET, 0, "texts of fields have");
	flip_all(BS_SECTION_VALUE_FIELDS);
	flip_all(BS_SECTION_VALUE_PARTS);
	flip_all(BS_SECTION_VALUE_KEY_OFFSETS);
}

/* Indexes 400 records of standard input, then record 7 again. ids: a printf format of the ids. */
static void index_given(const char *ids)
{
	AUTO(bs_buffer_deinit) struct bs_buffer text = {0};
	char id[16], line[64];
	const char *sources[] = {"-", NULL};
	for (int i = 0; i < 400; i++) {
		snprintf(id, sizeof(id), ids, i);
		snprintf(line, sizeof(line), "{\"id\":\"%s\",\"text\":\"common\"}\n", id);
		append_string(&text, line);
	}
	append_bytes(&text, "", 1);
	index_sources(&(struct bs_build_request){.dir = "index", .index.words = true}, sources,
	              (const char *)text.data);
	snprintf(id, sizeof(id), ids, 7);
	snprintf(line, sizeof(line), "{\"id\":\"%s\",\"text\":\"again\"}\n", id);
	index_sources(&(struct bs_build_request){.dir = "index"}, sources, line);
}

/* A segment whose ids ascend has no table of ids. Its ids are found nevertheless. */
static void test_ordered_ids(void **state)
{
	static const char *const absent[] = {"", "r", "r0", "r0000", "r1995", "r399z", "s", "\x01"};
	struct bs_snapshot snapshot;
	struct bs_id_lookup ids;
	struct bs_doc_ref ref;
	char id[16];
	index_given("r%03d");
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	assert_false(snapshot.segments[0].ids.is_there);
	assert_int_equal(snapshot.segments[0].ids.n_ordered, 400);
	ok(bs_id_lookup_init(&ids, &snapshot, 0, ERR));
	for (uint32_t i = 0; i < 400; i++) {
		snprintf(id, sizeof(id), "r%03u", i);
		ok(bs_id_lookup_find(&ids, id, 4, &ref, NULL, ERR));
		assert_int_equal(ref.segment, i == 7 ? 1 : 0);
		assert_int_equal(ref.document, i == 7 ? 0 : i);
	}
	for (size_t i = 0; i < COUNT(absent); i++) {
		ok(bs_id_lookup_find(&ids, absent[i], strlen(absent[i]), &ref, NULL, ERR));
		assert_int_equal(ref.segment, BS_DOC_NONE);
	}
	bs_id_lookup_deinit(&ids);
	bs_snapshot_deinit(&snapshot);
	DAMAGE(ID_ORDER, 0, 0, 8, ADD, 1, "ids ascend where there are fewer");
	/* The second name is stored as three bytes of the first, followed by "1". */
	DAMAGE(DOC_NAMES, 0, 7, 1, SET, '0', "is out of order");
}

/* If a table of ids refers to missing documents, a lookup reports the damage. */
static void test_ids(void **state)
{
	index_given("r%d");
	DAMAGE(ID_ENTRIES, 0, 0, 8, ADD, 1, "not in the table of ids");
	DAMAGE(ID_STARTS, 0, 3, 0, PACKED_ADD, 1, "");
	FREED char *path = index_file("seg", 0);
	AUTO(bs_buffer_deinit) struct bs_buffer file = {0};
	read_bytes(path, &file);
	/* Increases the base of each block of 128 entries, so that no entry is a document. */
	for (int64_t block = 0; block < 4; block++) {
		const struct edit far = {BS_SECTION_ID_ENTRIES, 0, block * 16, 8, ADD,
		                         UINT64_C(1) << 39};
		apply_edit(file.data, file.used_bytes, &far);
	}
	write_resealed(path, &file);
	AUTO(bs_snapshot_deinit) struct bs_snapshot snapshot;
	AUTO(bs_id_lookup_deinit) struct bs_id_lookup ids = {.snapshot = NULL};
	struct bs_doc_ref ref;
	ok(bs_snapshot_open(dir_at("index"), &snapshot, ERR));
	ok(bs_id_lookup_init(&ids, &snapshot, 0, ERR));
	expect_status(bs_id_lookup_find(&ids, "r8", 2, &ref, NULL, ERR), BS_CORRUPT);
}

RUN_FOLDER_TESTS(test_values, test_ids, test_ordered_ids, test_head, test_lexicon, test_columns,
                 test_listed, test_rare_term_lists, test_false_positives, test_rows, test_lists,
                 test_packed, test_filters, test_list_columns, test_documents, test_tfs, test_grams,
                 test_store)
