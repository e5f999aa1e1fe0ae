/* catalog_file.c: see catalog_file.h. */
#include "core/catalog/catalog_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"

enum section {
	SECTION_ITEMS = 1,
	SECTION_SUMMARY = 2,
	SECTION_WORDS = 3,
	SECTION_FIELDS = 4
};

void bs_catalog_item_deinit(struct bs_catalog_item *item)
{
	free(item->place);
	free(item->name);
	bs_manifest_deinit(&item->read);
	bs_buffer_deinit(&item->own_summary);
	bs_buffer_deinit(&item->own_words);
	bs_buffer_deinit(&item->own_fields);
	*item = (struct bs_catalog_item){.flags = 0};
}

void bs_catalog_file_close(struct bs_catalog_file *file)
{
	for (size_t i = 0; i < file->n_items; i++)
		bs_catalog_item_deinit(&file->items[i]);
	free(file->items);
	bs_container_close(file->container);
	*file = (struct bs_catalog_file){.container = NULL};
}

/* Decodes bytes. The first invalid value sets is_bad, and nothing is read after it. */
struct reader {
	const uint8_t *at, *end;
	bool is_bad;
	bool has_no_memory; /* is_bad was set because memory ran out */
};

/* Reads a varint, which is invalid if it exceeds `most`. Returns 0 if it, or an earlier value, is
 * invalid. */
static uint64_t get(struct reader *from, uint64_t most)
{
	uint64_t value = 0;
	const uint8_t *next = from->is_bad ? NULL : bs_varint_get(from->at, from->end, &value);
	from->is_bad |= !next || value > most;
	if (from->is_bad)
		return 0;
	from->at = next;
	return value;
}

/* Reads a string. An empty string is returned as NULL; a NUL byte in a string is invalid. */
static char *get_string(struct reader *from)
{
	uint64_t n_bytes = get(from, (uint64_t)(from->end - from->at));
	if (n_bytes > (uint64_t)(from->end - from->at) ||
	    (n_bytes && memchr(from->at, '\0', n_bytes)))
		from->is_bad = true;
	if (from->is_bad || n_bytes == 0)
		return NULL;
	char *string = strndup((const char *)from->at, n_bytes);
	from->has_no_memory |= !string;
	from->is_bad |= !string;
	from->at += n_bytes;
	return string;
}

static void get_version(struct reader *from, char version[16])
{
	char *string = get_string(from);
	from->is_bad |= string && strlen(string) > 15;
	if (string && !from->is_bad)
		memcpy(version, string, strlen(string) + 1);
	free(string);
}

/* The minimum size of an item in the list: two strings that are not empty, eleven numbers, and four
 * strings. */
#define LEAST_ITEM_BYTES 19u

static void get_item(struct reader *from, struct bs_catalog_item *item)
{
	struct bs_recorded_options *options = &item->read.options;
	item->place = get_string(from);
	item->name = get_string(from);
	for (uint32_t i = 0; i < BS_CATALOG_FINGERPRINTS; i++)
		item->fingerprint[i] = get(from, UINT64_MAX);
	item->generation = get(from, UINT64_MAX);
	item->n_docs = get(from, UINT64_MAX >> 8);
	item->n_positions = get(from, UINT64_MAX >> 8);
	item->analysis = get(from, UINT64_MAX);
	item->flags = (unsigned)get(from, 15);
	uint64_t read_by = get(from, 7);
	options->words = read_by & 1;
	options->fold_accents = read_by & 2;
	options->split_identifiers = read_by & 4;
	options->words_revision = (uint32_t)get(from, UINT32_MAX);
	options->stem_language = get_string(from);
	options->analyzer_name = get_string(from);
	get_version(from, item->read.versions.icu);
	get_version(from, item->read.versions.unicode);
	from->is_bad |= !item->place || *item->place != '/' || !item->name;
}

