/* test_manifest.c: a manifest is read as it was written, a commit is atomic, and damage is
 * detected or harmless. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/bytes.h"
#include "core/bitsift/build.h"
#include "core/store/field_weights.h"
#include "core/store/manifest.h"
#include "tests/rigs/core_rig.h"

/* ---- making manifests ---- */

static char *some_string(uint64_t *random)
{
	size_t n = random_below(random, random_below(random, 20) ? 30 : 10000);
	char *string = must_malloc(n + 1);
	for (size_t i = 0; i < n; i++)
		string[i] = (char)(1 + random_below(random, 255)); /* any byte except NUL */
	string[n] = '\0';
	return string;
}

/* Returns a string that is not empty and differs from all earlier ones. */
static char *name_string(uint64_t *random)
{
	char *string = NULL;
	FREED char *end = some_string(random);
	assert_true(asprintf(&string, "%016llx%s", (unsigned long long)next_random(random), end) >
	            0);
	return string;
}

static char *maybe_string(uint64_t *random)
{
	return random_below(random, 2) ? some_string(random) : NULL;
}

static char **some_list(uint64_t *random)
{
	size_t n = random_below(random, 5);
	char **list = n ? calloc(n + 1, sizeof(*list)) : NULL;
	for (size_t i = 0; i < n; i++)
		list[i] = some_string(random);
	return list;
}

/* Weights as an index records them; sometimes NULL. */
static char **some_weights(uint64_t *random)
{
	const char *given[] = {"title=3", random_below(random, 2) ? "a=100" : "a=1",
	                       "x.y=2",   "title=7",
	                       "b=c=9",   NULL};
	char **weights;
	given[random_below(random, 6)] = NULL;
	ok(bs_field_weights_make(given, &weights, ERR));
	return weights;
}

static void options_fill(struct bs_recorded_options *options, uint64_t *random)
{
	uint64_t bits = next_random(random) >> 20;
	const double densities[] = {0.05, 1.0 / 3, 0.6, 0.05 + (double)(bits % 550001) / 1e6};
	*options = (struct bs_recorded_options){
		.words = bits & 1,
		.grams = bits & 2,
		.store = bits & 4,
		.fold_accents = bits & 8,
		.hidden = bits & 16,
		.no_ignore = bits & 32,
		.binary_as_text = bits & 64,
		.gram_collections = bits & 128,
		.stem_language = maybe_string(random),
		.id_field = maybe_string(random),
		.text_fields = some_list(random),
		.globs = some_list(random),
		.words_revision = random_below(random, 2) ? BS_TOKENIZER_REVISION : 0,
		.split_identifiers = bits & 512,
		.weights = some_weights(random),
		.density = densities[random_below(random, COUNT(densities))]};
}

/* Adds skipped files, with and without fingerprints, and entries that rules left out. */
static void skipped_fill(struct bs_manifest *manifest, uint64_t *random)
{
	static const char *const paths[] = {"a/.b", "a/.b.c", "a-/.b", "\377/.c"};
	bool has_fingerprints = random_below(random, 4);
	for (uint64_t n = random_below(random, 9); n > 0; n--) {
		FREED char *name = name_string(random);
		struct bs_non_documents file = {
			.source = (uint32_t)((8 - n) * manifest->n_sources / 8),
			.nul_end = (uint32_t)random_below(random, 3),
			.name = name};
		bool has_fingerprint = has_fingerprints && random_below(random, 2);
		for (int word = 0; word < 4 && has_fingerprint; word++)
			file.fingerprint[word] = next_random(random) >> (word ? 0 : 1);
		ok(bs_manifest_add_non_document(manifest, &file, ERR));
	}
	manifest->has_passed_entries = random_below(random, 2);
	for (size_t i = 0; i < manifest->n_sources * COUNT(paths); i++) {
		struct bs_passed_entry entry = {
			.source = (uint32_t)(i / COUNT(paths)),
			.reason = (enum bs_skip)(BS_SKIP_HIDDEN + random_below(random, 4)),
			.path = paths[i % COUNT(paths)]};
		if (random_below(random, 3) == 0)
			ok(bs_manifest_add_passed_entry(manifest, &entry, ERR));
	}
}

