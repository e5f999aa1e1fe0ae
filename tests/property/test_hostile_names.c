/*
 * test_hostile_names.c: passes hostile names, ids and records (hostile.h) through every writer of
 * the library and, if PROGRAM is given, of the program: files, folders, collections, standard
 * input, in-memory documents, options, deletions, catalogs. Each document has a unique word. After
 * each commit, refresh, deletion, compaction and rebuild, each word must find its document with
 * exactly its id, and the check must report nothing.
 *
 * Arguments: [N_ROUNDS [SEED [PROGRAM]]]
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bitsift/catalog.h>
#include <bitsift/writer.h>

#include "tests/rigs/dice.h"
#include "tests/rigs/hostile.h"
#include "tests/rigs/library_rig.h"

extern char **environ;

static const char *program;

#define WORD_BYTES     16
#define MOST_TEXTS     4
#define MOST_SOURCES   4
#define MOST_ARGUMENTS 8

struct document {
	struct bytes id;
	struct bytes local_id; /* the id as the last query printed it */
	/* The field that contains the word; data NULL: the document is a file, or the field is
	 * nested too deeply to have a name. */
	struct bytes field;
	char word[WORD_BYTES];
	unsigned source;
	bool is_dead;
	struct bs_text given[MOST_TEXTS]; /* the texts of an in-memory document, on the heap */
	size_t n_given;
};

struct world {
	struct hostile hostile;
	uint64_t seed;
	uint64_t n_words;
	struct document *documents;
	size_t n_documents;
	const char *dir; /* NULL: the index is in memory */
	struct bs_memory_index *memory;
	const struct bs_text_provider *texts;
	/* Options of records. */
	struct bytes id_field; /* data NULL: "id" */
	/* data NULL: all fields are text fields; otherwise this one and "t" */
	struct bytes text_field;
	char *arguments[MOST_ARGUMENTS]; /* the options of the sources, for the program */
	size_t n_arguments;
};

/* Consents to every source, because the index may be outside the folder of its sources. */
static bool follows(void *context, const char *dir, const char *path)
{
	return true;
}

static const struct bs_consent consent = {.follows = follows};

static uint64_t draw(struct world *world, uint64_t bound)
{
	return hostile_below(&world->hostile, bound);
}

static _Noreturn void fail_at(const struct world *world, const char *step,
                              const struct document *document, const char *what)
{
	fprintf(stderr, "seed %llu, %s: %s", (unsigned long long)world->seed, step, what);
	if (document)
		fprintf(stderr, "; document %s, word %s, field %s", bytes_shown(document->id),
		        document->word, document->field.data ? bytes_shown(document->field) : "-");
	fprintf(stderr, "\nrun: test_hostile_names 1 %llu\n", (unsigned long long)world->seed);
	abort();
}

/* Fails the test if a call failed; its message must be in `said`. */
static void must(const struct world *world, const char *step, enum bs_status status)
{
	if (status)
		fail_at(world, step, NULL, said.text);
}

/* ---- documents and expected hits ---- */

/* Adds a document and takes ownership of id and field. The document replaces an earlier one with
 * the same id in the same source. */
static struct document *add_document(struct world *world, unsigned source, struct bytes id,
                                     struct bytes field)
{
	for (size_t i = 0; i < world->n_documents; i++)
		if (world->documents[i].source == source && bytes_equal(world->documents[i].id, id))
			world->documents[i].is_dead = true;
	world->documents =
		realloc(world->documents, (world->n_documents + 1) * sizeof(*world->documents));
	assert_non_null(world->documents);
	struct document *document = &world->documents[world->n_documents++];
	*document = (struct document){.id = id, .field = field, .source = source};
	uint64_t n = world->n_words++;
	document->word[0] = 'q';
	for (int i = 1; i < 7; i++, n /= 20)
		document->word[i] = "abcdefghijklmnoprstv"[n % 20];
	return document;
}

static void forget_documents(struct world *world)
{
	for (size_t i = 0; i < world->n_documents; i++) {
		struct document *document = &world->documents[i];
		free(document->id.data);
		free(document->local_id.data);
		free(document->field.data);
		for (size_t t = 0; t < document->n_given; t++) {
			free((char *)(uintptr_t)document->given[t].field);
			free((char *)(uintptr_t)document->given[t].text);
		}
	}
	free(world->documents);
	world->documents = NULL;
	world->n_documents = 0;
}

/* Makes a text that contains the word on a line of its own. */
static struct bytes text_around(struct world *world, const char *word)
{
	struct bytes text = draw(world, 2) ? hostile_bytes(&world->hostile) : bytes_of(NULL, 0);
	text.n = text.n > 5000 ? 5000 : text.n;
	bytes_put(&text, "\n", 1);
	bytes_put(&text, word, strlen(word));
	bytes_put(&text, "\n", 1);
	if (draw(world, 3) == 0) {
		AUTO(bytes_free) struct bytes more = hostile_bytes(&world->hostile);
		bytes_put(&text, more.data, more.n < 300 ? more.n : 300);
	}
	return text;
}

