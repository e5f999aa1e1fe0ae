/* present_stats.c: see present_stats.h. */
#include "query/present_stats.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/command_line.h"
#include "core/container.h"
#include "core/source_kind.h"
#include "query/present.h"
#include "core/visible.h"

/* ---- text that grows; the first failure stays ---- */

struct page {
	struct bs_buffer *out;
	struct bs_error *err;
	enum bs_status status;
};

static void put(struct page *page, const char *format, ...) BS_PRINTF(2, 3);

static void put(struct page *page, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	int n = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (!page->status)
		page->status = bs_buffer_append(page->out, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1, page->err);
}

/* A name of a stranger: control characters do not reach the terminal. */
static void put_name(struct page *page, const char *name)
{
	if (!page->status)
		page->status = bs_visible_append_text(page->out, name, strlen(name), page->err);
}

static void put_json_string(struct page *page, const char *text)
{
	bool is_valid;
	if (!page->status)
		page->status = bs_present_json_string((const uint8_t *)text, strlen(text), page->out, &is_valid, page->err);
}

/* A number with thousands apart, right-aligned. */
static void put_count(struct page *page, uint64_t n, int width)
{
	char count[32];
	bs_format_count(n, count);
	put(page, "%*s", width, count);
}

/* "1 term", "2 terms". */
static void put_things(struct page *page, uint64_t n, const char *thing)
{
	put_count(page, n, 0);
	put(page, " %s%s", thing, n == 1 ? "" : "s");
}

static void put_bytes(struct page *page, uint64_t n_bytes, int width)
{
	char bytes[24];
	bs_format_bytes(n_bytes, bytes);
	put(page, "%*s", width, bytes);
}

/* ---- names ---- */

static const char *kind_name(uint32_t kind)
{
	switch (kind) {
	case BS_SOURCE_FOLDER:
		return "folder";
	case BS_SOURCE_FILE:
		return "file";
	case BS_SOURCE_COLLECTION:
		return "collection";
	case BS_SOURCE_STDIN:
		return "stdin";
	}
	return "unknown";
}

static const char *rank_name(uint8_t rank)
{
	return rank == BS_RANK_DOCUMENT ? "document" : (rank == BS_RANK_GROUP ? "group" : "block");
}

static double ratio(uint64_t n, uint64_t of)
{
	return of ? (double)n / (double)of : 0;
}

/* Options that are either on or off, in the order in which both forms name them. */
#define N_SWITCHES 7
static const char *const switch_names[N_SWITCHES] = {"words", "grams", "store", "fold-accents", "hidden", "no-ignore",
                                                     "binary"};

static void switches(const struct bs_index_options *options, bool on_out[N_SWITCHES])
{
	const bool on[N_SWITCHES] = {options->words, options->grams, options->store, options->fold_accents,
	                             options->hidden, options->no_ignore, options->binary_as_text};
	memcpy(on_out, on, sizeof(on));
}

/* ---- for a person ---- */

static void text_list(struct page *page, const char *name, char *const *list)
{
	for (size_t i = 0; list && list[i]; i++) {
		put(page, i == 0 ? ", %s " : ",", name);
		put_name(page, list[i]);
	}
}

static void text_options(struct page *page, const struct bs_index_options *options)
{
	bool on[N_SWITCHES];
	switches(options, on);
	put(page, "options    density %.2f", options->density);
	for (int i = 0; i < N_SWITCHES; i++)
		if (on[i])
			put(page, ", %s", switch_names[i]);
	if (options->stem_language)
		put(page, ", stem %s", options->stem_language);
	if (options->id_field) {
		put(page, ", id ");
		put_name(page, options->id_field);
	}
	text_list(page, "text", options->text_fields);
	text_list(page, "glob", options->globs);
	put(page, "\n");
}

static void text_sources(struct page *page, const struct bs_manifest *manifest)
{
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		const struct bs_source_record *source = &manifest->sources[i];
		put(page, "%-10s %-10s ", i == 0 ? "sources" : "", kind_name(source->kind));
		put_name(page, source->label[0] ? source->label : ".");
		if (strcmp(source->path, source->label) != 0 && source->kind != BS_SOURCE_STDIN) {
			put(page, "  (");
			put_name(page, source->path);
			put(page, ")");
		}
		put(page, "\n");
	}
}