/* A manifest drops its list of entries that rules left out if the list becomes too long. */
static void test_passed_entries_are_few(void **state)
{
	AUTO(bs_manifest_deinit) struct bs_manifest manifest = {.has_passed_entries = true};
	struct bs_passed_entry entry = {.reason = BS_SKIP_IGNORED, .path = "some/name.o"};
	for (int i = 0; i < 10000; i++)
		ok(bs_manifest_add_passed_entry(&manifest, &entry, ERR));
	assert_true(manifest.has_passed_entries);
	for (int i = 0; i < 10000; i++)
		ok(bs_manifest_add_passed_entry(&manifest, &entry, ERR));
	assert_false(manifest.has_passed_entries);
	assert_int_equal(manifest.passed_entries.used_bytes, 0);
}

static void manifest_fill(struct bs_manifest *manifest, uint64_t *random)
{
	*manifest = (struct bs_manifest){.generation = 1 + (next_random(random) >> 3),
	                                 .next_number = 1 + (next_random(random) >> 3)};
	uint64_t number = 0; /* Numbers of files ascend, so that each is used once. */
	options_fill(&manifest->options, random);
	snprintf(manifest->versions.icu, sizeof(manifest->versions.icu), "%.*s",
	         (int)random_below(random, 16), "123456789012345");
	snprintf(manifest->versions.unicode, sizeof(manifest->versions.unicode), "15.0");
	for (uint64_t n = random_below(random, 6); n > 0; n--) {
		struct bs_source_record source = {.kind = 1 + (uint32_t)random_below(random, 4),
		                                  .label = name_string(random),
		                                  .path = name_string(random),
		                                  .is_racy = random_below(random, 2),
		                                  .read_bytes = next_random(random) >> 3,
		                                  .read_lines = next_random(random) >> 3,
		                                  .read_checksum = next_random(random)};
		for (int word = 0; word < 4; word++)
			source.fingerprint[word] = next_random(random);
		ok(bs_manifest_add_source(manifest, &source, ERR));
		free(source.label);
		free(source.path);
	}
	for (uint64_t n = random_below(random, 6); n > 0; n--) {
		struct bs_segment_record segment = {.number = ++number,
		                                    .n_docs = next_random(random),
		                                    .n_bytes = next_random(random),
		                                    .is_full = random_below(random, 2),
		                                    .is_rows = random_below(random, 2)};
		segment.n_deleted =
			random_below(random, 2) ? random_below(random, segment.n_docs) : 0;
		segment.tombstones = segment.n_deleted ? ++number : 0;
		ok(bs_manifest_add_segment(manifest, &segment, ERR));
	}
	for (uint64_t n = random_below(random, 4); n > 0; n--)
		ok(bs_manifest_add_field(manifest, &"abc"[n - 1], (size_t)(4 - n), ERR));
	if (manifest->options.grams && manifest->n_sources > 0)
		skipped_fill(manifest, random);
	manifest->exclusions.n_docs = random_below(random, 2) ? next_random(random) : 0;
	manifest->exclusions.number = manifest->exclusions.n_docs ? ++number : 0;
	manifest->next_number += number;
}

/* ---- comparing ---- */

/* Expects that the skipped files of each source, read from the place that
 * bs_manifest_find_non_documents returns, are those of a pass over all sources. */
static void expect_found(const struct bs_manifest *manifest)
{
	struct bs_non_documents file, found;
	struct bs_non_document_place place = {0};
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		struct bs_non_document_place at = bs_manifest_find_non_documents(manifest, i);
		while (bs_manifest_next_non_document(manifest, &at, &found) && found.source == i) {
			assert_true(bs_manifest_next_non_document(manifest, &place, &file));
			assert_memory_equal(&file, &found, sizeof(file));
		}
	}
	assert_false(bs_manifest_next_non_document(manifest, &place, &file));
}

/* Expects equal skipped files, and equal entries that rules left out. */
static void expect_same_skipped(const struct bs_manifest *a, const struct bs_manifest *b)
{
	struct bs_non_documents x, y;
	struct bs_passed_entry p, q;
	struct bs_non_document_place place = {0}, other_place = {0};
	size_t at = 0, other_at = 0;
	while (bs_manifest_next_non_document(a, &place, &x)) {
		assert_true(bs_manifest_next_non_document(b, &other_place, &y));
		assert_true(x.source == y.source && x.nul_end == y.nul_end);
		assert_memory_equal(x.fingerprint, y.fingerprint, sizeof(x.fingerprint));
		assert_string_equal(x.name, y.name);
	}
	assert_false(bs_manifest_next_non_document(b, &other_place, &y));
	assert_true(bs_manifest_has_same_non_documents(a, b));
	expect_found(a);
	expect_found(b);
	assert_int_equal(a->has_passed_entries, b->has_passed_entries);
	while (bs_manifest_next_passed_entry(a, &at, &p)) {
		assert_true(bs_manifest_next_passed_entry(b, &other_at, &q));
		assert_true(p.source == q.source && p.reason == q.reason);
		assert_string_equal(p.path, q.path);
	}
	assert_false(bs_manifest_next_passed_entry(b, &other_at, &q));
}

