/* manifest.c: the options of an index in memory; reading and replacing the manifest. See
 * manifest.h; bytes in FORMAT.md. */
#include "core/store/manifest.h"

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

#define SECTION_OPTIONS       1u
#define SECTION_SOURCES       2u
#define SECTION_SEGMENTS      3u
#define SECTION_FIELDS        4u
#define SECTION_NON_DOCUMENTS 5u
#define SECTION_LEFT_OUT      6u
#define SECTION_WORDS         7u
#define SECTION_SUMMARY       8u
#define SECTION_RECORD_GRAMS  9u
#define SECTION_FINGERPRINTS  10u
#define SECTION_PASSED        11u

/* flags of the section of word rules */
#define WORDS_SPLIT_IDENTIFIERS 1u
#define WORDS_ANALYZER          2u

/* flags of a segment and of a source */
#define SEGMENT_FULL 1u
#define SOURCE_RACY  1u
#define SOURCE_INNER 2u
#define SEGMENT_ROWS 2u

/* The options in the flags of SECTION_OPTIONS: bit i is flag_options[i]. */
static const size_t flag_options[] = {
	offsetof(struct bs_recorded_options, words),
	offsetof(struct bs_recorded_options, grams),
	offsetof(struct bs_recorded_options, store),
	offsetof(struct bs_recorded_options, fold_accents),
	offsetof(struct bs_recorded_options, hidden),
	offsetof(struct bs_recorded_options, no_ignore),
	offsetof(struct bs_recorded_options, binary_as_text),
	offsetof(struct bs_recorded_options, gram_collections),
	offsetof(struct bs_recorded_options, reads_records),
};
#define N_FLAGS               (sizeof(flag_options) / sizeof(*flag_options))
#define FLAG_GRAM_COLLECTIONS (1u << 7)

/* The options that are nullable strings, then those that are lists of strings. */
static const size_t string_options[] = {offsetof(struct bs_recorded_options, stem_language),
                                        offsetof(struct bs_recorded_options, id_field),
                                        offsetof(struct bs_recorded_options, analyzer_name)};
static const size_t list_options[] = {offsetof(struct bs_recorded_options, text_fields),
                                      offsetof(struct bs_recorded_options, globs),
                                      offsetof(struct bs_recorded_options, records),
                                      offsetof(struct bs_recorded_options, weights)};
#define N_STRINGS (sizeof(string_options) / sizeof(*string_options))
#define N_LISTS   (sizeof(list_options) / sizeof(*list_options))

static char **string_of(const struct bs_recorded_options *options, size_t i)
{
	return (char **)((uintptr_t)options + string_options[i]);
}

static char ***list_of(const struct bs_recorded_options *options, size_t i)
{
	return (char ***)((uintptr_t)options + list_options[i]);
}

static uint32_t option_flags(const struct bs_recorded_options *options)
{
	uint32_t flags = 0;
	for (size_t i = 0; i < N_FLAGS; i++)
		flags |= (uint32_t) * (const bool *)((const char *)options + flag_options[i]) << i;
	return flags;
}

void bs_recorded_options_deinit(struct bs_recorded_options *options)
{
	for (size_t i = 0; i < N_STRINGS; i++)
		free(*string_of(options, i));
	for (size_t i = 0; i < N_LISTS; i++)
		bs_strings_free(*list_of(options, i));
	*options = (struct bs_recorded_options){0};
}

