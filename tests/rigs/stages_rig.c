/* stages_rig.c: see stages_rig.h. */
#include "tests/rigs/stages_rig.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/bitsift/build.h"
#include "core/bitsift/index.h"
#include "corpus/changes/fresh.h"
#include "indexer/run/tuning.h"
#include "query/load/prefix_check.h"
#include "tests/rigs/clock_rig.h"

struct stages_rig rig;

#define N_RECORDS  420u
#define N_REPLACED 6u /* the last N_REPLACED records replace earlier ones */

static const char *const dir_names[RIG_N_INDEXES] = {"first", "second"};

/* ---- texts ---- */

static uint32_t chance;

static uint32_t draw(uint32_t n)
{
	chance = chance * 1664525u + 1013904223u;
	return (chance >> 8) % n;
}

/* Appends random words. The words at the beginning of the list are the most frequent. */
static void draw_text(char *text, size_t n_bytes, uint32_t n_words)
{
	static const char *const words[] = {
		"the",   "of",    "river",  "stone",  "quick",  "brown", "fox",   "lake",  "sea",
		"cloud", "rivet", "rivers", "stones", "clown",  "red",   "blue",  "green", "amber",
		"zebra", "apple", "apply",  "market", "marker", "night", "light", "might"};
	size_t n = strlen(text);
	for (uint32_t i = 0; i < n_words; i++) {
		const char *word =
			draw(10) == 0 ? "quick brown" : words[draw(10) < 7 ? draw(9) : draw(26)];
		n += (size_t)snprintf(text + n, n_bytes - n, "%s%s", n ? " " : "", word);
		assert_true(n < n_bytes);
	}
}

static struct rig_doc *new_doc(uint32_t entry, uint64_t line)
{
	assert_true(rig.n_docs < RIG_MOST_DOCS);
	struct rig_doc *doc = &rig.docs[rig.n_docs++];
	*doc = (struct rig_doc){.entry = entry, .line = line, .ref = {.segment = UINT32_MAX}};
	return doc;
}

static void make_file(const char *name, uint32_t number)
{
	struct rig_doc *doc = new_doc(0, 0);
	snprintf(doc->id, sizeof(doc->id), RIG_FILES "/%s", name);
	snprintf(doc->fields[1], sizeof(doc->fields[1]), number % 9 == 0 ? "paper only%u" : "paper",
	         number);
	draw_text(doc->fields[1], sizeof(doc->fields[1]), 3 + draw(30));
	write_text(doc->id, doc->fields[1]);
}

static void make_files(void)
{
	char name[32];
	assert_int_equal(mkdir(RIG_FILES, 0700), 0);
	assert_int_equal(mkdir(RIG_FILES "/sub", 0700), 0);
	for (uint32_t i = 0; i < 120; i++) {
		snprintf(name, sizeof(name), i < 80 ? "d%03u.txt" : "sub/e%03u.md",
		         i < 80 ? i : i - 80);
		make_file(name, i);
	}
}

static void write_record(const struct rig_doc *doc)
{
	char line[1400];
	snprintf(line, sizeof(line), "{\"id\":\"%s\",\"title\":\"%s\",\"body\":\"%s\"", doc->id,
	         doc->fields[0], doc->fields[1]);
	append_text(RIG_RECORDS, line);
	if (doc->fields[2][0]) {
		snprintf(line, sizeof(line), ",\"year\":%s", doc->fields[2]);
		append_text(RIG_RECORDS, line);
	}
	append_text(RIG_RECORDS, "}\n");
}

static void make_record(const char *id, uint32_t number)
{
	struct rig_doc *doc = new_doc(1, number + 1);
	strcpy(doc->id, id);
	draw_text(doc->fields[0], sizeof(doc->fields[0]), 1 + draw(4));
	snprintf(doc->fields[1], sizeof(doc->fields[1]), number % 9 == 0 ? "card only%u" : "card",
	         number);
	draw_text(doc->fields[1], sizeof(doc->fields[1]), draw(25));
	if (number % 3 > 0)
		snprintf(doc->fields[2], sizeof(doc->fields[2]), "%u", 1980 + draw(40));
	write_record(doc);
}

