/* oracle_corpus.c: random options and sources. Everything that is written for the engine is added
 * to the oracle at the same time. See oracle.h. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

/* ---- options ---- */

static void draw_policy(struct oracle_setup *setup)
{
	struct bs_term_treatment_policy *policy = &setup->policy;
	*policy = bs_term_treatment_policy_default();
	if (by_chance(20))
		return;
	policy->density = roll_between(10, 60) / 100.0;
	policy->exact_share = by_chance(20) ? 0 : by_chance(30) ? 2 : roll_between(1, 300) / 1000.0;
	policy->has_no_tf_levels = by_chance(policy->exact_share == 0 ? 60 : 15);
	policy->use_groups = by_chance(70);
	policy->use_blocks = by_chance(70);
	policy->use_false_positives = by_chance(70);
	policy->is_forced = by_chance(50);
	policy->force[0] = (uint8_t)roll_between(1, 6);
	policy->force[1] = (uint8_t)below(5);
	policy->force[2] = (uint8_t)below(7);
}

static uint32_t draw_n_docs(unsigned number)
{
	static const uint32_t sizes[] = {0, 1, 2, 3, 511, 512, 513, 1023, 1024, 1025, 4095, 4097};
	const unsigned n_sizes = COUNT(sizes);
	if (number % 25 == 24)
		return roll_between(5000, 20000);
	return number % 2 ? roll_between(4, by_chance(30) ? 3000 : 600)
	                  : sizes[number / 2 % n_sizes];
}

static const char *draw_source(const struct oracle_setup *setup, uint32_t i, bool *is_stdin_out)
{
	static const char *const collections[] = {"c0.jsonl", "./c1.jsonl",   "c2.ndjson",
	                                          "c3.jsonl", "sub/c4.jsonl", "c5.jsonl"};
	static const char *const folders[] = {"notes0",     "./notes1", "notes2/",
	                                      "sub/notes3", "notes4//", "n5"};
	static const char *const files[] = {"f0.txt", "./f1", "f2.json", "sub/f3", "f4", "f5"};
	*is_stdin_out = !setup->has_stdin && by_chance(15);
	if (*is_stdin_out)
		return "-";
	if (by_chance(10))
		return files[i];
	/* In large corpora few sources are folders, because creating files is slow; but some are,
	 * so that the files of a folder exceed a shard of two blocks. */
	return by_chance(setup->n_docs > 1100 ? 3 : 35) ? folders[i] : collections[i];
}

void oracle_setup_draw(struct oracle_setup *setup, unsigned number, uint32_t n_docs)
{
	static const char *const stemmers[] = {"english", "french", "russian"};
	static const char *const weights[][3] = {{"title=3", "title=100", "text=2"},
	                                         {"body=7", "note=1", "x.y=50"},
	                                         {"na\u00efve=4", "missing=9", "name=20"}};
	static const enum bs_forward_mode modes[] = {BS_FORWARD_AUTO, BS_FORWARD_NEVER,
	                                             BS_FORWARD_NEVER, BS_FORWARD_ALWAYS};
	*setup = (struct oracle_setup){.number = number};
	setup->n_docs = n_docs ? n_docs : draw_n_docs(number);
	setup->mean_words = n_docs ? 2
	                           : roll_between(1, setup->n_docs > 3000  ? 3
	                                             : setup->n_docs > 900 ? 8
	                                                                   : 25);
	setup->n_vocabulary = roll_between(10, by_chance(50) ? 200 : 4000);
	setup->is_young = by_chance(10);
	setup->n_sources = n_docs || by_chance(40) ? 1 : roll_between(1, ORACLE_DRAWN_SOURCES);
	for (uint32_t i = 0; i < setup->n_sources; i++) {
		bool is_stdin = false;
		const char *source = n_docs ? "c0.jsonl" : draw_source(setup, i, &is_stdin);
		snprintf(setup->sources[i], sizeof(setup->sources[i]), "%s", source);
		setup->has_stdin |= is_stdin;
	}
	if (by_chance(15))
		setup->words.stem_language = stemmers[below(3)];
	setup->words.fold_accents = by_chance(15);
	setup->words.split_identifiers = by_chance(30);
	for (size_t i = 0; i < 3 && by_chance(30); i++)
		setup->weights[i] = weights[i][below(3)];
	setup->id_field = by_chance(15) ? "key" : NULL;
	setup->has_text_fields = by_chance(15);
	draw_policy(setup);
	setup->max_shard_blocks =
		n_docs || by_chance(40) ? 0 : roll_between(1, by_chance(70) ? 3 : 20);
	setup->max_shard_bytes = n_docs || by_chance(70) ? 0 : roll_between(1, 64) << 10;
	setup->max_segment_docs = by_chance(40) ? roll_between(1, 2000) : 0;
	setup->n_threads = below(4);
	setup->pairs_least_bytes = by_chance(70);
	setup->forward_mode = n_docs ? BS_FORWARD_AUTO : modes[below(4)];
	/* The run that adds the first source creates the index and sets its options. A writer
	 * cannot set the options for records (id_field, text_fields), so if the setup has them, a
	 * writer must not add the first source. */
	bool is_first = strcmp(setup->sources[0], "-") == 0;
	setup->by_writer = setup->has_stdin && by_chance(60) &&
	                   !(is_first && (setup->id_field || setup->has_text_fields));
	setup->is_in_memory = setup->by_writer && by_chance(50);
	setup->is_not_stored = setup->by_writer && setup->n_docs < 400 && by_chance(40);
}