enum bs_status bs_recorded_options_copy(const struct bs_recorded_options *options,
                                        struct bs_recorded_options *copy_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*copy_out = *options;
	for (size_t i = 0; i < N_STRINGS; i++) {
		const char *string = *string_of(options, i);
		*string_of(copy_out, i) = string ? strdup(string) : NULL;
		if (string && !*string_of(copy_out, i))
			status = bs_fail_memory(err, "options", sizeof(*options));
	}
	for (size_t i = 0; i < N_LISTS; i++) {
		*list_of(copy_out, i) = NULL;
		if (!status)
			status = bs_strings_copy(*list_of(options, i), list_of(copy_out, i), err);
	}
	return status;
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

/* Rounds as the file format does, so that a density is equal after it was written and read. */
static uint64_t density_ppm(double density)
{
	return (uint64_t)(density * 1e6 + 0.5);
}

uint64_t bs_max_document(const struct bs_recorded_options *options)
{
	return options->max_document ? options->max_document : BS_DEFAULT_MAX_DOCUMENT;
}

bool bs_recorded_options_equal(const struct bs_recorded_options *a,
                               const struct bs_recorded_options *b)
{
	bool is_equal = ((option_flags(a) ^ option_flags(b)) & ~FLAG_GRAM_COLLECTIONS) == 0 &&
	                a->split_identifiers == b->split_identifiers &&
	                density_ppm(a->density) == density_ppm(b->density) &&
	                bs_max_document(a) == bs_max_document(b);
	for (size_t i = 0; i < N_STRINGS; i++)
		is_equal &= strings_equal(*string_of(a, i), *string_of(b, i));
	for (size_t i = 0; i < N_LISTS; i++)
		is_equal &= lists_equal(*list_of(a, i), *list_of(b, i));
	return is_equal;
}

bool bs_recorded_options_read_same(const struct bs_recorded_options *a,
                                   const struct bs_recorded_options *b)
{
	return strings_equal(a->id_field, b->id_field) &&
	       lists_equal(a->text_fields, b->text_fields);
}

struct bs_tokenizer_options bs_index_words_options(const struct bs_recorded_options *options)
{
	return (struct bs_tokenizer_options){
		.stem_language = options->stem_language,
		.fold_accents = options->fold_accents,
		.split_identifiers = options->split_identifiers,
		.analyzer = options->analyzer,
		.analyzer_name = options->analyzer_name,
	};
}

enum bs_status bs_recorded_options_bind(struct bs_recorded_options *options,
                                        const struct bs_analyzer *analyzer, const char *where,
                                        struct bs_error *err)
{
	enum bs_status status =
		analyzer ? BS_CHECK_RESERVED(err, BS_RESERVED(bs_analyzer, *analyzer)) : BS_OK;
	if (!status && analyzer)
		status = bs_tokenizer_check_analyzer_name(analyzer->name, err);
	if (!status)
		status = bs_tokenizer_check_analyzer(analyzer, options->analyzer_name, where, err);
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
	bs_recorded_options_deinit(&manifest->options);
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		source_record_deinit(&manifest->sources[i]);
	free(manifest->sources);
	free(manifest->segments);
	bs_term_table_deinit(&manifest->fields);
	bs_manifest_forget_non_documents(manifest);
	bs_buffer_deinit(&manifest->passed_entries);
	*manifest = (struct bs_manifest){0};
}

static enum bs_status copy_source(const struct bs_source_record *record,
                                  struct bs_source_record *copy_out, struct bs_error *err)
{
	*copy_out = *record;
	copy_out->label = strdup(record->label);
	copy_out->path = strdup(record->path);
	if (copy_out->label && copy_out->path)
		return BS_OK;
	source_record_deinit(copy_out);
	return bs_fail_memory(err, "a source", strlen(record->label) + strlen(record->path));
}

enum bs_status bs_manifest_add_source(struct bs_manifest *manifest,
                                      const struct bs_source_record *record, struct bs_error *err)
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

enum bs_status bs_manifest_replace_source(struct bs_manifest *manifest, uint32_t i,
                                          const struct bs_source_record *record,
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

enum bs_status bs_manifest_label_below(const char *label, const char *path, char **label_out,
                                       struct bs_error *err)
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

enum bs_status bs_manifest_add_segment(struct bs_manifest *manifest,
                                       const struct bs_segment_record *record, struct bs_error *err)
{
	size_t n_bytes = ((size_t)manifest->n_segments + 1) * sizeof(*manifest->segments);
	struct bs_segment_record *segments = realloc(manifest->segments, n_bytes);
	if (!segments)
		return bs_fail_memory(err, "the list of segments", n_bytes);
	manifest->segments = segments;
	segments[manifest->n_segments++] = *record;
	return BS_OK;
}

enum bs_status bs_manifest_add_field(struct bs_manifest *manifest, const char *name,
                                     size_t name_bytes, struct bs_error *err)
{
	uint32_t number;
	if (name_bytes > BS_MOST_FIELD_BYTES || manifest->fields.n_terms >= BS_MOST_FIELDS)
		return BS_OK;
	return bs_term_table_intern(&manifest->fields, (const uint8_t *)name, (uint32_t)name_bytes,
	                            bs_hash_slot(name, name_bytes), &number, NULL, err);
}

enum bs_status bs_manifest_add_fields(struct bs_manifest *manifest,
                                      const struct bs_term_table *fields, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < fields->n_terms && !status; i++)
		status = bs_manifest_add_field(manifest, (const char *)bs_term_table_key(fields, i),
		                               fields->entries[i].n_bytes, err);
	return status;
}

/* An entry of the list of files is u32 source, u32 offset after the first NUL byte, and the
 * NUL-terminated name. */
#define NON_DOCUMENT_HEAD_BYTES 8u
#define VARINT_BYTES            10u

static uint64_t zigzag(uint64_t from, uint64_t to)
{
	uint64_t step = to - from;
	return step >> 63 ? ~(step << 1) : step << 1;
}

static uint64_t unzigzag(uint64_t from, uint64_t step)
{
	return from + (step & 1 ? ~(step >> 1) : step >> 1);
}

bool bs_non_document_has_fingerprint(const struct bs_non_documents *file)
{
	return file->fingerprint[0] | file->fingerprint[1] | file->fingerprint[2] |
	       file->fingerprint[3];
}

/* Encodes a fingerprint and sets `last` to it. An empty one, all zeros, becomes a byte 0 and leaves
 * `last` unchanged. */
static size_t put_fingerprint(uint8_t *to, const struct bs_non_documents *file, uint64_t last[4])
{
	bool has_fingerprint = bs_non_document_has_fingerprint(file);
	size_t n = bs_varint_put(to, has_fingerprint ? file->fingerprint[0] + 1 : 0);
	for (size_t i = 1; i < 4 && has_fingerprint; i++)
		n += bs_varint_put(to + n, zigzag(last[i], file->fingerprint[i]));
	if (has_fingerprint)
		memcpy(last, file->fingerprint, sizeof(file->fingerprint));
	return n;
}

/* Decodes a fingerprint into `last` and returns the byte after it, or NULL if it does not decode.
 * *has_out: whether the fingerprint is not empty. */
static const uint8_t *get_fingerprint(const uint8_t *from, const uint8_t *end, uint64_t last[4],
                                      bool *has_out)
{
	uint64_t n = 0, step = 0;
	from = bs_varint_get(from, end, &n);
	*has_out = from && n > 0;
	if (!*has_out)
		return from;
	last[0] = n - 1;
	for (size_t i = 1; i < 4 && from; i++) {
		from = bs_varint_get(from, end, &step);
		last[i] = unzigzag(last[i], step);
	}
	return from;
}

struct bs_non_document_place bs_manifest_end_of_non_documents(const struct bs_manifest *manifest)
{
	const struct bs_non_document_list *list = &manifest->non_documents;
	struct bs_non_document_place end = {
		list->files.used_bytes, list->fingerprints.used_bytes, {0}};
	memcpy(end.last, list->last, sizeof(end.last));
	return end;
}

/* Records `place` as the start of a source, unless the source has begun. */
static enum bs_status start_source(struct bs_non_document_list *list, uint32_t source,
                                   struct bs_non_document_place place, struct bs_error *err)
{
	size_t n = bs_vector_n(&list->starts);
	struct bs_non_document_start start = {place, source};
	return n > 0 && list->starts.items[n - 1].source == source
	               ? BS_OK
	               : bs_vector_append(&list->starts, &start, err);
}

enum bs_status bs_manifest_add_non_document(struct bs_manifest *manifest,
                                            const struct bs_non_documents *file,
                                            struct bs_error *err)
{
	struct bs_non_document_list *list = &manifest->non_documents;
	uint8_t head[NON_DOCUMENT_HEAD_BYTES], fingerprint[4 * VARINT_BYTES];
	struct bs_non_document_place end = bs_manifest_end_of_non_documents(manifest);
	bs_store_u32(head, file->source);
	bs_store_u32(head + 4, file->nul_end);
	size_t n = put_fingerprint(fingerprint, file, list->last);
	enum bs_status status = start_source(list, file->source, end, err);
	if (!status)
		status = bs_buffer_append(&list->fingerprints, fingerprint, n, err);
	if (!status)
		status = bs_buffer_append(&list->files, head, sizeof(head), err);
	return status ? status
	              : bs_buffer_append(&list->files, file->name, strlen(file->name) + 1, err);
}

bool bs_manifest_next_non_document(const struct bs_manifest *manifest,
                                   struct bs_non_document_place *place,
                                   struct bs_non_documents *file_out)
{
	const struct bs_non_document_list *list = &manifest->non_documents;
	const struct bs_buffer *fingerprints = &list->fingerprints;
	bool has_fingerprint;
	if (place->file_at >= list->files.used_bytes)
		return false;
	const uint8_t *head = list->files.data + place->file_at;
	*file_out = (struct bs_non_documents){
		.source = bs_load_u32(head),
		.nul_end = bs_load_u32(head + 4),
		.name = (const char *)head + NON_DOCUMENT_HEAD_BYTES,
	};
	place->file_at += NON_DOCUMENT_HEAD_BYTES + strlen(file_out->name) + 1;
	/* The reader has checked that each file has a fingerprint that decodes. */
	const uint8_t *end = get_fingerprint(fingerprints->data + place->fingerprint_at,
	                                     fingerprints->data + fingerprints->used_bytes,
	                                     place->last, &has_fingerprint);
	place->fingerprint_at = (size_t)(end - fingerprints->data);
	if (has_fingerprint)
		memcpy(file_out->fingerprint, place->last, sizeof(place->last));
	return true;
}

struct bs_non_document_place bs_manifest_find_non_documents(const struct bs_manifest *manifest,
                                                            uint32_t source)
{
	const struct bs_non_document_starts *starts = &manifest->non_documents.starts;
	size_t first = 0, end = bs_vector_n(starts);
	while (first < end) {
		size_t middle = first + (end - first) / 2;
		if (starts->items[middle].source == source)
			return starts->items[middle].place;
		if (starts->items[middle].source < source)
			first = middle + 1;
		else
			end = middle;
	}
	return bs_manifest_end_of_non_documents(manifest);
}

void bs_manifest_truncate_non_documents(struct bs_manifest *manifest,
                                        const struct bs_non_document_place *place)
{
	struct bs_non_document_list *list = &manifest->non_documents;
	size_t n = bs_vector_n(&list->starts);
	list->files.used_bytes = place->file_at;
	list->fingerprints.used_bytes = place->fingerprint_at;
	memcpy(list->last, place->last, sizeof(list->last));
	while (n > 0 && list->starts.items[n - 1].place.file_at >= place->file_at)
		n--;
	bs_vector_set_n(&list->starts, n);
}

bool bs_manifest_has_same_non_documents(const struct bs_manifest *a, const struct bs_manifest *b)
{
	return bs_buffer_equals(&a->non_documents.files, &b->non_documents.files) &&
	       bs_buffer_equals(&a->non_documents.fingerprints, &b->non_documents.fingerprints);
}

void bs_manifest_forget_non_documents(struct bs_manifest *manifest)
{
	bs_buffer_deinit(&manifest->non_documents.files);
	bs_buffer_deinit(&manifest->non_documents.fingerprints);
	bs_vector_deinit(&manifest->non_documents.starts);
	manifest->non_documents = (struct bs_non_document_list){.last = {0}};
}

/* An entry is u32 source, u8 reason and the NUL-terminated path, in memory and in the file. The
 * manifest is read by every search, so the list must be short. */
#define PASSED_HEAD_BYTES 5u
#define MOST_PASSED_BYTES ((size_t)256 << 10)

void bs_manifest_forget_passed_entries(struct bs_manifest *manifest)
{
	bs_buffer_deinit(&manifest->passed_entries);
	manifest->has_passed_entries = false;
}

enum bs_status bs_manifest_add_passed_entry(struct bs_manifest *manifest,
                                            const struct bs_passed_entry *entry,
                                            struct bs_error *err)
{
	struct bs_buffer *list = &manifest->passed_entries;
	uint8_t head[PASSED_HEAD_BYTES];
	if (!manifest->has_passed_entries)
		return BS_OK;
	bs_store_u32(head, entry->source);
	head[4] = (uint8_t)entry->reason;
	enum bs_status status = bs_buffer_append(list, head, sizeof(head), err);
	if (!status)
		status = bs_buffer_append(list, entry->path, strlen(entry->path) + 1, err);
	if (list->used_bytes > MOST_PASSED_BYTES)
		bs_manifest_forget_passed_entries(manifest);
	return status;
}

bool bs_manifest_next_passed_entry(const struct bs_manifest *manifest, size_t *at,
                                   struct bs_passed_entry *entry_out)
{
	const struct bs_buffer *list = &manifest->passed_entries;
	if (*at >= list->used_bytes)
		return false;
	const uint8_t *head = list->data + *at;
	*entry_out = (struct bs_passed_entry){.source = bs_load_u32(head),
	                                      .reason = (enum bs_skip)head[4],
	                                      .path = (const char *)head + PASSED_HEAD_BYTES};
	*at += PASSED_HEAD_BYTES + strlen(entry_out->path) + 1;
	return true;
}

static enum bs_status has_other_versions(const struct bs_manifest *manifest, bool *has_other_out,
                                         struct bs_error *err)
{
	char icu[16], unicode[16];
	enum bs_status status = bs_tokenizer_versions(icu, unicode, err);
	*has_other_out = !status && (strcmp(icu, manifest->versions.icu) != 0 ||
	                             strcmp(unicode, manifest->versions.unicode) != 0);
	return status;
}

enum bs_status bs_manifest_has_other_words(const struct bs_manifest *manifest, bool *has_other_out,
                                           struct bs_error *err)
{
	enum bs_status status = has_other_versions(manifest, has_other_out, err);
	*has_other_out |= manifest->options.words_revision < BS_TOKENIZER_REVISION;
	*has_other_out &= manifest->options.words && !manifest->options.analyzer_name;
	return status;
}

enum bs_status bs_manifest_is_outdated(const struct bs_manifest *manifest, bool *is_outdated_out,
                                       struct bs_error *err)
{
	bool has_other_words = false;
	enum bs_status status = has_other_versions(manifest, is_outdated_out, err);
	if (!status)
		status = bs_manifest_has_other_words(manifest, &has_other_words, err);
	*is_outdated_out |= has_other_words;
	return status;
}

void bs_manifest_mark_mixed_words(struct bs_manifest *manifest)
{
	size_t n = strlen(manifest->versions.icu);
	if (n > 0 && manifest->versions.icu[n - 1] == '+')
		return;
	n = n < sizeof(manifest->versions.icu) - 2 ? n : sizeof(manifest->versions.icu) - 2;
	memcpy(manifest->versions.icu + n, "+", 2);
}

static enum bs_status copy_non_documents(const struct bs_non_document_list *list,
                                         struct bs_non_document_list *copy, struct bs_error *err)
{
	enum bs_status status =
		bs_buffer_append(&copy->files, list->files.data, list->files.used_bytes, err);
	if (!status)
		status = bs_buffer_append(&copy->fingerprints, list->fingerprints.data,
		                          list->fingerprints.used_bytes, err);
	if (!status)
		status = bs_vector_extend(&copy->starts, list->starts.items,
		                          bs_vector_n(&list->starts), err);
	memcpy(copy->last, list->last, sizeof(copy->last));
	return status;
}

enum bs_status bs_manifest_copy_head(const struct bs_manifest *manifest,
                                     struct bs_manifest *copy_out, struct bs_error *err)
{
	*copy_out = *manifest;
	copy_out->sources = NULL;
	copy_out->n_sources = 0;
	copy_out->segments = NULL;
	copy_out->n_segments = 0;
	copy_out->summary.number = copy_out->summary.counts_number = 0;
	copy_out->fields = (struct bs_term_table){0};
	copy_out->non_documents = (struct bs_non_document_list){.last = {0}};
	copy_out->passed_entries = (struct bs_buffer){0};
	enum bs_status status =
		bs_recorded_options_copy(&manifest->options, &copy_out->options, err);
	if (!status)
		status = bs_manifest_add_fields(copy_out, &manifest->fields, err);
	if (!status)
		status =
			copy_non_documents(&manifest->non_documents, &copy_out->non_documents, err);
	if (!status)
		status = bs_buffer_append(&copy_out->passed_entries, manifest->passed_entries.data,
		                          manifest->passed_entries.used_bytes, err);
	for (uint32_t i = 0; i < manifest->n_sources && !status; i++)
		status = bs_manifest_add_source(copy_out, &manifest->sources[i], err);
	if (status)
		bs_manifest_deinit(copy_out);
	return status;
}

/* Writes or reads a section, so that one function per section lists its fields for both. Writing
 * changes nothing in memory. After the first failure, reading reads nothing more, and numbers are
 * 0. */
struct coder {
	struct bs_file_writer *writer; /* NULL: reading */
	const struct bs_container *file;
	const uint8_t *at;
	const uint8_t *end;
	enum bs_status status;
	struct bs_error *err;
};

static bool has_bytes(struct coder *coder, uint64_t n_bytes)
{
	if (!coder->status && n_bytes > (uint64_t)(coder->end - coder->at))
		coder->status =
			bs_container_corrupt(coder->file, coder->err, "a section ends too early");
	return !coder->status;
}

static const uint8_t *take_bytes(struct coder *coder, size_t n_bytes)
{
	coder->at += n_bytes;
	return coder->at - n_bytes;
}

/* When reading, fails as corrupt unless is_right. */
static void expect(struct coder *coder, bool is_right, const char *what, unsigned long long number)
{
	if (!coder->writer && !coder->status && !is_right)
		coder->status =
			bs_container_corrupt(coder->file, coder->err, "%s %llu", what, number);
}

static void code_u32(struct coder *coder, uint32_t *value)
{
	if (coder->writer)
		bs_file_writer_u32(coder->writer, *value);
	else
		*value = has_bytes(coder, 4) ? bs_load_u32(take_bytes(coder, 4)) : 0;
}

static void code_u64(struct coder *coder, uint64_t *value)
{
	if (coder->writer)
		bs_file_writer_u64(coder->writer, *value);
	else
		*value = has_bytes(coder, 8) ? bs_load_u64(take_bytes(coder, 8)) : 0;
}

static void code_varint(struct coder *coder, uint64_t *value)
{
	if (coder->writer) {
		bs_file_writer_varint(coder->writer, *value);
		return;
	}
	*value = 0;
	const uint8_t *at = coder->status ? NULL : bs_varint_get(coder->at, coder->end, value);
	if (at)
		coder->at = at;
	else
		has_bytes(coder, UINT64_MAX);
}

/* Codes a count of items that take at least one byte each. Reading rejects a count greater than the
 * bytes left, which could cause a huge loop. */
static uint64_t code_count(struct coder *coder, uint64_t n)
{
	code_varint(coder, &n);
	return coder->writer || has_bytes(coder, n) ? n : 0;
}

/* Codes a text. When reading, *text is borrowed from the file and not NUL-terminated. */
static void code_text(struct coder *coder, const char **text, size_t *n_bytes)
{
	*n_bytes = (size_t)code_count(coder, *n_bytes);
	if (coder->writer) {
		bs_file_writer_bytes(coder->writer, *text, *n_bytes);
		return;
	}
	*text = (const char *)coder->at;
	expect(coder, !memchr(*text, '\0', *n_bytes),
	       "a zero byte in a string of bytes:", *n_bytes);
	coder->at += coder->status ? 0 : *n_bytes;
}

static void code_string(struct coder *coder, char **string)
{
	const char *text = *string;
	size_t n_bytes = coder->writer ? strlen(text) : 0;
	code_text(coder, &text, &n_bytes);
	if (coder->writer || coder->status)
		return;
	*string = strndup(text, n_bytes);
	if (!*string)
		coder->status = bs_fail_memory(coder->err, "a string", n_bytes);
}

/* A nullable string is coded as a list of length 0 or 1. */
static void code_optional(struct coder *coder, char **string)
{
	uint64_t n = code_count(coder, *string != NULL);
	expect(coder, n <= 1, "strings where there is one at most:", n);
	if (n)
		code_string(coder, string);
}

static void code_list(struct coder *coder, char ***list)
{
	uint64_t n = code_count(coder, bs_strings_length(*list));
	if (!coder->writer && n > 0)
		*list = calloc((size_t)n + 1, sizeof(**list));
	if (n > 0 && !*list)
		coder->status = bs_fail_memory(coder->err, "a list", (n + 1) * sizeof(**list));
	for (uint64_t i = 0; *list && i < n; i++)
		code_string(coder, &(*list)[i]);
}

static void code_version(struct coder *coder, char version[16])
{
	const char *text = version;
	size_t n_bytes = strlen(version);
	code_text(coder, &text, &n_bytes);
	expect(coder, n_bytes < 16, "a version that is too long, of bytes:", n_bytes);
	if (!coder->writer && !coder->status)
		memcpy(version, text, n_bytes);
}

static void code_options(struct coder *coder, struct bs_manifest *manifest)
{
	struct bs_recorded_options *options = &manifest->options;
	uint32_t flags = option_flags(options);
	uint64_t density = density_ppm(options->density), max_document = bs_max_document(options);
	code_u64(coder, &manifest->generation);
	code_u64(coder, &manifest->next_number);
	code_u32(coder, &flags);
	code_u64(coder, &density);
	expect(coder, manifest->generation > 0 && manifest->generation < BS_MOST_NUMBER,
	       "commit number", manifest->generation);
	expect(coder, manifest->next_number < BS_MOST_NUMBER, "next file number",
	       manifest->next_number);
	expect(coder, flags >> N_FLAGS == 0, "unknown options", flags);
	expect(coder,
	       density >= density_ppm(BS_MIN_DENSITY) && density <= density_ppm(BS_MAX_DENSITY),
	       "density in millionths:", density);
	code_version(coder, manifest->versions.icu);
	code_version(coder, manifest->versions.unicode);
	code_optional(coder, &options->stem_language);
	code_optional(coder, &options->id_field);
	code_list(coder, &options->text_fields);
	code_list(coder, &options->globs);
	/* In indexes older than max_document, the section ends here. */
	if (coder->writer || coder->at < coder->end)
		code_u64(coder, &max_document);
	if (coder->writer || coder->at < coder->end)
		code_list(coder, &options->records);
	expect(coder, max_document > 0 && max_document <= BS_MAX_DOCUMENT_BYTES,
	       "a limit of documents of", max_document);
	if (coder->writer)
		return;
	for (size_t i = 0; i < N_FLAGS; i++)
		*(bool *)((char *)options + flag_options[i]) = flags >> i & 1;
	options->density = (double)density / 1e6;
	options->max_document = max_document;
}

/* Whether the manifest has a section of word rules: if words_revision is not 0, identifiers are
 * split, or the index has weights or an analyzer. */
static bool has_word_rules(const struct bs_manifest *manifest)
{
	const struct bs_recorded_options *options = &manifest->options;
	return options->words_revision || options->split_identifiers || options->weights ||
	       options->analyzer_name;
}

static void require_word_rules(struct bs_file_writer *writer,
                               const struct bs_recorded_options *options)
{
	bs_file_writer_require(
		writer, (options->words_revision ? BS_FEATURE_WORD_RULES : 0) |
				(options->split_identifiers ? BS_FEATURE_SPLIT_IDENTIFIERS : 0) |
				(options->weights ? BS_FEATURE_FIELD_WEIGHTS : 0) |
				(options->analyzer_name ? BS_FEATURE_ANALYZER : 0));
}

static void code_words(struct coder *coder, struct bs_manifest *manifest)
{
	struct bs_recorded_options *options = &manifest->options;
	uint64_t revision = options->words_revision;
	uint64_t flags = (options->split_identifiers ? WORDS_SPLIT_IDENTIFIERS : 0) |
	                 (options->analyzer_name ? WORDS_ANALYZER : 0);
	code_varint(coder, &revision);
	code_varint(coder, &flags);
	code_list(coder, &options->weights);
	if (flags & WORDS_ANALYZER)
		code_string(coder, &options->analyzer_name);
	if (coder->writer) {
		require_word_rules(coder->writer, options);
		return;
	}
	options->words_revision = (uint32_t)revision;
	options->split_identifiers = flags & WORDS_SPLIT_IDENTIFIERS;
	expect(coder, flags <= (WORDS_SPLIT_IDENTIFIERS | WORDS_ANALYZER),
	       "unknown options of words", flags);
	expect(coder,
	       !options->analyzer_name ||
	               !bs_tokenizer_check_analyzer_name(options->analyzer_name, NULL),
	       "an invalid name of an analyzer, bytes:",
	       options->analyzer_name ? strlen(options->analyzer_name) : 0);
	expect(coder, coder->status || bs_field_weights_are_valid(options->weights),
	       "invalid weights of fields, number:", bs_strings_length(options->weights));
	if (!coder->status && revision > BS_TOKENIZER_REVISION)
		coder->status =
			bs_fail(coder->err, BS_UNSUPPORTED,
		                "%s: its words were found by rules %llu, this bitsift knows up to "
		                "%u; use the one "
		                "that made it, or rebuild it with `bitsift index --rebuild`",
		                bs_container_path(coder->file), (unsigned long long)revision,
		                BS_TOKENIZER_REVISION);
}

/* Earlier programs ignore this section and commit without a summary. The next commit of a program
 * that knows the section makes a summary. */
static void code_summary(struct coder *coder, struct bs_manifest *manifest)
{
	struct bs_manifest_summary *summary = &manifest->summary;
	bool is_uncounted = !coder->writer && coder->end - coder->at == 2 * sizeof(uint64_t);
	code_u64(coder, &summary->number);
	code_u64(coder, &manifest->options.summary_rate);
	/* A section of only two numbers is of a program without counts. Its summary is ignored. */
	if (is_uncounted)
		summary->number = 0;
	else
		code_u64(coder, &summary->counts_number);
	expect(coder, !summary->number == !summary->counts_number,
	       "a summary or its counts without the other, file",
	       summary->number + summary->counts_number);
	expect(coder, manifest->options.summary_rate <= BS_SUMMARY_MOST_RATE, "a summary of rate",
	       manifest->options.summary_rate);
	expect(coder, manifest->options.summary_rate > 0 || !summary->number,
	       "a summary, although none is recorded, file", summary->number);
}

static bool has_record_grams(const struct bs_manifest *manifest)
{
	return manifest->options.record_grams;
}

/* Earlier programs ignore this section and commit without it; later records then get no grams. */
static void code_record_grams(struct coder *coder, struct bs_manifest *manifest)
{
	uint64_t which = 1;
	code_varint(coder, &which);
	expect(coder, which == 1, "grams of unknown documents", which);
	if (!coder->writer)
		manifest->options.record_grams = which == 1;
}

/* Reads or writes, for a collection that was found in a folder, the folder's number and the path
 * below the folder. The label is not stored, because it is derived from the folder's. */
static void code_parent(struct coder *coder, const struct bs_manifest *manifest,
                        struct bs_source_record *source)
{
	uint64_t parent = (uint64_t)source->parent - 1;
	code_varint(coder, &parent);
	expect(coder,
	       parent < manifest->n_sources && manifest->sources[parent].kind == BS_SOURCE_FOLDER,
	       "a collection whose parent is not a folder, source", parent);
	code_string(coder, &source->path);
	expect(coder, source->kind == BS_SOURCE_COLLECTION, "a source in another one, of kind",
	       source->kind);
	expect(coder,
	       source->path && bs_doc_name_is_below((const uint8_t *)source->path,
	                                            (uint32_t)strlen(source->path)),
	       "a collection that is not below its folder, source", manifest->n_sources);
	if (coder->writer || coder->status)
		return;
	source->parent = (uint32_t)parent + 1;
	coder->status = bs_manifest_label_below(manifest->sources[parent].label, source->path,
	                                        &source->label, coder->err);
}

static void code_source(struct coder *coder, const struct bs_manifest *manifest,
                        struct bs_source_record *source)
{
	uint32_t flags = (source->is_racy ? SOURCE_RACY : 0) | (source->parent ? SOURCE_INNER : 0);
	code_u32(coder, &source->kind);
	code_u32(coder, &flags);
	for (int word = 0; word < 4; word++)
		code_u64(coder, &source->fingerprint[word]);
	code_u64(coder, &source->read_bytes);
	code_u64(coder, &source->read_lines);
	code_u64(coder, &source->read_checksum);
	if (flags & SOURCE_INNER) {
		code_parent(coder, manifest, source);
	} else {
		code_string(coder, &source->label);
		code_string(coder, &source->path);
	}
	if (!coder->writer)
		source->is_racy = flags & SOURCE_RACY;
	expect(coder, source->kind >= BS_SOURCE_FOLDER && source->kind <= BS_SOURCE_FORGOTTEN,
	       "a source of unknown kind", source->kind);
	expect(coder, flags <= (SOURCE_RACY | SOURCE_INNER), "a source with unknown flags", flags);
	expect(coder, source->read_bytes < BS_MOST_NUMBER && source->read_lines < BS_MOST_NUMBER,
	       "a source that was read up to byte", source->read_bytes);
	expect(coder, source->path && *source->path, "a source without path, of kind",
	       source->kind);
}

static void code_sources(struct coder *coder, struct bs_manifest *manifest)
{
	uint64_t n = code_count(coder, manifest->n_sources);
	for (uint64_t i = 0; i < n && !coder->status; i++) {
		struct bs_source_record read = {0};
		code_source(coder, manifest, coder->writer ? &manifest->sources[i] : &read);
		if (!coder->writer && !coder->status)
			coder->status = bs_manifest_add_source(manifest, &read, coder->err);
		source_record_deinit(&read);
	}
}

/* The number of files or records of a source that were skipped for a reason, or of its binary files
 * with the extension `kind`. */
struct number_left_out {
	uint64_t source, reason, n;
	const char *kind;
	size_t kind_bytes;
};

static void code_number(struct coder *coder, struct number_left_out *number)
{
	code_varint(coder, &number->source);
	code_varint(coder, &number->reason);
	code_varint(coder, &number->n);
	code_text(coder, &number->kind, &number->kind_bytes);
}

/* Reads a number and stores it in the record of its source. In the file, the numbers of a source by
 * kind follow its numbers by reason. More than BS_SKIP_KINDS kinds of a source are corrupt. */
static void read_number(struct coder *coder, struct bs_manifest *manifest)
{
	struct number_left_out number = {.source = 0};
	size_t k = 0;
	code_number(coder, &number);
	expect(coder, number.source < manifest->n_sources, "files left out of unknown source",
	       number.source);
	expect(coder, number.reason < BS_SKIP_MAX, "files left out for unknown reason",
	       number.reason);
	expect(coder, number.n > 0 && number.kind_bytes < BS_SKIP_KIND_BYTES,
	       "a number of files left out that is no number,", number.n);
	if (coder->status)
		return;
	struct bs_left_out *left_out = &manifest->sources[number.source].left_out;
	while (number.kind_bytes > 0 && k < BS_SKIP_KINDS && left_out->binary[k].n_files > 0)
		k++;
	expect(coder, k < BS_SKIP_KINDS, "too many kinds of files of source", number.source);
	expect(coder,
	       number.kind_bytes == 0 ||
	               (number.reason == BS_SKIP_BINARY && number.n <= left_out->n[number.reason]),
	       "more files of a kind left out than files,", number.n);
	if (coder->status)
		return;
	if (number.kind_bytes > 0)
		left_out->binary[k].n_files = number.n;
	else
		left_out->n[number.reason] = number.n;
	memcpy(left_out->binary[k].name, number.kind, number.kind_bytes);
}

/* Whether the manifest has counts of skipped files; if not, their section is omitted. */
static bool has_left_out(const struct bs_manifest *manifest)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		n |= manifest->sources[i].left_out.binary[0].n_files;
		for (uint32_t reason = 0; reason < BS_SKIP_MAX; reason++)
			n |= manifest->sources[i].left_out.n[reason];
	}
	return n > 0;
}

