/* manifest.c: options of an index in memory; its manifest, read and replaced. See manifest.h; bytes in FORMAT.md. */
#include "core/store/manifest.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/bytes.h"
#include "core/base/hash.h"
#include "core/base/source_kind.h"
#include "core/bitsift/build.h"
#include "core/bitsift/host.h"
#include "core/bitsift/skip.h"
#include "core/store/doc_table.h"
#include "core/store/field_weights.h"

#define SECTION_OPTIONS  1u
#define SECTION_SOURCES  2u
#define SECTION_SEGMENTS 3u
#define SECTION_FIELDS   4u
#define SECTION_NON_DOCUMENTS 5u
#define SECTION_LEFT_OUT 6u
#define SECTION_WORDS 7u
#define SECTION_SUMMARY 8u
#define SECTION_RECORD_GRAMS 9u

#define WORDS_SPLIT_IDENTIFIERS 1u
#define WORDS_ANALYZER          2u

#define SEGMENT_FULL 1u
#define SOURCE_SUSPECT 1u
#define SOURCE_INNER   2u
#define SEGMENT_ROWS 2u

/* The options that are yes or no: bit i of the flags says flag_options[i]. */
static const size_t flag_options[] = {
	offsetof(struct bs_index_options, words),        offsetof(struct bs_index_options, grams),
	offsetof(struct bs_index_options, store),        offsetof(struct bs_index_options, fold_accents),
	offsetof(struct bs_index_options, hidden),       offsetof(struct bs_index_options, no_ignore),
	offsetof(struct bs_index_options, binary_as_text), offsetof(struct bs_index_options, gram_collections),
	offsetof(struct bs_index_options, reads_records),
};
#define N_FLAGS (sizeof(flag_options) / sizeof(*flag_options))

void bs_index_options_deinit(struct bs_index_options *options)
{
	free(options->stem_language);
	free(options->id_field);
	bs_strings_free(options->text_fields);
	bs_strings_free(options->globs);
	bs_strings_free(options->records);
	bs_strings_free(options->weights);
	free(options->analyzer_name);
	*options = (struct bs_index_options){0};
}

enum bs_status bs_index_options_copy(const struct bs_index_options *options, struct bs_index_options *copy_out,
                                     struct bs_error *err)
{
	*copy_out = *options;
	copy_out->stem_language = options->stem_language ? strdup(options->stem_language) : NULL;
	copy_out->id_field = options->id_field ? strdup(options->id_field) : NULL;
	copy_out->analyzer_name = options->analyzer_name ? strdup(options->analyzer_name) : NULL;
	copy_out->text_fields = NULL;
	copy_out->globs = NULL;
	copy_out->records = NULL;
	copy_out->weights = NULL;
	if ((options->stem_language && !copy_out->stem_language) || (options->id_field && !copy_out->id_field) ||
	    (options->analyzer_name && !copy_out->analyzer_name))
		return bs_fail_memory(err, "options", sizeof(*options));
	enum bs_status status = bs_strings_copy(options->text_fields, &copy_out->text_fields, err);
	if (!status)
		status = bs_strings_copy(options->globs, &copy_out->globs, err);
	if (!status)
		status = bs_strings_copy(options->records, &copy_out->records, err);
	return status ? status : bs_strings_copy(options->weights, &copy_out->weights, err);
}

