/* stats_format.c: see stats_format.h. */
#include "query/format/stats_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/source_kind.h"
#include "core/file/container.h"
#include "corpus/walk/document.h"
#include "query/format/hit_format.h"
#include "query/options/command_line.h"

static void put_name(FILE *out, const char *name)
{
	bs_format_printable(name, strlen(name), false, out);
}

static void put_json_string(FILE *out, const char *text)
{
	(void)bs_format_json_string(text, strlen(text), out);
}

/* Indexed by enum bs_source_kind. */
static const char *const kind_names[] = {"unknown", "folder", "file", "collection", "stdin"};

static const char *rank_name(uint8_t rank)
{
	return rank == BS_LEVEL_DOCUMENT ? "document"
	                                 : (rank == BS_LEVEL_GROUP ? "group" : "block");
}

static double ratio(uint64_t n, uint64_t of)
{
	return of ? (double)n / (double)of : 0;
}

/* The on/off options of an index, in the order in which both formats (text and JSON) list them. */
#define N_SWITCHES 9
static const char *const switch_names[N_SWITCHES] = {
	"words",     "grams",  "store",      "fold-accents",     "hidden",
	"no-ignore", "binary", "no-records", "split-identifiers"};

static void switches(const struct bs_recorded_options *options, bool on_out[N_SWITCHES])
{
	const bool on[N_SWITCHES] = {
		options->words,          options->grams,          options->store,
		options->fold_accents,   options->hidden,         options->no_ignore,
		options->binary_as_text, !options->reads_records, options->split_identifiers};
	memcpy(on_out, on, sizeof(on));
}

static void text_list(FILE *out, const char *name, char *const *list)
{
	for (size_t i = 0; list && list[i]; i++) {
		fprintf(out, i == 0 ? ", %s " : ",", name);
		put_name(out, list[i]);
	}
}

static void text_options(FILE *out, const struct bs_recorded_options *options)
{
	bool on[N_SWITCHES];
	switches(options, on);
	fprintf(out, "options    density %.2f", options->density);
	for (int i = 0; i < N_SWITCHES; i++)
		if (on[i])
			fprintf(out, ", %s", switch_names[i]);
	if (options->stem_language)
		fprintf(out, ", stem %s", options->stem_language);
	if (options->analyzer_name)
		fprintf(out, ", analyzer %s", options->analyzer_name);
	if (options->id_field) {
		fputs(", id ", out);
		put_name(out, options->id_field);
	}
	text_list(out, "text", options->text_fields);
	text_list(out, "glob", options->globs);
	text_list(out, "records", options->records);
	text_list(out, "weight", options->weights);
	fputs("\n", out);
}

/* Prints a line about the index's summary for catalogs. */
static void text_summary(FILE *out, const struct bs_manifest *manifest,
                         const struct bs_index_stats *stats)
{
	double rate = (double)manifest->options.summary_rate / BS_SUMMARY_RATE_UNIT;
	if (rate <= 0 || stats->summary_bytes == 0) {
		fprintf(out, "summary    none%s\n", rate > 0 ? " yet" : "");
		return;
	}
	fprintf(out, "summary    %s, rate %.3g of %g: %s of words, %s\n",
	        BS_BYTES(stats->summary_bytes), stats->summary_rate, rate,
	        BS_THINGS(stats->n_summary_words, "place"),
	        BS_THINGS(stats->n_summary_grams, "trigram"));
}

static uint32_t count_inner(const struct bs_manifest *manifest, uint32_t folder)
{
	uint32_t n = 0;
	for (uint32_t i = folder + 1; i < manifest->n_sources; i++)
		n += manifest->sources[i].parent == folder + 1;
	return n;
}