enum bs_status bs_catalog_read_items(const uint8_t *bytes, size_t n_bytes,
                                     struct bs_catalog_file *file, struct bs_error *err)
{
	struct reader from = {.at = bytes, .end = bytes + n_bytes};
	uint64_t n = get(&from, n_bytes / LEAST_ITEM_BYTES);
	file->items = calloc(n + 1, sizeof(*file->items));
	if (!file->items)
		return bs_fail_memory(err, "a catalog", n * sizeof(*file->items));
	while (file->n_items < n && !from.is_bad)
		get_item(&from, &file->items[file->n_items++]);
	if (from.has_no_memory)
		return bs_fail_memory(err, "a catalog", 1);
	return from.is_bad || from.at != from.end
	               ? bs_fail(err, BS_CORRUPT, "not a list of indexes")
	               : BS_OK;
}

static enum bs_status open_item(struct bs_catalog_file *file, uint32_t i, struct bs_error *err)
{
	struct bs_catalog_item *item = &file->items[i];
	item->words = bs_container_section(file->container, SECTION_WORDS, i);
	item->fields = bs_container_section(file->container, SECTION_FIELDS, i);
	if (!(item->flags & BS_CATALOG_SUMMARY))
		return BS_OK;
	struct bs_section summary = bs_container_section(file->container, SECTION_SUMMARY, i);
	enum bs_status status = bs_summary_open(&summary, 0, summary.n_bytes, &item->summary, err);
	if (status != BS_NOT_FOUND && status != BS_UNSUPPORTED)
		return status;
	/* The summary has the format of an earlier or a later program. Clearing the fingerprint
	 * makes the catalog read the index again. */
	item->flags &= ~(unsigned)BS_CATALOG_SUMMARY;
	item->fingerprint[0] = 0;
	return BS_OK;
}

enum bs_status bs_catalog_file_open(const struct bs_dir *dir, const char *name,
                                    struct bs_catalog_file *file, struct bs_error *err)
{
	struct bs_error why;
	*file = (struct bs_catalog_file){.container = NULL};
	enum bs_status status =
		bs_container_open(dir, name, BS_FILE_CATALOG, &file->container, err);
	if (status)
		return status == BS_NOT_FOUND ? BS_OK : status;
	struct bs_section items = bs_container_section(file->container, SECTION_ITEMS, 0);
	status = bs_section_touch(&items, 0, items.n_bytes, err);
	if (!status &&
	    (status = bs_catalog_read_items(items.data, items.n_bytes, file, &why)) == BS_CORRUPT)
		status = bs_container_corrupt(file->container, err, "%s", why.text);
	for (uint32_t i = 0; i < file->n_items && !status; i++)
		status = open_item(file, i, err);
	if (status)
		bs_catalog_file_close(file);
	return status;
}

static enum bs_status damaged(const struct bs_catalog_item *item, const char *what,
                              struct bs_error *err)
{
	return bs_fail(
		err, BS_CORRUPT,
		"%s: the catalog's %s are damaged; mend it with `bitsift catalog remove` and `add`",
		item->place ? item->place : "an index", what);
}

enum bs_status bs_catalog_next_word(const struct bs_catalog_item *item,
                                    struct bs_catalog_word *word, bool *is_there_out,
                                    struct bs_error *err)
{
	const struct bs_section *words = &item->words;
	*is_there_out = false;
	if (word->offset >= words->n_bytes)
		return BS_OK;
	enum bs_status status = bs_section_touch(words, 0, words->n_bytes, err);
	if (status)
		return status;
	struct reader from = {.at = words->data + word->offset,
	                      .end = words->data + words->n_bytes};
	uint64_t n_shared = get(&from, word->word.used_bytes);
	uint64_t n_more = get(&from, words->n_bytes);
	if (n_more > (uint64_t)(from.end - from.at) || n_shared + n_more == 0 || from.is_bad)
		return damaged(item, "words", err);
	bool ascends = n_more > 0 && (n_shared == word->word.used_bytes ||
	                              from.at[0] > word->word.data[n_shared]);
	word->word.used_bytes = n_shared;
	status = bs_buffer_append(&word->word, from.at, n_more, err);
	from.at += n_more;
	word->df = get(&from, item->n_docs);
	word->offset = (uint64_t)(from.at - words->data);
	*is_there_out = !status;
	return !status && (from.is_bad || word->df == 0 || !ascends) ? damaged(item, "words", err)
	                                                             : status;
}

