/* summary.c: see summary.h. */
#include "core/store/summary.h"

#include <string.h>

#include "core/base/bytes.h"
#include "core/base/gram_hash.h"
#include "core/base/hash.h"
#include "core/base/vector.h"

#define VERSION         3u
#define FLAG_WORDS      1u
#define FLAG_GRAMS      2u
#define FLAG_TEXT_GRAMS 4u

/* Offsets in the head of a summary. The checksum covers the bytes after the checksum. */
enum {
	AT_VERSION = 0,
	AT_FLAGS = 4,
	AT_BYTES = 8,
	AT_CHECKSUM = 16,
	AT_NUMBERS = 24,
	AT_LIST_BYTES = 80
};
/* The members of bs_summary_facts that are numbers, in the order of the head. */
static const size_t fact_numbers[] = {offsetof(struct bs_summary_facts, rate),
                                      offsetof(struct bs_summary_facts, n_places),
                                      offsetof(struct bs_summary_facts, n_docs),
                                      offsetof(struct bs_summary_facts, n_positions),
                                      offsetof(struct bs_summary_facts, analysis),
                                      offsetof(struct bs_summary_facts, n_unknown_files),
                                      offsetof(struct bs_summary_facts, most_nul_end)};
#define N_NUMBERS (sizeof(fact_numbers) / sizeof(*fact_numbers))
/* number of lists in a summary: those of words, then those of trigrams */
#define LISTS (2 * BS_MULTISET_SHOWN)

/* Sections of summary-N. */
#define SECTION_SUMMARY  1u
#define SECTION_SEGMENTS 3u
/* Sections of counts-N. SECTION_COUNTS has the checksum of the summary, the size of each list, and
 * the lists. */
#define SECTION_COUNTS 1u
#define COUNTED        (BS_MULTISET_LISTS - BS_MULTISET_SHOWN)
#define COUNTS_AT      (8u + 8 * COUNTED)

static uint64_t *number_of(const struct bs_summary_facts *facts, size_t i)
{
	return (uint64_t *)((uintptr_t)facts + fact_numbers[i]);
}

static enum bs_status damaged(const struct bs_summary *summary, const char *what,
                              struct bs_error *err)
{
	return summary->section.file ? bs_container_corrupt(summary->section.file, err, "%s", what)
	                             : bs_fail(err, BS_CORRUPT, "a summary: %s", what);
}

/* Opens n consecutive lists that fill the bytes. sizes: their sizes, u64 each. */
static enum bs_status open_lists(const struct bs_section *section, uint64_t offset,
                                 uint64_t n_bytes, const uint8_t *sizes, unsigned n,
                                 struct bs_coded_section *lists[], bool *fit_out,
                                 struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*fit_out = true;
	for (unsigned i = 0; i < n && *fit_out && !status; i++) {
		uint64_t list_bytes = bs_load_u64(sizes + (size_t)i * 8);
		*fit_out = list_bytes <= n_bytes;
		if (*fit_out)
			status = bs_coded_section_open(lists[i], section, offset, list_bytes, err);
		offset += list_bytes;
		n_bytes -= list_bytes;
	}
	*fit_out = *fit_out && (status || n_bytes == 0);
	return status;
}