/* Whether a query can use the field name unquoted: letters, digits and U+FFFD. */
static bool is_typable(struct bytes name)
{
	if (!name.data || name.n == 0 || name.n > 255)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.data[i];
		if (c == 0xef && name.n - i >= 3 && memcmp(name.data + i, "\xef\xbf\xbd", 3) == 0)
			i += 2;
		else if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		           (c >= '0' && c <= '9')))
			return false;
	}
	return strcmp(name.data, "AND") != 0 && strcmp(name.data, "OR") != 0 &&
	       strcmp(name.data, "NOT") != 0;
}

struct heard {
	struct document *document;
	uint64_t n_hits;
	bool is_other;
};

static int hear(void *context, const struct bs_hit *hit)
{
	struct heard *heard = context;
	struct bytes id = {(char *)(uintptr_t)hit->id, hit->id_bytes};
	heard->n_hits++;
	heard->is_other |= !bytes_equal(id, heard->document->id);
	free(heard->document->local_id.data);
	heard->document->local_id = bytes_of(hit->local_id, hit->local_id_bytes);
	return 0;
}

static void expect_document(struct world *world, struct bs_searcher *searcher,
                            struct document *document, const char *step)
{
	struct bs_search_result result;
	struct heard heard = {.document = document};
	char query[300];
	struct bs_search_request request = {QUERY(document->word), .output.mode = BS_SEARCH_IDS,
	                                    .callbacks.hit = hear, .callbacks.context = &heard};
	must(world, step, bs_search(searcher, &request, &result, ERR));
	if (heard.n_hits != !document->is_dead || heard.is_other || result.n_unreadable > 0)
		fail_at(world, step, document,
		        heard.is_other ? "it is found by another id"
		                       : "it is not found as often as it should");
	if (document->is_dead || !is_typable(document->field))
		return;
	request.query.text_bytes = (size_t)snprintf(query, sizeof(query), "%s:%s",
	                                            document->field.data, document->word);
	request.query.text = query;
	request.output.mode = BS_SEARCH_COUNT;
	must(world, step, bs_search(searcher, &request, &result, ERR));
	if (result.n_hits != 1)
		fail_at(world, step, document, "it is not found in its field");
}

static void expect(struct world *world, const char *step)
{
	struct bs_open_request request = {.dir = world->dir,
	                                  .memory = world->memory,
	                                  .host.texts = world->texts,
	                                  .host.consent = &consent};
	struct bs_check_request check = {.dir = world->dir, .memory = world->memory};
	AUTO(bs_index_close_at) struct bs_index *index;
	AUTO(bs_searcher_free_at) struct bs_searcher *searcher;
	must(world, step, bs_index_check(&check, NULL, ERR));
	must(world, step, bs_index_open_with(&request, &index, ERR));
	must(world, step, bs_searcher_new(index, &searcher, ERR));
	for (size_t i = 0; i < world->n_documents; i++)
		expect_document(world, searcher, &world->documents[i], step);
}

static void compact_and_rebuild(struct world *world)
{
	struct bs_build_request request = {.dir = world->dir,
	                                   .memory = world->memory,
	                                   .host.texts = world->texts,
	                                   .host.consent = &consent,
	                                   .write.n_threads = 2};
	must(world, "compact", bs_index_compact(&request, NULL, ERR));
	expect(world, "compact");
	request.rebuild = true;
	must(world, "rebuild", bs_index_build(&request, NULL, ERR));
	expect(world, "rebuild");
}

/* ---- in-memory documents ---- */

static int give_texts(void *context, const char *id, size_t id_bytes,
                      const struct bs_text **texts_out, size_t *n_out)
{
	const struct world *world = context;
	struct bytes wanted = {(char *)(uintptr_t)id, id_bytes};
	for (size_t i = 0; i < world->n_documents; i++) {
		const struct document *document = &world->documents[i];
		if (document->is_dead || !bytes_equal(document->id, wanted))
			continue;
		*texts_out = document->given;
		*n_out = document->n_given;
		return 0;
	}
	return 1;
}

static void make_texts(struct world *world, struct document *document)
{
	size_t word_at;
	document->n_given = 1 + draw(world, MOST_TEXTS);
	word_at = draw(world, document->n_given);
	for (size_t i = 0; i < document->n_given; i++) {
		struct bytes name =
			draw(world, 4) ? hostile_bytes(&world->hostile) : bytes_of("t", 1);
		struct bytes text = i == word_at ? text_around(world, document->word)
		                                 : hostile_bytes(&world->hostile);
		document->given[i] = (struct bs_text){name.data, name.n, text.data, text.n};
		if (i == word_at)
			document->field = hostile_as_text(name, true);
	}
}

/* Adds an in-memory document. id: the document to replace; data NULL: a new document. */
static void give(struct world *world, struct bs_writer *writer, struct bytes id)
{
	bool is_new = !id.data;
	id = is_new ? hostile_bytes(&world->hostile) : bytes_of(id.data, id.n);
	if (id.n == 0) {
		struct bs_text text = {"t", 1, "text", 4};
		assert_int_equal(bs_writer_add(writer, id.data, 0, &text, 1, ERR), BS_INVALID);
		bytes_put(&id, "e", 1);
	}
	struct document *document = add_document(world, 0, id, (struct bytes){NULL, 0});
	make_texts(world, document);
	must(world, "add",
	     is_new ? bs_writer_add(writer, id.data, id.n, document->given, document->n_given, ERR)
	            : bs_writer_replace(writer, id.data, id.n, document->given, document->n_given,
	                                ERR));
}