static bool strings_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool lists_equal(char *const *a, char *const *b)
{
	size_t n = bs_strings_length(a);
	if (n != bs_strings_length(b))
		return false;
	for (size_t i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* As it is stored: what was written and read again is still equal to what was asked for. */
static uint64_t density_ppm(double density)
{
	return (uint64_t)(density * 1e6 + 0.5);
}

uint64_t bs_max_document(const struct bs_index_options *options)
{
	return options->max_document ? options->max_document : BS_DEFAULT_MAX_DOCUMENT;
}

bool bs_index_options_equal(const struct bs_index_options *a, const struct bs_index_options *b)
{
	return a->words == b->words && a->grams == b->grams && a->store == b->store && a->fold_accents == b->fold_accents &&
	       a->hidden == b->hidden && a->no_ignore == b->no_ignore && a->binary_as_text == b->binary_as_text &&
	       density_ppm(a->density) == density_ppm(b->density) && bs_max_document(a) == bs_max_document(b) &&
	       strings_equal(a->stem_language, b->stem_language) && strings_equal(a->id_field, b->id_field) &&
	       lists_equal(a->text_fields, b->text_fields) && lists_equal(a->globs, b->globs) &&
	       a->reads_records == b->reads_records && lists_equal(a->records, b->records) &&
	       a->split_identifiers == b->split_identifiers && lists_equal(a->weights, b->weights) &&
	       strings_equal(a->analyzer_name, b->analyzer_name);
}

bool bs_index_options_read_same(const struct bs_index_options *a, const struct bs_index_options *b)
{
	return strings_equal(a->id_field, b->id_field) && lists_equal(a->text_fields, b->text_fields);
}

struct bs_words_options bs_index_words_options(const struct bs_index_options *options)
{
	return (struct bs_words_options){
		.stem_language = options->stem_language,
		.fold_accents = options->fold_accents,
		.split_identifiers = options->split_identifiers,
		.analyzer = options->analyzer,
		.analyzer_name = options->analyzer_name,
	};
}

enum bs_status bs_index_options_bind(struct bs_index_options *options, const struct bs_analyzer *analyzer, const char *where,
                                     struct bs_error *err)
{
	enum bs_status status = analyzer ? bs_check_reserved("struct bs_analyzer", analyzer->reserved,
	                                                     sizeof(analyzer->reserved) / sizeof(*analyzer->reserved), err) : BS_OK;
	if (!status && analyzer)
		status = bs_words_check_analyzer_name(analyzer->name, err);
	if (!status)
		status = bs_words_check_analyzer(analyzer, options->analyzer_name, where, err);
	options->analyzer = status ? NULL : analyzer;
	return status;
}

static void source_record_deinit(struct bs_source_record *record)
{
	free(record->label);
	free(record->path);
}

void bs_manifest_deinit(struct bs_manifest *manifest)
{
	bs_index_options_deinit(&manifest->options);
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		source_record_deinit(&manifest->sources[i]);
	free(manifest->sources);
	free(manifest->segments);
	bs_term_table_deinit(&manifest->fields);
	bs_buffer_deinit(&manifest->non_documents);
	*manifest = (struct bs_manifest){0};
}

static enum bs_status copy_source(const struct bs_source_record *record, struct bs_source_record *copy_out,
                                  struct bs_error *err)
{
	*copy_out = *record;
	copy_out->label = strdup(record->label);
	copy_out->path = strdup(record->path);
	if (copy_out->label && copy_out->path)
		return BS_OK;
	source_record_deinit(copy_out);
	return bs_fail_memory(err, "a source", strlen(record->label) + strlen(record->path));
}

enum bs_status bs_manifest_add_source(struct bs_manifest *manifest, const struct bs_source_record *record,
                                      struct bs_error *err)
{
	size_t n_bytes = ((size_t)manifest->n_sources + 1) * sizeof(*manifest->sources);
	struct bs_source_record *sources = realloc(manifest->sources, n_bytes);
	if (!sources)
		return bs_fail_memory(err, "the list of sources", n_bytes);
	manifest->sources = sources;
	enum bs_status status = copy_source(record, &sources[manifest->n_sources], err);
	manifest->n_sources += !status;
	return status;
}

enum bs_status bs_manifest_replace_source(struct bs_manifest *manifest, uint32_t i, const struct bs_source_record *record,
                                          struct bs_error *err)
{
	struct bs_source_record copy;
	enum bs_status status = copy_source(record, &copy, err);
	if (status)
		return status;
	source_record_deinit(&manifest->sources[i]);
	manifest->sources[i] = copy;
	return BS_OK;
}

enum bs_status bs_manifest_label_below(const char *label, const char *path, char **label_out, struct bs_error *err)
{
	bool has_slash = *label && strcmp(label, "/") != 0;
	size_t n_bytes = strlen(label) + has_slash + strlen(path) + 1;
	char *whole = malloc(n_bytes);
	*label_out = whole;
	if (!whole)
		return bs_fail_memory(err, "a source", n_bytes);
	stpcpy(stpcpy(stpcpy(whole, label), has_slash ? "/" : ""), path);
	return BS_OK;
}

enum bs_status bs_manifest_add_segment(struct bs_manifest *manifest, const struct bs_segment_record *record,
                                       struct bs_error *err)
{
	size_t n_bytes = ((size_t)manifest->n_segments + 1) * sizeof(*manifest->segments);
	struct bs_segment_record *segments = realloc(manifest->segments, n_bytes);
	if (!segments)
		return bs_fail_memory(err, "the list of segments", n_bytes);
	manifest->segments = segments;
	segments[manifest->n_segments++] = *record;
	return BS_OK;
}

enum bs_status bs_manifest_add_field(struct bs_manifest *manifest, const char *name, size_t name_bytes,
                                     struct bs_error *err)
{
	uint32_t number;
	if (name_bytes > BS_MOST_FIELD_BYTES || manifest->fields.n_terms >= BS_MOST_FIELDS)
		return BS_OK;
	return bs_term_table_intern(&manifest->fields, (const uint8_t *)name, (uint32_t)name_bytes,
	                            bs_hash_slot(name, name_bytes), &number, NULL, err);
}

enum bs_status bs_manifest_add_fields(struct bs_manifest *manifest, const struct bs_term_table *fields,
                                      struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < fields->n_terms && !status; i++)
		status = bs_manifest_add_field(manifest, (const char *)bs_term_table_key(fields, i), fields->entries[i].n_bytes, err);
	return status;
}

/* An entry is the number of its source and where its first NUL byte ends, four bytes each, and its name, NUL-ended: in
 * memory as in the file. */
#define NON_DOCUMENT_HEAD_BYTES 8u

enum bs_status bs_manifest_add_non_document(struct bs_manifest *manifest, const struct bs_non_documents *file,
                                            struct bs_error *err)
{
	uint8_t head[NON_DOCUMENT_HEAD_BYTES];
	bs_store_u32(head, file->source);
	bs_store_u32(head + 4, file->nul_end);
	enum bs_status status = bs_buffer_append(&manifest->non_documents, head, sizeof(head), err);
	return status ? status : bs_buffer_append(&manifest->non_documents, file->name, strlen(file->name) + 1, err);
}

bool bs_manifest_next_non_document(const struct bs_manifest *manifest, size_t *at, struct bs_non_documents *file_out)
{
	const struct bs_buffer *list = &manifest->non_documents;
	if (*at >= list->used_bytes)
		return false;
	*file_out = (struct bs_non_documents){
		.source = bs_load_u32(list->data + *at),
		.nul_end = bs_load_u32(list->data + *at + 4),
		.name = (const char *)list->data + *at + NON_DOCUMENT_HEAD_BYTES,
	};
	*at += NON_DOCUMENT_HEAD_BYTES + strlen(file_out->name) + 1;
	return true;
}

static enum bs_status has_other_versions(const struct bs_manifest *manifest, bool *has_other_out, struct bs_error *err)
{
	char icu[16], unicode[16];
	enum bs_status status = bs_words_versions(icu, unicode, err);
	*has_other_out = !status &&
	                 (strcmp(icu, manifest->versions.icu) != 0 || strcmp(unicode, manifest->versions.unicode) != 0);
	return status;
}

enum bs_status bs_manifest_has_other_words(const struct bs_manifest *manifest, bool *has_other_out, struct bs_error *err)
{
	enum bs_status status = has_other_versions(manifest, has_other_out, err);
	*has_other_out |= manifest->options.words_revision < BS_WORDS_REVISION;
	*has_other_out &= manifest->options.words && !manifest->options.analyzer_name;
	return status;
}

enum bs_status bs_manifest_is_outdated(const struct bs_manifest *manifest, bool *is_outdated_out, struct bs_error *err)
{
	bool has_other_words = false;
	enum bs_status status = has_other_versions(manifest, is_outdated_out, err);
	if (!status)
		status = bs_manifest_has_other_words(manifest, &has_other_words, err);
	*is_outdated_out |= has_other_words;
	return status;
}

void bs_manifest_mix_words(struct bs_manifest *manifest)
{
	size_t n = strlen(manifest->versions.icu);
	if (n > 0 && manifest->versions.icu[n - 1] == '+')
		return;
	n = n < sizeof(manifest->versions.icu) - 2 ? n : sizeof(manifest->versions.icu) - 2;
	memcpy(manifest->versions.icu + n, "+", 2);
}

enum bs_status bs_manifest_copy_head(const struct bs_manifest *manifest, struct bs_manifest *copy_out,
                                     struct bs_error *err)
{
	*copy_out = *manifest;
	copy_out->sources = NULL;
	copy_out->n_sources = 0;
	copy_out->segments = NULL;
	copy_out->n_segments = 0;
	copy_out->summary.number = copy_out->summary.counts_number = 0;
	copy_out->fields = (struct bs_term_table){0};
	copy_out->non_documents = (struct bs_buffer){0};
	enum bs_status status = bs_index_options_copy(&manifest->options, &copy_out->options, err);
	if (!status)
		status = bs_manifest_add_fields(copy_out, &manifest->fields, err);
	if (!status)
		status = bs_buffer_append(&copy_out->non_documents, manifest->non_documents.data,
		                          manifest->non_documents.used_bytes, err);
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++)
		status = bs_manifest_add_source(copy_out, &manifest->sources[i], err);
	if (status)
		bs_manifest_deinit(copy_out);
	return status;
}