enum bs_status bs_summary_open(const struct bs_section *section, uint64_t offset, uint64_t n_bytes,
                               struct bs_summary *summary, struct bs_error *err)
{
	*summary = (struct bs_summary){.section = *section, .offset = offset, .n_bytes = n_bytes};
	if (n_bytes < AT_CHECKSUM)
		return damaged(summary, "it is too short", err);
	uint64_t head_bytes = n_bytes < BS_SUMMARY_HEAD_BYTES ? n_bytes : BS_SUMMARY_HEAD_BYTES;
	enum bs_status status = bs_section_touch(section, offset, head_bytes, err);
	if (status)
		return status;
	const uint8_t *head = section->data + offset;
	uint32_t flags = bs_load_u32(head + AT_FLAGS), version = bs_load_u32(head + AT_VERSION);
	if (version > VERSION)
		return bs_fail(err, BS_UNSUPPORTED,
		               "a summary of version %u, this bitsift knows %u", version, VERSION);
	if (version > 0 && version < VERSION)
		return bs_fail(err, BS_NOT_FOUND, "a summary of an earlier making");
	if (version != VERSION || head_bytes < BS_SUMMARY_HEAD_BYTES ||
	    flags > (FLAG_WORDS | FLAG_GRAMS | FLAG_TEXT_GRAMS) ||
	    bs_load_u64(head + AT_BYTES) != n_bytes)
		return damaged(summary, "its header does not fit its size", err);
	for (size_t i = 0; i < N_NUMBERS; i++)
		*number_of(&summary->facts, i) = bs_load_u64(head + AT_NUMBERS + 8 * i);
	summary->facts.has_words = flags & FLAG_WORDS;
	summary->facts.has_grams = flags & FLAG_GRAMS;
	summary->facts.has_text_grams = flags & FLAG_TEXT_GRAMS;
	struct bs_coded_section *lists[LISTS] = {&summary->words.base, &summary->words.more,
	                                         &summary->words.gone, &summary->grams.base,
	                                         &summary->grams.more, &summary->grams.gone};
	bool fit;
	status =
		open_lists(section, offset + BS_SUMMARY_HEAD_BYTES, n_bytes - BS_SUMMARY_HEAD_BYTES,
	                   head + AT_LIST_BYTES, LISTS, lists, &fit, err);
	if (!status && !fit)
		status = damaged(summary, "its header does not fit its size", err);
	for (unsigned i = 0; i < BS_MULTISET_SHOWN && !status; i++)
		if (lists[i]->coded.n > summary->facts.n_places ||
		    summary->facts.n_places > BS_CODED_MOST)
			status = damaged(summary, "more words than places", err);
	return status;
}

enum bs_status bs_summary_open_bytes(const uint8_t *bytes, uint64_t n_bytes,
                                     struct bs_summary *summary_out, struct bs_error *err)
{
	struct bs_section section = {.data = bytes, .n_bytes = n_bytes};
	return bs_summary_open(&section, 0, n_bytes, summary_out, err);
}

enum bs_status bs_summary_bytes(const struct bs_summary *summary, const uint8_t **bytes_out,
                                struct bs_error *err)
{
	*bytes_out = summary->section.data + summary->offset;
	return bs_section_touch(&summary->section, summary->offset, summary->n_bytes, err);
}

bool bs_summary_facts_equal(const struct bs_summary_facts *a, const struct bs_summary_facts *b)
{
	bool is_equal = a->has_words == b->has_words && a->has_grams == b->has_grams &&
	                a->has_text_grams == b->has_text_grams;
	for (size_t i = 0; i < N_NUMBERS; i++)
		is_equal &= *number_of(a, i) == *number_of(b, i);
	return is_equal;
}

/* Checks that the list is a set of numbers below `end`. */
static enum bs_status check_numbers(const struct bs_summary *summary,
                                    const struct bs_coded_section *at, uint64_t end,
                                    struct bs_error *err)
{
	struct bs_u64s numbers = {0};
	enum bs_status status = bs_coded_section_read(at, &numbers.bytes, err);
	const size_t n = bs_vector_n(&numbers);
	if (!status && n > 0 && (numbers.items[n - 1] >= end || !at->coded.is_set))
		status = damaged(summary, "numbers that cannot be", err);
	bs_vector_deinit(&numbers);
	return status;
}