void oracle_setup_print(const struct oracle_setup *setup, FILE *to)
{
	const struct bs_term_treatment_policy *policy = &setup->policy;
	fprintf(to, "seed %" PRIu64 ", corpus %u: %u documents of about %u words of %u, sources",
	        rounds.seed, setup->number, setup->n_docs, setup->mean_words, setup->n_vocabulary);
	for (uint32_t i = 0; i < setup->n_sources; i++)
		fprintf(to, " %s", setup->sources[i]);
	fprintf(to,
	        "%s\n  split identifiers %d, weights %s %s %s, stem %s, fold accents %d, id %s, "
	        "text fields %d\n",
	        setup->is_young ? ", young" : "", setup->words.split_identifiers,
	        setup->weights[0] ? setup->weights[0] : "",
	        setup->weights[1] ? setup->weights[1] : "",
	        setup->weights[2] ? setup->weights[2] : "",
	        setup->words.stem_language ? setup->words.stem_language : "none",
	        setup->words.fold_accents, setup->id_field ? setup->id_field : "id",
	        setup->has_text_fields);
	fprintf(to, "  density %.2f, exact share %.3f, groups %d, blocks %d, false positives %d, ",
	        policy->density, policy->exact_share, policy->use_groups, policy->use_blocks,
	        policy->use_false_positives);
	if (policy->is_forced)
		fprintf(to, "forced %u/%u/%u, ", policy->force[0], policy->force[1],
		        policy->force[2]);
	fprintf(to, "shard blocks %u, shard bytes %u, segment documents %u, lists %d, threads %u\n",
	        setup->max_shard_blocks, setup->max_shard_bytes, setup->max_segment_docs,
	        (int)setup->forward_mode, setup->n_threads);
}

/* ---- files ---- */

static void make_parents(const char *path)
{
	char parent[256];
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
		if (mkdir(parent, 0700) && errno != EEXIST)
			fail_msg("%s: %s", parent, strerror(errno));
	}
}

/* Derives the mtime from the path, so that files of several months exist. */
static int64_t mtime_of(const char *path)
{
	return 1500000000 + (int64_t)(strlen(path) % 12) * 30 * 86400;
}

static void write_file(const char *path, const struct bs_buffer *bytes, bool is_young)
{
	/* The index does not trust an mtime in the future. */
	int64_t when_s = mtime_of(path) + (is_young ? (int64_t)200 * 365 * 86400 : 0);
	const struct timespec when[2] = {{.tv_sec = when_s}, {.tv_sec = when_s}};
	make_parents(path);
	FILE *file = fopen(path, "wb");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(
		fwrite(bytes->data ? (const char *)bytes->data : "", 1, bytes->used_bytes, file),
		bytes->used_bytes);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, when, 0), 0);
}

struct making {
	const struct oracle_setup *setup;
	const struct oracle_vocabulary *vocabulary;
	struct oracle *oracle;
	struct bs_buffer text, id;
	int64_t when_s;    /* the record's date */
	bool has_own_name; /* the record has a field "name" */
	bool is_by_line;   /* the record's id is derived from its line */
	char path[512];    /* of the file, as in ids */
	size_t below;      /* offset in `path` of the path below a folder; 0: not in a folder */
};