static void make_records(void)
{
	char id[16];
	for (uint32_t i = 0; i < N_RECORDS; i++) {
		snprintf(id, sizeof(id), "c%u",
		         i < N_RECORDS - N_REPLACED ? i : (i - (N_RECORDS - N_REPLACED)) * 47 + 3);
		if (i >= N_RECORDS - N_REPLACED)
			rig_doc(id)->is_deleted = true;
		make_record(id, i);
	}
}

/* ---- indexes ---- */

static void build(const char *dir, const char *source,
                  const struct bs_term_treatment_policy *policy, uint32_t max_segment_docs)
{
	struct bs_build_tuning tuning = {.policy = policy,
	                                 .max_segment_docs = max_segment_docs,
	                                 .forward_mode =
	                                         policy ? BS_FORWARD_NEVER : BS_FORWARD_AUTO,
	                                 .pairs_least_bytes = 1};
	struct bs_build_request request = {.dir = dir,
	                                   .sources = &source,
	                                   .n_sources = 1,
	                                   .index.words = true,
	                                   .write.n_threads = 1,
	                                   .tuning = &tuning};
	ok(bs_index_build(&request, NULL, ERR));
}

static void delete (const char *dir, const char *id)
{
	struct bs_delete_request request = {.dir = dir, .ids = &id, .n_ids = 1};
	struct bs_delete_result result;
	ok(bs_index_delete(&request, &result, ERR));
	assert_int_equal(result.n_deleted, 1);
	rig_doc(id)->is_deleted = true;
}

static void make_indexes(void)
{
	/* The shards of the second index have hashed columns of all levels and some exact
	 * columns. */
	struct bs_term_treatment_policy policy = bs_term_treatment_policy_default();
	policy.is_forced = true;
	policy.use_false_positives = true;
	policy.force[0] = 2;
	policy.force[1] = 1;
	policy.force[2] = 1;
	policy.exact_share = 10.0 / 512;
	policy.density = 0.4;
	chance = 4711;
	make_files();
	make_records();
	clock_make_old();
	build(dir_names[0], RIG_FILES, NULL, 70);
	build(dir_names[1], RIG_RECORDS, &policy, 350);
	delete (dir_names[0], RIG_FILES "/d007.txt");
	delete (dir_names[0], RIG_FILES "/sub/e003.md");
	delete (dir_names[1], "c10");
}

/* ---- the list ---- */

static bool is_record_of(const struct rig_doc *doc, uint32_t entry, bool is_overlay,
                         const struct bs_doc_record *record)
{
	size_t skip = doc->line ? 0 : strlen(RIG_FILES "/");
	return doc->entry == entry && doc->is_overlay == is_overlay &&
	       strlen(doc->id) == record->name_bytes + skip &&
	       memcmp(doc->id + skip, record->name, record->name_bytes) == 0 &&
	       (!doc->line || doc->line == record->place[2]);
}

/* Sets the refs of rig.docs from the document tables of the indexes. Removes from rig.docs the
 * deleted documents that compaction has removed from the indexes. */
static void find_docs(void)
{
	uint64_t n_found = 0;
	for (uint32_t s = 0; s < rig.list.n_segments; s++) {
		const struct bs_list_segment *segment = bs_list_segment(&rig.list, s);
		for (uint32_t d = 0; d < segment->n_docs; d++, n_found++) {
			struct bs_doc_ref ref = {s, d};
			struct bs_doc_record record;
			size_t i = 0;
			ok(bs_snapshot_record(segment->snapshot, bs_list_own_ref(&rig.list, ref),
			                      &record, ERR));
			while (i < rig.n_docs && !is_record_of(&rig.docs[i], segment->entry,
			                                       !segment->segment, &record))
				i++;
			assert_true(i < rig.n_docs);
			rig.docs[i].ref = ref;
			assert_int_equal(bs_list_is_deleted(&rig.list, ref),
			                 rig.docs[i].is_deleted);
			/* The overlay has no lengths: its texts have not been read. */
			if (segment->segment)
				assert_int_equal(record.length, rig_length(&rig.docs[i]));
		}
	}
	size_t n = 0;
	for (size_t i = 0; i < rig.n_docs; i++) {
		assert_true(rig.docs[i].ref.segment != UINT32_MAX || rig.docs[i].is_deleted);
		if (rig.docs[i].ref.segment != UINT32_MAX)
			rig.docs[n++] = rig.docs[i];
	}
	rig.n_docs = n;
	assert_int_equal(n, n_found);
}