enum bs_status bs_summary_check(const struct bs_summary *summary, struct bs_error *err)
{
	const uint8_t *bytes;
	const uint32_t checked = AT_CHECKSUM + 8;
	enum bs_status status = bs_summary_bytes(summary, &bytes, err);
	if (!status && bs_checksum(bytes + checked, (size_t)summary->n_bytes - checked) !=
	                       bs_load_u64(bytes + AT_CHECKSUM))
		status = damaged(summary, "its checksum is wrong", err);
	const struct bs_coded_section *words[] = {&summary->words.base, &summary->words.more,
	                                          &summary->words.gone};
	const struct bs_coded_section *grams[] = {&summary->grams.base, &summary->grams.more,
	                                          &summary->grams.gone};
	for (unsigned i = 0; i < BS_MULTISET_SHOWN && !status; i++)
		status = check_numbers(summary, words[i], summary->facts.n_places, err);
	for (unsigned i = 0; i < BS_MULTISET_SHOWN && !status; i++)
		status = check_numbers(summary, grams[i], BS_GRAM_TRIGRAMS, err);
	return status;
}

uint64_t bs_summary_n(const struct bs_coded_set *set)
{
	uint64_t n = set->base.coded.n + set->more.coded.n;
	return n > set->gone.coded.n ? n - set->gone.coded.n : 0;
}

double bs_summary_rate(const struct bs_summary *summary)
{
	return summary->facts.n_places
	               ? (double)bs_summary_n(&summary->words) / (double)summary->facts.n_places
	               : 0;
}

uint64_t bs_summary_place(uint64_t hash, uint64_t n_places)
{
	return bs_hash_multiply(hash, n_places).high;
}

enum bs_status bs_summary_may_have_word(const struct bs_summary *summary, uint64_t hash,
                                        bool *may_out, struct bs_error *err)
{
	uint64_t place = bs_summary_place(hash, summary->facts.n_places);
	*may_out = true;
	return summary->facts.has_words ? bs_coded_set_has(&summary->words, place, may_out, err)
	                                : BS_OK;
}

enum bs_status bs_summary_may_have_gram(const struct bs_summary *summary, const uint8_t gram[3],
                                        bool *may_out, struct bs_error *err)
{
	*may_out = true;
	return summary->facts.has_grams
	               ? bs_coded_set_has(&summary->grams, bs_summary_gram(gram), may_out, err)
	               : BS_OK;
}

/* Adds a string with its terminating NUL to the checksum; for NULL, the string "\xff". */
static void mix_string(struct bs_checksum_stream *stream, const char *string)
{
	bs_checksum_stream_add(stream, string ? string : "\xff", (string ? strlen(string) : 1) + 1);
}

enum bs_status bs_summary_analysis(const struct bs_manifest *manifest, uint64_t *analysis_out,
                                   struct bs_error *err)
{
	const struct bs_recorded_options *options = &manifest->options;
	const uint8_t switches[] = {options->words, options->fold_accents,
	                            options->split_identifiers, (uint8_t)options->words_revision};
	struct bs_checksum_stream *stream = bs_checksum_stream_new();
	if (!stream)
		return bs_fail_memory(err, "a checksum", 1);
	bs_checksum_stream_add(stream, switches, sizeof(switches));
	mix_string(stream, manifest->versions.icu);
	mix_string(stream, manifest->versions.unicode);
	mix_string(stream, options->stem_language);
	mix_string(stream, options->analyzer_name);
	for (size_t i = 0; options->weights && options->weights[i]; i++)
		mix_string(stream, options->weights[i]);
	*analysis_out = bs_checksum_stream_value(stream);
	bs_checksum_stream_free(stream);
	return BS_OK;
}

/* The file. */

/* Whether the summary with this section was made for the segments of the manifest. */
static bool is_of(const struct bs_section *segments, const struct bs_manifest *manifest)
{
	if (segments->n_bytes != (uint64_t)manifest->n_segments * 8)
		return false;
	for (uint32_t i = 0; i < manifest->n_segments; i++) {
		uint32_t at = 0;
		while (at < manifest->n_segments &&
		       bs_load_u64(segments->data + (size_t)at * 8) != manifest->segments[i].number)
			at++;
		if (at == manifest->n_segments)
			return false;
	}
	return true;
}