static void expect_same_options(const struct bs_recorded_options *a,
                                const struct bs_recorded_options *b)
{
	assert_true(bs_recorded_options_equal(a, b));
	assert_true(bs_recorded_options_equal(b, a));
	assert_true(a->density > b->density - 6e-7 && a->density < b->density + 6e-7);
	/* bs_recorded_options_equal ignores these. */
	assert_int_equal(a->gram_collections, b->gram_collections);
	assert_int_equal(a->words_revision, b->words_revision);
}

static void expect_same(const struct bs_manifest *a, const struct bs_manifest *b)
{
	assert_true(a->generation == b->generation);
	assert_true(a->next_number == b->next_number);
	assert_string_equal(a->versions.icu, b->versions.icu);
	assert_string_equal(a->versions.unicode, b->versions.unicode);
	expect_same_options(&a->options, &b->options);
	assert_int_equal(a->n_sources, b->n_sources);
	for (uint32_t i = 0; i < a->n_sources; i++) {
		const struct bs_source_record *x = &a->sources[i], *y = &b->sources[i];
		assert_int_equal(x->kind, y->kind);
		assert_string_equal(x->label, y->label);
		assert_string_equal(x->path, y->path);
		assert_memory_equal(x->fingerprint, y->fingerprint, sizeof(x->fingerprint));
		assert_int_equal(x->is_racy, y->is_racy);
		assert_true(x->read_bytes == y->read_bytes && x->read_lines == y->read_lines &&
		            x->read_checksum == y->read_checksum);
	}
	expect_same_skipped(a, b);
	assert_int_equal(a->fields.n_terms, b->fields.n_terms);
	for (uint32_t i = 0; i < a->fields.n_terms; i++) {
		assert_int_equal(a->fields.entries[i].n_bytes, b->fields.entries[i].n_bytes);
		assert_memory_equal(bs_term_table_key(&a->fields, i),
		                    bs_term_table_key(&b->fields, i), a->fields.entries[i].n_bytes);
	}
	assert_true(a->exclusions.number == b->exclusions.number &&
	            a->exclusions.n_docs == b->exclusions.n_docs);
	assert_int_equal(a->n_segments, b->n_segments);
	for (uint32_t i = 0; i < a->n_segments; i++) {
		const struct bs_segment_record *x = &a->segments[i], *y = &b->segments[i];
		assert_true(x->number == y->number && x->tombstones == y->tombstones &&
		            x->n_docs == y->n_docs && x->n_deleted == y->n_deleted &&
		            x->n_bytes == y->n_bytes && x->is_full == y->is_full &&
		            x->is_rows == y->is_rows);
	}
}

static void expect_read(const struct bs_manifest *wanted)
{
	struct bs_manifest got;
	AUTO(bs_recorded_options_deinit) struct bs_recorded_options copy;
	ok(bs_manifest_read(dir_at("."), &got, ERR));
	expect_same(&got, wanted);
	ok(bs_recorded_options_copy(&got.options, &copy, ERR));
	expect_same_options(&copy, &wanted->options);
	bs_manifest_deinit(&got);
	bs_manifest_deinit(&got); /* deinit twice is allowed */
}

static void test_round_trips(void **state)
{
	uint64_t random = 51;
	struct bs_manifest none;
	expect_status(bs_manifest_read(dir_at("."), &none, ERR), BS_NOT_FOUND);
	bs_manifest_deinit(&none);
	for (int round = 0; round < 50; round++) {
		AUTO(bs_manifest_deinit)
		struct bs_manifest manifest = {.generation = 1, .options = {.density = 0.3}};
		if (round > 0)
			manifest_fill(&manifest, &random);
		/* Replaces the previous manifest. */
		ok(bs_manifest_write(dir_at("."), &manifest, ERR));
		expect_read(&manifest);
		assert_false(file_exists("manifest.new"));
	}
}