static void code_left_out(struct coder *coder, struct bs_manifest *manifest)
{
	while (!coder->writer && !coder->status && coder->at < coder->end)
		read_number(coder, manifest);
	for (uint32_t i = 0; coder->writer && i < manifest->n_sources; i++) {
		const struct bs_left_out *left_out = &manifest->sources[i].left_out;
		for (uint32_t reason = 0; reason < BS_SKIP_MAX; reason++)
			if (left_out->n[reason] > 0)
				code_number(coder, &(struct number_left_out){
							   i, reason, left_out->n[reason], "", 0});
		for (size_t k = 0; k < BS_SKIP_KINDS && left_out->binary[k].n_files > 0; k++)
			code_number(coder, &(struct number_left_out){
						   i, BS_SKIP_BINARY, left_out->binary[k].n_files,
						   left_out->binary[k].name,
						   strlen(left_out->binary[k].name)});
	}
}

static void code_segment(struct coder *coder, struct bs_segment_record *segment)
{
	uint32_t flags =
		(segment->is_full ? SEGMENT_FULL : 0) | (segment->is_rows ? SEGMENT_ROWS : 0);
	code_u64(coder, &segment->number);
	code_u64(coder, &segment->tombstones);
	code_u64(coder, &segment->n_docs);
	code_u64(coder, &segment->n_deleted);
	code_u64(coder, &segment->n_bytes);
	code_u32(coder, &flags);
	if (!coder->writer) {
		segment->is_full = flags & SEGMENT_FULL;
		segment->is_rows = flags & SEGMENT_ROWS;
	}
	expect(coder,
	       segment->n_deleted <= segment->n_docs &&
	               (segment->tombstones != 0) == (segment->n_deleted != 0),
	       "a segment whose documents or tombstones do not fit its deleted documents,",
	       segment->n_deleted);
	expect(coder, flags <= (SEGMENT_FULL | SEGMENT_ROWS), "a segment with unknown flags",
	       flags);
}