/* Writes a new file and inserts its document after `before`. find_docs sets its ref later. */
static struct rig_doc *insert_file(const struct rig_doc *before, const char *id, const char *text)
{
	size_t i = (size_t)(before - rig.docs) + 1;
	new_doc(0, 0);
	memmove(&rig.docs[i + 1], &rig.docs[i], (rig.n_docs - 1 - i) * sizeof(rig.docs[0]));
	struct rig_doc *doc = &rig.docs[i];
	*doc = (struct rig_doc){.is_overlay = true, .ref = {.segment = UINT32_MAX}};
	strcpy(doc->id, id);
	strcpy(doc->fields[1], text);
	write_text(id, text);
	return doc;
}

static void freshen(void)
{
	struct bs_fresh_counts freshened;
	struct rig_doc *changed = rig_doc(RIG_FILES "/d005.txt"),
		       *gone = rig_doc(RIG_FILES "/d009.txt");
	changed->is_deleted = gone->is_deleted = true;
	rig_remove_file(gone);
	insert_file(rig_doc(RIG_FILES "/sub/e039.md"), RIG_FILES "/zz.txt",
	            "paper the quick brown river of stone fresh");
	insert_file(changed, changed->id, "paper changed the river and the lake fresh");
	ok(bs_snapshot_add_fresh(&rig.snapshots[0], NULL, NULL, &freshened, ERR));
	assert_int_equal(freshened.n_new, 1);
	assert_int_equal(freshened.n_changed, 1);
	assert_int_equal(freshened.n_removed, 1);
}

static void open_indexes(bool is_fresh)
{
	struct bs_list_entry entries[RIG_N_INDEXES];
	for (uint32_t i = 0; i < RIG_N_INDEXES; i++) {
		ok(bs_dir_open(&rig.dirs[i], dir_names[i], NULL, NULL, ERR));
		ok(bs_snapshot_open(&rig.dirs[i], &rig.snapshots[i], ERR));
		assert_true(rig.snapshots[i].manifest.n_segments > 1);
		entries[i] = (struct bs_list_entry){.snapshot = &rig.snapshots[i]};
	}
	if (is_fresh)
		freshen();
	ok(bs_snapshot_list_init(&rig.list, entries, RIG_N_INDEXES, ERR));
	ok(bs_query_analysis_init(&rig.analysis, &rig.list, 0, ERR));
	ok(bs_kernel_choose(NULL, &rig.kernel, ERR));
	find_docs();
}

static enum bs_status name_is_asked(struct bs_file_names *names, uint32_t n, struct bs_doc_ref ref,
                                    bool *has_out, struct bs_error *err)
{
	*has_out = false;
	fail_msg("a name is asked for");
	return BS_OK;
}

static int set_up(bool is_fresh)
{
	rig = (struct stages_rig){.n_docs = 0};
	rig.no_names.has = name_is_asked;
	rig.names = &rig.no_names;
	make_folder(rig.folder);
	assert_int_equal(chdir(rig.folder), 0);
	make_indexes();
	open_indexes(is_fresh);
	return 0;
}

int rig_setup(void **state)
{
	return set_up(false);
}

int rig_setup_fresh(void **state)
{
	return set_up(true);
}

int rig_teardown(void **state)
{
	bs_plan_deinit(&rig.plan);
	bs_query_tree_free(rig.query);
	bs_loader_free(rig.loader);
	bs_query_analysis_deinit(&rig.analysis);
	bs_snapshot_list_deinit(&rig.list);
	for (uint32_t i = 0; i < RIG_N_INDEXES; i++) {
		bs_prefix_checks_free(rig.prefix_checks[i]);
		bs_snapshot_deinit(&rig.snapshots[i]);
		bs_dir_close(&rig.dirs[i]);
	}
	assert_int_equal(chdir("/"), 0);
	remove_folder(rig.folder);
	return 0;
}