/* Options compare as different if any of them differs. */
static void test_options_differ(void **state)
{
	static char *const one[] = {(char *)(uintptr_t) "a", NULL};
	static char *const two[] = {(char *)(uintptr_t) "a", (char *)(uintptr_t) "b", NULL};
	static char *const other[] = {(char *)(uintptr_t) "b", NULL};
	struct bs_recorded_options base = {
		.density = 0.25, .stem_language = two[1], .globs = (char **)(uintptr_t)one};
	assert_true(bs_recorded_options_equal(&base, &base));
	struct bs_recorded_options changed[16];
	for (size_t i = 0; i < COUNT(changed); i++)
		changed[i] = base;
	changed[0].words = true;
	changed[1].grams = true;
	changed[2].store = true;
	changed[3].fold_accents = true;
	changed[4].hidden = true;
	changed[5].no_ignore = true;
	changed[6].binary_as_text = true;
	changed[7].density = 0.25001;
	changed[8].stem_language = one[0];
	changed[9].id_field = one[0];
	changed[10].text_fields = (char **)(uintptr_t)one;
	changed[11].globs = (char **)(uintptr_t)two;
	changed[12].globs = (char **)(uintptr_t)other;
	changed[13].split_identifiers = true;
	changed[14].weights = (char **)(uintptr_t)one;
	changed[15].globs = NULL;
	for (size_t i = 0; i < COUNT(changed); i++)
		if (bs_recorded_options_equal(&base, &changed[i]) ||
		    bs_recorded_options_equal(&changed[i], &base))
			fail_msg("difference %zu is not seen", i);
}

static void test_weights(void **state)
{
	static const char *const given[] = {"title=3", "b=c=100", "a=1",    "title=007", "B=2",
	                                    "b=5",     "text=9",  "text=1", NULL};
	static const char *const kept[] = {"B=2", "b=5", "b=c=100", "title=7"};
	static const char *const wrong[] = {
		"title",      "=3",       "title=",   "title=0",  "title=101",
		"title=1000", "title=3 ", "title=-3", "title=+3", ""};
	char **weights = NULL;
	ok(bs_field_weights_make(given, &weights, ERR));
	assert_int_equal(bs_strings_length(weights), COUNT(kept));
	for (size_t i = 0; i < COUNT(kept); i++)
		assert_string_equal(weights[i], kept[i]);
	assert_true(bs_field_weights_are_valid(weights));
	assert_int_equal(bs_field_weight(weights, "title", 5), 7);
	assert_int_equal(bs_field_weight(weights, "titles", 6), 1);
	assert_int_equal(bs_field_weight(weights, "titles", 5), 7);
	assert_int_equal(bs_field_weight(weights, "b=c", 3), 100);
	assert_int_equal(bs_field_weight(weights, "b", 1), 5);
	assert_int_equal(bs_field_weight(weights, "", 0), 1);
	assert_int_equal(bs_field_weight(NULL, "b", 1), 1);
	assert_int_equal(bs_field_weights_most(weights), 100);
	assert_int_equal(bs_field_weights_most(NULL), 1);
	bs_strings_free(weights);
	ok(bs_field_weights_make((const char *const[]){"a=3", "a=1", NULL}, &weights, ERR));
	assert_null(weights);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		expect_status(bs_field_weights_make((const char *const[]){"a=2", wrong[i], NULL},
		                                    &weights, ERR),
		              BS_INVALID);
		assert_null(weights);
	}
	assert_false(bs_field_weights_are_valid(
		(char *const[]){(char *)(uintptr_t)kept[3], (char *)(uintptr_t)kept[0], NULL}));
	/* The result saturates at BS_MOST_WEIGHTED_TF if the weight is not 1. */
	assert_int_equal(bs_tf_add(5, 1, 7), 12);
	assert_int_equal(bs_tf_add(5, 100, 7), 705);
	assert_int_equal(bs_tf_add(BS_MOST_WEIGHTED_TF - 3, 2, 4), BS_MOST_WEIGHTED_TF);
	assert_int_equal(bs_tf_add(UINT32_MAX - 8, 1, 4), UINT32_MAX - 4);
}

/* ---- commits ---- */