static void code_segments(struct coder *coder, struct bs_manifest *manifest)
{
	uint64_t n = code_count(coder, manifest->n_segments);
	for (uint64_t i = 0; i < n && !coder->status; i++) {
		struct bs_segment_record read = {0};
		code_segment(coder, coder->writer ? &manifest->segments[i] : &read);
		if (!coder->writer && !coder->status)
			coder->status = bs_manifest_add_segment(manifest, &read, coder->err);
	}
	code_u64(coder, &manifest->exclusions.number);
	code_u64(coder, &manifest->exclusions.n_docs);
	expect(coder, (manifest->exclusions.number != 0) == (manifest->exclusions.n_docs != 0),
	       "a file of exclusions, or none, where there are", manifest->exclusions.n_docs);
}

static void code_fields(struct coder *coder, struct bs_manifest *manifest)
{
	uint64_t n = code_count(coder, manifest->fields.n_terms);
	for (uint32_t i = 0; i < n && !coder->status; i++) {
		const char *name = coder->writer
		                           ? (const char *)bs_term_table_key(&manifest->fields, i)
		                           : NULL;
		size_t name_bytes = coder->writer ? manifest->fields.entries[i].n_bytes : 0;
		code_text(coder, &name, &name_bytes);
		if (!coder->writer && !coder->status)
			coder->status =
				bs_manifest_add_field(manifest, name, name_bytes, coder->err);
	}
}