static uint32_t draw_length(struct making *making)
{
	uint32_t mean = making->setup->mean_words;
	if (by_chance(4))
		return 0;
	if (making->setup->n_docs < 30000 && below(1000) < 3)
		return 50 * mean + below(100 * mean);
	return below(2 * mean) + 1;
}

static void draw_text(struct making *making)
{
	bs_buffer_clear(&making->text);
	ok(bs_buffer_reserve(&making->text, 1, ERR));
	oracle_append_text(making->vocabulary, draw_length(making), &making->text);
}

/* Sets the path of a file: a source without leading "./" and trailing "/", and the name of a file
 * in it, if it is a folder. */
static void set_path(struct making *making, const char *argument, const char *name)
{
	const char *start = strncmp(argument, "./", 2) == 0 ? argument + 2 : argument;
	int n = (int)strlen(start);
	while (n > 0 && start[n - 1] == '/')
		n--;
	snprintf(making->path, sizeof(making->path), "%.*s%s%s", n, start, name ? "/" : "",
	         name ? name : "");
	making->below = name ? (size_t)n + 1 : 0;
}

/* Adds the file whose text is making->text to the oracle. `written` is its mtime. */
static void add_file(struct making *making, const char *argument, const char *name, int64_t written)
{
	set_path(making, argument, name);
	const char *path = making->path, *slash = strrchr(path, '/');
	size_t base_off = slash ? (size_t)(slash - path) + 1 : 0;
	oracle_add_field(making->oracle, "", making->text.data, making->text.used_bytes);
	oracle_end_doc(making->oracle, path, strlen(path));
	oracle_place_doc(making->oracle, path, name ? making->below : base_off, written);
}

static void make_file(struct making *making, const char *argument)
{
	draw_text(making);
	write_file(argument, &making->text, making->setup->is_young);
	add_file(making, argument, NULL, mtime_of(argument));
}

/* ---- folders ---- */

/* Compares paths by component: a slash sorts before all other bytes. */
static int compare_paths(const void *a, const void *b)
{
	const uint8_t *x = *(const uint8_t *const *)a, *y = *(const uint8_t *const *)b;
	while (*x && *x == *y) {
		x++;
		y++;
	}
	return (*x == '/' ? 1 : *x ? *x + 1 : 0) - (*y == '/' ? 1 : *y ? *y + 1 : 0);
}

/* Draws a path. It is unique: the file's name contains the number, and no folder's name contains a
 * digit. */
static char *draw_path(uint32_t number)
{
	static const char *const folders[] = {"a",      "a-b", "a.b", "b",    "A",
	                                      "\u00e9", "a b", "~",   "\x80", "c.jsonl"};
	static const char *const files[] = {"a", "a-", "b", "B.", "\u6f22", "x ", "!", "\xff"};
	static const char *const endings[] = {"", ".txt", ".jsonl", "-"};
	char path[128] = "";
	for (uint32_t depth = below(4); depth > 0; depth--) {
		strcat(path, folders[below(10)]);
		strcat(path, "/");
	}
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s%u%s", files[below(8)],
	         number, endings[below(4)]);
	return strdup(path);
}

/* Whether the walk of a folder skips a file with this text as binary. */
static bool is_binary(const struct bs_buffer *text)
{
	size_t n = text->used_bytes < 65536 ? text->used_bytes : 65536;
	return n > 0 && memchr(text->data, 0, n);
}

static void make_collection(struct making *making, const char *argument, uint32_t n_docs);

/* Makes the first line invalid JSON, so that the file is not a collection. */
static void begin_plainly(struct bs_buffer *text)
{
	static const char start[] = "plain ";
	append_string(text, start);
	memmove(text->data + strlen(start), text->data, text->used_bytes - strlen(start));
	memcpy(text->data, start, strlen(start));
}