static uint32_t option_flags(const struct bs_index_options *options)
{
	uint32_t flags = 0;
	for (size_t i = 0; i < N_FLAGS; i++)
		flags |= (uint32_t)*(const bool *)((const char *)options + flag_options[i]) << i;
	return flags;
}

static void write_text(struct bs_file_writer *writer, const void *text, size_t n_bytes)
{
	bs_file_writer_varint(writer, n_bytes);
	bs_file_writer_bytes(writer, text, n_bytes);
}

static void write_string(struct bs_file_writer *writer, const char *string)
{
	write_text(writer, string, strlen(string));
}

/* A nullable string is a list of none or one. */
static void write_optional(struct bs_file_writer *writer, const char *string)
{
	bs_file_writer_varint(writer, string ? 1 : 0);
	if (string)
		write_string(writer, string);
}

static void write_list(struct bs_file_writer *writer, char *const *list)
{
	bs_file_writer_varint(writer, bs_strings_length(list));
	for (size_t i = 0; list && list[i]; i++)
		write_string(writer, list[i]);
}

static void write_options(struct bs_file_writer *writer, const struct bs_manifest *manifest)
{
	const struct bs_index_options *options = &manifest->options;
	bs_file_writer_section(writer, SECTION_OPTIONS, 0);
	bs_file_writer_u64(writer, manifest->generation);
	bs_file_writer_u64(writer, manifest->next_number);
	bs_file_writer_u32(writer, option_flags(options));
	bs_file_writer_u64(writer, density_ppm(options->density));
	write_string(writer, manifest->versions.icu);
	write_string(writer, manifest->versions.unicode);
	write_optional(writer, options->stem_language);
	write_optional(writer, options->id_field);
	write_list(writer, options->text_fields);
	write_list(writer, options->globs);
	bs_file_writer_u64(writer, bs_max_document(options));
	write_list(writer, options->records);
}

/* An index of the first rules, of whole words that count alike, has no such section. */
static void write_words(struct bs_file_writer *writer, const struct bs_index_options *options)
{
	if (options->words_revision == 0 && !options->split_identifiers && !options->weights && !options->analyzer_name)
		return;
	bs_file_writer_section(writer, SECTION_WORDS, 0);
	bs_file_writer_varint(writer, options->words_revision);
	bs_file_writer_varint(writer, (options->split_identifiers ? WORDS_SPLIT_IDENTIFIERS : 0) |
	                                  (options->analyzer_name ? WORDS_ANALYZER : 0));
	write_list(writer, options->weights);
	if (options->analyzer_name)
		write_string(writer, options->analyzer_name);
	bs_file_writer_require(writer, (options->words_revision ? BS_FEATURE_WORD_RULES : 0) |
	                          (options->split_identifiers ? BS_FEATURE_SPLIT_IDENTIFIERS : 0) |
	                          (options->weights ? BS_FEATURE_FIELD_WEIGHTS : 0) |
	                          (options->analyzer_name ? BS_FEATURE_ANALYZER : 0));
}