static void test_commit_is_all_or_nothing(void **state)
{
	uint64_t random = 53;
	AUTO(bs_manifest_deinit) struct bs_manifest old, new;
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0};
	manifest_fill(&old, &random);
	manifest_fill(&new, &random);
	ok(bs_manifest_write(dir_at("."), &old, ERR));
	read_bytes("manifest", &bytes);
	/* A full disk. */
	for (uint64_t room = 0; room < 300; room += 20) {
		limit_file_bytes(room);
		enum bs_status status = bs_manifest_write(dir_at("."), &new, ERR);
		limit_file_bytes(UINT64_MAX);
		expect_status(status, BS_IO);
		assert_false(file_exists("manifest.new"));
		expect_read(&old);
	}
	/* A temporary file of a dead writer matters neither to readers nor to the next writer. */
	write_bytes("manifest.new", bytes.data, bytes.used_bytes / 2);
	expect_read(&old);
	ok(bs_manifest_write(dir_at("."), &new, ERR));
	expect_read(&new);
	assert_false(file_exists("manifest.new"));
	/* A folder has the name of the temporary file, then that of the manifest. */
	assert_int_equal(mkdir("manifest.new", 0700), 0);
	expect_status(bs_manifest_write(dir_at("."), &old, ERR), BS_IO);
	expect_read(&new);
	assert_int_equal(rmdir("manifest.new"), 0);
	assert_int_equal(unlink("manifest"), 0);
	assert_int_equal(mkdir("manifest", 0700), 0);
	write_text("manifest/file", "");
	expect_status(bs_manifest_write(dir_at("."), &old, ERR), BS_IO);
}

/* ---- manifests that readers refuse are not committed ---- */

static const struct bs_source_record folder_record = {
	.kind = 1, .label = (char *)(uintptr_t) "a", .path = (char *)(uintptr_t) "/a"};

enum spoilt {
	FIELD,
	LIMIT,
	ANALYZER,
	SUMMARY_RATE,
	GENERATION,
	PATH,
	PARENT,
	BELOW,
	LEFT_OUT,
	NON_DOCUMENT,
	NON_DOCUMENT_ORDER,
	PASSED_PLACE,
	PASSED_REASON,
	PASSED_ORDER,
	PASSED_TWICE,
	N_SPOILT
};

static void spoil(struct bs_manifest *manifest, enum spoilt what)
{
	struct bs_source_record inner = {.kind = 3,
	                                 .parent = 1,
	                                 .label = (char *)(uintptr_t) "a/b",
	                                 .path = (char *)(uintptr_t)(what == BELOW ? "../b" : "b")};
	struct bs_non_documents file = {.name = "x"};
	if (what == FIELD)
		ok(bs_manifest_add_field(manifest, "a\0b", 3, ERR));
	if (what == LIMIT)
		manifest->options.max_document = BS_MAX_DOCUMENT_BYTES + 1;
	if (what == ANALYZER)
		manifest->options.analyzer_name = strdup("a name with spaces");
	if (what == SUMMARY_RATE)
		manifest->options.summary_rate = UINT64_MAX;
	if (what == GENERATION)
		manifest->generation = BS_MOST_NUMBER;
	if (what == PATH)
		manifest->sources[0].path[0] = '\0';
	if (what == PARENT || what == BELOW)
		ok(bs_manifest_add_source(manifest, &inner, ERR));
	if (what == PARENT) /* a record file in a source that is no longer a folder */
		manifest->sources[0].kind = 2;
	if (what == LEFT_OUT)
		manifest->sources[0].left_out.binary[0] = (struct bs_skip_kind){"png", 5};
	if (what == NON_DOCUMENT || what == NON_DOCUMENT_ORDER) {
		manifest->options.grams = true;
		file.source = what == NON_DOCUMENT ? manifest->n_sources : 1;
		if (what == NON_DOCUMENT_ORDER)
			ok(bs_manifest_add_source(manifest, &folder_record, ERR));
		ok(bs_manifest_add_non_document(manifest, &file, ERR));
		file.source = 0;
		ok(bs_manifest_add_non_document(manifest, &file, ERR));
	}
	if (what == PASSED_ORDER || what == PASSED_TWICE) {
		struct bs_passed_entry entry = {.reason = BS_SKIP_HIDDEN, .path = "a-/.b"};
		manifest->options.grams = manifest->has_passed_entries = true;
		ok(bs_manifest_add_passed_entry(manifest, &entry, ERR));
		entry.path = what == PASSED_ORDER ? "a/.b" : entry.path;
		ok(bs_manifest_add_passed_entry(manifest, &entry, ERR));
	}
	if (what == PASSED_PLACE || what == PASSED_REASON) {
		struct bs_passed_entry entry = {.reason = BS_SKIP_HIDDEN, .path = "a/.b"};
		entry.path = what == PASSED_PLACE ? "../.b" : entry.path;
		entry.reason = what == PASSED_REASON ? BS_SKIP_GONE : entry.reason;
		manifest->options.grams = manifest->has_passed_entries = true;
		ok(bs_manifest_add_passed_entry(manifest, &entry, ERR));
	}
}