static void make_folder(struct making *making, const char *argument, uint32_t n_docs)
{
	char path[256];
	char **names = must_calloc(n_docs + 1, sizeof(*names));
	for (uint32_t i = 0; i < n_docs; i++)
		names[i] = draw_path(i);
	qsort(names, n_docs, sizeof(*names), compare_paths);
	snprintf(path, sizeof(path), "%s/", argument);
	make_parents(path);
	for (uint32_t i = 0; i < n_docs; i++) {
		snprintf(path, sizeof(path), "%s/%s", argument, names[i]);
		bool is_collection = strlen(names[i]) > 6 &&
		                     strcmp(names[i] + strlen(names[i]) - 6, ".jsonl") == 0;
		if (is_collection && by_chance(60)) {
			set_path(making, argument, names[i]);
			make_collection(making, path, below(8));
			free(names[i]);
			continue;
		}
		draw_text(making);
		if (is_collection)
			begin_plainly(&making->text);
		write_file(path, &making->text, making->setup->is_young);
		if (!is_binary(&making->text))
			add_file(making, argument, names[i], mtime_of(path));
		free(names[i]);
	}
	free(names);
	/* The walk skips hidden files, too. */
	snprintf(path, sizeof(path), "%s/.hidden", argument);
	write_file(path, &making->text, making->setup->is_young);
}

/* ---- collections ---- */

/* Appends a JSON string. Half of the strings have the escapes that programs usually write. */
static void append_json(struct making *making, struct bs_buffer *json, const uint8_t *text,
                        size_t text_bytes)
{
	static const char short_escaped[] = "\n\t\r\b\f\"\\/", letters[] = "ntrbf\"\\/";
	uint32_t manner = below(4);
	char escape[16];
	append_string(json, "\"");
	for (size_t i = 0; i < text_bytes;) {
		const char *found = text[i] ? strchr(short_escaped, text[i]) : NULL;
		size_t next = i;
		UChar32 c;
		U8_NEXT(text, next, text_bytes, c);
		bool is_long = manner == 0 && (c >= 0x80 || by_chance(2)) && c > 0;
		if (is_long && c >= 0x10000)
			snprintf(escape, sizeof(escape), "\\u%04x\\u%04x", (unsigned)U16_LEAD(c),
			         (unsigned)U16_TRAIL(c));
		else if (is_long)
			snprintf(escape, sizeof(escape), "\\u%04X", (unsigned)c);
		else if (found && manner != 1 && (text[i] != '/' || by_chance(50)))
			snprintf(escape, sizeof(escape), "\\%c", letters[found - short_escaped]);
		else if (text[i] < 0x20 || text[i] == '"' || text[i] == '\\')
			snprintf(escape, sizeof(escape), "\\u%04x", text[i]);
		else
			*escape = '\0';
		append_string(json, escape);
		if (!*escape)
			append_bytes(json, text + i, next - i);
		i = next;
	}
	append_string(json, "\"");
}