/* Earlier programs pass over it: what they commit has no summary, until a later one makes one. */
static void write_summary(struct bs_file_writer *writer, const struct bs_manifest *manifest)
{
	bs_file_writer_section(writer, SECTION_SUMMARY, 0);
	bs_file_writer_u64(writer, manifest->summary.number);
	bs_file_writer_u64(writer, manifest->options.summary_rate);
	bs_file_writer_u64(writer, manifest->summary.counts_number);
}

/* Earlier programs pass over it: what they commit keeps no such grams from then on. */
static void write_record_grams(struct bs_file_writer *writer, const struct bs_index_options *options)
{
	if (!options->record_grams)
		return;
	bs_file_writer_section(writer, SECTION_RECORD_GRAMS, 0);
	bs_file_writer_varint(writer, 1);
}

static void write_sources(struct bs_file_writer *writer, const struct bs_manifest *manifest)
{
	bs_file_writer_section(writer, SECTION_SOURCES, 0);
	bs_file_writer_varint(writer, manifest->n_sources);
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		const struct bs_source_record *source = &manifest->sources[i];
		bs_file_writer_u32(writer, source->kind);
		bs_file_writer_u32(writer, (source->is_suspect ? SOURCE_SUSPECT : 0) | (source->parent ? SOURCE_INNER : 0));
		for (int word = 0; word < 4; word++)
			bs_file_writer_u64(writer, source->stamp[word]);
		bs_file_writer_u64(writer, source->read_bytes);
		bs_file_writer_u64(writer, source->read_lines);
		bs_file_writer_u64(writer, source->read_checksum);
		if (source->parent)
			bs_file_writer_varint(writer, source->parent - 1);
		else
			write_string(writer, source->label);
		write_string(writer, source->path);
	}
}

/* A number of one source for one reason, or, with a name, for one kind of binary files. */
static void write_number_left_out(struct bs_file_writer *writer, uint32_t source, uint32_t reason, uint64_t n, const char *kind)
{
	bs_file_writer_varint(writer, source);
	bs_file_writer_varint(writer, reason);
	bs_file_writer_varint(writer, n);
	write_string(writer, kind);
}

/* An index whose sources leave nothing out has no such section. */
static void write_left_out(struct bs_file_writer *writer, const struct bs_manifest *manifest)
{
	bool has_begun = false;
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		const struct bs_left_out *left_out = &manifest->sources[i].left_out;
		for (uint32_t reason = 0; reason < BS_SKIP_MAX; reason++) {
			if (left_out->n[reason] == 0)
				continue;
			if (!has_begun)
				bs_file_writer_section(writer, SECTION_LEFT_OUT, 0);
			has_begun = true;
			write_number_left_out(writer, i, reason, left_out->n[reason], "");
		}
		for (size_t k = 0; k < BS_SKIP_KINDS && left_out->binary[k].n_files > 0; k++)
			write_number_left_out(writer, i, BS_SKIP_BINARY, left_out->binary[k].n_files, left_out->binary[k].name);
	}
}

static void write_segments(struct bs_file_writer *writer, const struct bs_manifest *manifest)
{
	bs_file_writer_section(writer, SECTION_SEGMENTS, 0);
	bs_file_writer_varint(writer, manifest->n_segments);
	for (uint32_t i = 0; i < manifest->n_segments; i++) {
		const struct bs_segment_record *segment = &manifest->segments[i];
		bs_file_writer_u64(writer, segment->number);
		bs_file_writer_u64(writer, segment->tombstones);
		bs_file_writer_u64(writer, segment->n_docs);
		bs_file_writer_u64(writer, segment->n_deleted);
		bs_file_writer_u64(writer, segment->n_bytes);
		bs_file_writer_u32(writer, (segment->is_full ? SEGMENT_FULL : 0) | (segment->is_rows ? SEGMENT_ROWS : 0));
	}
	bs_file_writer_u64(writer, manifest->exclusions.number);
	bs_file_writer_u64(writer, manifest->exclusions.n_docs);
	bs_file_writer_section(writer, SECTION_FIELDS, 0);
	bs_file_writer_varint(writer, manifest->fields.n_terms);
	for (uint32_t i = 0; i < manifest->fields.n_terms; i++)
		write_text(writer, bs_term_table_key(&manifest->fields, i), manifest->fields.entries[i].n_bytes);
	if (manifest->options.grams) {
		bs_file_writer_section(writer, SECTION_NON_DOCUMENTS, 0);
		bs_file_writer_bytes(writer, manifest->non_documents.data, manifest->non_documents.used_bytes);
	}
}

static const char temporary[] = "manifest.new";

static enum bs_status write_file(const struct bs_dir *dir, const struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_file_writer *writer;
	bs_dir_remove(dir, temporary);
	/* The segments this manifest names must be found after a crash: their folder's entries go to disk first. */
	enum bs_status status = bs_dir_flush(dir, err);
	if (!status)
		status = bs_file_writer_open(dir, temporary, BS_FILE_MANIFEST, &writer, err);
	if (status)
		return status;
	write_options(writer, manifest);
	write_sources(writer, manifest);
	write_segments(writer, manifest);
	write_left_out(writer, manifest);
	write_words(writer, &manifest->options);
	write_summary(writer, manifest);
	write_record_grams(writer, &manifest->options);
	return bs_file_writer_finish(writer, NULL, err);
}