static struct document *some_document(struct world *world)
{
	for (unsigned i = 0; i < 8 && world->n_documents > 0; i++) {
		struct document *document = &world->documents[draw(world, world->n_documents)];
		if (!document->is_dead)
			return document;
	}
	return NULL;
}

static void withdraw(struct world *world, struct bs_writer *writer, struct document *document)
{
	uint64_t n = 1;
	bool was_there = true;
	must(world, "delete",
	     draw(world, 2)
	             ? bs_writer_delete(writer, document->id.data, document->id.n, &was_there, ERR)
	             : bs_writer_delete_query(writer, document->word, strlen(document->word), &n,
	                                      ERR));
	if (!was_there || n != 1)
		fail_at(world, "delete", document, "nothing has this id, or its word");
	document->is_dead = true;
}

static void change_given(struct world *world, struct bs_writer *writer)
{
	struct document *document;
	struct bs_text text = {"t\0", 2, "gone", 4};
	must(world, "add", bs_writer_add(writer, "r\0", 2, &text, 1, ERR));
	bs_writer_rollback(writer);
	for (uint64_t n = draw(world, 4); n > 0; n--)
		give(world, writer, (struct bytes){NULL, 0});
	if ((document = some_document(world)) != NULL)
		give(world, writer, document->id);
	if ((document = some_document(world)) != NULL)
		withdraw(world, writer, document);
}

/* Writes an index of in-memory documents, with the options that such indexes support. */
static void write_given(struct world *world)
{
	struct bs_text_provider provider = {.texts = give_texts, .context = world};
	AUTO(bytes_free) struct bytes weight = hostile_string(&world->hostile);
	bytes_put(&weight, "=7", 2);
	const char *weights[] = {weight.data, "t=2", NULL};
	struct bs_writer_request request = {
		.dir = world->dir, .memory = world->memory, .write.n_threads = 1};
	struct bs_writer *writer;
	request.index.weights = draw(world, 3) ? NULL : weights;
	request.index.grams = draw(world, 12) == 0;
	request.not_stored = draw(world, 3) == 0;
	request.no_checksums = request.not_stored && draw(world, 2);
	request.write.condensed = world->memory && draw(world, 2);
	request.host.texts = world->texts = request.not_stored ? &provider : NULL;
	must(world, "open", bs_writer_open(&request, &writer, ERR));
	for (uint64_t n = 1 + draw(world, 8); n > 0; n--)
		give(world, writer, (struct bytes){NULL, 0});
	must(world, "commit", bs_writer_commit(writer, NULL, ERR));
	expect(world, "commit");
	change_given(world, writer);
	must(world, "second commit", bs_writer_commit(writer, NULL, ERR));
	expect(world, "second commit");
	bs_writer_close(writer);
	compact_and_rebuild(world);
	world->texts = NULL;
}

/* ---- catalogs ---- */

static int hear_in_catalog(void *context, const struct bs_catalog_hit *hit)
{
	return hear(context, hit->hit);
}

static void expect_in_catalog(struct world *world, struct bs_catalog *catalog, const char *step)
{
	must(world, step, bs_catalog_check(catalog, ERR));
	for (size_t i = 0; i < world->n_documents; i++) {
		struct document *document = &world->documents[i];
		struct heard heard = {.document = document};
		struct bs_catalog_search_request request = {.hit = hear_in_catalog};
		request.search = (struct bs_search_request){QUERY(document->word),
		                                            .output.mode = BS_SEARCH_IDS,
		                                            .callbacks.context = &heard};
		must(world, step, bs_catalog_search(catalog, &request, NULL, ERR));
		if (heard.n_hits != !document->is_dead || heard.is_other)
			fail_at(world, step, document,
			        "the catalog does not find it, or by another id");
	}
}

/* Draws a name short enough that the lock file next to it has a valid name, too. */
static struct bytes catalog_name(struct world *world)
{
	struct bytes name = hostile_file_name(&world->hostile, ".catalog");
	return name.n < 200 ? name : (free(name.data), bytes_of("c.catalog", 9));
}

static struct bs_catalog *open_catalog(struct world *world, struct bytes file)
{
	struct bs_catalog_request request = {.file = file.data};
	struct bs_catalog *catalog;
	must(world, "open the catalog", bs_catalog_open(&request, &catalog, ERR));
	return catalog;
}

static bool is_index_name(struct bytes name)
{
	bool is_good = strcmp(name.data, ".") != 0 && strcmp(name.data, "..") != 0;
	for (size_t i = 0; i < name.n; i++)
		is_good &= (unsigned char)name.data[i] >= ' ' && name.data[i] != ':' &&
		           name.data[i] != 0x7f;
	return is_good;
}