static void text_sources(FILE *out, const struct bs_manifest *manifest)
{
	for (uint32_t i = 0, n = 0; i < manifest->n_sources; i++) {
		const struct bs_source_record *source = &manifest->sources[i];
		if (source->kind == BS_SOURCE_FORGOTTEN || source->parent)
			continue;
		fprintf(out, "%-10s %-10s ", n++ == 0 ? "sources" : "", kind_names[source->kind]);
		put_name(out, source->label[0] ? source->label : ".");
		if (strcmp(source->path, source->label) != 0 && source->kind != BS_SOURCE_STDIN) {
			fputs("  (", out);
			put_name(out, source->path);
			fputs(")", out);
		}
		uint32_t n_inner = count_inner(manifest, i);
		if (n_inner > 0)
			fprintf(out, ", with %s in it", BS_THINGS(n_inner, "collection"));
		fputs("\n", out);
	}
}

static void text_head(FILE *out, const struct bs_snapshot *snapshot,
                      const struct bs_index_stats *stats)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	fprintf(out, "made       format %u, commit %llu, ICU %s, Unicode %s\n", BS_FORMAT_VERSION,
	        (unsigned long long)manifest->generation, manifest->versions.icu,
	        manifest->versions.unicode);
	text_options(out, &manifest->options);
	text_summary(out, manifest, stats);
	text_sources(out, manifest);
}

/* Prints a line: the shard's number and documents, the columns of each level and their share of set
 * bits, and the exact columns; for forward indexes, the postings instead of columns. */
static void text_shard(FILE *out, uint32_t number, const struct bs_shard_stats *shard,
                       uint32_t n_levels)
{
	fprintf(out, "%6u%11s", number, BS_COUNT(shard->n_docs));
	if (shard->n_levels == 0) {
		fprintf(out, "   forward indexes, %s\n",
		        BS_THINGS(shard->n_forward_postings, "posting"));
		return;
	}
	for (uint32_t l = 0; l < n_levels; l++) {
		if (shard->n_columns[l] == 0)
			fprintf(out, "%10s%8s", "-", "");
		else
			fprintf(out, "%10s%8.2f", BS_COUNT(shard->n_columns[l]), shard->density[l]);
	}
	fprintf(out, "%8s\n", BS_COUNT(shard->n_exact));
}

static void text_shards(FILE *out, const struct bs_segment *segment,
                        const struct bs_segment_stats *stats)
{
	uint32_t n_levels = segment->terms.treatments.n_levels;
	fputs("  shard  documents", out);
	for (uint32_t l = 0; l < n_levels; l++)
		fprintf(out, "%10s%8s", rank_name(segment->terms.treatments.ranks[l]), "density");
	fprintf(out, "%8s\n", "exact");
	for (uint32_t s = 0; s < segment->meta.n_shards; s++)
		text_shard(out, s, &stats->shards[s], n_levels);
}

static void text_treatments(FILE *out, const struct bs_term_treatment_table *table)
{
	fprintf(out, "  words in %14s", "get columns:");
	for (uint32_t l = 0; l < table->n_levels; l++)
		fprintf(out, "%10s", rank_name(table->ranks[l]));
	fputs("\n", out);
	for (uint32_t i = 0; i < table->n_entries; i++) {
		const struct bs_term_treatment *entry = &table->entries[i];
		fprintf(out, "%10llu..%-11s",
		        (unsigned long long)(entry->min_df ? entry->min_df : 1), "");
		for (uint32_t l = 0; l < table->n_levels; l++)
			fprintf(out, "%10u", entry->n_columns[l]);
		fprintf(out, "%s\n",
		        entry->has_false_positives ? "   false positives listed"
		                                   : "   in lists of rare words");
	}
}

/* Prints the number of columns of each size class of files, and of each tier of grams. */
static void text_gram_shards(FILE *out, const struct bs_gram_shards *grams)
{
	static const char *const tiers[BS_GRAM_TIERS] = {
		"left out", "common", "middling", "rare", "longer, common", "longer, rare"};
	fprintf(out, "  %-15s%10s%10s\n", "grams of", "files", "columns");
	for (uint32_t i = 0; i < grams->n_shards; i++) {
		const struct bs_gram_shard_shape *shape = &grams->shards[i].shape;
		fprintf(out, "  class %-9u%10s%10s\n", shape->size_class, BS_COUNT(shape->n_docs),
		        BS_COUNT(shape->n_columns));
	}
	fputs("  trigrams           listed   columns\n", out);
	for (uint32_t tier = 0; tier < BS_GRAM_TIERS; tier++) {
		const char *n_listed =
			bs_gram_listed_end(tier) > 0 ? BS_COUNT(grams->meta.n_listed[tier]) : "";
		fprintf(out, "  %-15s%10s%10u\n", tiers[tier], n_listed,
		        grams->meta.n_hashes[tier]);
	}
}