struct cursor {
	const struct bs_container *file;
	const uint8_t *at;
	const uint8_t *end;
	enum bs_status status;
	struct bs_error *err;
};

static struct cursor cursor_open(const struct bs_container *file, uint32_t id, struct bs_error *err)
{
	struct bs_section section = bs_container_section(file, id, 0);
	struct cursor cursor = {.file = file, .at = section.data, .end = section.data + section.n_bytes, .err = err};
	cursor.status = bs_section_touch(&section, 0, section.n_bytes, err);
	return cursor;
}

static bool cursor_has(struct cursor *cursor, uint64_t n_bytes)
{
	if (!cursor->status && n_bytes > (uint64_t)(cursor->end - cursor->at))
		cursor->status = bs_container_corrupt(cursor->file, cursor->err, "a section ends too early");
	return !cursor->status;
}

static void expect(struct cursor *cursor, bool is_right, const char *what, unsigned long long number)
{
	if (!cursor->status && !is_right)
		cursor->status = bs_container_corrupt(cursor->file, cursor->err, "%s %llu", what, number);
}

static enum bs_status cursor_close(struct cursor *cursor)
{
	expect(cursor, cursor->at == cursor->end, "bytes behind the end of a section:",
	       (unsigned long long)(cursor->end - cursor->at));
	return cursor->status;
}

static uint32_t read_u32(struct cursor *cursor)
{
	if (!cursor_has(cursor, 4))
		return 0;
	cursor->at += 4;
	return bs_load_u32(cursor->at - 4);
}

static uint64_t read_u64(struct cursor *cursor)
{
	if (!cursor_has(cursor, 8))
		return 0;
	cursor->at += 8;
	return bs_load_u64(cursor->at - 8);
}

static uint64_t read_varint(struct cursor *cursor)
{
	uint64_t value = 0;
	const uint8_t *at = cursor->status ? NULL : bs_varint_get(cursor->at, cursor->end, &value);
	if (!at) {
		cursor_has(cursor, UINT64_MAX);
		return 0;
	}
	cursor->at = at;
	return value;
}

/* A count of things that take at least a byte each: more than the bytes left is damage, and would be a huge loop. */
static uint64_t read_count(struct cursor *cursor)
{
	uint64_t value = read_varint(cursor);
	return cursor_has(cursor, value) ? value : 0;
}

/* Borrowed, without an end. */
static const char *read_text(struct cursor *cursor, size_t *n_bytes_out)
{
	uint64_t n_bytes = read_count(cursor);
	const char *text = (const char *)cursor->at;
	expect(cursor, !memchr(text, '\0', (size_t)n_bytes), "a zero byte in a string of bytes:", n_bytes);
	*n_bytes_out = (size_t)n_bytes;
	cursor->at += cursor->status ? 0 : n_bytes;
	return text;
}

static char *read_string(struct cursor *cursor)
{
	size_t n_bytes;
	const char *text = read_text(cursor, &n_bytes);
	char *string = cursor->status ? NULL : strndup(text, n_bytes);
	if (!cursor->status && !string)
		cursor->status = bs_fail_memory(cursor->err, "a string", n_bytes);
	return string;
}

static char *read_optional(struct cursor *cursor)
{
	uint64_t n = read_count(cursor);
	expect(cursor, n <= 1, "strings where there is one at most:", n);
	return n ? read_string(cursor) : NULL;
}

static char **read_list(struct cursor *cursor)
{
	uint64_t n = read_count(cursor);
	if (n == 0)
		return NULL;
	char **list = calloc((size_t)n + 1, sizeof(*list));
	if (!list) {
		cursor->status = bs_fail_memory(cursor->err, "a list", (n + 1) * sizeof(*list));
		return NULL;
	}
	for (uint64_t i = 0; i < n; i++)
		list[i] = read_string(cursor);
	return list;
}

static void read_version(struct cursor *cursor, char version_out[16])
{
	char *version = read_string(cursor);
	expect(cursor, !version || strlen(version) < 16,
	       "a version that is too long, of bytes:", version ? strlen(version) : 0);
	snprintf(version_out, 16, "%s", version ? version : "");
	free(version);
}

static enum bs_status read_options(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	struct cursor cursor = cursor_open(file, SECTION_OPTIONS, err);
	struct bs_index_options *options = &manifest->options;
	manifest->generation = read_u64(&cursor);
	manifest->next_number = read_u64(&cursor);
	uint32_t flags = read_u32(&cursor);
	uint64_t density = read_u64(&cursor);
	expect(&cursor, manifest->generation > 0 && manifest->generation < BS_MOST_NUMBER, "commit number",
	       manifest->generation);
	expect(&cursor, manifest->next_number < BS_MOST_NUMBER, "next file number", manifest->next_number);
	expect(&cursor, flags >> N_FLAGS == 0, "unknown options", flags);
	expect(&cursor, density >= density_ppm(BS_LEAST_DENSITY) && density <= density_ppm(BS_MOST_DENSITY), "density in millionths:", density);
	for (size_t i = 0; i < N_FLAGS; i++)
		*(bool *)((char *)options + flag_options[i]) = flags >> i & 1;
	options->density = (double)density / 1e6;
	read_version(&cursor, manifest->versions.icu);
	read_version(&cursor, manifest->versions.unicode);
	options->stem_language = read_optional(&cursor);
	options->id_field = read_optional(&cursor);
	options->text_fields = read_list(&cursor);
	options->globs = read_list(&cursor);
	/* Indexes of before this option end here. */
	options->max_document = cursor.at < cursor.end ? read_u64(&cursor) : BS_DEFAULT_MAX_DOCUMENT;
	options->records = cursor.at < cursor.end ? read_list(&cursor) : NULL;
	expect(&cursor, options->max_document > 0 && options->max_document <= BS_MAX_DOCUMENT_BYTES, "a limit of documents of",
	       options->max_document);
	return cursor_close(&cursor);
}