void rig_change_file(struct rig_doc *doc, const char *text)
{
	assert_true(doc->entry == 0 && strlen(text) < sizeof(doc->fields[1]));
	strcpy(doc->fields[1], text);
	write_text(doc->id, text);
}

void rig_remove_file(const struct rig_doc *doc)
{
	assert_int_equal(unlink(doc->id), 0);
}

void rig_rewrite_records(void)
{
	assert_int_equal(unlink(RIG_RECORDS), 0);
	for (size_t i = rig.n_docs; i-- > 0;)
		if (rig.docs[i].entry == 1 && !rig.docs[i].is_deleted)
			write_record(&rig.docs[i]);
}

/* ---- stages before the one under test ---- */

void rig_parse(const char *query)
{
	static const struct bs_stop_choice no_stop_words = {NULL, NULL, 0};
	size_t error_byte;
	bs_query_tree_free(rig.query);
	rig.query = NULL;
	ok(bs_query_analysis_begin(&rig.analysis, &no_stop_words, NULL, ERR));
	struct bs_query_options options = bs_query_analysis_options(&rig.analysis);
	ok(bs_query_analysis_parse(&rig.analysis, query, strlen(query), &options, &rig.query,
	                           &error_byte, ERR));
}

void rig_plan_as(const char *query, const struct bs_plan_scope *scope,
                 const struct bs_statistics *statistics)
{
	rig_parse(query);
	const struct bs_plan_inputs inputs = {
		.query = rig.query,
		.list = &rig.list,
		.scope = *scope,
		.names = rig.names,
		.corpus = {statistics ? NULL : &rig.list, statistics}};
	ok(bs_plan_make(&rig.plan, &inputs, ERR));
}

void rig_plan(const char *query)
{
	rig_plan_as(query, &(struct bs_plan_scope){.filter = NULL}, NULL);
}

struct bs_statistics *rig_statistics(uint64_t n_docs, uint64_t n_words, uint64_t river_docs)
{
	struct bs_statistics *statistics;
	ok(bs_statistics_new(&statistics, ERR));
	bs_statistics_set(statistics, n_docs, n_words);
	ok(bs_statistics_add_word(statistics, "river", 5, river_docs, ERR));
	rig_plan_as("river", &(struct bs_plan_scope){.filter = NULL}, statistics);
	return statistics;
}

void rig_load(void)
{
	for (uint32_t i = 0; i < RIG_N_INDEXES && !rig.loader; i++)
		ok(bs_prefix_checks_new(&rig.snapshots[i], &rig.prefix_checks[i], ERR));
	if (!rig.loader)
		ok(bs_loader_new(&rig.list, rig.prefix_checks, NULL, NULL, &rig.loader, ERR));
	bs_loader_begin(rig.loader, false, false);
}

/* ---- documents ---- */

struct rig_doc *rig_doc(const char *id)
{
	for (size_t i = 0; i < rig.n_docs; i++)
		if (!rig.docs[i].is_deleted && strcmp(rig.docs[i].id, id) == 0)
			return &rig.docs[i];
	fail_msg("no document %s", id);
	return NULL;
}

struct rig_doc *rig_next(const struct rig_doc *doc)
{
	for (size_t i = doc ? (size_t)(doc - rig.docs) + 1 : 0; i < rig.n_docs; i++)
		if (!rig.docs[i].is_deleted)
			return &rig.docs[i];
	return NULL;
}

bool rig_is_text(const void *text, size_t n_bytes, const char *expected)
{
	return n_bytes == strlen(expected) && memcmp(text, expected, n_bytes) == 0;
}

bool rig_is_same(struct bs_doc_ref a, struct bs_doc_ref b)
{
	return a.segment == b.segment && a.document == b.document;
}