static void text_segment(FILE *out, const struct bs_snapshot *snapshot,
                         const struct bs_index_stats *stats, uint32_t s)
{
	const struct bs_segment *segment = &snapshot->segments[s];
	const struct bs_segment_record *record = &snapshot->manifest.segments[s];
	fprintf(out, "\nseg-%06llu %s%s", (unsigned long long)record->number,
	        BS_THINGS(record->n_docs, record->is_rows ? "collection" : "document"),
	        record->is_rows ? " as files" : "");
	if (record->n_deleted > 0)
		fprintf(out, " (%s deleted)", BS_COUNT(record->n_deleted));
	if (!record->is_rows)
		fprintf(out, ", %s, %s", BS_THINGS(segment->meta.n_terms, "term"),
		        BS_THINGS(segment->meta.n_postings, "posting"));
	fprintf(out, ", %s\n", BS_BYTES(record->n_bytes));
	if (!record->is_rows) {
		text_shards(out, segment, &stats->segments[s]);
		text_treatments(out, &segment->terms.treatments);
	}
	if (segment->grams.n_shards > 0)
		text_gram_shards(out, &segment->grams);
}

/* Prints the size of a part of the index, and its bits per posting unless n_postings is 0. */
static void text_part(FILE *out, const char *name, uint64_t n_bytes, uint64_t n_postings,
                      const struct bs_index_stats *stats)
{
	fprintf(out, "%-20s%12s%8.1f %%", name, BS_BYTES(n_bytes),
	        ratio(n_bytes, stats->n_bytes) * 100);
	if (n_postings > 0)
		fprintf(out, "%16.2f", ratio(n_bytes * 8, n_postings));
	fputs("\n", out);
}

static void text_parts(FILE *out, const struct bs_index_stats *stats)
{
	fprintf(out, "\n%-20s%12s%10s%16s\n", "", "bytes", "share", "bits a posting");
	for (int part = 0; part < BS_PARTS; part++) {
		bool is_gram = part >= BS_FIRST_GRAM_PART && part < BS_FIRST_OTHER_PART;
		if (part == BS_FIRST_GRAM_PART)
			text_part(out, "  words index", stats->n_words_bytes, stats->n_postings,
			          stats);
		if (part == BS_FIRST_OTHER_PART && stats->n_grams_bytes > 0)
			text_part(out, "  grams index", stats->n_grams_bytes, 0, stats);
		if (stats->parts[part] > 0)
			text_part(out, bs_part_name((enum bs_part)part), stats->parts[part],
			          is_gram ? 0 : stats->n_postings, stats);
	}
	text_part(out, "  all", stats->n_bytes, stats->n_grams_bytes > 0 ? 0 : stats->n_postings,
	          stats);
	if (stats->text_bytes > 0)
		fprintf(out, "%.1f %% of the text\n",
		        ratio(stats->n_bytes, stats->text_bytes) * 100);
}

/* Prints the number of sources of each kind: "1 folder, 2 collections". */
static void summary_sources(FILE *out, const struct bs_manifest *manifest)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} kinds[] = {{BS_SOURCE_FOLDER, "folder"},
	             {BS_SOURCE_FILE, "file"},
	             {BS_SOURCE_COLLECTION, "collection"},
	             {BS_SOURCE_STDIN, "standard input"}};
	const char *before = "";
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < manifest->n_sources; i++)
			n += manifest->sources[i].kind == kinds[k].kind &&
			     !manifest->sources[i].parent;
		if (n == 0)
			continue;
		fprintf(out, "%s%s", before,
		        kinds[k].kind == BS_SOURCE_STDIN ? kinds[k].name
		                                         : BS_THINGS(n, kinds[k].name));
		before = ", ";
	}
	uint32_t n_inner = 0;
	for (uint32_t i = 0; i < manifest->n_sources; i++)
		n_inner += manifest->sources[i].parent > 0;
	if (n_inner > 0)
		fprintf(out, ", with %s in folders", BS_THINGS(n_inner, "collection"));
	if (!*before)
		fputs("no source", out);
}