static bool has_grams(const struct bs_manifest *manifest)
{
	return manifest->options.grams;
}

/* Checks that the entry of a list at `at` is complete, is of a source of the manifest, and is not
 * of an earlier source than the entry at `before` (NULL: none). Returns the NUL byte at its end, or
 * NULL. */
static const uint8_t *find_entry_end(const struct coder *coder, const struct bs_manifest *manifest,
                                     const uint8_t *at, size_t head_bytes, const uint8_t *before)
{
	const size_t left = (size_t)(coder->end - at);
	const uint8_t *end =
		left > head_bytes ? memchr(at + head_bytes, 0, left - head_bytes) : NULL;
	return end && bs_load_u32(at) < manifest->n_sources &&
	                       (!before || bs_load_u32(before) <= bs_load_u32(at))
	               ? end
	               : NULL;
}

static void code_non_documents(struct coder *coder, struct bs_manifest *manifest)
{
	struct bs_non_document_list *list = &manifest->non_documents;
	size_t n_files = 0;
	if (coder->writer) {
		bs_file_writer_bytes(coder->writer, list->files.data, list->files.used_bytes);
		return;
	}
	for (const uint8_t *at = coder->at, *before = NULL, *end; at < coder->end && !coder->status;
	     before = at, at = end + 1) {
		end = find_entry_end(coder, manifest, at, NON_DOCUMENT_HEAD_BYTES, before);
		if (!end) {
			coder->status = bs_container_corrupt(
				coder->file, coder->err,
				"the list of files that are passed over does not decode");
			return;
		}
		struct bs_non_document_place place = {(size_t)(at - coder->at), n_files++, {0}};
		coder->status = start_source(list, bs_load_u32(at), place, coder->err);
	}
	if (!coder->status)
		coder->status = bs_buffer_append(&list->files, coder->at,
		                                 (size_t)(coder->end - coder->at), coder->err);
	/* Fingerprints are empty, a byte 0 each, unless the section of fingerprints follows. */
	if (!coder->status)
		coder->status = bs_buffer_reserve(&list->fingerprints, n_files, coder->err);
	if (coder->status)
		return;
	if (n_files > 0)
		memset(list->fingerprints.data, 0, n_files);
	list->fingerprints.used_bytes = n_files;
	coder->at = coder->end;
}