static void test_refused_by_its_reader(void **state)
{
	struct bs_manifest old = {.generation = 1, .next_number = 5, .options = {.density = 0.3}};
	ok(bs_manifest_write(dir_at("."), &old, ERR));
	for (enum spoilt what = FIELD; what < N_SPOILT; what++) {
		AUTO(bs_manifest_deinit)
		struct bs_manifest new = {.generation = 2, .next_number = 5};
		new.options.density = 0.3;
		ok(bs_manifest_add_source(&new, &folder_record, ERR));
		spoil(&new, what);
		expect_status(bs_manifest_write(dir_at("."), &new, ERR), BS_CORRUPT);
		if (!strstr(said.text, "nothing was committed") || strstr(said.text, "--rebuild"))
			fail_msg("%d: %s", (int)what, said.text);
		assert_false(file_exists("manifest.new"));
		expect_read(&old);
	}
}

/* Values that no writer writes, under valid checksums: section, place, width and value, and the
 * expected message. */
static void test_impossible(void **state)
{
	static const struct {
		uint32_t section;
		size_t at, n_bytes;
		uint64_t number;
		const char *what;
	} cases[] = {
		{1, 0, 8, 0, "commit number 0"},
		{1, 0, 8, UINT64_MAX, "commit number 18446744073709551615"},
		{1, 8, 8, UINT64_MAX, "next file number 18446744073709551615"},
		{1, 8, 8, 5, "file number 5 is not below the next one, 5"},
		{1, 16, 4, 512, "unknown options 512"},
		{1, 20, 8, 0, "density in millionths: 0"},
		{1, 20, 8, 600001, "density in millionths: 600001"},
		{1, 20, 8, UINT64_MAX, "density in millionths: "},
		/* the version of ICU at 29, and its length at 28 */
		{1, 29, 1, 0, "a zero byte in a string"},
		{1, 28, 1, 3, "a section ends too early"},
		{1, 34, 1, 2, "strings where there is one at most: 2"}, /* the stemmer's language */
		{1, 37, 1, 3, "a section ends too early"},              /* globs */
		{1, 46, 1, 1, "a section ends too early"},              /* names of record files */
		{2, 1, 4, 0, "a source of unknown kind 0"},
		{2, 1, 4, 6, "a source of unknown kind 6"},
		{2, 1, 4, 0x101, "a source of unknown kind 257"},
		{2, 5, 4, 2, "a collection whose parent is not a folder, source"},
		{2, 5, 4, 4, "a source with unknown flags 4"},
		{2, 41, 8, UINT64_MAX, "a source that was read up to byte 18446744073709551615"},
		{2, 49, 8, UINT64_MAX, "a source that was read up to byte"},
		{2, 66, 1, 0, "a zero byte in a string"},
		{2, 0, 1, 1, "trailing bytes in a section: "},
		{2, 0, 1, 3, "a section ends too early"},
		{3, 1, 8, 0, "file number 0"},
		{3, 1, 8, 2, "file number 2 is used twice"},
		{3, 9, 8, 4, "file number 4 is used twice"},
		{3, 25, 8, 11, "do not fit its deleted documents, 11"},
		{3, 25, 8, 0, "do not fit its deleted documents, 0"},
		{3, 9, 8, 0, "do not fit its deleted documents, 3"},
		{3, 41, 4, 4, "a segment with unknown flags 4"},
		{3, 89, 8, 0, "a file of exclusions, or none, where there are 7"},
		{3, 97, 8, 0, "a file of exclusions, or none, where there are 0"},
		{4, 0, 1, 200, "a section ends too early"},
	};
	struct bs_segment_record segments[] = {
		{.number = 1, .tombstones = 3, .n_docs = 10, .n_deleted = 3, .n_bytes = 1000},
		{.number = 2, .tombstones = 4, .n_docs = 10, .n_deleted = 1, .n_bytes = 1000},
	};
	struct bs_source_record sources[] = {
		{.kind = 1, .label = (char *)(uintptr_t) "a", .path = (char *)(uintptr_t) "path"},
		{.kind = 4, .label = (char *)(uintptr_t) "-", .path = (char *)(uintptr_t) "-"},
	};
	struct bs_manifest manifest = {.generation = 1,
	                               .next_number = 6,
	                               .versions.icu = "72",
	                               .versions.unicode = "15",
	                               .options = {.density = 0.3},
	                               .sources = sources,
	                               .n_sources = 2,
	                               .segments = segments,
	                               .n_segments = 2,
	                               .exclusions.number = 5,
	                               .exclusions.n_docs = 7};
	ok(bs_manifest_write(dir_at("."), &manifest, ERR));
	expect_read(&manifest);
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, changed = {0};
	read_bytes("manifest", &bytes);
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t n_bytes;
		AUTO(bs_manifest_deinit) struct bs_manifest got;
		copy_bytes(&changed, &bytes);
		uint8_t *section = section_in(changed.data, cases[i].section, 0, &n_bytes);
		assert_true(cases[i].at + cases[i].n_bytes <= n_bytes);
		for (size_t byte = 0; byte < cases[i].n_bytes; byte++)
			section[cases[i].at + byte] = (uint8_t)(cases[i].number >> (8 * byte));
		write_resealed("manifest", &changed);
		expect_error(bs_manifest_read(dir_at("."), &got, ERR), BS_CORRUPT, cases[i].what);
	}
}