/* Prints what the sources contain but the index leaves out, so that nothing is skipped silently. */
static void summary_left_out(FILE *out, const struct bs_manifest *manifest)
{
	struct bs_left_out sum = {{0}, {{{0}, 0}}};
	for (uint32_t i = 0; i < manifest->n_sources; i++) {
		const struct bs_left_out *left_out = &manifest->sources[i].left_out;
		for (size_t reason = 0; reason < BS_SKIP_MAX; reason++)
			sum.n[reason] += left_out->n[reason];
		for (size_t k = 0; k < BS_SKIP_KINDS; k++)
			bs_skip_kinds_add(sum.binary, left_out->binary[k].name,
			                  left_out->binary[k].n_files);
	}
	if (bs_format_skipped(sum.n, sum.binary, "left out   ", out))
		fputs("\n", out);
}

/* The most fields that are listed without -v. */
#define FIELDS_SHOWN 8u

static const char *field_name(const struct bs_index_stats *stats,
                              const struct bs_field_stats *field, size_t *n_bytes_out)
{
	*n_bytes_out = stats->field_names.entries[field->name].n_bytes;
	return (const char *)bs_term_table_key(&stats->field_names, field->name);
}

/* Lists the fields with numbers or dates, and how many of their texts are neither; range queries
 * never find these texts. */
static void summary_fields(FILE *out, const struct bs_index_stats *stats, uint32_t n_shown)
{
	for (uint32_t i = 0; i < stats->n_fields && i < n_shown; i++) {
		const struct bs_field_stats *field = &stats->fields[i];
		size_t n_bytes;
		const char *name = field_name(stats, field, &n_bytes),
			   *least = field->is_at_least ? "at least " : "";
		fprintf(out, "%-10s ", i == 0 ? "values" : "");
		bs_format_printable(name, n_bytes, false, out);
		fprintf(out, ": %s%s %s, %s%s\n", least, BS_COUNT(field->n_values),
		        field->n_values == 1 ? "number or date" : "numbers or dates", least,
		        BS_THINGS(field->n_others, "other text"));
	}
	if (stats->n_fields > n_shown)
		fprintf(out, "%-10s and %u more fields (bitsift stats -v)\n", "",
		        stats->n_fields - n_shown);
}

static void summary_size(FILE *out, const struct bs_snapshot *snapshot,
                         const struct bs_index_stats *stats)
{
	const struct bs_recorded_options *options = &snapshot->manifest.options;
	fprintf(out, "size       %s", BS_BYTES(stats->n_bytes));
	if (stats->text_bytes >= BS_LEAST_BYTES_FOR_RATIO)
		fprintf(out, ", %.1f %% of the text's",
		        ratio(stats->n_bytes, stats->text_bytes) * 100);
	if (options->words && options->grams)
		fprintf(out, ": words %s, grams %s, the rest %s", BS_BYTES(stats->n_words_bytes),
		        BS_BYTES(stats->n_grams_bytes),
		        BS_BYTES(stats->n_bytes - stats->n_words_bytes - stats->n_grams_bytes));
	fputs("\n", out);
}

static void summary_age(FILE *out, int64_t seconds)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}};
	size_t u = 0;
	if (seconds < 60) {
		fputs("indexed less than a minute ago", out);
		return;
	}
	while (u < 2 && seconds < units[u].seconds)
		u++;
	fprintf(out, "indexed %s ago",
	        BS_THINGS((uint64_t)(seconds / units[u].seconds), units[u].name));
}