enum bs_status bs_summary_file_open(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                    struct bs_summary_file *file, struct bs_error *err)
{
	*file = (struct bs_summary_file){.container = NULL};
	if (!manifest->summary.number)
		return bs_fail(err, BS_NOT_FOUND, "%s: no summary", dir->path);
	enum bs_status status = bs_index_file_open(dir, "summary", manifest->summary.number,
	                                           BS_FILE_SUMMARY, &file->container, err);
	if (status)
		return status;
	struct bs_section bytes = bs_container_section(file->container, SECTION_SUMMARY, 0);
	struct bs_section segments = bs_container_section(file->container, SECTION_SEGMENTS, 0);
	status = bs_summary_open(&bytes, 0, bytes.n_bytes, &file->summary, err);
	if (!status && segments.n_bytes)
		status = bs_section_touch(&segments, 0, segments.n_bytes, err);
	if (!status && !is_of(&segments, manifest))
		status = bs_container_corrupt(file->container, err,
		                              "a summary of other segments than the manifest has");
	if (status)
		bs_summary_file_close(file);
	return status;
}

enum bs_status bs_summary_counts_open(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                      struct bs_summary_file *file, struct bs_error *err)
{
	enum bs_status status = bs_index_file_open(dir, "counts", manifest->summary.counts_number,
	                                           BS_FILE_COUNTS, &file->counts_container, err);
	if (status)
		return status;
	struct bs_section section = bs_container_section(file->counts_container, SECTION_COUNTS, 0);
	if (section.n_bytes < COUNTS_AT)
		return bs_container_corrupt(file->counts_container, err, "it is too short");
	status = bs_section_touch(&section, 0, section.n_bytes, err);
	const struct bs_summary *summary = &file->summary;
	if (!status && bs_load_u64(section.data) !=
	                       bs_load_u64(summary->section.data + summary->offset + AT_CHECKSUM))
		status = bs_container_corrupt(file->counts_container, err,
		                              "counts of another summary than the manifest has");
	const struct bs_coded_set *words = &file->summary.words;
	file->words = (struct bs_stored_multiset){{[BS_MULTISET_BASE] = words->base,
	                                           [BS_MULTISET_MORE] = words->more,
	                                           [BS_MULTISET_GONE] = words->gone}};
	struct bs_coded_section *lists[COUNTED];
	for (unsigned i = 0; i < COUNTED; i++)
		lists[i] = &file->words.lists[BS_MULTISET_SHOWN + i];
	bool fit = true;
	if (!status)
		status = open_lists(&section, COUNTS_AT, section.n_bytes - COUNTS_AT,
		                    section.data + 8, COUNTED, lists, &fit, err);
	return fit || status ? status
	                     : bs_container_corrupt(file->counts_container, err,
	                                            "it has other bytes than its lists");
}

void bs_summary_file_close(struct bs_summary_file *file)
{
	bs_container_close(file->container);
	bs_container_close(file->counts_container);
	*file = (struct bs_summary_file){.container = NULL};
}

/* Appends a list. An empty list takes no bytes. */
static enum bs_status append_list(const struct bs_multiset *multiset, unsigned list,
                                  struct bs_buffer *to, struct bs_error *err)
{
	const struct bs_coded_section *kept = multiset->kept[list];
	struct bs_numbers numbers = bs_numbers_in(&multiset->made[list]);
	if (bs_multiset_list_n(multiset, list) == 0)
		return BS_OK;
	if (!kept)
		return bs_coded_write(numbers.at, numbers.n, to, err);
	enum bs_status status =
		bs_section_touch(&kept->section, kept->offset, kept->coded.n_bytes, err);
	return status ? status
	              : bs_buffer_append(to, kept->coded.bytes, (size_t)kept->coded.n_bytes, err);
}

