/* catalog_look.c: see catalog_look.h. */
#include "core/catalog/catalog_look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/bytes.h"
#include "core/base/date.h"
#include "core/base/source_kind.h"
#include "core/bitsift/host.h"
#include "core/lexicon/lexicon.h"
#include "core/store/snapshot.h"
#include "core/system/deadline.h"

enum bs_status bs_catalog_fingerprint(const char *place,
                                      uint64_t fingerprint[BS_CATALOG_FINGERPRINTS],
                                      struct bs_error *err)
{
	struct stat found;
	size_t n_bytes = strlen(place);
	char *path = malloc(n_bytes + sizeof("/manifest"));
	if (!path)
		return bs_fail_memory(err, "a path", n_bytes + sizeof("/manifest"));
	memcpy(path, place, n_bytes);
	memcpy(path + n_bytes, "/manifest", sizeof("/manifest"));
	int failed = stat(path, &found);
	free(path);
	if (failed)
		return bs_fail(err, errno == ENOENT ? BS_NOT_FOUND : BS_IO, "%s: %s", place,
		               errno == ENOENT ? "no index there" : strerror(errno));
	fingerprint[0] = (uint64_t)found.st_size;
	fingerprint[1] = (uint64_t)bs_moment_code(
		(struct bs_moment){found.st_mtim.tv_sec, (uint32_t)found.st_mtim.tv_nsec});
	fingerprint[2] = (uint64_t)bs_moment_code(
		(struct bs_moment){found.st_ctim.tv_sec, (uint32_t)found.st_ctim.tv_nsec});
	fingerprint[3] = (uint64_t)found.st_ino;
	return BS_OK;
}

/* A candidate for the words that the catalog stores. */
struct counted_word {
	uint64_t df; /* the sum over all segments */
	uint8_t *word;
	size_t word_bytes;
};

struct word_choice {
	struct counted_word *words; /* room for 2 * BS_CATALOG_WORDS */
	size_t n;
};

static int compare_df(const void *a, const void *b)
{
	const struct counted_word *x = a, *y = b;
	int order = bs_compare_u64(y->df, x->df);
	return order ? order : bs_compare_bytes(x->word, x->word_bytes, y->word, y->word_bytes);
}

static int compare_words(const void *a, const void *b)
{
	const struct counted_word *x = a, *y = b;
	return bs_compare_bytes(x->word, x->word_bytes, y->word, y->word_bytes);
}

/* Removes duplicates, then all but the most frequent BS_CATALOG_WORDS words. */
static void cut_choice(struct word_choice *choice)
{
	size_t n = 0;
	qsort(choice->words, choice->n, sizeof(*choice->words), compare_words);
	for (size_t i = 0; i < choice->n; i++) {
		if (n > 0 && compare_words(&choice->words[n - 1], &choice->words[i]) == 0)
			free(choice->words[i].word);
		else
			choice->words[n++] = choice->words[i];
	}
	qsort(choice->words, n, sizeof(*choice->words), compare_df);
	for (; n > BS_CATALOG_WORDS; n--)
		free(choice->words[n - 1].word);
	choice->n = n;
}

/* The df of a word, summed over all segments. */
static enum bs_status count_word(const struct bs_snapshot *snapshot, const struct bs_buffer *word,
                                 uint64_t *df_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	*df_out = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++) {
		bool found;
		uint64_t ordinal, df = 0;
		status = bs_lexicon_find(&snapshot->segments[s].terms.lexicon, word->data,
		                         (uint32_t)word->used_bytes, &found, &ordinal, &df, err);
		*df_out += df;
	}
	return status;
}

static enum bs_status choose_word(const struct bs_snapshot *snapshot, const struct bs_buffer *word,
                                  struct word_choice *choice, struct bs_error *err)
{
	struct counted_word *to = &choice->words[choice->n];
	enum bs_status status = count_word(snapshot, word, &to->df, err);
	if (status)
		return status;
	to->word = malloc(word->used_bytes);
	to->word_bytes = word->used_bytes;
	if (!to->word)
		return bs_fail_memory(err, "a word", word->used_bytes);
	memcpy(to->word, word->data, word->used_bytes);
	choice->n++;
	if (choice->n == 2 * BS_CATALOG_WORDS)
		cut_choice(choice);
	return BS_OK;
}

#define WORD_NS 50u /* estimated time of a step through a lexicon */

/* The lowest df of the BS_CATALOG_WORDS most frequent words of the segment; at most BOUND. Counts
 * the words of each df; a df above BOUND counts as BOUND. */