struct rig_doc *rig_doc_at(struct bs_doc_ref ref)
{
	for (size_t i = 0; i < rig.n_docs; i++)
		if (rig_is_same(rig.docs[i].ref, ref))
			return &rig.docs[i];
	fail_msg("no document %u in segment %u", ref.document, ref.segment);
	return NULL;
}

static bool ends_word(char c)
{
	return c == ' ' || c == '\0';
}

static uint32_t count_in(const char *text, const char *words)
{
	uint32_t n = 0;
	for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
		n += (at == text || at[-1] == ' ') && ends_word(at[strlen(words)]);
	return n;
}

uint32_t rig_count(const struct rig_doc *doc, uint32_t field, const char *words)
{
	uint32_t n = 0;
	for (uint32_t f = 0; f < RIG_N_FIELDS; f++)
		if (field == f || field == RIG_N_FIELDS)
			n += count_in(doc->fields[f], words);
	return n;
}

bool rig_has(const struct rig_doc *doc, const char *words)
{
	return rig_count(doc, RIG_N_FIELDS, words) > 0;
}

static uint32_t count_words(const char *text)
{
	uint32_t n = *text != '\0';
	for (; *text; text++)
		n += *text == ' ';
	return n;
}

uint32_t rig_length(const struct rig_doc *doc)
{
	uint32_t n = 0;
	for (uint32_t f = 0; f < RIG_N_FIELDS; f++)
		n += count_words(doc->fields[f]);
	return n;
}

static uint32_t positions_of(const char *text, const char *word, uint32_t positions[64])
{
	uint32_t n = 0, position = 0;
	for (const char *at = text; *at; at += strcspn(at, " "), at += *at == ' ', position++)
		if (strncmp(at, word, strlen(word)) == 0 && ends_word(at[strlen(word)]))
			positions[n++] = position;
	return n;
}

static bool has_near(const struct rig_doc *doc, const char *a, const char *b, uint32_t n)
{
	for (uint32_t f = 0; f < RIG_N_FIELDS; f++) {
		uint32_t of_a[64], of_b[64];
		uint32_t n_a = positions_of(doc->fields[f], a, of_a),
			 n_b = positions_of(doc->fields[f], b, of_b);
		for (uint32_t i = 0; i < n_a * n_b; i++)
			if (abs((int)of_a[i / n_b] - (int)of_b[i % n_b]) <= (int)n)
				return true;
	}
	return false;
}

int rig_year(const struct rig_doc *doc)
{
	return atoi(doc->fields[2]);
}

/* ---- numbers of scores ---- */

uint64_t rig_n_docs(void)
{
	uint64_t n = 0;
	for (size_t i = 0; i < rig.n_docs; i++)
		n += !rig.docs[i].is_overlay;
	return n;
}

uint64_t rig_df(const char *word)
{
	uint64_t n = 0;
	for (size_t i = 0; i < rig.n_docs; i++)
		n += !rig.docs[i].is_overlay && rig_has(&rig.docs[i], word);
	return n;
}

double rig_avgdl(void)
{
	uint64_t n = 0;
	for (size_t i = 0; i < rig.n_docs; i++)
		n += rig.docs[i].is_overlay ? 0 : rig_length(&rig.docs[i]);
	return (double)n / (double)rig_n_docs();
}

bool rig_is_near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

double rig_idf(const char *word)
{
	double n = (double)rig_n_docs(), df = (double)rig_df(word);
	return log(1 + (n - df + 0.5) / (df + 0.5));
}

double rig_score(const struct rig_doc *doc, const struct rig_word *words)
{
	double score = 0, norm = 1.2 * (1 - 0.75 + 0.75 * rig_length(doc) / rig_avgdl());
	for (; words->word[0]; words++) {
		double tf = rig_count(doc, RIG_N_FIELDS, words->word);
		score += words->weight * rig_idf(words->word) * tf * 2.2 / (tf + norm);
	}
	return score;
}

/* ---- queries ---- */