static void write_catalog(struct world *world)
{
	AUTO(bytes_free)
	struct bytes file = catalog_name(world), other = catalog_name(world),
		     exported = catalog_name(world), name = hostile_string(&world->hostile);
	struct bs_catalog *catalog = open_catalog(world, file);
	must(world, "add to the catalog", bs_catalog_add(catalog, &world->dir, 1, NULL, ERR));
	enum bs_status status = bs_catalog_add(catalog, &world->dir, 1, name.data, ERR);
	if (status != (is_index_name(name) ? BS_OK : BS_INVALID))
		fail_at(world, "name in the catalog", NULL, bytes_shown(name));
	expect_in_catalog(world, catalog, "catalog");
	bs_catalog_close(catalog);
	catalog = open_catalog(world, file);
	expect_in_catalog(world, catalog, "catalog, opened again");
	if (strcmp(exported.data, file.data) != 0 && strcmp(exported.data, other.data) != 0 &&
	    strcmp(file.data, other.data) != 0) {
		must(world, "export", bs_catalog_export(catalog, exported.data, ERR));
		struct bs_catalog *imported = open_catalog(world, other);
		must(world, "import", bs_catalog_import(imported, exported.data, NULL, ERR));
		expect_in_catalog(world, imported, "imported");
		must(world, "refresh the catalog",
		     bs_catalog_refresh(imported, NULL, NULL, NULL, NULL, ERR));
		bs_catalog_close(imported);
	}
	must(world, "remove from the catalog", bs_catalog_remove(catalog, world->dir, ERR));
	bs_catalog_close(catalog);
}

/* ---- records ---- */

static struct bytes id_field(const struct world *world)
{
	static char usual[] = "id";
	return world->id_field.data ? world->id_field : (struct bytes){usual, 2};
}

static void put_string(struct bytes *to, const char *text)
{
	bytes_put(to, text, strlen(text));
}

/* Appends a member of any type, unless it is the id or may contain it. */
static void put_other_member(struct world *world, struct bytes *line)
{
	static const char *const values[] = {"1e400", "-0",          "99999999999999999999999999",
	                                     "true",  "null",        "[]",
	                                     "{}",    "[[\"x\"],1]", "\"\""};
	AUTO(bytes_free)
	struct bytes key = hostile_bytes(&world->hostile), name = hostile_as_text(key, true);
	if (!bytes_equal(id_field(world), name) &&
	    !(world->id_field.data && memchr(world->id_field.data, '.', world->id_field.n))) {
		put_string(line, ",");
		hostile_put_json(&world->hostile, key, line);
		put_string(line, ":");
		if (draw(world, 2)) {
			AUTO(bytes_free) struct bytes inner = hostile_bytes(&world->hostile);
			put_string(line, "{");
			hostile_put_json(&world->hostile, inner, line);
			put_string(line, ":");
			hostile_put_json(&world->hostile, inner, line);
			put_string(line, "}");
		} else {
			put_string(line, values[draw(world, COUNT(values))]);
		}
	}
}

/* Draws the key of the member that contains the word. */
static struct bytes word_key(struct world *world)
{
	const struct bytes *wanted = &world->text_field;
	if (wanted->data && !draw(world, 2))
		return bytes_of("t", 1);
	struct bytes key =
		wanted->data ? bytes_of(wanted->data, wanted->n) : hostile_bytes(&world->hostile);
	AUTO(bytes_free) struct bytes name = hostile_as_text(key, true);
	if ((!wanted->data || bytes_equal(name, *wanted)) && !bytes_equal(id_field(world), name))
		return key;
	free(key.data);
	return bytes_of("t", 1);
}

/* Appends the id member of a record, and sets *id_out. False: the record has no id. */
static bool put_id(struct world *world, struct bytes *line, struct bytes *id_out)
{
	struct bytes field = id_field(world);
	AUTO(bytes_free)
	struct bytes name = hostile_as_text(field, true), id = hostile_bytes(&world->hostile);
	bool is_spelled = bytes_equal(name, field), has_id = is_spelled && draw(world, 5) != 0;
	if (is_spelled && (has_id || draw(world, 2))) {
		put_string(line, ",");
		hostile_put_json(&world->hostile, field, line);
		put_string(line, ":");
	}
	if (!has_id) {
		if (is_spelled && line->data[line->n - 1] == ':')
			put_string(line, "null");
	} else if (draw(world, 4) == 0) {
		struct bytes digits = bytes_of("-", draw(world, 2));
		bytes_put(&digits, "7", 1);
		for (uint64_t n = draw(world, 2) ? draw(world, 300) : 3; n > 0; n--)
			bytes_put(&digits, &"0123456789"[draw(world, 10)], 1);
		bytes_put(line, digits.data, digits.n);
		*id_out = digits;
	} else {
		hostile_put_json(&world->hostile, id, line);
		*id_out = hostile_as_text(id, false);
	}
	return has_id;
}

/* Appends a record to the collection. The id of its document is id_prefix and the value of its id
 * field or, without such a field, line_prefix and its line number. */
static void put_record(struct world *world, unsigned source, struct bytes id_prefix,
                       struct bytes line_prefix, uint64_t line_number, struct bytes *to)
{
	AUTO(bytes_free) struct bytes line = bytes_of("{\"\":0", 5), id = {NULL, 0};
	bool has_id = draw(world, 2) && put_id(world, &line, &id);
	char number[24];
	for (uint64_t n = draw(world, 3); n > 0; n--)
		put_other_member(world, &line);
	snprintf(number, sizeof(number), "%" PRIu64, line_number);
	struct bytes whole =
		has_id ? bytes_join(id_prefix, "", id)
		       : bytes_join(line_prefix, ":", (struct bytes){number, strlen(number)});
	AUTO(bytes_free) struct bytes key = word_key(world);
	struct document *document = add_document(world, source, whole, hostile_as_text(key, true));
	AUTO(bytes_free) struct bytes text = text_around(world, document->word);
	put_string(&line, ",");
	hostile_put_json(&world->hostile, key, &line);
	put_string(&line, ":");
	hostile_put_json(&world->hostile, text, &line);
	put_string(&line, "}\n");
	bytes_put(to, line.data, line.n);
}