static enum bs_status least_df(const struct bs_segment *segment, uint64_t *least_out,
                               struct bs_error *err)
{
	enum {
		BOUND = 4096
	};
	uint64_t *n_words = calloc(BOUND + 1, sizeof(*n_words)), n = 0;
	struct bs_lexicon_cursor cursor = {.lexicon = &segment->terms.lexicon};
	bool end = false;
	enum bs_status status =
		n_words ? bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, err)
			: bs_fail_memory(err, "counts", BOUND * sizeof(*n_words));
	while (!status && !(status = bs_lexicon_cursor_next(&cursor, &end, err)) && !end &&
	       cursor.term.data[0] != BS_KEY_COMPOUND &&
	       !(status = bs_deadline_check_after(WORD_NS, err)))
		n_words[cursor.df < BOUND ? cursor.df : BOUND]++;
	for (*least_out = BOUND; !status && *least_out > 1; --*least_out)
		if ((n += n_words[*least_out]) >= BS_CATALOG_WORDS)
			break;
	bs_lexicon_cursor_deinit(&cursor);
	free(n_words);
	return status;
}

/* Adds the most frequent words of a segment to the choice. */
static enum bs_status choose_words(const struct bs_snapshot *snapshot,
                                   const struct bs_segment *segment, struct word_choice *choice,
                                   struct bs_error *err)
{
	struct bs_lexicon_cursor cursor = {.lexicon = &segment->terms.lexicon};
	uint64_t least;
	bool end = false;
	if (!segment->terms.lexicon.n_terms)
		return BS_OK;
	enum bs_status status = least_df(segment, &least, err);
	if (!status)
		status = bs_lexicon_cursor_seek(&cursor, (const uint8_t *)"", 0, err);
	while (!status && !(status = bs_lexicon_cursor_next(&cursor, &end, err)) && !end &&
	       cursor.term.data[0] != BS_KEY_COMPOUND &&
	       !(status = bs_deadline_check_after(WORD_NS, err)))
		if (cursor.df >= least)
			status = choose_word(snapshot, &cursor.term, choice, err);
	bs_lexicon_cursor_deinit(&cursor);
	return status;
}

static enum bs_status put_varint(struct bs_buffer *to, uint64_t value, struct bs_error *err)
{
	uint8_t bytes[BS_VARINT_MAX_BYTES];
	return bs_buffer_append(to, bytes, bs_varint_put(bytes, value), err);
}

static enum bs_status put_words(struct word_choice *choice, struct bs_buffer *to,
                                struct bs_error *err)
{
	static const struct counted_word none;
	enum bs_status status = BS_OK;
	cut_choice(choice);
	qsort(choice->words, choice->n, sizeof(*choice->words), compare_words);
	for (size_t i = 0; i < choice->n && !status; i++) {
		const struct counted_word *word = &choice->words[i], *before = i ? word - 1 : &none;
		size_t n_shared = bs_common_bytes(before->word, before->word_bytes, word->word,
		                                  word->word_bytes);
		status = put_varint(to, n_shared, err);
		if (!status)
			status = put_varint(to, word->word_bytes - n_shared, err);
		if (!status)
			status = bs_buffer_append(to, word->word + n_shared,
			                          word->word_bytes - n_shared, err);
		if (!status)
			status = put_varint(to, word->df, err);
	}
	return status;
}

static enum bs_status look_at_words(const struct bs_snapshot *snapshot, struct bs_buffer *to,
                                    struct bs_error *err)
{
	struct word_choice choice = {.words = malloc(2 * BS_CATALOG_WORDS * sizeof(*choice.words))};
	enum bs_status status =
		choice.words ? BS_OK
			     : bs_fail_memory(err, "words",
	                                      2 * BS_CATALOG_WORDS * sizeof(*choice.words));
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && !status; s++)
		if (bs_snapshot_has_words(snapshot, s))
			status = choose_words(snapshot, &snapshot->segments[s], &choice, err);
	if (!status)
		status = put_words(&choice, to, err);
	for (size_t i = 0; i < choice.n; i++)
		free(choice.words[i].word);
	free(choice.words);
	return status;
}