/* Appends n lists, from `first` on, and stores their sizes at offset `sizes`. */
static enum bs_status append_lists(const struct bs_multiset *multiset, unsigned first, unsigned n,
                                   size_t sizes, struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (unsigned i = 0; i < n && !status; i++) {
		size_t before = to->used_bytes;
		status = append_list(multiset, first + i, to, err);
		if (!status)
			bs_store_u64(to->data + sizes + (size_t)i * 8, to->used_bytes - before);
	}
	return status;
}

/* Appends n_bytes zero bytes, to be filled later. */
static enum bs_status append_head(size_t n_bytes, struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(to, n_bytes, err);
	if (status)
		return status;
	memset(to->data + to->used_bytes, 0, n_bytes);
	to->used_bytes += n_bytes;
	return BS_OK;
}

enum bs_status bs_summary_write(const struct bs_summary_facts *facts,
                                const struct bs_summary_multisets *tallies, struct bs_buffer *to,
                                struct bs_buffer *counts, struct bs_error *err)
{
	size_t start = to->used_bytes, counts_start = counts->used_bytes;
	enum bs_status status = append_head(BS_SUMMARY_HEAD_BYTES, to, err);
	if (!status)
		status = append_lists(&tallies->words, BS_MULTISET_BASE, BS_MULTISET_SHOWN,
		                      start + AT_LIST_BYTES, to, err);
	if (!status)
		status = append_lists(&tallies->grams, BS_MULTISET_BASE, BS_MULTISET_SHOWN,
		                      start + AT_LIST_BYTES + 8 * BS_MULTISET_SHOWN, to, err);
	if (!status)
		status = append_head(COUNTS_AT, counts, err);
	if (!status)
		status = append_lists(&tallies->words, BS_MULTISET_SHOWN, COUNTED, counts_start + 8,
		                      counts, err);
	if (status)
		return status;
	uint8_t *head = to->data + start;
	bs_store_u32(head + AT_VERSION, VERSION);
	bs_store_u32(head + AT_FLAGS, (facts->has_words ? FLAG_WORDS : 0) |
	                                      (facts->has_grams ? FLAG_GRAMS : 0) |
	                                      (facts->has_text_grams ? FLAG_TEXT_GRAMS : 0));
	bs_store_u64(head + AT_BYTES, to->used_bytes - start);
	for (size_t i = 0; i < N_NUMBERS; i++)
		bs_store_u64(head + AT_NUMBERS + 8 * i, *number_of(facts, i));
	bs_store_u64(head + AT_CHECKSUM,
	             bs_checksum(head + AT_CHECKSUM + 8, to->used_bytes - start - AT_CHECKSUM - 8));
	memcpy(counts->data + counts_start, head + AT_CHECKSUM, 8);
	return BS_OK;
}

static enum bs_status write_counts(const struct bs_dir *dir, uint64_t number,
                                   const struct bs_buffer *counts, struct bs_error *err)
{
	struct bs_file_writer *writer;
	enum bs_status status =
		bs_index_file_begin(dir, "counts", number, BS_FILE_COUNTS, &writer, err);
	if (status)
		return status;
	bs_file_writer_put(writer, SECTION_COUNTS, 0, counts->data, counts->used_bytes);
	return bs_file_writer_finish(writer, NULL, err);
}

enum bs_status bs_summary_file_write(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                     const struct bs_buffer *summary,
                                     const struct bs_buffer *counts, struct bs_error *err)
{
	struct bs_file_writer *writer;
	enum bs_status status = bs_index_file_begin(dir, "summary", manifest->summary.number,
	                                            BS_FILE_SUMMARY, &writer, err);
	if (status)
		return status;
	bs_file_writer_put(writer, SECTION_SUMMARY, 0, summary->data, summary->used_bytes);
	bs_file_writer_section(writer, SECTION_SEGMENTS, 0);
	for (uint32_t i = 0; i < manifest->n_segments; i++)
		bs_file_writer_u64(writer, manifest->segments[i].number);
	status = bs_file_writer_finish(writer, NULL, err);
	return status ? status : write_counts(dir, manifest->summary.counts_number, counts, err);
}