static bool is_integer(const struct bs_buffer *id)
{
	size_t n = id->used_bytes;
	if (n == 0 || n > 15 || (n > 1 && id->data[0] == '0'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (id->data[i] < '0' || id->data[i] > '9')
			return false;
	return true;
}

/* Whether the document is a record of a collection in a folder with an id derived from its line.
 * Only such an id has a colon after the id of the file. */
static bool is_named_by_line(const struct making *making, size_t doc)
{
	const struct oracle_doc *record = &making->oracle->docs.items[doc];
	return making->below > 0 &&
	       making->oracle->bytes.data[record->id_off + strlen(making->path)] == ':';
}

/* Draws an earlier document of this source that the next record replaces by its id, or SIZE_MAX. */
static size_t draw_replaced(struct making *making, size_t first_doc)
{
	size_t n = bs_vector_n(&making->oracle->docs) - first_doc;
	if (n == 0 || !by_chance(7))
		return SIZE_MAX;
	size_t doc = first_doc + below(n);
	return making->oracle->docs.items[doc].is_replaced || is_named_by_line(making, doc)
	               ? SIZE_MAX
	               : doc;
}

/* Stores the record's id in making->id and appends the id field. A record without the field gets an
 * id from its line. */
static void append_id(struct making *making, uint32_t line, size_t replaced, struct bs_buffer *json)
{
	const char *field = making->setup->id_field ? making->setup->id_field : "id";
	making->is_by_line = replaced == SIZE_MAX && by_chance(15);
	bs_buffer_clear(&making->id);
	if (replaced != SIZE_MAX) {
		const struct oracle_doc *doc = &making->oracle->docs.items[replaced];
		size_t skip = making->below > 0 ? strlen(making->path) + 1 : 0;
		append_bytes(&making->id, making->oracle->bytes.data + doc->id_off + skip,
		             doc->id_bytes - skip);
	} else if (making->is_by_line) {
		append_format(&making->id, "%s:%u", making->path, line);
		if (by_chance(50))
			append_format(json, "\"%s\": null, ", field);
		return;
	} else {
		append_format(&making->id, "%s%u", by_chance(30) ? "" : "d", line + 1000);
	}
	append_format(json, "\"%s\": ", field);
	if (is_integer(&making->id) && by_chance(60))
		append_bytes(json, making->id.data, making->id.used_bytes);
	else
		append_json(making, json, making->id.data, making->id.used_bytes);
	append_string(json, ", ");
}

static const char *const field_names[] = {"text",       "title", "body", "note", "x.y",
                                          "na\u00efve", "a",     "or",   "name"};

static bool is_text_field(const struct oracle_setup *setup, const char *name)
{
	return !setup->has_text_fields || strcmp(name, "title") == 0 || strcmp(name, "body") == 0 ||
	       strcmp(name, "deep.title") == 0;
}

static void add_field(struct making *making, const char *name, const void *text, size_t text_bytes,
                      bool *has_text)
{
	if (!is_text_field(making->setup, name))
		return;
	*has_text = true;
	making->has_own_name |= strcmp(name, "name") == 0;
	oracle_add_field(making->oracle, name, text, text_bytes);
}

/* Appends nested values and a number: their strings and numbers are text, too. */
static void append_deep(struct making *making, struct bs_buffer *json, bool *has_text)
{
	static const char *const numbers[] = {"12", "-0.50", "1E+3",
	                                      "123456789012345678901234567890", "1e999"};
	const char *number = numbers[below(5)];
	draw_text(making);
	append_format(json, "\"n\": %s, \"deep\": {\"none\": {}, \"title\": ", number);
	append_json(making, json, making->text.data, making->text.used_bytes);
	append_format(json,
	              ", \"l\" : [\"x\", [] ,[ %s, null], {\"a\": \"in a list\"}]}, \"t\": true, ",
	              number);
	add_field(making, "n", number, strlen(number), has_text);
	add_field(making, "deep.title", making->text.data, making->text.used_bytes, has_text);
	add_field(making, "deep.l", "x", 1, has_text);
	add_field(making, "deep.l", number, strlen(number), has_text);
	add_field(making, "deep.l.a", "in a list", 9, has_text);
}

/* Appends the field "when", with a date or something like one. Returns whether it counts as
 * text. */
static bool append_when(struct making *making, struct bs_buffer *json)
{
	const struct oracle_date *date = &oracle_dates[below(ORACLE_N_DATES)];
	append_format(json, "\"when\": \"%s\", ", date->text);
	making->when_s = date->seconds;
	if (!is_text_field(making->setup, "when"))
		return false;
	oracle_add_field(making->oracle, "when", date->text, strlen(date->text));
	return true;
}

static bool begins_as_json(const char *text)
{
	text += *text == '-';
	return *text >= '0' && *text <= '9';
}

/* Appends a number, a date or something similar: as a string, or as a JSON number if JSON allows
 * it. */
static void append_value(struct making *making, struct bs_buffer *json)
{
	const char *text = oracle_values[below(ORACLE_N_VALUES)];
	struct oracle_value value;
	bool is_number = oracle_value_take(text, strlen(text), &value) && !value.is_date &&
	                 begins_as_json(text);
	bs_buffer_clear(&making->text);
	append_string(&making->text, text);
	if (is_number && by_chance(60))
		append_string(json, text);
	else
		append_json(making, json, making->text.data, making->text.used_bytes);
}

/* Appends the fields of a record. False if the engine must find no text in it. */
static bool append_fields(struct making *making, struct bs_buffer *json)
{
	bool has_text = false;
	uint32_t n_fields = making->setup->n_docs > 30000 ? 1 : roll_between(1, 4);
	if (by_chance(20))
		has_text |= append_when(making, json);
	for (uint32_t i = 0; i < n_fields; i++) {
		const char *name =
			by_chance(40) ? field_names[1 + below(2)] : field_names[below(9)];
		if (by_chance(5))
			append_deep(making, json, &has_text);
		append_json(making, json, (const uint8_t *)name, strlen(name));
		append_string(json, ": ");
		if (by_chance(12)) {
			append_value(making, json);
		} else {
			draw_text(making);
			append_json(making, json, making->text.data, making->text.used_bytes);
		}
		append_string(json, i + 1 < n_fields ? ", " : "}");
		add_field(making, name, making->text.data, making->text.used_bytes, &has_text);
	}
	return has_text;
}

static void append_bad_line(struct making *making, struct bs_buffer *json)
{
	static const char *const lines[] = {"", "  ", "not json", "[1, 2]", "{\"text\": \"cut",
	                                    /* Lines without text, ids of other types. */
	                                    "{}", "{\"id\": null, \"key\": null, \"t\": [true]}",
	                                    "7", "{\"id\": 1.5, \"key\": 1.5, \"text\": \"a\"}",
	                                    "{\"id\": [1], \"key\": {}, \"body\": \"b\"}"};
	append_string(json, lines[below(COUNT(lines))]);
}

static size_t end_record(struct making *making)
{
	AUTO(bs_buffer_deinit) struct bs_buffer whole = {0};
	if (making->below > 0 && !making->is_by_line)
		append_format(&whole, "%s#", making->path);
	append_bytes(&whole, making->id.data, making->id.used_bytes);
	return oracle_end_doc(making->oracle, whole.data, whole.used_bytes);
}

static void append_record(struct making *making, const char *argument, uint32_t line,
                          size_t first_doc, struct bs_buffer *json)
{
	size_t replaced = draw_replaced(making, first_doc);
	append_string(json, "{");
	append_id(making, line, replaced, json);
	making->when_s = 0;
	making->has_own_name = false;
	if (!append_fields(making, json))
		return;
	if (replaced != SIZE_MAX)
		making->oracle->docs.items[replaced].is_replaced = true;
	size_t doc = end_record(making);
	bool has_path = making->below > 0 && !making->has_own_name;
	oracle_place_doc(making->oracle, making->path,
	                 has_path ? making->below : strlen(making->path), mtime_of(argument));
	making->oracle->docs.items[doc].when_s = making->when_s;
	making->oracle->docs.items[doc].line = line;
}

static void replace_stdin(const char *path)
{
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	assert_true(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
}

static void make_collection(struct making *making, const char *argument, uint32_t n_docs)
{
	AUTO(bs_buffer_deinit) struct bs_buffer json = {0};
	size_t first_doc = bs_vector_n(&making->oracle->docs);
	uint32_t line = 1;
	bool is_stdin = strcmp(argument, "-") == 0;
	append_bytes(&json, "", 0);
	for (uint32_t i = 0; i < n_docs; line++) {
		if (line > 1)
			append_string(&json, by_chance(5) ? "\r\n" : "\n");
		/* A file of a folder whose first line is not an object would not be a
		 * collection. */
		if (by_chance(2) && (i > 0 || making->below == 0)) {
			append_bad_line(making, &json);
			continue;
		}
		append_record(making, argument, line, first_doc, &json);
		i++;
	}
	if (by_chance(80))
		append_string(&json, "\n");
	const char *path = is_stdin ? "stdin" : argument;
	write_file(path, &json, making->setup->is_young);
	if (is_stdin)
		replace_stdin(path);
}

void oracle_write_sources(const struct oracle_setup *setup,
                          const struct oracle_vocabulary *vocabulary, struct oracle *oracle)
{
	struct making making = {.setup = setup, .vocabulary = vocabulary, .oracle = oracle};
	uint32_t n_left = setup->n_docs;
	for (uint32_t i = 0; i < setup->n_sources; i++) {
		const char *argument = setup->sources[i];
		uint32_t n_docs = i + 1 == setup->n_sources ? n_left : below(n_left + 1);
		const char *start = strncmp(argument, "./", 2) == 0 ? argument + 2 : argument;
		bool is_sub = strncmp(start, "sub/", 4) == 0;
		char first = is_sub ? start[4] : start[0];
		if (first == 'f') {
			make_file(&making, argument);
			continue;
		}
		set_path(&making, argument, NULL);
		if (first == 'n')
			make_folder(&making, argument, n_docs);
		else
			make_collection(&making, argument, n_docs);
		n_left -= n_docs;
	}
	bs_buffer_deinit(&making.text);
	bs_buffer_deinit(&making.id);
}