static void text_head(struct page *page, const struct bs_snapshot *snapshot, const struct bs_index_stats *stats)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	put(page, "index      ");
	put_name(page, snapshot->dir);
	put(page, ": format %u, commit %llu, ICU %s, Unicode %s\n", BS_FORMAT_VERSION,
	    (unsigned long long)manifest->generation, manifest->icu_version, manifest->unicode_version);
	put(page, "documents  ");
	put_count(page, snapshot->n_live_docs, 0);
	if (snapshot->n_live_docs != snapshot->n_docs) {
		put(page, ", and ");
		put_count(page, snapshot->n_docs - snapshot->n_live_docs, 0);
		put(page, " deleted");
	}
	put(page, "; ");
	put_things(page, snapshot->n_positions, "word");
	put(page, ", ");
	put_bytes(page, stats->text_bytes, 0);
	put(page, " of text\n");
	text_options(page, &manifest->options);
	text_sources(page, manifest);
}

/* The widths of the matrix, level by level, and the share of bits set in it. */
static void text_slab(struct page *page, uint32_t number, const struct bs_slab_stats *slab, uint32_t n_levels)
{
	put(page, "%6u", number);
	put_count(page, slab->n_docs, 11);
	if (slab->n_levels == 0) {
		put(page, "   plain signatures, ");
		put_things(page, slab->n_list_postings, "posting");
		put(page, "\n");
		return;
	}
	for (uint32_t l = 0; l < n_levels; l++) {
		if (slab->n_columns[l] == 0) {
			put(page, "%10s%8s", "-", "");
			continue;
		}
		put_count(page, slab->n_columns[l], 10);
		put(page, "%8.2f", slab->density[l]);
	}
	put_count(page, slab->n_exact, 8);
	put(page, "\n");
}

static void text_slabs(struct page *page, const struct bs_segment *segment, const struct bs_segment_stats *stats)
{
	uint32_t n_levels = segment->treatments.n_levels;
	put(page, "  slab  documents");
	for (uint32_t l = 0; l < n_levels; l++)
		put(page, "%10s%8s", rank_name(segment->treatments.ranks[l]), "density");
	put(page, "%8s\n", "exact");
	for (uint32_t s = 0; s < segment->meta.n_slabs; s++)
		text_slab(page, s, &stats->slabs[s], n_levels);
}

static void text_treatments(struct page *page, const struct bs_treatment_table *table)
{
	put(page, "  words in %14s", "get columns:");
	for (uint32_t l = 0; l < table->n_levels; l++)
		put(page, "%10s", rank_name(table->ranks[l]));
	put(page, "\n");
	for (uint32_t i = 0; i < table->n_entries; i++) {
		const struct bs_treatment *entry = &table->entries[i];
		put(page, "%10llu..%-11s", (unsigned long long)(entry->min_df ? entry->min_df : 1), "");
		for (uint32_t l = 0; l < table->n_levels; l++)
			put(page, "%10u", entry->n_columns[l]);
		put(page, "%s\n", entry->is_exact ? "   exceptions listed" : "");
	}
}

/* How wide the rows of files of one size are, and how many columns a gram has. */
static void text_gram_slabs(struct page *page, const struct bs_gram_slabs *grams)
{
	static const char *const tiers[BS_GRAM_TIERS] = {"left out", "common", "middling", "rare", "longer, common", "longer, rare"};
	put(page, "  %-15s%10s%10s\n", "grams of", "files", "columns");
	for (uint32_t i = 0; i < grams->n_slabs; i++) {
		const struct bs_gram_slab_shape *shape = &grams->slabs[i].shape;
		put(page, "  class %-9u", shape->size_class);
		put_count(page, shape->n_docs, 10);
		put_count(page, shape->n_columns, 10);
		put(page, "\n");
	}
	put(page, "  trigrams           listed   columns\n");
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		put(page, "  %-15s", tiers[tier]);
		if (bs_gram_listed_end(tier) > 0)
			put_count(page, grams->meta.n_listed[tier], 10);
		else
			put(page, "%10s", "");
		put(page, "%10u\n", grams->meta.n_hashes[tier]);
	}
}

static void text_segment(struct page *page, const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                         uint32_t s)
{
	const struct bs_segment *segment = &snapshot->segments[s];
	const struct bs_segment_record *record = &snapshot->manifest.segments[s];
	put(page, "\nseg-%06llu ", (unsigned long long)record->number);
	put_things(page, record->n_docs, "document");
	if (record->n_deleted > 0) {
		put(page, " (");
		put_count(page, record->n_deleted, 0);
		put(page, " deleted)");
	}
	put(page, ", ");
	put_things(page, segment->meta.n_terms, "term");
	put(page, ", ");
	put_things(page, segment->meta.n_postings, "posting");
	put(page, ", ");
	put_bytes(page, record->n_bytes, 0);
	put(page, "\n");
	text_slabs(page, segment, &stats->segments[s]);
	text_treatments(page, &segment->treatments);
	if (segment->grams.n_slabs > 0)
		text_gram_slabs(page, &segment->grams);
}