static bool has_fingerprints(const struct bs_manifest *manifest)
{
	const struct bs_buffer *fingerprints = &manifest->non_documents.fingerprints;
	for (size_t i = 0; i < fingerprints->used_bytes; i++)
		if (fingerprints->data[i])
			return manifest->options.grams;
	return false;
}

static void code_fingerprints(struct coder *coder, struct bs_manifest *manifest)
{
	struct bs_non_document_list *list = &manifest->non_documents;
	struct bs_non_document_start *start = list->starts.items,
				     *starts_end = start + bs_vector_n(&list->starts);
	struct bs_buffer *bytes = &list->fingerprints;
	size_t n_files = bytes->used_bytes;
	bool has_fingerprint;
	if (coder->writer) {
		bs_file_writer_bytes(coder->writer, bytes->data, bytes->used_bytes);
		return;
	}
	const uint8_t *at = coder->at;
	for (size_t i = 0; i < n_files && at; i++) {
		if (start < starts_end && start->place.fingerprint_at == i) {
			start->place.fingerprint_at = (size_t)(at - coder->at);
			memcpy(start->place.last, list->last, sizeof(list->last));
			start++;
		}
		at = get_fingerprint(at, coder->end, list->last, &has_fingerprint);
	}
	if (!at) {
		has_bytes(coder, UINT64_MAX);
		return;
	}
	bs_buffer_clear(bytes);
	coder->status = bs_buffer_append(bytes, coder->at, (size_t)(at - coder->at), coder->err);
	coder->at = at;
}