/* Changes bytes or truncates a section under valid checksums. Reads give BS_OK or BS_CORRUPT. */
static void test_damage_with_right_checksums(void **state)
{
	uint64_t random = 54;
	AUTO(bs_manifest_deinit) struct bs_manifest manifest = {0};
	AUTO(bs_buffer_deinit) struct bs_buffer bytes = {0}, changed = {0};
	do {
		bs_manifest_deinit(&manifest);
		manifest_fill(&manifest, &random);
	} while (manifest.n_sources < 2 || manifest.n_segments < 2);
	ok(bs_manifest_write(dir_at("."), &manifest, ERR));
	read_bytes("manifest", &bytes);
	size_t table_off = (size_t)bs_load_u64(bytes.data + 24);
	size_t n_ok = 0;
	for (int round = 0; round < 3000; round++) {
		copy_bytes(&changed, &bytes);
		if (round % 10 == 0) {
			uint8_t *entry = changed.data + table_off + random_below(&random, 3) * 32;
			uint64_t n = bs_load_u64(entry + 16);
			/* The number of pages must not change, because opening checks it. */
			uint64_t least = n ? (n - 1) / BS_PAGE_BYTES * BS_PAGE_BYTES + 1 : 0;
			bs_store_u64(entry + 16, least + random_below(&random, n - least + 1));
		} else {
			damage_bytes(changed.data, 64, table_off, &random);
		}
		write_resealed("manifest", &changed);
		AUTO(bs_manifest_deinit) struct bs_manifest got;
		enum bs_status status = bs_manifest_read(dir_at("."), &got, ERR);
		assert_true(status == BS_OK || status == BS_CORRUPT);
		n_ok += status == BS_OK;
	}
	assert_in_range(n_ok, 1, 2999);
	/* Neither an empty file nor a file without sections is a manifest. */
	struct bs_manifest got;
	write_text("manifest", "");
	expect_status(bs_manifest_read(dir_at("."), &got, ERR), BS_CORRUPT);
	struct bs_file_writer *writer;
	unlink("manifest");
	ok(bs_file_writer_open(dir_at("."), "manifest", BS_FILE_MANIFEST, &writer, ERR));
	finish_file(writer);
	expect_status(bs_manifest_read(dir_at("."), &got, ERR), BS_CORRUPT);
}

RUN_FOLDER_TESTS(test_round_trips, test_impossible, test_options_differ, test_weights,
                 test_passed_entries_are_few, test_commit_is_all_or_nothing,
                 test_refused_by_its_reader, test_damage_with_right_checksums)