/* Without postings it has no bits of them. */
static void text_part(struct page *page, const char *name, uint64_t n_bytes, uint64_t n_postings,
                      const struct bs_index_stats *stats)
{
	put(page, "%-20s", name);
	put_bytes(page, n_bytes, 12);
	put(page, "%8.1f %%", ratio(n_bytes, stats->n_bytes) * 100);
	if (n_postings > 0)
		put(page, "%16.2f", ratio(n_bytes * 8, n_postings));
	put(page, "\n");
}

static void text_parts(struct page *page, const struct bs_index_stats *stats)
{
	put(page, "\n%-20s%12s%10s%16s\n", "", "bytes", "share", "bits a posting");
	for (int part = 0; part < BS_PARTS; part++) {
		bool is_gram = part >= BS_FIRST_GRAM_PART && part < BS_FIRST_OTHER_PART;
		if (part == BS_FIRST_GRAM_PART)
			text_part(page, "  words index", stats->n_words_bytes, stats->n_postings, stats);
		if (part == BS_FIRST_OTHER_PART && stats->n_grams_bytes > 0)
			text_part(page, "  grams index", stats->n_grams_bytes, 0, stats);
		if (stats->parts[part] > 0)
			text_part(page, bs_part_name((enum bs_part)part), stats->parts[part],
			          is_gram ? 0 : stats->n_postings, stats);
	}
	text_part(page, "  all", stats->n_bytes, stats->n_grams_bytes > 0 ? 0 : stats->n_postings, stats);
	if (stats->text_bytes > 0)
		put(page, "%.1f %% of the text\n", ratio(stats->n_bytes, stats->text_bytes) * 100);
}

enum bs_status bs_present_stats_text(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                                     struct bs_buffer *out, struct bs_error *err)
{
	struct page page = {.out = out, .err = err};
	text_head(&page, snapshot, stats);
	for (uint32_t s = 0; s < stats->n_segments; s++)
		text_segment(&page, snapshot, stats, s);
	text_parts(&page, stats);
	return page.status;
}

/* ---- JSON ---- */

static void json_number(struct page *page, const char *name, uint64_t n)
{
	put(page, "\"%s\":%llu", name, (unsigned long long)n);
}

/* A list, or null where none was given. */
static void json_list(struct page *page, const char *name, char *const *list)
{
	put(page, ",\"%s\":", name);
	if (!list) {
		put(page, "null");
		return;
	}
	for (size_t i = 0; list[i]; i++) {
		put(page, i == 0 ? "[" : ",");
		put_json_string(page, list[i]);
	}
	put(page, list[0] ? "]" : "[]");
}

static void json_optional(struct page *page, const char *name, const char *value)
{
	put(page, ",\"%s\":", name);
	if (value)
		put_json_string(page, value);
	else
		put(page, "null");
}

static void json_options(struct page *page, const struct bs_index_options *options)
{
	bool on[N_SWITCHES];
	switches(options, on);
	put(page, "\"options\":{\"density\":%.6f", options->density);
	for (int i = 0; i < N_SWITCHES; i++)
		put(page, ",\"%s\":%s", switch_names[i], on[i] ? "true" : "false");
	json_optional(page, "stem", options->stem_language);
	json_optional(page, "id", options->id_field);
	json_list(page, "text", options->text_fields);
	json_list(page, "glob", options->globs);
	put(page, "}");
}

static void json_sources(struct page *page, const struct bs_manifest *manifest)
{
	put(page, "\"sources\":[");
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		put(page, "%s{\"kind\":\"%s\",\"label\":", i ? "," : "", kind_name(manifest->sources[i].kind));
		put_json_string(page, manifest->sources[i].label);
		put(page, ",\"path\":");
		put_json_string(page, manifest->sources[i].path);
		put(page, "}");
	}
	put(page, "]");
}

static void json_slab(struct page *page, const struct bs_slab_stats *slab, const struct bs_treatment_table *treatments)
{
	put(page, "{\"documents\":%u,\"kind\":", slab->n_docs);
	if (slab->n_levels == 0) {
		put(page, "\"lists\",\"postings\":%llu}", (unsigned long long)slab->n_list_postings);
		return;
	}
	put(page, "\"matrix\",\"levels\":[");
	for (uint32_t l = 0; l < slab->n_levels; l++)
		put(page, "%s{\"level\":\"%s\",\"columns\":%u,\"density\":%.6f}", l ? "," : "", rank_name(treatments->ranks[l]),
		    slab->n_columns[l], slab->density[l]);
	put(page, "],\"exact_columns\":%u,\"exact_postings\":%llu}", slab->n_exact,
	    (unsigned long long)slab->n_exact_postings);
}