static void summary_freshness(FILE *out, int64_t age_seconds, const struct bs_fresh_counts *since)
{
	const struct {
		uint64_t n;
		const char *name;
	} changes[] = {{since->n_changed, "changed"},
	               {since->n_new, "new"},
	               {since->n_removed, "missing"},
	               {since->n_unread, "cannot be read"}};
	const char *before = "; since then: ";
	fputs("fresh      ", out);
	summary_age(out, age_seconds);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		if (changes[i].n == 0)
			continue;
		fprintf(out, "%s%s %s", before, BS_COUNT(changes[i].n), changes[i].name);
		before = ", ";
	}
	fputs(*before == ';' ? "; nothing has changed since\n" : "\n", out);
}

/* Prints the line about the health of the index: whether it must be indexed again, and how much
 * could be compacted. */
static void summary_health(FILE *out, const struct bs_snapshot *snapshot)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	uint64_t n_deleted = snapshot->totals.n_docs - snapshot->totals.n_live_docs;
	struct bs_error ignored;
	bool is_other = false;
	fputs("health     ", out);
	if (bs_manifest_has_other_words(manifest, &is_other, &ignored) == BS_OK && is_other) {
		fputs("made by another version of the tokenizer: every query reads all documents; "
		      "`bitsift index` indexes them again\n",
		      out);
		return;
	}
	fprintf(out, "good: %s", BS_THINGS(snapshot->totals.n_word_segments, "segment"));
	if (n_deleted > 0)
		fprintf(out, ", %s not yet compacted away",
		        BS_THINGS(n_deleted, "deleted document"));
	fputs("\n", out);
}

void bs_format_stats_summary(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                             int64_t age_seconds, const struct bs_fresh_counts *since,
                             bool shows_all, FILE *out)
{
	const struct bs_recorded_options *options = &snapshot->manifest.options;
	fputs("index      ", out);
	put_name(out, snapshot->dir->path);
	fprintf(out, ": %s of ",
	        !options->grams  ? "words"
	        : options->words ? "words and grams"
	                         : "grams");
	summary_sources(out, &snapshot->manifest);
	fprintf(out, "\ndocuments  %s", BS_COUNT(snapshot->totals.n_live_docs));
	if (options->words)
		fprintf(out, "; %s", BS_THINGS(snapshot->totals.n_positions, "word"));
	fprintf(out, ", %s of text\n", BS_BYTES(stats->text_bytes));
	summary_left_out(out, &snapshot->manifest);
	summary_fields(out, stats, shows_all ? UINT32_MAX : FIELDS_SHOWN);
	summary_size(out, snapshot, stats);
	summary_freshness(out, age_seconds, since);
	summary_health(out, snapshot);
}

void bs_format_stats_text(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                          FILE *out)
{
	text_head(out, snapshot, stats);
	for (uint32_t s = 0; s < stats->n_segments; s++)
		text_segment(out, snapshot, stats, s);
	text_parts(out, stats);
}

/* Prints a list of strings as a JSON member; null if the list is NULL. */
static void json_list(FILE *out, const char *name, char *const *list)
{
	fprintf(out, ",\"%s\":", name);
	if (!list) {
		fputs("null", out);
		return;
	}
	for (size_t i = 0; list[i]; i++) {
		fprintf(out, i == 0 ? "[" : ",");
		put_json_string(out, list[i]);
	}
	fprintf(out, list[0] ? "]" : "[]");
}

static void json_optional(FILE *out, const char *name, const char *value)
{
	fprintf(out, ",\"%s\":", name);
	if (value)
		put_json_string(out, value);
	else
		fputs("null", out);
}

static void json_options(FILE *out, const struct bs_recorded_options *options)
{
	bool on[N_SWITCHES];
	switches(options, on);
	fprintf(out, "\"options\":{\"density\":%.6f", options->density);
	for (int i = 0; i < N_SWITCHES; i++)
		fprintf(out, ",\"%s\":%s", switch_names[i], on[i] ? "true" : "false");
	json_optional(out, "stem", options->stem_language);
	if (options->analyzer_name)
		json_optional(out, "analyzer", options->analyzer_name);
	json_optional(out, "id", options->id_field);
	json_list(out, "text", options->text_fields);
	json_list(out, "glob", options->globs);
	json_list(out, "records", options->records);
	json_list(out, "weight", options->weights);
	fputs("}", out);
}