enum bs_status bs_catalog_df(const struct bs_catalog_item *item, const uint8_t *key,
                             size_t key_bytes, bool *is_known_out, uint64_t *df_out,
                             struct bs_error *err)
{
	struct bs_catalog_word word = {.offset = 0};
	bool is_there = true;
	enum bs_status status = BS_OK;
	*is_known_out = false;
	while (!status && is_there && !*is_known_out) {
		status = bs_catalog_next_word(item, &word, &is_there, err);
		if (!status && is_there)
			*is_known_out = bs_compare_bytes(word.word.data, word.word.used_bytes, key,
			                                 key_bytes) == 0;
	}
	*df_out = *is_known_out ? word.df : 0;
	bs_buffer_deinit(&word.word);
	return status;
}

enum bs_status bs_catalog_field_kinds(const struct bs_catalog_item *item, const uint8_t *name,
                                      size_t name_bytes, unsigned *kinds_out, struct bs_error *err)
{
	const struct bs_section *fields = &item->fields;
	struct reader from = {.at = fields->data, .end = fields->data + fields->n_bytes};
	enum bs_status status =
		fields->n_bytes ? bs_section_touch(fields, 0, fields->n_bytes, err) : BS_OK;
	*kinds_out = 0;
	while (!status && fields->n_bytes && from.at < from.end && !*kinds_out) {
		uint64_t n_bytes = get(&from, BS_MOST_FIELD_BYTES);
		if (from.is_bad || n_bytes == 0 || n_bytes >= (uint64_t)(from.end - from.at) ||
		    from.at[n_bytes] == 0 || from.at[n_bytes] > 3)
			return damaged(item, "fields", err);
		if (n_bytes == name_bytes && memcmp(from.at, name, n_bytes) == 0)
			*kinds_out = from.at[n_bytes];
		from.at += n_bytes + 1;
	}
	return status;
}

enum bs_status bs_catalog_item_check(const struct bs_catalog_item *item, struct bs_error *err)
{
	struct bs_catalog_word word = {.offset = 0};
	bool is_there = true;
	unsigned kinds;
	enum bs_status status = bs_catalog_field_kinds(item, (const uint8_t *)"", 0, &kinds, err);
	while (!status && is_there)
		status = bs_catalog_next_word(item, &word, &is_there, err);
	bs_buffer_deinit(&word.word);
	return status || !(item->flags & BS_CATALOG_SUMMARY)
	               ? status
	               : bs_summary_check(&item->summary, err);
}

static void put_string(struct bs_file_writer *writer, const char *string)
{
	size_t n_bytes = string ? strlen(string) : 0;
	bs_file_writer_varint(writer, n_bytes);
	bs_file_writer_bytes(writer, string ? string : "", n_bytes);
}

static void put_item(struct bs_file_writer *writer, const struct bs_catalog_item *item,
                     unsigned add)
{
	const struct bs_recorded_options *options = &item->read.options;
	put_string(writer, item->place);
	put_string(writer, item->name);
	for (uint32_t i = 0; i < BS_CATALOG_FINGERPRINTS; i++)
		bs_file_writer_varint(writer, item->fingerprint[i]);
	bs_file_writer_varint(writer, item->generation);
	bs_file_writer_varint(writer, item->n_docs);
	bs_file_writer_varint(writer, item->n_positions);
	bs_file_writer_varint(writer, item->analysis);
	bs_file_writer_varint(writer, item->flags | add);
	bs_file_writer_varint(writer, (uint64_t)options->words |
	                                      (uint64_t)options->fold_accents << 1 |
	                                      (uint64_t)options->split_identifiers << 2);
	bs_file_writer_varint(writer, options->words_revision);
	put_string(writer, options->stem_language);
	put_string(writer, options->analyzer_name);
	put_string(writer, item->read.versions.icu);
	put_string(writer, item->read.versions.unicode);
}