static void json_treatments(struct page *page, const struct bs_treatment_table *table)
{
	put(page, ",\"treatments\":[");
	for (uint32_t i = 0; i < table->n_entries; i++) {
		put(page, "%s{\"min_df\":%llu", i ? "," : "", (unsigned long long)table->entries[i].min_df);
		for (uint32_t l = 0; l < table->n_levels; l++)
			put(page, ",\"%s\":%u", rank_name(table->ranks[l]), table->entries[i].n_columns[l]);
		put(page, "}");
	}
	put(page, "]");
}

static void json_segment(struct page *page, const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                         uint32_t s)
{
	const struct bs_segment *segment = &snapshot->segments[s];
	const struct bs_segment_record *record = &snapshot->manifest.segments[s];
	put(page, "{\"file\":\"seg-%06llu\"", (unsigned long long)record->number);
	put(page, ",\"documents\":%llu,\"deleted\":%llu", (unsigned long long)record->n_docs,
	    (unsigned long long)record->n_deleted);
	put(page, ",\"terms\":%llu,\"postings\":%llu", (unsigned long long)segment->meta.n_terms,
	    (unsigned long long)segment->meta.n_postings);
	put(page, ",\"positions\":%llu,\"text_bytes\":%llu", (unsigned long long)segment->meta.n_positions,
	    (unsigned long long)segment->meta.text_bytes);
	put(page, ",\"bytes\":%llu,\"slabs\":[", (unsigned long long)record->n_bytes);
	for (uint32_t i = 0; i < segment->meta.n_slabs; i++) {
		put(page, "%s", i ? "," : "");
		json_slab(page, &stats->segments[s].slabs[i], &segment->treatments);
	}
	put(page, "]");
	json_treatments(page, &segment->treatments);
	put(page, ",\"gram_bits\":%llu,\"gram_slabs\":[", (unsigned long long)segment->grams.meta.n_bits);
	for (uint32_t i = 0; i < segment->grams.n_slabs; i++) {
		const struct bs_gram_slab_shape *shape = &segment->grams.slabs[i].shape;
		put(page, "%s{\"class\":%u,\"documents\":%u,\"columns\":%u}", i ? "," : "",
		    shape->size_class, shape->n_docs, shape->n_columns);
	}
	put(page, "]}");
}

static void json_parts(struct page *page, const struct bs_index_stats *stats)
{
	put(page, "\"bytes\":{");
	for (int part = 0; part < BS_PARTS; part++) {
		char name[32];
		snprintf(name, sizeof(name), "%s", bs_part_name((enum bs_part)part));
		for (char *at = strchr(name, ' '); at; at = strchr(at, ' '))
			*at = '_';
		put(page, "%s", part ? "," : "");
		json_number(page, name, stats->parts[part]);
	}
	put(page, "},\"words_index_bytes\":%llu,\"grams_index_bytes\":%llu,\"total_bytes\":%llu",
	    (unsigned long long)stats->n_words_bytes, (unsigned long long)stats->n_grams_bytes,
	    (unsigned long long)stats->n_bytes);
	put(page, ",\"bits_per_posting\":%.3f", ratio(stats->n_words_bytes * 8, stats->n_postings));
}

enum bs_status bs_present_stats_json(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                                     struct bs_buffer *out, struct bs_error *err)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	struct page page = {.out = out, .err = err};
	put(&page, "{\"index\":");
	put_json_string(&page, snapshot->dir);
	put(&page, ",\"format\":%u,", BS_FORMAT_VERSION);
	json_number(&page, "commit", manifest->generation);
	put(&page, ",\"icu\":\"%s\",\"unicode\":\"%s\",", manifest->icu_version, manifest->unicode_version);
	json_number(&page, "documents", snapshot->n_live_docs);
	put(&page, ",");
	json_number(&page, "deleted", snapshot->n_docs - snapshot->n_live_docs);
	put(&page, ",");
	json_number(&page, "positions", snapshot->n_positions);
	put(&page, ",\"terms\":%llu,\"postings\":%llu,\"text_bytes\":%llu,", (unsigned long long)stats->n_terms,
	    (unsigned long long)stats->n_postings, (unsigned long long)stats->text_bytes);
	json_options(&page, &manifest->options);
	put(&page, ",");
	json_sources(&page, manifest);
	put(&page, ",\"segments\":[");
	for (uint32_t s = 0; s < stats->n_segments; s++) {
		put(&page, "%s", s ? "," : "");
		json_segment(&page, snapshot, stats, s);
	}
	put(&page, "],");
	json_parts(&page, stats);
	put(&page, "}\n");
	return page.status;
}