static void json_sources(FILE *out, const struct bs_manifest *manifest)
{
	fputs("\"sources\":[", out);
	for (uint32_t i = 0, n = 0; i < manifest->n_sources; i++) {
		if (manifest->sources[i].kind == BS_SOURCE_FORGOTTEN || manifest->sources[i].parent)
			continue;
		fprintf(out, "%s{\"kind\":\"%s\",\"label\":", n++ ? "," : "",
		        kind_names[manifest->sources[i].kind]);
		put_json_string(out, manifest->sources[i].label);
		fputs(",\"path\":", out);
		put_json_string(out, manifest->sources[i].path);
		if (manifest->sources[i].kind == BS_SOURCE_FOLDER)
			fprintf(out, ",\"collections\":%u", count_inner(manifest, i));
		fputs("}", out);
	}
	fputs("]", out);
}

static void json_shard(FILE *out, const struct bs_shard_stats *shard,
                       const struct bs_term_treatment_table *treatments)
{
	fprintf(out, "{\"documents\":%u,\"kind\":", shard->n_docs);
	if (shard->n_levels == 0) {
		fprintf(out, "\"lists\",\"postings\":%" PRIu64 "}",
		        (uint64_t)shard->n_forward_postings);
		return;
	}
	fputs("\"matrix\",\"levels\":[", out);
	for (uint32_t l = 0; l < shard->n_levels; l++)
		fprintf(out, "%s{\"level\":\"%s\",\"columns\":%u,\"density\":%.6f}", l ? "," : "",
		        rank_name(treatments->ranks[l]), shard->n_columns[l], shard->density[l]);
	fprintf(out, "],\"exact_columns\":%u,\"exact_postings\":%llu}", shard->n_exact,
	        (unsigned long long)shard->n_exact_postings);
}

static void json_treatments(FILE *out, const struct bs_term_treatment_table *table)
{
	fputs(",\"treatments\":[", out);
	for (uint32_t i = 0; i < table->n_entries; i++) {
		fprintf(out, "%s{\"min_df\":%llu", i ? "," : "",
		        (unsigned long long)table->entries[i].min_df);
		for (uint32_t l = 0; l < table->n_levels; l++)
			fprintf(out, ",\"%s\":%u", rank_name(table->ranks[l]),
			        table->entries[i].n_columns[l]);
		fputs("}", out);
	}
	fputs("]", out);
}

static void json_segment(FILE *out, const struct bs_snapshot *snapshot,
                         const struct bs_index_stats *stats, uint32_t s)
{
	const struct bs_segment *segment = &snapshot->segments[s];
	const struct bs_segment_record *record = &snapshot->manifest.segments[s];
	fprintf(out, "{\"file\":\"seg-%06" PRIu64 "\",\"%s\":%" PRIu64 ",\"deleted\":%" PRIu64,
	        record->number, record->is_rows ? "collections" : "documents",
	        (uint64_t)record->n_docs, (uint64_t)record->n_deleted);
	fprintf(out,
	        ",\"terms\":%" PRIu64 ",\"postings\":%" PRIu64 ",\"positions\":%" PRIu64
	        ",\"text_bytes\":%" PRIu64,
	        (uint64_t)segment->meta.n_terms, segment->meta.n_postings,
	        segment->meta.n_positions, segment->meta.text_bytes);
	fprintf(out, ",\"bytes\":%" PRIu64 ",\"shards\":[", record->n_bytes);
	for (uint32_t i = 0; i < segment->meta.n_shards; i++) {
		fputs(i ? "," : "", out);
		json_shard(out, &stats->segments[s].shards[i], &segment->terms.treatments);
	}
	fputs("]", out);
	json_treatments(out, &segment->terms.treatments);
	fprintf(out, ",\"gram_bits\":%" PRIu64 ",\"gram_shards\":[",
	        (uint64_t)segment->grams.meta.n_bits);
	for (uint32_t i = 0; i < segment->grams.n_shards; i++) {
		const struct bs_gram_shard_shape *shape = &segment->grams.shards[i].shape;
		fprintf(out, "%s{\"class\":%u,\"documents\":%u,\"columns\":%u}", i ? "," : "",
		        shape->size_class, shape->n_docs, shape->n_columns);
	}
	fputs("]}", out);
}