/* True if the document meets `text`, one alternative of a need (see rig_matches for the syntax). */
static bool has_alternative(const struct rig_doc *doc, const char *text)
{
	char a[16], b[16];
	int low, high;
	uint32_t n;
	if (text[0] == '-')
		return !has_alternative(doc, text + 1);
	if (text[0] == '@')
		return strstr(doc->id, text + 1) != NULL;
	if (text[0] == '=')
		return strcmp(doc->id, text + 1) == 0;
	if (sscanf(text, "year %d %d", &low, &high) == 2)
		return rig_year(doc) >= low && rig_year(doc) <= high;
	if (sscanf(text, "near %u %15s %15s", &n, a, b) == 3)
		return has_near(doc, a, b, n);
	if (strncmp(text, "title:", 6) == 0)
		return rig_count(doc, 0, text + 6) > 0;
	return rig_has(doc, text);
}

bool rig_matches(const struct rig_doc *doc, const char *needs)
{
	char text[64], *of_needs, *of_need;
	assert_true(strlen(needs) < sizeof(text));
	strcpy(text, needs);
	for (char *need = strtok_r(text, ",", &of_needs); need;
	     need = strtok_r(NULL, ",", &of_needs)) {
		bool has = false;
		for (char *one = strtok_r(need, "|", &of_need); one;
		     one = strtok_r(NULL, "|", &of_need))
			has |= has_alternative(doc, one);
		if (!has)
			return false;
	}
	return true;
}

const struct rig_case rig_cases[RIG_N_CASES] = {
	{"river", "river", true},
	{"only27", "only27", true},
	{"paper", "paper", true},
	{"nowhere", "nowhere", true},
	{"river stone", "river,stone", true},
	{"the of fox sea lake", "the,of,fox,sea,lake", true},
	{"amber OR zebra OR nowhere", "amber|zebra", true},
	{"river -stone", "river,-stone", true},
	{"-river", "-river", true},
	{"(fox OR (red -blue)) -(lake OR night)", "fox|red,fox|-blue,-lake,-night", true},
	{"\"quick brown\"", "quick brown", false},
	{"\"the quick brown\"", "the quick brown", false},
	{"\"stone lake\"", "stone lake", false},
	{"sea -\"quick brown\"", "sea,-quick brown", false},
	{"\"river stone\"~2", "near 3 river stone", false},
	{"riv*", "river|rivers|rivet", false},
	{"mark?r OR mar*t", "market|marker", false},
	{"night~1", "night|light|might", false},
	{"title:river", "title:river", false},
	{"title:\"quick brown\"", "title:quick brown", false},
	{"year:1990..1999", "year 1990 1999", false},
	{"year:>2005 river", "year 2006 9999,river", false},
};

const struct rig_scored rig_scored[RIG_N_SCORED] = {
	{"river", {{"river", 1}, {"", 0}}, "river"},
	{"river stone", {{"river", 1}, {"stone", 1}, {"", 0}}, "river,stone"},
	{"river^2 OR zebra^0.5", {{"river", 2}, {"zebra", 0.5}, {"", 0}}, "river|zebra"},
	{"only27 OR the OR night",
         {{"only27", 1}, {"the", 1}, {"night", 1}, {"", 0}},
         "only27|the|night"},
	{"river -stone", {{"river", 1}, {"", 0}}, "river,-stone"},
	{"river (river^2 OR nowhere)", {{"river", 3}, {"", 0}}, "river"},
	{"riv*", {{"river", 1}, {"rivers", 1}, {"rivet", 1}, {"", 0}}, "river|rivers|rivet"},
	{"\"stone lake\"", {{"stone", 1}, {"lake", 1}, {"", 0}}, "stone lake"},
	{"title:fox sea", {{"fox", 1}, {"sea", 1}, {"", 0}}, "title:fox,sea"},
	{"year:>=2000 brown", {{"brown", 1}, {"", 0}}, "year 2000 9999,brown"},
	{"river riv*", {{"river", 2}, {"rivers", 1}, {"rivet", 1}, {"", 0}}, "river"},
	{"rivet OR amber OR zebra^0", {{"rivet", 1}, {"amber", 1}, {"", 0}}, "rivet|amber|zebra"},
};