static enum bs_status put_section(struct bs_file_writer *writer, enum section id, uint32_t i,
                                  const struct bs_section *section, struct bs_error *err)
{
	enum bs_status status =
		section->n_bytes ? bs_section_touch(section, 0, section->n_bytes, err) : BS_OK;
	if (status || !section->n_bytes)
		return status;
	bs_file_writer_section(writer, id, i);
	bs_file_writer_bytes(writer, section->data, section->n_bytes);
	return BS_OK;
}

static enum bs_status put_parts(struct bs_file_writer *writer, uint32_t i,
                                const struct bs_catalog_item *item, struct bs_error *err)
{
	const uint8_t *summary;
	enum bs_status status = put_section(writer, SECTION_WORDS, i, &item->words, err);
	if (!status)
		status = put_section(writer, SECTION_FIELDS, i, &item->fields, err);
	if (status || !(item->flags & BS_CATALOG_SUMMARY))
		return status;
	status = bs_summary_bytes(&item->summary, &summary, err);
	if (status)
		return status;
	bs_file_writer_section(writer, SECTION_SUMMARY, i);
	bs_file_writer_bytes(writer, summary, item->summary.n_bytes);
	return BS_OK;
}

char *bs_catalog_sibling_name(const char *name, const char *end)
{
	char *beside;
	return asprintf(&beside, ".%s%s", name, end) < 0 ? NULL : beside;
}

/* Reads the new file back. If it is invalid, it is removed and the old file remains. */
static enum bs_status read_again(const struct bs_dir *dir, const char *name, size_t n_items,
                                 struct bs_error *err)
{
	struct bs_catalog_file again;
	struct bs_error why = {""};
	enum bs_status status = bs_catalog_file_open(dir, name, &again, &why);
	if (!status && again.n_items != n_items)
		status = bs_fail(&why, BS_CORRUPT, "%zu indexes of %zu", again.n_items, n_items);
	bs_catalog_file_close(&again);
	if (!status)
		return BS_OK;
	bs_dir_remove(dir, name);
	return bs_fail(err, status,
	               "%s: the catalog was not changed, because what was written cannot be read "
	               "again: %s",
	               dir->path, why.text);
}

enum bs_status bs_catalog_file_write(const struct bs_dir *dir, const char *name,
                                     struct bs_catalog_item *const *items, size_t n_items,
                                     unsigned add, struct bs_error *err)
{
	struct bs_file_writer *writer = NULL;
	char *temporary = bs_catalog_sibling_name(name, ".new");
	if (!temporary)
		return bs_fail_memory(err, "a name", strlen(name));
	bs_dir_remove(dir, temporary);
	enum bs_status status = bs_file_writer_open(dir, temporary, BS_FILE_CATALOG, &writer, err);
	if (!status) {
		bs_file_writer_section(writer, SECTION_ITEMS, 0);
		bs_file_writer_varint(writer, n_items);
		for (size_t i = 0; i < n_items; i++)
			put_item(writer, items[i], add);
	}
	for (uint32_t i = 0; i < n_items && !status; i++)
		status = put_parts(writer, i, items[i], err);
	if (!status)
		status = bs_file_writer_finish(writer, NULL, err);
	else
		bs_file_writer_abort(writer);
	if (!status)
		status = read_again(dir, temporary, n_items, err);
	if (!status)
		status = bs_dir_rename(dir, temporary, name, err);
	if (!status)
		status = bs_dir_flush(dir, err);
	free(temporary);
	return status;
}