static void json_parts(FILE *out, const struct bs_index_stats *stats)
{
	fputs("\"bytes\":{", out);
	for (int part = 0; part < BS_PARTS; part++) {
		fputs(part ? ",\"" : "\"", out);
		for (const char *at = bs_part_name((enum bs_part)part); *at; at++)
			putc(*at == ' ' ? '_' : *at, out);
		fprintf(out, "\":%" PRIu64, stats->parts[part]);
	}
	fprintf(out,
	        "},\"words_index_bytes\":%" PRIu64 ",\"grams_index_bytes\":%" PRIu64
	        ",\"total_bytes\":%" PRIu64 ",\"bits_per_posting\":%.3f",
	        stats->n_words_bytes, stats->n_grams_bytes, stats->n_bytes,
	        ratio(stats->n_words_bytes * 8, stats->n_postings));
}

static void json_fields(FILE *out, const struct bs_index_stats *stats)
{
	fputs(",\"value_fields\":[", out);
	for (uint32_t i = 0; i < stats->n_fields; i++) {
		const struct bs_field_stats *field = &stats->fields[i];
		size_t n_bytes;
		const char *name = field_name(stats, field, &n_bytes);
		fprintf(out, "%s{\"field\":", i ? "," : "");
		(void)bs_format_json_string(name, n_bytes, out);
		fprintf(out, ",\"values\":%" PRIu64 ",\"others\":%" PRIu64 ",\"at_least\":%s}",
		        field->n_values, field->n_others, field->is_at_least ? "true" : "false");
	}
	fputs("]", out);
}

static void json_summary(FILE *out, const struct bs_manifest *manifest,
                         const struct bs_index_stats *stats)
{
	fprintf(out, ",\"summary\":{\"rate\":%g",
	        (double)manifest->options.summary_rate / BS_SUMMARY_RATE_UNIT);
	if (stats->summary_bytes > 0)
		fprintf(out,
		        ",\"bytes\":%" PRIu64 ",\"measured_rate\":%.6f,\"words\":%" PRIu64
		        ",\"trigrams\":%" PRIu64,
		        stats->summary_bytes, stats->summary_rate, stats->n_summary_words,
		        stats->n_summary_grams);
	fputs("}", out);
}

void bs_format_stats_json(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                          FILE *out)
{
	const struct bs_manifest *manifest = &snapshot->manifest;
	const struct bs_snapshot_totals *totals = &snapshot->totals;
	fputs("{\"index\":", out);
	put_json_string(out, snapshot->dir->path);
	fprintf(out, ",\"format\":%u,\"commit\":%" PRIu64 ",\"icu\":\"%s\",\"unicode\":\"%s\"",
	        BS_FORMAT_VERSION, manifest->generation, manifest->versions.icu,
	        manifest->versions.unicode);
	fprintf(out, ",\"documents\":%" PRIu64 ",\"deleted\":%" PRIu64 ",\"positions\":%" PRIu64,
	        totals->n_live_docs, totals->n_docs - totals->n_live_docs, totals->n_positions);
	fprintf(out, ",\"terms\":%" PRIu64 ",\"postings\":%" PRIu64 ",\"text_bytes\":%" PRIu64 ",",
	        stats->n_terms, stats->n_postings, stats->text_bytes);
	json_options(out, &manifest->options);
	fputs(",", out);
	json_sources(out, manifest);
	fputs(",\"segments\":[", out);
	for (uint32_t s = 0; s < stats->n_segments; s++) {
		fputs(s ? "," : "", out);
		json_segment(out, snapshot, stats, s);
	}
	fputs("],", out);
	json_parts(out, stats);
	json_fields(out, stats);
	json_summary(out, manifest, stats);
	fputs("}\n", out);
}