static enum bs_status read_words(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_index_options *options = &manifest->options;
	if (bs_container_section(file, SECTION_WORDS, 0).n_bytes == 0)
		return BS_OK;
	struct cursor cursor = cursor_open(file, SECTION_WORDS, err);
	uint64_t revision = read_varint(&cursor), flags = read_varint(&cursor);
	options->weights = read_list(&cursor);
	options->words_revision = (uint32_t)revision;
	options->split_identifiers = flags & WORDS_SPLIT_IDENTIFIERS;
	if (flags & WORDS_ANALYZER)
		options->analyzer_name = read_string(&cursor);
	expect(&cursor, flags <= (WORDS_SPLIT_IDENTIFIERS | WORDS_ANALYZER), "unknown options of words", flags);
	expect(&cursor, !options->analyzer_name || !bs_words_check_analyzer_name(options->analyzer_name, NULL),
	       "the name of an analyzer that is none, of bytes", options->analyzer_name ? strlen(options->analyzer_name) : 0);
	expect(&cursor, cursor.status || bs_field_weights_are_valid(options->weights), "weights of fields that are none, of",
	       bs_strings_length(options->weights));
	if (!cursor.status && revision > BS_WORDS_REVISION)
		return bs_fail(err, BS_UNSUPPORTED, "%s: its words were found by rules %llu, this bitsift knows up to %u; use the one "
		               "that made it, or rebuild it with `bitsift index --rebuild`", bs_container_path(file),
		               (unsigned long long)revision, BS_WORDS_REVISION);
	return cursor_close(&cursor);
}

static enum bs_status read_summary(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	manifest->options.summary_rate = BS_SUMMARY_DEFAULT;
	const uint64_t n_bytes = bs_container_section(file, SECTION_SUMMARY, 0).n_bytes;
	if (n_bytes == 0)
		return BS_OK;
	struct cursor cursor = cursor_open(file, SECTION_SUMMARY, err);
	manifest->summary.number = read_u64(&cursor);
	manifest->options.summary_rate = read_u64(&cursor);
	/* A summary without counts beside it is of another making: there is none. */
	if (n_bytes == 2 * sizeof(uint64_t))
		manifest->summary.number = 0;
	else
		manifest->summary.counts_number = read_u64(&cursor);
	expect(&cursor, !manifest->summary.number == !manifest->summary.counts_number,
	       "a summary or its counts without the other, file",
	       manifest->summary.number + manifest->summary.counts_number);
	expect(&cursor, manifest->options.summary_rate <= BS_SUMMARY_MOST_RATE, "a summary of rate", manifest->options.summary_rate);
	expect(&cursor, manifest->options.summary_rate > 0 || !manifest->summary.number,
	       "a summary where there is none, file", manifest->summary.number);
	return cursor_close(&cursor);
}

static enum bs_status read_record_grams(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	if (bs_container_section(file, SECTION_RECORD_GRAMS, 0).n_bytes == 0)
		return BS_OK;
	struct cursor cursor = cursor_open(file, SECTION_RECORD_GRAMS, err);
	uint64_t which = read_varint(&cursor);
	expect(&cursor, which == 1, "grams of unknown documents", which);
	manifest->options.record_grams = which == 1;
	return cursor_close(&cursor);
}

/* The folder that a collection was found in. Its label comes from there. */
static void read_parent(struct cursor *cursor, const struct bs_manifest *manifest, struct bs_source_record *source)
{
	uint64_t parent = read_varint(cursor);
	expect(cursor, parent < manifest->n_sources && manifest->sources[parent].kind == BS_SOURCE_FOLDER,
	       "a collection in a folder that is none, source", parent);
	source->path = read_string(cursor);
	expect(cursor, source->kind == BS_SOURCE_COLLECTION, "a source in another one, of kind", source->kind);
	expect(cursor, source->path && bs_doc_name_is_below((const uint8_t *)source->path, (uint32_t)strlen(source->path)),
	       "a collection that is not below its folder, source", manifest->n_sources);
	if (cursor->status)
		return;
	source->parent = (uint32_t)parent + 1;
	cursor->status = bs_manifest_label_below(manifest->sources[parent].label, source->path, &source->label, cursor->err);
}