static bool has_passed_entries(const struct bs_manifest *manifest)
{
	return manifest->has_passed_entries && manifest->options.grams;
}

static bool is_passed_entry(const uint8_t *entry, const uint8_t *end)
{
	const uint8_t *path = entry + PASSED_HEAD_BYTES;
	return entry[4] >= BS_SKIP_HIDDEN && entry[4] <= BS_SKIP_IGNORED_FOLDER &&
	       bs_doc_name_is_below(path, (uint32_t)(end - path));
}

/* True if the entry `a` is of an earlier source than b or has a path before that of b. */
static bool is_passed_before(const uint8_t *a, const uint8_t *b)
{
	const uint8_t *a_path = a + PASSED_HEAD_BYTES, *b_path = b + PASSED_HEAD_BYTES;
	return bs_load_u32(a) < bs_load_u32(b) ||
	       bs_compare_paths(a_path, strlen((const char *)a_path), b_path,
	                        strlen((const char *)b_path)) < 0;
}

/* The section is u8 1, then the list, so that an empty list differs from a missing section. */
static void code_passed_entries(struct coder *coder, struct bs_manifest *manifest)
{
	struct bs_buffer *list = &manifest->passed_entries;
	if (coder->writer) {
		bs_file_writer_bytes(coder->writer, "\1", 1);
		bs_file_writer_bytes(coder->writer, list->data, list->used_bytes);
		return;
	}
	expect(coder, coder->at < coder->end && *coder->at == 1, "a list of entries of kind",
	       coder->at < coder->end ? *coder->at : 0);
	coder->at += !coder->status;
	for (const uint8_t *at = coder->at, *before = NULL, *end; at < coder->end && !coder->status;
	     before = at, at = end + 1) {
		end = find_entry_end(coder, manifest, at, PASSED_HEAD_BYTES, before);
		if (end && is_passed_entry(at, end) && (!before || is_passed_before(before, at)))
			continue;
		coder->status = bs_container_corrupt(
			coder->file, coder->err,
			"the list of entries left out by rules does not decode");
		return;
	}
	if (!coder->status)
		coder->status = bs_buffer_append(list, coder->at, (size_t)(coder->end - coder->at),
		                                 coder->err);
	manifest->has_passed_entries = !coder->status;
	coder->at = coder->end;
}