/* ---- sources ---- */

enum kind {
	FOLDER,
	FILE_ALONE,
	COLLECTION,
	INPUT,
	KINDS
};

struct source {
	enum kind kind;
	struct bytes name;    /* relative to the working directory */
	struct bytes spelled; /* as passed to the indexer */
	uint64_t n_lines;
	uint64_t n_inner_lines;
	struct bytes inner; /* path of a collection in the folder; data NULL: none */
};

static void write_file(struct world *world, int folder, const char *name, const char *bytes,
                       size_t n_bytes, bool appends)
{
	int fd = openat(folder, name,
	                O_WRONLY | O_CREAT | (appends ? O_APPEND : O_TRUNC) | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, n_bytes) != (ssize_t)n_bytes || close(fd) != 0)
		fail_at(world, "write a file", NULL, strerror(errno));
}

static bool is_there(int folder, const char *name)
{
	struct stat found;
	return fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

static void write_word(struct world *world, int folder, const char *name, const char *word)
{
	char text[WORD_BYTES + 8];
	int n_bytes = snprintf(text, sizeof(text), "the %s\n", word);
	write_file(world, folder, name, text, (size_t)n_bytes, false);
}

/* Writes a file with a word into an open folder whose path is `path`, unless the name exists. */
static void put_file(struct world *world, unsigned source, int folder, struct bytes path)
{
	AUTO(bytes_free) struct bytes name = hostile_file_name(&world->hostile, "");
	if (!is_there(folder, name.data)) {
		struct document *document = add_document(world, source,
		                                         path.n ? bytes_join(path, "/", name)
		                                                : bytes_of(name.data, name.n),
		                                         (struct bytes){NULL, 0});
		write_word(world, folder, name.data, document->word);
	}
}

#define MOST_PATH 3900 /* bytes, below the working directory */

/* Creates nested folders with files: a few levels, or as many as a path can have. */
static void fill_folder(struct world *world, unsigned source, int folder, struct bytes path)
{
	bool is_deep = draw(world, 8) == 0;
	AUTO(bytes_free) struct bytes at = bytes_of(path.data, path.n);
	int fd = dup(folder);
	for (uint64_t depth = is_deep ? 100 : draw(world, 3); depth > 0; depth--) {
		AUTO(bytes_free)
		struct bytes name =
			is_deep && draw(world, 4)
				? hostile_file_name(&world->hostile,
		                                    "-a-long-name-of-a-folder-among-other-folders-"
		                                    "so-that-paths-get-long")
				: hostile_file_name(&world->hostile, "");
		put_file(world, source, fd, at);
		if (at.n + name.n > MOST_PATH || is_there(fd, name.data) ||
		    mkdirat(fd, name.data, 0700) != 0)
			break;
		int below_fd = openat(fd, name.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct bytes joined = bytes_join(at, "/", name);
		free(at.data);
		close(fd);
		fd = below_fd;
		at = joined;
	}
	if (at.n + 256 < MOST_PATH)
		put_file(world, source, fd, at);
	close(fd);
}

static void put_inner_records(struct world *world, unsigned number, struct source *source,
                              int folder, bool appends)
{
	AUTO(bytes_free)
	struct bytes text = bytes_of(NULL, 0), hash = bytes_join(source->name, "/", source->inner),
		     path = bytes_of(hash.data, hash.n);
	bytes_put(&hash, "#", 1);
	for (uint64_t n = 1 + draw(world, 3); n > 0; n--)
		put_record(world, number * 2 + 1, hash, path, ++source->n_inner_lines, &text);
	write_file(world, folder, source->inner.data, text.data, text.n, appends);
}

static void put_records(struct world *world, unsigned number, struct source *source, bool appends)
{
	AUTO(bytes_free) struct bytes text = bytes_of(NULL, 0);
	/* The name of standard input is "-". */
	for (uint64_t n = 1 + draw(world, 4); n > 0; n--)
		put_record(world, number * 2, (struct bytes){NULL, 0}, source->name,
		           ++source->n_lines, &text);
	write_file(world, AT_FDCWD, source->kind == INPUT ? "input" : source->name.data, text.data,
	           text.n, appends);
}

/* Creates a source. False: the name already exists. */
static bool make_source(struct world *world, unsigned number, struct source *source)
{
	static const char *const ends[KINDS] = {"", ".txt", ".jsonl", ""};
	*source = (struct source){.kind = (enum kind)draw(world, number == 0 ? KINDS : INPUT)};
	if (source->kind == INPUT) {
		source->name = bytes_of("-", 1);
		source->spelled = bytes_of("-", 1);
		put_records(world, number, source, false);
		return true;
	}
	source->name = hostile_file_name(&world->hostile, ends[source->kind]);
	/* An index that has standard input as a source refuses a file named "-". */
	if (strcmp(source->name.data, "-") == 0)
		bytes_put(&source->name, "-", 1);
	if (is_there(AT_FDCWD, source->name.data))
		return false;
	source->spelled =
		bytes_of("./", source->name.data[0] == '-' || draw(world, 3) == 0 ? 2 : 0);
	bytes_put(&source->spelled, source->name.data, source->name.n);
	if (source->kind == FOLDER) {
		assert_int_equal(mkdir(source->name.data, 0700), 0);
		int folder = open(source->name.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		for (uint64_t n = 1 + draw(world, 3); n > 0; n--)
			fill_folder(world, number * 2, folder, source->name);
		struct bytes inner = hostile_file_name(&world->hostile, ".jsonl");
		if (draw(world, 2) && !is_there(folder, inner.data)) {
			source->inner = inner;
			put_inner_records(world, number, source, folder, false);
		} else {
			free(inner.data);
		}
		close(folder);
		bytes_put(&source->spelled, "///", draw(world, 3));
	} else if (source->kind == COLLECTION) {
		put_records(world, number, source, false);
	} else {
		struct document *document =
			add_document(world, number * 2, bytes_of(source->name.data, source->name.n),
		                     (struct bytes){NULL, 0});
		write_word(world, AT_FDCWD, source->name.data, document->word);
	}
	return true;
}

/* Adds documents to a source, except to standard input and single files. */
static void change_source(struct world *world, unsigned number, struct source *source)
{
	if (source->kind == COLLECTION) {
		put_records(world, number, source, true);
	} else if (source->kind == FOLDER) {
		int folder = open(source->name.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fill_folder(world, number * 2, folder, source->name);
		if (source->inner.data)
			put_inner_records(world, number, source, folder, true);
		close(folder);
	}
}

/* ---- the program ---- */

/* Runs the program with a NULL-terminated list of arguments and standard input from a file (NULL:
 * empty). Appends its output to *out and its errors to *complaint. */
static int run_program(const char *const *arguments, const char *input, struct bytes *out,
                       struct bytes *complaint)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int status = 0;
	static const char *const files[] = {"stdout", "stderr"};
	struct bytes *const to[] = {out, complaint};
	assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_addopen(&actions, 0, input ? input : "/dev/null", O_RDONLY, 0);
	for (int i = 0; i < 2; i++)
		posix_spawn_file_actions_addopen(&actions, 1 + i, files[i],
		                                 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(posix_spawn(&pid, program, &actions, NULL,
	                             (char *const *)(uintptr_t)arguments, environ),
	                 0);
	posix_spawn_file_actions_destroy(&actions);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (int i = 0; i < 2; i++) {
		char room[4096];
		ssize_t n;
		int fd = open(files[i], O_RDONLY | O_CLOEXEC);
		while ((n = read(fd, room, sizeof(room))) > 0)
			bytes_put(to[i], room, (size_t)n);
		close(fd);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void must_run(struct world *world, const char *step, const char *const *arguments,
                     const char *input)
{
	AUTO(bytes_free) struct bytes out = bytes_of(NULL, 0), complaint = bytes_of(NULL, 0);
	if (run_program(arguments, input, &out, &complaint) != 0)
		fail_at(world, step, NULL, complaint.data);
}

/* Queries all words at once with --ids -0; documents whose id contains NUL are left out. */
static void expect_from_program(struct world *world, const char *step)
{
	AUTO(bytes_free)
	struct bytes queries = bytes_of(NULL, 0), wanted = bytes_of(NULL, 0),
		     out = bytes_of(NULL, 0), complaint = bytes_of(NULL, 0);
	const char *const arguments[] = {program, "query",   "--index", world->dir, "--ids",
	                                 "-0",    "--batch", "queries", NULL};
	const char *const check[] = {program, "check", "--index", world->dir, NULL};
	bool has_nul = false;
	expect(world, step);
	for (size_t i = 0; i < world->n_documents; i++) {
		const struct document *document = &world->documents[i];
		put_string(&queries, document->word);
		put_string(&queries, "\n");
		bool is_shown = !document->is_dead &&
		                !memchr(document->local_id.data, '\0', document->local_id.n);
		has_nul |= !document->is_dead && !is_shown;
		if (is_shown)
			bytes_put(&wanted, document->local_id.data, document->local_id.n + 1);
		put_string(&wanted, "\n");
	}
	write_file(world, AT_FDCWD, "queries", queries.data, queries.n, false);
	int exit_status = run_program(arguments, NULL, &out, &complaint);
	if (!bytes_equal(wanted, out) || (exit_status != (has_nul ? 2 : 0) && exit_status != 1))
		fail_at(world, step, NULL,
		        complaint.n ? complaint.data : "other ids than expected");
	must_run(world, step, check, NULL);
}

/* ---- rounds that index sources (others add in-memory documents) ---- */

struct options {
	struct bytes weight, glob, record;
	const char *texts[3], *weights[2], *globs[2], *records[2];
};

/* The value may begin with -, so it is in the same argument. */
static void add_argument(struct world *world, const char *option, const char *value)
{
	assert_true(asprintf(&world->arguments[world->n_arguments++], "%s%s", option, value) > 0);
}

/* Draws options that both the program and the library accept, as a request and as arguments. */
static void choose_options(struct world *world, struct options *options,
                           struct bs_build_request *request)
{
	*options = (struct options){.weight = hostile_string(&world->hostile)};
	request->rules.hidden = request->rules.no_ignore = true;
	request->index.words = true;
	/* Grams are rare, because choosing them takes longer than all else. */
	request->index.grams = draw(world, 12) == 0;
	if (request->index.grams)
		add_argument(world, "--grams", "");
	request->rules.store = draw(world, 4) == 0;
	if (request->rules.store)
		add_argument(world, "--store", "");
	if (draw(world, 3) == 0) {
		world->id_field = hostile_string(&world->hostile);
		if (strcmp(world->id_field.data, "t") == 0)
			bytes_put(&world->id_field, "x", 1);
		request->rules.id_field = world->id_field.data;
		add_argument(world, "--id=", world->id_field.data);
	}
	if (draw(world, 4) == 0) {
		world->text_field = hostile_string(&world->hostile);
		for (size_t i = 0; program && i < world->text_field.n; i++)
			world->text_field.data[i] =
				world->text_field.data[i] == ',' ? ';' : world->text_field.data[i];
		options->texts[0] = "t";
		options->texts[1] = world->text_field.data;
		request->rules.text_fields = options->texts;
		add_argument(world, "--text=t,", world->text_field.data);
	}
	if (draw(world, 4) == 0) {
		bytes_put(&options->weight, "=9", 2);
		options->weights[0] = options->weight.data;
		request->index.weights = options->weights;
		add_argument(world, "--weight=", options->weight.data);
	}
	if (draw(world, 4) == 0) {
		/* A glob that excludes no existing file. */
		AUTO(bytes_free) struct bytes of = hostile_string(&world->hostile);
		options->glob = bytes_join((struct bytes){(char[]){"!"}, 1}, "", of);
		bytes_put(&options->glob, ".nothing", strlen(".nothing"));
		options->globs[0] = options->glob.data;
		request->rules.globs = options->globs;
	}
	if (draw(world, 4) == 0) {
		options->record = hostile_file_name(&world->hostile, ".nothing");
		options->records[0] = options->record.data;
		request->rules.records = options->records;
	}
}

static void free_options(struct options *options, struct world *world)
{
	free(options->weight.data);
	free(options->glob.data);
	free(options->record.data);
	free(world->id_field.data);
	free(world->text_field.data);
	while (world->n_arguments > 0)
		free(world->arguments[--world->n_arguments]);
	world->id_field = world->text_field = (struct bytes){NULL, 0};
}

/* Indexes by the program with the options of the request. */
static void index_by_program(struct world *world, const struct bs_build_request *request,
                             const char *step)
{
	const char *list[40] = {program,    "index",    "-q",          "--index",
	                        world->dir, "--hidden", "--no-ignore", "--words"};
	size_t n = request->n_sources > 0 ? 8 : 5;
	for (size_t i = 0; i < world->n_arguments && request->n_sources > 0; i++)
		list[n++] = world->arguments[i];
	for (size_t i = 0; request->rules.globs && request->rules.globs[i]; i++) {
		list[n++] = "-g";
		list[n++] = request->rules.globs[i];
	}
	for (size_t i = 0; request->rules.records && request->rules.records[i]; i++) {
		list[n++] = "--records";
		list[n++] = request->rules.records[i];
	}
	if (request->rebuild)
		list[n++] = "--rebuild";
	list[n++] = "--";
	for (size_t i = 0; i < request->n_sources; i++)
		list[n++] = request->sources[i];
	list[n] = NULL;
	must_run(world, step, list, is_there(AT_FDCWD, "input") ? "input" : NULL);
}

static void note_skip(void *context, enum bs_skip reason, const char *message)
{
	const struct world *world = context;
	if (reason != BS_SKIP_HIDDEN && reason != BS_SKIP_IGNORED)
		fail_at(world, "skipped", NULL, message);
}

/* Whether the request has an invalid glob. Such a glob must be refused before any file is
 * created. */
static bool are_globs_bad(struct world *world, const struct bs_build_request *request)
{
	struct bs_build_request alone = {.dir = "globs",
	                                 .rules.globs = request->rules.globs,
	                                 .rules.records = request->rules.records,
	                                 .sources = (const char *const[]){"empty"},
	                                 .n_sources = 1,
	                                 .index.words = true,
	                                 .rules.text_fields = (const char *const[]){"none", NULL}};
	if (!request->rules.globs && !request->rules.records)
		return false;
	assert_int_equal(mkdir("empty", 0700), 0);
	enum bs_status status = bs_index_build(&alone, NULL, ERR);
	if (status && status != BS_INVALID)
		must(world, "globs", status);
	assert_int_equal(system("rm -rf globs empty"), 0);
	return status != BS_OK;
}

static void build(struct world *world, struct bs_build_request *request, const char *step)
{
	struct bs_build_report report;
	if (program) {
		index_by_program(world, request, step);
		expect_from_program(world, step);
		return;
	}
	request->dir = world->dir;
	request->memory = world->memory;
	request->callbacks.skipped = note_skip;
	request->callbacks.context = world;
	request->host.consent = &consent;
	request->write.n_threads = 2;
	int input = open("input", O_RDONLY | O_CLOEXEC), before = dup(0);
	if (input >= 0)
		dup2(input, 0);
	enum bs_status status = bs_index_build(request, &report, ERR);
	if (input >= 0)
		dup2(before, 0);
	close(input);
	close(before);
	must(world, step, status);
	expect(world, step);
}

static bool is_alone(const struct world *world, const struct document *document)
{
	for (size_t i = 0; i < world->n_documents; i++)
		if (&world->documents[i] != document && !world->documents[i].is_dead &&
		    (bytes_equal(world->documents[i].local_id, document->local_id) ||
		     bytes_equal(world->documents[i].id, document->local_id)))
			return false;
	return true;
}

/* Deletes a document by its printed id, and sometimes undoes the deletion. */
static void delete_one(struct world *world)
{
	struct document *document = some_document(world);
	if (!document || document->local_id.n == 0 ||
	    memchr(document->local_id.data, '\0', document->local_id.n) ||
	    !is_alone(world, document))
		return;
	const char *ids[] = {document->local_id.data, NULL};
	struct bs_delete_request request = {.dir = world->dir,
	                                    .memory = world->memory,
	                                    .ids = ids,
	                                    .n_ids = 1,
	                                    .host.consent = &consent};
	struct bs_delete_result result = {0};
	must(world, "delete", bs_index_delete(&request, &result, ERR));
	if (result.n_deleted != 1)
		fail_at(world, "delete", document, "it is not deleted by its id");
	document->is_dead = true;
	expect(world, "delete");
	if (draw(world, 2))
		return;
	request.undo = true;
	must(world, "undelete", bs_index_delete(&request, &result, ERR));
	if (result.n_deleted != 1)
		fail_at(world, "undelete", document, "it is not restored by its id");
	/* A document that the index no longer holds is read again from its source; one from
	 * standard input is lost. */
	document->is_dead = result.n_lost > 0;
	if (result.n_to_read > 0) {
		struct bs_build_request refresh = {
			.dir = world->dir, .memory = world->memory, .host.consent = &consent};
		must(world, "undelete", bs_index_build(&refresh, NULL, ERR));
	}
	expect(world, "undelete");
}

static void write_sources(struct world *world)
{
	struct source sources[MOST_SOURCES];
	const char *spelled[MOST_SOURCES];
	size_t n = 0;
	struct options options;
	struct bs_build_request request = {.sources = spelled};
	choose_options(world, &options, &request);
	if (are_globs_bad(world, &request))
		request.rules.globs = request.rules.records = NULL;
	for (uint64_t wanted = 1 + draw(world, MOST_SOURCES); wanted > 0; wanted--)
		if (make_source(world, (unsigned)n, &sources[n]))
			n++;
		else
			free(sources[n].name.data);
	for (size_t i = 0; i < n; i++)
		spelled[i] = sources[i].spelled.data;
	request.n_sources = n;
	if (n > 0) {
		build(world, &request, "index");
		for (size_t i = 0; i < n; i++)
			change_source(world, (unsigned)i, &sources[i]);
		struct bs_build_request again = {.rebuild = false};
		build(world, &again, "refresh");
		delete_one(world);
		build(world, &again, "refresh after delete");
		compact_and_rebuild(world);
		again.rebuild = true;
		if (program)
			build(world, &again, "rebuild by the program");
	}
	for (size_t i = 0; i < n; i++) {
		free(sources[i].name.data);
		free(sources[i].spelled.data);
		free(sources[i].inner.data);
	}
	free_options(&options, world);
}

/* ---- a round ---- */

static void round_of(struct world *world)
{
	bool of_sources = program || draw(world, 2), in_memory = !of_sources && draw(world, 3) == 0;
	AUTO(bytes_free) struct bytes dir = hostile_file_name(&world->hostile, ".ix");
	AUTO(bytes_free) struct bytes nested = {NULL, 0};
	if (draw(world, 4) == 0 && !in_memory) {
		AUTO(bytes_free) struct bytes above = hostile_file_name(&world->hostile, ".above");
		nested = bytes_join(above, "/", dir);
	}
	if (in_memory)
		must(world, "memory", bs_memory_index_new(&world->memory, ERR));
	else
		world->dir = nested.data ? nested.data : dir.data;
	if (of_sources)
		write_sources(world);
	else
		write_given(world);
	if (!of_sources && !in_memory)
		write_catalog(world);
	bs_memory_index_free(world->memory);
	forget_documents(world);
	hostile_deinit(&world->hostile);
}

static void test_rounds(void **state)
{
	char folder[FOLDER_BYTES], path[FOLDER_BYTES + 24], before[4096];
	assert_non_null(getcwd(before, sizeof(before)));
	make_folder(folder);
	for (unsigned i = 0; i < rounds.n; i++) {
		struct world world = {
			.seed = rounds.seed + i,
			.hostile = {.random =
		                            (rounds.seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1}};
		snprintf(path, sizeof(path), "%s/%u", folder, i);
		assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(chdir(path), 0);
		/* the program stores in HOME which sources the user consented to */
		setenv("HOME", path, 1);
		round_of(&world);
		assert_int_equal(chdir(folder), 0);
		remove_folder(path);
	}
	assert_int_equal(chdir(before), 0);
	remove_folder(folder);
}

int main(int argc, char **argv)
{
	random_rounds(argc, argv, 24, 1);
	if (argc > 3)
		program = argv[3];
	unsetenv("BITSIFT_INDEX");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("XDG_STATE_HOME");
	return RUN_NAMES(NULL, NULL, NULL, NULL, test_rounds);
}