static struct bs_source_record read_source(struct cursor *cursor, const struct bs_manifest *manifest)
{
	struct bs_source_record source = {.kind = read_u32(cursor)};
	uint32_t flags = read_u32(cursor);
	source.is_suspect = flags & SOURCE_SUSPECT;
	for (int word = 0; word < 4; word++)
		source.stamp[word] = read_u64(cursor);
	source.read_bytes = read_u64(cursor);
	source.read_lines = read_u64(cursor);
	source.read_checksum = read_u64(cursor);
	if (flags & SOURCE_INNER) {
		read_parent(cursor, manifest, &source);
	} else {
		source.label = read_string(cursor);
		source.path = read_string(cursor);
	}
	expect(cursor, source.kind >= BS_SOURCE_FOLDER && source.kind <= BS_SOURCE_FORGOTTEN, "a source of unknown kind",
	       source.kind);
	expect(cursor, flags <= (SOURCE_SUSPECT | SOURCE_INNER), "a source with unknown flags", flags);
	expect(cursor, source.read_bytes < BS_MOST_NUMBER && source.read_lines < BS_MOST_NUMBER,
	       "a source that was read up to byte", source.read_bytes);
	expect(cursor, source.path && *source.path, "a source without path, of kind", source.kind);
	return source;
}

static enum bs_status read_sources(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	struct cursor cursor = cursor_open(file, SECTION_SOURCES, err);
	uint64_t n = read_count(&cursor);
	for (uint64_t i = 0; i < n && !cursor.status; i++) {
		struct bs_source_record source = read_source(&cursor, manifest);
		if (!cursor.status)
			cursor.status = bs_manifest_add_source(manifest, &source, err);
		source_record_deinit(&source);
	}
	return cursor_close(&cursor);
}

/* Behind the numbers of a source come its kinds, no more than there is room for. */
static void read_number_left_out(struct cursor *cursor, struct bs_manifest *manifest)
{
	uint64_t source = read_varint(cursor), reason = read_varint(cursor), n = read_varint(cursor);
	size_t kind_bytes, k = 0;
	const char *kind = read_text(cursor, &kind_bytes);
	expect(cursor, source < manifest->n_sources, "files left out of unknown source", source);
	expect(cursor, reason < BS_SKIP_MAX, "files left out for unknown reason", reason);
	expect(cursor, n > 0 && kind_bytes < BS_SKIP_KIND_BYTES, "a number of files left out that is no number,", n);
	if (cursor->status)
		return;
	struct bs_left_out *left_out = &manifest->sources[source].left_out;
	while (kind_bytes > 0 && k < BS_SKIP_KINDS && left_out->binary[k].n_files > 0)
		k++;
	expect(cursor, k < BS_SKIP_KINDS, "too many kinds of files of source", source);
	expect(cursor, kind_bytes == 0 || (reason == BS_SKIP_BINARY && n <= left_out->n[reason]),
	       "more files of a kind left out than files,", n);
	if (cursor->status)
		return;
	if (kind_bytes > 0)
		left_out->binary[k].n_files = n;
	else
		left_out->n[reason] = n;
	memcpy(left_out->binary[k].name, kind, kind_bytes);
}

static enum bs_status read_left_out(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	if (bs_container_section(file, SECTION_LEFT_OUT, 0).n_bytes == 0)
		return BS_OK;
	struct cursor cursor = cursor_open(file, SECTION_LEFT_OUT, err);
	while (!cursor.status && cursor.at < cursor.end)
		read_number_left_out(&cursor, manifest);
	return cursor.status;
}

const char *bs_index_file_name(const char *prefix, uint64_t number, char name[BS_INDEX_NAME_BYTES])
{
	snprintf(name, BS_INDEX_NAME_BYTES, "%s-%06llu", prefix, (unsigned long long)number);
	return name;
}