/* The sections, in the order of the file. */
static const struct section {
	uint32_t id;
	bool may_lack; /* the section may be missing in a file */
	/* Whether the section is written; NULL: always. */
	bool (*is_wanted)(const struct bs_manifest *manifest);
	void (*code)(struct coder *coder, struct bs_manifest *manifest);
} sections[] = {
	{SECTION_OPTIONS, false, NULL, code_options},
	{SECTION_SOURCES, false, NULL, code_sources},
	{SECTION_SEGMENTS, false, NULL, code_segments},
	{SECTION_FIELDS, false, NULL, code_fields},
	{SECTION_NON_DOCUMENTS, true, has_grams, code_non_documents},
	{SECTION_LEFT_OUT, true, has_left_out, code_left_out},
	{SECTION_WORDS, true, has_word_rules, code_words},
	{SECTION_SUMMARY, true, NULL, code_summary},
	{SECTION_RECORD_GRAMS, true, has_record_grams, code_record_grams},
	{SECTION_FINGERPRINTS, true, has_fingerprints, code_fingerprints},
	{SECTION_PASSED, true, has_passed_entries, code_passed_entries},
};

static const char temporary[] = "manifest.new";

static enum bs_status write_file(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err)
{
	struct coder coder = {.err = err};
	bs_dir_remove(dir, temporary);
	/* The new segments must exist after a crash, so the directory is synced before the manifest
	 * is written. */
	enum bs_status status = bs_dir_flush(dir, err);
	if (!status)
		status = bs_file_writer_open(dir, temporary, BS_FILE_MANIFEST, &coder.writer, err);
	if (status)
		return status;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (sections[i].is_wanted && !sections[i].is_wanted(manifest))
			continue;
		bs_file_writer_section(coder.writer, sections[i].id, 0);
		sections[i].code(&coder, (struct bs_manifest *)(uintptr_t)manifest);
	}
	return bs_file_writer_finish(coder.writer, NULL, err);
}

const char *bs_index_file_name(const char *prefix, uint64_t number, char name[BS_INDEX_NAME_BYTES])
{
	snprintf(name, BS_INDEX_NAME_BYTES, "%s-%06llu", prefix, (unsigned long long)number);
	return name;
}

enum bs_status bs_index_file_begin(const struct bs_dir *dir, const char *prefix, uint64_t number,
                                   enum bs_container_kind kind, struct bs_file_writer **writer_out,
                                   struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	bs_dir_remove(dir, bs_index_file_name(prefix, number, name));
	return bs_file_writer_open(dir, name, kind, writer_out, err);
}

enum bs_status bs_index_file_open(const struct bs_dir *dir, const char *prefix, uint64_t number,
                                  enum bs_container_kind kind, struct bs_container **file_out,
                                  struct bs_error *err)
{
	char name[BS_INDEX_NAME_BYTES];
	return bs_container_open(dir, bs_index_file_name(prefix, number, name), kind, file_out,
	                         err);
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
	return bs_compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Checks that the numbers of files are distinct and below next_number. */
static enum bs_status check_numbers(const struct bs_container *file,
                                    const struct bs_manifest *manifest, struct bs_error *err)
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
			status = bs_container_corrupt(
				file, err, "file number %llu is not below the next one, %llu",
				(unsigned long long)numbers[i],
				(unsigned long long)manifest->next_number);
		else if (i > 0 && numbers[i] == numbers[i - 1])
			status = bs_container_corrupt(file, err, "file number %llu is used twice",
			                              (unsigned long long)numbers[i]);
	}
	free(numbers);
	return status;
}

static enum bs_status read_section(const struct bs_container *file, const struct section *section,
                                   struct bs_manifest *manifest, struct bs_error *err)
{
	struct bs_section bytes = bs_container_section(file, section->id, 0);
	if (bytes.n_bytes == 0 && section->may_lack)
		return BS_OK;
	struct coder coder = {
		.file = file, .at = bytes.data, .end = bytes.data + bytes.n_bytes, .err = err};
	coder.status = bs_section_touch(&bytes, 0, bytes.n_bytes, err);
	section->code(&coder, manifest);
	expect(&coder, coder.at == coder.end,
	       "trailing bytes in a section:", (unsigned long long)(coder.end - coder.at));
	return coder.status;
}

static enum bs_status read_file(const struct bs_dir *dir, const char *name,
                                struct bs_manifest *manifest_out, struct bs_error *err)
{
	*manifest_out = (struct bs_manifest){.options.summary_rate = BS_SUMMARY_DEFAULT};
	struct bs_container *file;
	enum bs_status status = bs_container_open(dir, name, BS_FILE_MANIFEST, &file, err);
	if (status)
		return status;
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !status; i++)
		status = read_section(file, &sections[i], manifest_out, err);
	if (!status)
		status = check_numbers(file, manifest_out, err);
	bs_container_close(file);
	if (status)
		bs_manifest_deinit(manifest_out);
	return status;
}

enum bs_status bs_manifest_read(const struct bs_dir *dir, struct bs_manifest *manifest_out,
                                struct bs_error *err)
{
	return read_file(dir, "manifest", manifest_out, err);
}

enum bs_status bs_manifest_refuse(const struct bs_dir *dir, enum bs_status why,
                                  const struct bs_error *reason, struct bs_error *err)
{
	/* Omits the advice after the last semicolon (to rebuild), because a rebuild would fail in
	 * the same way. */
	const char *end = why == BS_CORRUPT ? strrchr(reason->text, ';') : NULL;
	size_t n = end ? (size_t)(end - reason->text) : strlen(reason->text);
	return bs_fail(
		err, why,
		"%s: nothing was committed, because what was written cannot be read again: %.*s",
		dir->path, (int)n, reason->text);
}

enum bs_status bs_manifest_write(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                 struct bs_error *err)
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