static enum bs_status look_at_fields(const struct bs_snapshot *snapshot, struct bs_buffer *to,
                                     struct bs_error *err)
{
	const struct bs_term_table *fields = &snapshot->manifest.fields;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < fields->n_terms && !status; i++) {
		const uint8_t *name = bs_term_table_key(fields, i);
		uint32_t n_bytes = fields->entries[i].n_bytes;
		bool has = false;
		if (n_bytes == 0 || n_bytes > BS_MOST_FIELD_BYTES)
			continue;
		status = bs_snapshot_has_values(snapshot, name, n_bytes, &has, err);
		uint8_t kinds = BS_FIELD_OF_RECORDS | (has ? BS_FIELD_WITH_VALUES : 0);
		if (!status)
			status = put_varint(to, n_bytes, err);
		if (!status)
			status = bs_buffer_append(to, name, n_bytes, err);
		if (!status)
			status = bs_buffer_append(to, &kinds, 1, err);
	}
	return status;
}

static void look_at_sources(const struct bs_manifest *manifest, struct bs_catalog_item *item)
{
	if (manifest->options.globs)
		item->flags |= BS_CATALOG_IS_NARROW;
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		if (manifest->sources[i].kind == BS_SOURCE_FOLDER ||
		    manifest->sources[i].kind == BS_SOURCE_FILE)
			item->flags |= BS_CATALOG_HAS_FILES;
}

/* If the summary is missing or cannot be read, the item has none. BS_NO_MEMORY. */
static enum bs_status look_at_summary(const struct bs_dir *dir, const struct bs_manifest *manifest,
                                      struct bs_catalog_item *item, struct bs_error *err)
{
	struct bs_summary_file file;
	const uint8_t *bytes;
	enum bs_status status = bs_summary_file_open(dir, manifest, &file, err);
	if (!status)
		status = bs_summary_check(&file.summary, err);
	if (!status)
		status = bs_summary_bytes(&file.summary, &bytes, err);
	if (!status)
		status = bs_buffer_append(&item->own_summary, bytes, file.summary.n_bytes, err);
	if (!status)
		status = bs_summary_open_bytes(item->own_summary.data, item->own_summary.used_bytes,
		                               &item->summary, err);
	if (!status)
		item->flags |= BS_CATALOG_SUMMARY;
	bs_summary_file_close(&file);
	return status == BS_NO_MEMORY ? status : BS_OK;
}

static enum bs_status look(const struct bs_dir *dir, const struct bs_snapshot *snapshot,
                           struct bs_catalog_item *item, struct bs_error *err)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	item->generation = manifest->generation;
	item->n_docs = snapshot->totals.n_docs;
	item->n_positions = snapshot->totals.n_positions;
	memcpy(item->read.versions.icu, manifest->versions.icu, sizeof(manifest->versions.icu));
	memcpy(item->read.versions.unicode, manifest->versions.unicode,
	       sizeof(manifest->versions.unicode));
	look_at_sources(manifest, item);
	enum bs_status status = bs_summary_analysis(manifest, &item->analysis, err);
	if (!status)
		status = bs_recorded_options_copy(&manifest->options, &item->read.options, err);
	if (!status)
		status = look_at_summary(dir, manifest, item, err);
	if (!status && manifest->options.words)
		status = look_at_words(snapshot, &item->own_words, err);
	if (!status)
		status = look_at_fields(snapshot, &item->own_fields, err);
	item->words = (struct bs_section){.data = item->own_words.data,
	                                  .n_bytes = item->own_words.used_bytes};
	item->fields = (struct bs_section){.data = item->own_fields.data,
	                                   .n_bytes = item->own_fields.used_bytes};
	return status;
}

enum bs_status bs_catalog_look(const char *path, const struct bs_consent *consent,
                               struct bs_catalog_item *item, struct bs_error *err)
{
	struct bs_dir dir;
	struct bs_snapshot snapshot;
	struct bs_catalog_item found = {.flags = 0};
	enum bs_status status = bs_dir_open(&dir, path, NULL, consent, err);
	if (status)
		return status;
	if (!(found.place = strdup(dir.place)))
		status = bs_fail_memory(err, "a path", strlen(dir.place));
	/* Take the fingerprint before reading: if a commit happens meanwhile, the new manifest has
	 * another fingerprint, so the catalog reads the index again. */
	if (!status)
		status = bs_catalog_fingerprint(found.place, found.fingerprint, err);
	if (status == BS_NOT_FOUND)
		status = bs_fail(err, status, "%s: no index here; make one with `bitsift index`",
		                 found.place);
	if (!status)
		status = bs_snapshot_open(&dir, &snapshot, err);
	if (!status) {
		status = look(&dir, &snapshot, &found, err);
		bs_snapshot_deinit(&snapshot);
	}
	bs_dir_close(&dir);
	if (status) {
		bs_catalog_item_deinit(&found);
		return status;
	}
	found.name = item->name;
	item->name = NULL;
	bs_catalog_item_deinit(item);
	*item = found;
	return BS_OK;
}