bool bs_manifest_next_file(const struct bs_manifest *manifest, size_t *at, uint64_t *number_out,
                           char name_out[BS_INDEX_NAME_BYTES])
{
	static const char *const prefixes[] = {"seg", "del", "exc", "summary", "counts"};
	const uint64_t others[] = {manifest->exclusions.number, manifest->summary.number,
	                           manifest->summary.counts_number};
	const size_t n_of_segments = 2 * (size_t)manifest->n_segments;
	while (*at < n_of_segments + sizeof(others) / sizeof(*others)) {
		size_t i = (*at)++, kind = i < n_of_segments ? i % 2 : 2 + i - n_of_segments;
		*number_out = kind >= 2   ? others[kind - 2]
		              : kind == 1 ? manifest->segments[i / 2].tombstones
		                          : manifest->segments[i / 2].number;
		bs_index_file_name(prefixes[kind], *number_out, name_out);
		if (kind == 0 || *number_out != 0)
			return true;
	}
	return false;
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Of files: all below the next one, none twice. */
static enum bs_status check_numbers(const struct bs_container *file, const struct bs_manifest *manifest,
                                    struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	size_t n = 0, n_bytes = (2 * (size_t)manifest->n_segments + 3) * sizeof(uint64_t);
	uint64_t *numbers = malloc(n_bytes);
	enum bs_status status = BS_OK;
	if (!numbers)
		return bs_fail_memory(err, "numbers of files", n_bytes);
	for (size_t at = 0; bs_manifest_next_file(manifest, &at, &numbers[n], name);)
		n++;
	qsort(numbers, n, sizeof(*numbers), compare_numbers);
	for (size_t i = 0; i < n && !status; i++) {
		if (numbers[i] == 0 || numbers[i] >= manifest->next_number)
			status = bs_container_corrupt(file, err, "file number %llu is not below the next one, %llu",
			                              (unsigned long long)numbers[i], (unsigned long long)manifest->next_number);
		else if (i > 0 && numbers[i] == numbers[i - 1])
			status = bs_container_corrupt(file, err, "file number %llu is used twice", (unsigned long long)numbers[i]);
	}
	free(numbers);
	return status;
}

static struct bs_segment_record read_segment(struct cursor *cursor)
{
	struct bs_segment_record segment = {.number = read_u64(cursor)};
	segment.tombstones = read_u64(cursor);
	segment.n_docs = read_u64(cursor);
	segment.n_deleted = read_u64(cursor);
	segment.n_bytes = read_u64(cursor);
	uint32_t flags = read_u32(cursor);
	segment.is_full = flags & SEGMENT_FULL;
	segment.is_rows = flags & SEGMENT_ROWS;
	expect(cursor, segment.n_deleted <= segment.n_docs && (segment.tombstones != 0) == (segment.n_deleted != 0),
	       "a segment whose documents or tombstones do not fit its deleted documents,", segment.n_deleted);
	expect(cursor, flags <= (SEGMENT_FULL | SEGMENT_ROWS), "a segment with unknown flags", flags);
	return segment;
}

static enum bs_status read_segments(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	struct cursor cursor = cursor_open(file, SECTION_SEGMENTS, err);
	uint64_t n = read_count(&cursor);
	for (uint64_t i = 0; i < n && !cursor.status; i++) {
		struct bs_segment_record segment = read_segment(&cursor);
		if (!cursor.status)
			cursor.status = bs_manifest_add_segment(manifest, &segment, err);
	}
	manifest->exclusions.number = read_u64(&cursor);
	manifest->exclusions.n_docs = read_u64(&cursor);
	expect(&cursor, (manifest->exclusions.number != 0) == (manifest->exclusions.n_docs != 0),
	       "a file of exclusions, or none, where there are", manifest->exclusions.n_docs);
	enum bs_status status = cursor_close(&cursor);
	return status ? status : check_numbers(file, manifest, err);
}

static enum bs_status read_fields(const struct bs_container *file, struct bs_manifest *manifest, struct bs_error *err)
{
	struct cursor cursor = cursor_open(file, SECTION_FIELDS, err);
	uint64_t n = read_count(&cursor);
	for (uint64_t i = 0; i < n && !cursor.status; i++) {
		size_t name_bytes;
		const char *name = read_text(&cursor, &name_bytes);
		if (!cursor.status)
			cursor.status = bs_manifest_add_field(manifest, name, name_bytes, err);
	}
	return cursor_close(&cursor);
}

static enum bs_status read_non_documents(const struct bs_container *file, struct bs_manifest *manifest,
                                         struct bs_error *err)
{
	struct bs_section section = bs_container_section(file, SECTION_NON_DOCUMENTS, 0);
	enum bs_status status = section.n_bytes ? bs_section_touch(&section, 0, section.n_bytes, err) : BS_OK;
	for (uint64_t at = 0; at < section.n_bytes && !status;) {
		uint64_t name = at + NON_DOCUMENT_HEAD_BYTES;
		const uint8_t *end = name < section.n_bytes ? memchr(section.data + name, 0, section.n_bytes - name) : NULL;
		if (!end || bs_load_u32(section.data + at) >= manifest->n_sources)
			return bs_container_corrupt(file, err, "the list of files that are passed over does not decode");
		at = (uint64_t)(end - section.data) + 1;
	}
	return status ? status : bs_buffer_append(&manifest->non_documents, section.data, (size_t)section.n_bytes, err);
}

enum bs_status bs_manifest_open(const struct bs_dir *dir, struct bs_container **file_out, struct bs_error *err)
{
	return bs_container_open(dir, "manifest", BS_FILE_MANIFEST, file_out, err);
}

static enum bs_status read_file(const struct bs_dir *dir, const char *name, struct bs_manifest *manifest_out,
                                struct bs_error *err)
{
	static enum bs_status (*const parts[])(const struct bs_container *, struct bs_manifest *, struct bs_error *) = {
		read_options, read_sources, read_summary, read_segments, read_fields, read_non_documents, read_left_out, read_words,
		read_record_grams};
	*manifest_out = (struct bs_manifest){0};
	struct bs_container *file;
	enum bs_status status = bs_container_open(dir, name, BS_FILE_MANIFEST, &file, err);
	if (status)
		return status;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !status; i++)
		status = parts[i](file, manifest_out, err);
	bs_container_close(file);
	if (status)
		bs_manifest_deinit(manifest_out);
	return status;
}

enum bs_status bs_manifest_read(const struct bs_dir *dir, struct bs_manifest *manifest_out, struct bs_error *err)
{
	return read_file(dir, "manifest", manifest_out, err);
}

enum bs_status bs_manifest_refuse(const struct bs_dir *dir, enum bs_status why, const struct bs_error *reason, struct bs_error *err)
{
	/* Without the advice at the end of the line: a rebuild would fail in the same way. */
	const char *end = why == BS_CORRUPT ? strrchr(reason->text, ';') : NULL;
	size_t n = end ? (size_t)(end - reason->text) : strlen(reason->text);
	return bs_fail(err, why, "%s: nothing was committed, because what was written cannot be read again: %.*s", dir->path, (int)n,
	               reason->text);
}

enum bs_status bs_manifest_write(const struct bs_dir *dir, const struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_error why = {""};
	struct bs_manifest again;
	enum bs_status status = write_file(dir, manifest, err);
	if (status)
		return status;
	status = read_file(dir, temporary, &again, &why);
	if (status) {
		bs_dir_remove(dir, temporary);
		return bs_manifest_refuse(dir, status, &why, err);
	}
	bs_manifest_deinit(&again);
	status = bs_dir_rename(dir, temporary, "manifest", err);
	return status ? status : bs_dir_flush(dir, err);
}
