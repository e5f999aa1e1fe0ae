/* segment_build.c: see segment_build.h. */
#include "indexer/segment/segment_build.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vector.h"
#include "core/collections/binary_search.h"
#include "core/file/segment_sections.h"
#include "core/lexicon/lexicon.h"
#include "core/lexicon/lexicon_write.h"
#include "core/store/segment.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"
#include "corpus/changes/recorded.h"
#include "indexer/segment/condense.h"
#include "indexer/segment/forward_build.h"
#include "indexer/segment/rare_build.h"
#include "indexer/segment/shard_build.h"
#include "indexer/segment/size_classes.h"
#include "indexer/segment/term_order.h"
#include "indexer/segment/value_build.h"

/* The number of blocks of a shard that are sampled to choose its signature widths. They have 16,384
 * documents, whose mean number of set bits differs by less than 1 % from the mean of the shard. */
#define MEASURED_BLOCKS 32u

/* The state of building a segment. */
struct build {
	struct bs_indexing_buffer *indexing_buffer;
	const struct bs_build_options *options;
	/* the options' policy, with the price of the segment */
	struct bs_term_treatment_policy policy;
	struct bs_file_writer *writer;
	struct bs_term_treatment_table treatments;
	struct bs_tf_levels tf_levels;
	uint32_t *sorted; /* term numbers in lexicon order */
	struct bs_shard_plan plan;
	struct bs_size_classes classes;
	struct bs_buffer shard_entries;
	uint32_t n_shards;
	uint64_t n_rows; /* rows of the shards that were written so far */
	struct bs_false_positives_builder false_positives;
	/* rows of all shards, for value_build.c; filled if there are values */
	struct bs_shard_rows shard_rows;
};

/* Sorts the lexicon, makes the plan of the shards, and chooses the size classes. */
static enum bs_status prepare(struct build *build, struct bs_error *err)
{
	struct bs_indexing_buffer *indexing_buffer = build->indexing_buffer;
	const struct bs_build_options *options = build->options;
	uint32_t n_docs = bs_indexing_buffer_n_docs(indexing_buffer);
	size_t n_terms = indexing_buffer->terms.n_terms;
	struct bs_size_class_rules rules = {
		.density = build->policy.density,
		.n_levels = build->treatments.n_levels,
		.bit_ns = build->policy.bit_ns,
		.max_blocks = options->max_blocks,
		.max_shard_bytes = options->max_shard_bytes,
		.forward_mode = options->forward_mode,
		.n_ordinals = (double)n_terms,
	};
	memcpy(rules.ranks, build->treatments.ranks, sizeof(rules.ranks));
	struct bs_buffer sizes = {0};
	struct bs_size_class_doc *docs = NULL;
	build->sorted = malloc((n_terms + 1) * sizeof(*build->sorted));
	enum bs_status status =
		build->sorted ? BS_OK
			      : bs_fail_memory(err, "a segment", n_terms * sizeof(*build->sorted));
	if (!status)
		status = bs_indexing_buffer_place(indexing_buffer, &sizes, err);
	if (!status)
		status = bs_buffer_reserve(&sizes, ((size_t)n_docs + 1) * sizeof(*docs), err);
	docs = (struct bs_size_class_doc *)(void *)sizes.data;
	if (!status)
		status = bs_term_order(&indexing_buffer->terms, options->n_threads, build->sorted,
		                       err);
	if (!status)
		status = bs_shard_plan_make(&build->plan, indexing_buffer, build->sorted,
		                            options->n_threads, docs, err);
	if (!status)
		status = bs_progress_add(options->progress, 0, err);
	if (!status)
		status =
			bs_forward_measure(indexing_buffer, build->plan.ordinals, rules.lists, err);
	if (!status)
		status = bs_size_classes_make(docs, n_docs, &rules, &build->classes, err);
	bs_buffer_deinit(&sizes);
	return status;
}

/* Terms that are adjacent in the lexicon are scattered in the dictionary, so entries are prefetched
 * this many terms ahead, and keys half as many. */
#define TERMS_AHEAD 16u
#define TERM_NS     100u /* estimated cost of a term, for the deadline */

static enum bs_status write_lexicon(struct build *build, struct bs_error *err)
{
	const struct bs_term_table *terms = &build->indexing_buffer->terms;
	struct bs_lexicon_writer lexicon;
	bs_lexicon_writer_init(&lexicon, build->writer);
	for (uint32_t i = 0; i < terms->n_terms && !lexicon.status; i++) {
		uint32_t left = terms->n_terms - i;
		if (left > TERMS_AHEAD)
			__builtin_prefetch(&terms->entries[build->sorted[i + TERMS_AHEAD]]);
		if (left > TERMS_AHEAD / 2)
			__builtin_prefetch(
				bs_term_table_key(terms, build->sorted[i + TERMS_AHEAD / 2]));
		const struct bs_term_entry *entry = &terms->entries[build->sorted[i]];
		bs_lexicon_writer_add(&lexicon, bs_term_table_key(terms, build->sorted[i]),
		                      entry->n_bytes, entry->df);
		if (!lexicon.status)
			lexicon.status = bs_deadline_each(i, TERM_NS, &lexicon.error);
	}
	return bs_lexicon_writer_finish(&lexicon, err);
}

/* A task of building a segment: to encode the lexicon, or to build one shard. */
struct part {
	const struct bs_size_class *class; /* NULL: the lexicon */
	/* index of its first row among the documents of the class */
	uint32_t first;
	uint32_t n_rows;
	uint64_t first_row; /* number of its first row in the segment */
	struct bs_shard_product product;
};

BS_VECTOR(part_list, struct part);

/*
 * Parts are built on all threads and written in order. Finished parts that wait to be written take
 * memory. So a shard is begun only if it fits into the rest of the memory limit, or if it is the
 * next one to be written, which never waits.
 */
struct parts {
	struct build *build;
	struct part *parts;
	struct bs_shard_builder *builders; /* one for each thread */
	pthread_mutex_t mutex;
	/* columns of a written shard, to be reused; protected by mutex */
	struct bs_shard_product spare;
};

/* memory of a posting in a forward index that waits to be written: its ordinal, and its share of
 * the filter and the coded list */
#define LIST_TERM_BYTES 6u

/* Exchanges the product's columns with the spare ones, so that the columns of a written shard are
 * reused: gives the spare columns to a product that has none, or keeps the product's columns as
 * spare if they are larger. */
static void swap_spare(struct parts *parts, struct bs_shard_product *product)
{
	pthread_mutex_lock(&parts->mutex);
	if (!product->columns || product->columns_bytes > parts->spare.columns_bytes) {
		struct bs_shard_product spare = parts->spare;
		parts->spare = (struct bs_shard_product){.columns = product->columns,
		                                         .columns_bytes = product->columns_bytes};
		product->columns = spare.columns;
		product->columns_bytes = spare.columns_bytes;
	}
	pthread_mutex_unlock(&parts->mutex);
}

static enum bs_status make_lists(struct parts *parts, const struct bs_task *task,
                                 struct bs_error *err)
{
	const struct build *build = parts->build;
	struct part *part = &parts->parts[task->number];
	uint64_t n_bytes = 0;
	for (uint32_t row = 0; row < part->n_rows; row++)
		n_bytes += build->indexing_buffer->docs.items[part->class->docs[row]].n_terms *
		           (uint64_t)LIST_TERM_BYTES;
	if (!bs_task_hold(task, n_bytes))
		return BS_OK;
	/* Free the spare columns, because the forward index takes about as much memory as they
	 * do. Most forward indexes are built after all matrices, when the spare columns are no
	 * longer needed. A matrix that is built later allocates new columns. */
	swap_spare(parts, &part->product);
	bs_shard_product_deinit(&part->product);
	enum bs_status status =
		bs_forward_build(build->indexing_buffer, build->plan.ordinals, part->class->docs,
	                         part->n_rows, build->classes.ns_bits, &part->product, err);
	return status ? status : bs_progress_add(build->options->progress, part->n_rows, err);
}

static enum bs_status make_part(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct parts *parts = context;
	struct build *build = parts->build;
	struct part *part = &parts->parts[task->number];
	struct bs_shard_builder *builder = &parts->builders[task->worker];
	if (!part->class)
		/* The lexicon is the first part, so it can be written at once. */
		return write_lexicon(build, err);
	if (part->class->is_forward)
		return make_lists(parts, task, err);
	enum bs_status status =
		builder->plan ? BS_OK : bs_shard_builder_init(builder, &build->plan, err);
	if (!status)
		status =
			bs_shard_count(builder, part->class->docs + part->first, part->n_rows, err);
	if (status)
		return status;
	uint64_t n_blocks = (part->n_rows + BS_LINE_BITS - 1) / BS_LINE_BITS;
	if (!bs_task_hold(task,
	                  n_blocks * part->class->block_bytes + (uint64_t)builder->n_true_rows * 4))
		return BS_OK;
	swap_spare(parts, &part->product);
	return bs_shard_build(builder, part->first_row, &part->product, err);
}

/* Appends the rows of a written shard to shard_rows, for value_build.c. */
static enum bs_status keep_rows(struct build *build, const struct part *part, struct bs_error *err)
{
	if (build->indexing_buffer->values.n_terms == 0)
		return BS_OK;
	enum bs_status status =
		bs_buffer_append(&build->shard_rows.documents.bytes, part->product.image.rows,
	                         part->n_rows * sizeof(uint32_t), err);
	return status ? status : bs_vector_append(&build->shard_rows.n_docs, &part->n_rows, err);
}

static enum bs_status write_part(void *context, uint64_t task, struct bs_error *err)
{
	struct parts *parts = context;
	struct build *build = parts->build;
	struct part *part = &parts->parts[task];
	if (!part->class)
		return BS_OK;
	build->n_rows += part->n_rows;
	enum bs_status status = bs_segment_write_shard(
		build->writer, build->n_shards++, &part->product.image, &build->shard_entries, err);
	if (!status)
		status = keep_rows(build, part, err);
	if (!status)
		status = bs_false_positives_join(&build->false_positives,
		                                 &part->product.false_positives, err);
	swap_spare(parts, &part->product);
	bs_shard_product_deinit(&part->product);
	return status;
}

/* Lists the parts of the segment: the lexicon, and the shards of all size classes. */
static enum bs_status list_parts(const struct build *build, struct part_list *parts,
                                 struct bs_error *err)
{
	struct part part = {.class = NULL};
	uint64_t n_rows = 0;
	enum bs_status status = bs_vector_append(parts, &part, err);
	for (uint32_t i = 0; i < build->classes.n_classes && !status; i++) {
		part.class = &build->classes.classes[i];
		for (uint64_t row = 0; row < part.class->n_docs && !status;
		     row += part.class->max_rows) {
			uint32_t left = part.class->n_docs - (uint32_t)row;
			part.first = (uint32_t)row;
			part.n_rows = left < part.class->max_rows ? left : part.class->max_rows;
			part.first_row = n_rows;
			n_rows += part.n_rows;
			status = bs_vector_append(parts, &part, err);
		}
	}
	return status;
}

static enum bs_status write_parts(struct build *build, struct bs_error *err)
{
	struct part_list list = {0};
	/* Each thread needs a builder; use fewer threads if builders would take too much memory. */
	uint64_t n_builders = 1 + build->options->max_shard_bytes / 2 /
	                                  (bs_shard_builder_bytes(&build->plan) + 1);
	uint32_t n_threads = n_builders < build->options->n_threads ? (uint32_t)n_builders
	                                                            : build->options->n_threads;
	enum bs_status status = list_parts(build, &list, err);
	struct parts parts = {.build = build, .parts = list.items};
	size_t n_parts = bs_vector_n(&list);
	parts.builders = calloc(n_threads, sizeof(*parts.builders));
	if (!status && !parts.builders)
		status = bs_fail_memory(err, "shards", n_threads * sizeof(*parts.builders));
	struct bs_workers_plan plan = {.n_threads = n_threads,
	                               .work = make_part,
	                               .put = write_part,
	                               .most_held_bytes = build->options->max_shard_bytes / 4 * 3,
	                               .context = &parts};
	pthread_mutex_init(&parts.mutex, NULL);
	if (!status)
		status = bs_workers_run(&plan, n_parts, err);
	pthread_mutex_destroy(&parts.mutex);
	for (uint32_t i = 0; parts.builders && i < n_threads; i++)
		bs_shard_builder_deinit(&parts.builders[i]);
	for (size_t i = 0; i < n_parts; i++)
		bs_shard_product_deinit(&parts.parts[i].product);
	bs_shard_product_deinit(&parts.spare);
	free(parts.builders);
	bs_vector_deinit(&list);
	return status;
}

/* Writes the sections of the store, except its frames, which are at the beginning of the file
 * already. */
static void write_store(struct build *build, const struct bs_store_writer *store)
{
	static const struct {
		enum bs_store_part part;
		uint32_t section;
	} parts[] = {{BS_STORE_DICTIONARY, BS_SECTION_STORE_DICTIONARY},
	             {BS_STORE_OFFSETS, BS_SECTION_STORE_OFFSETS}};
	bs_file_writer_require(build->writer,
	                       bs_store_writer_has_shared(store) ? BS_FEATURE_SHARED_FRAMES : 0u);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		const struct bs_buffer *part = bs_store_writer_part(store, parts[i].part);
		bs_file_writer_section(build->writer, parts[i].section, 0);
		bs_file_writer_bytes(build->writer, part->data, part->used_bytes);
	}
}

static enum bs_status write_head(struct build *build, struct bs_error *err)
{
	const struct bs_indexing_buffer *indexing_buffer = build->indexing_buffer;
	struct bs_segment_meta meta = {
		.n_docs = bs_indexing_buffer_n_docs(indexing_buffer),
		.n_terms = indexing_buffer->terms.n_terms,
		.n_postings = indexing_buffer->n_postings,
		.n_positions = indexing_buffer->n_positions,
		.text_bytes = indexing_buffer->text_bytes,
		.n_shards = build->n_shards,
		.density_ppm = (uint64_t)(build->options->policy.density * 1e6 + 0.5),
	};
	struct bs_buffer names = {0}; /* NUL-terminated, in order of first appearance */
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < indexing_buffer->fields.n_terms && !status; i++) {
		const uint8_t *name = bs_term_table_key(&indexing_buffer->fields, i);
		uint32_t n_bytes = indexing_buffer->fields.entries[i].n_bytes;
		if (memchr(name, '\0', n_bytes)) /* such a name cannot be typed in a query */
			continue;
		status = bs_buffer_append(&names, name, n_bytes, err);
		if (!status)
			status = bs_buffer_append(&names, "", 1, err);
	}
	if (!status)
		bs_segment_write_head(build->writer, &meta, &names, &build->treatments,
		                      &build->tf_levels, &build->shard_entries);
	bs_buffer_deinit(&names);
	return status;
}

static enum bs_status write_id_table(struct build *build, const struct bs_id_entries *entries,
                                     struct bs_error *err)
{
	struct bs_id_table table = {.is_there = false};
	enum bs_status status = bs_id_table_make(&table, entries->items, bs_vector_n(entries), err);
	if (!status)
		bs_id_table_write(&table, build->writer);
	bs_id_table_deinit(&table);
	return status;
}

/* Writes the table of ids of standard input, because these ids are looked up one by one, or marks
 * them as ascending (core/store/id_table.h). Also sets the features that a reader of these
 * documents must support. */
static enum bs_status write_ids(struct build *build, struct bs_error *err)
{
	const struct bs_manifest *manifest = build->options->manifest;
	const struct bs_doc_table_builder *docs = &build->indexing_buffer->doc_table;
	struct bs_id_entries entries = {0};
	struct bs_buffer id = {0};
	struct bs_doc_record record, before = {.source = UINT32_MAX};
	enum bs_status status = BS_OK;
	bool is_ordered = true;
	uint8_t flags = 0;
	for (uint32_t d = 0; manifest && d < docs->n_docs && !status; d++) {
		bs_doc_table_builder_get(docs, d, &record);
		if (manifest->sources[record.source].kind != BS_SOURCE_STDIN)
			continue;
		struct bs_source source = bs_recorded_name_of(&manifest->sources[record.source]);
		flags |= record.flags;
		is_ordered = is_ordered && !(record.flags & BS_DOC_NAMED_BY_LINE) &&
		             (before.source == UINT32_MAX ||
		              bs_compare_bytes(before.name, before.name_bytes, record.name,
		                               record.name_bytes) < 0);
		before = record;
		status = bs_recorded_id(&source, &record, &id, err);
		struct bs_id_entry entry = {bs_id_hash(id.data, id.used_bytes), d};
		if (!status)
			status = bs_vector_append(&entries, &entry, err);
	}
	bs_file_writer_require(build->writer,
	                       (flags & BS_DOC_SEPARATE_ID ? BS_FEATURE_SEPARATE_IDS : 0u) |
	                               (flags & BS_DOC_NOT_STORED ? BS_FEATURE_NOT_STORED : 0u));
	size_t n = bs_vector_n(&entries);
	if (n > 0 && is_ordered)
		bs_id_table_write_order(build->writer, n);
	else if (!status && n >= BS_ID_TABLE_LEAST)
		status = write_id_table(build, &entries, err);
	bs_vector_deinit(&entries);
	bs_buffer_deinit(&id);
	return status;
}

/* Appends the hashes of all words to the options' word_hashes. Words precede all other terms in the
 * lexicon. */
static enum bs_status tell_hashes(const struct build *build, struct bs_error *err)
{
	const struct bs_term_table *terms = &build->indexing_buffer->terms;
	struct bs_u64s *hashes = build->options->word_hashes;
	uint32_t n_words;
	BS_BINARY_SEARCH(n_words, i, 0, terms->n_terms,
	                 bs_term_table_key(terms, build->sorted[i])[0] != BS_KEY_COMPOUND);
	const size_t n_before = bs_vector_n(hashes);
	enum bs_status status = bs_vector_reserve(hashes, n_words, err);
	uint64_t *to = hashes->items + n_before;
	for (uint32_t place = 0; place < terms->n_terms && !status; place++)
		if (build->plan.ordinals[place] < n_words)
			*to++ = build->plan.hashes[place];
	if (!status)
		bs_vector_set_n(hashes, n_before + n_words);
	return status;
}

/* If the index has a summary, writes the trigrams of texts and words. */
static enum bs_status write_gram_set(struct build *build, struct bs_gram_set *set,
                                     struct bs_error *err)
{
	const struct bs_manifest *manifest = build->options->manifest;
	const struct bs_term_table *terms = &build->indexing_buffer->terms;
	enum bs_status status = BS_OK;
	if (!manifest || !manifest->options.summary_rate)
		return BS_OK;
	for (uint32_t i = 0; i < terms->n_terms && !status; i++) {
		const uint8_t *key = bs_term_table_key(terms, i);
		if (key[0] != BS_KEY_COMPOUND)
			status = bs_gram_set_add_bytes(set, key, terms->entries[i].n_bytes, err);
	}
	return status ? status : bs_gram_set_write(set, build->writer, err);
}

/* Writes all sections of the segment, in the order of the file. */
static enum bs_status write_sections(struct build *build, struct bs_gram_indexing_buffer *grams,
                                     struct bs_store_writer *store, struct bs_error *err)
{
	enum bs_status status = write_parts(build, err);
	if (!status)
		status = bs_false_positives_write(&build->false_positives, build->n_rows,
		                                  build->writer, err);
	if (!status)
		status = bs_rare_build(&build->plan, &build->classes, build->options->n_threads,
		                       build->writer, err);
	if (grams->plan && grams->plan->n_hashes[BS_GRAM_LONG] == 1)
		bs_file_writer_require(build->writer, BS_FEATURE_SHORT_GRAMS);
	if (!status && grams->plan)
		status = bs_gram_indexing_buffer_write(grams, build->writer, err);
	if (!status)
		status = bs_doc_table_write(&build->indexing_buffer->doc_table, build->writer, err);
	if (!status)
		status = write_ids(build, err);
	if (!status)
		bs_tf_table_write(&build->indexing_buffer->tf_table, build->writer);
	if (!status && store)
		write_store(build, store);
	if (!status)
		status = write_head(build, err);
	if (!status)
		status = bs_value_build(build->indexing_buffer, &build->shard_rows, build->writer,
		                        err);
	return status ? status : write_gram_set(build, &grams->set, err);
}

/* Writes the condensed form of the finished segment. */
static enum bs_status condense(const struct build *build, const struct bs_dir *dir,
                               const char *name, struct bs_error *err)
{
	const struct bs_term_table *terms = &build->indexing_buffer->terms;
	size_t n_bytes = ((size_t)terms->n_terms + 1) * sizeof(uint32_t);
	uint32_t *dfs = malloc(n_bytes);
	if (!dfs)
		return bs_fail_memory(err, "a condensed segment", n_bytes);
	for (uint32_t i = 0; i < terms->n_terms; i++)
		dfs[i] = terms->entries[build->sorted[i]].df;
	enum bs_status status = bs_condense(dir, name, &build->plan, dfs, err);
	free(dfs);
	return status;
}

static enum bs_status build_segment(struct build *build, const struct bs_dir *dir, const char *name,
                                    struct bs_gram_indexing_buffer *grams,
                                    struct bs_store_writer *store, uint64_t *file_bytes_out,
                                    struct bs_error *err)
{
	struct bs_indexing_buffer *indexing_buffer = build->indexing_buffer;
	const struct bs_build_options *options = build->options;
	uint32_t n_docs = bs_indexing_buffer_n_docs(indexing_buffer);
	bool has_file = build->writer != NULL;
	if (build->policy.bit_ns <= 0)
		bs_term_treatment_policy_price(
			&build->policy, n_docs ? (double)indexing_buffer->n_postings / n_docs : 0);
	bs_term_treatment_table_make(&build->policy, n_docs, &build->treatments);
	build->tf_levels =
		bs_tf_levels_make(n_docs, build->policy.density, build->policy.is_forced);
	if (options->policy.has_no_tf_levels)
		build->tf_levels.n_levels = 0;
	build->plan = (struct bs_shard_plan){
		.indexing_buffer = indexing_buffer,
		.treatments = &build->treatments,
		.tf_levels = &build->tf_levels,
		.kernel = options->kernel,
		.density = build->policy.density,
		.exact_share = bs_term_treatment_exact_share(&build->policy, n_docs),
		.keep_coarse = options->policy.is_forced,
		.measured_blocks = MEASURED_BLOCKS,
		.progress = options->progress,
	};
	enum bs_status status = prepare(build, err);
	if (!status)
		status = bs_indexing_buffer_place(indexing_buffer,
		                                  &build->false_positives.rows.bytes, err);
	if (!status)
		status = bs_indexing_buffer_place(indexing_buffer, &build->false_positives.coded,
		                                  err);
	if (!status && options->word_hashes)
		status = tell_hashes(build, err);
	if (!status && !has_file)
		status = bs_file_writer_open(dir, name, BS_FILE_SEGMENT, &build->writer, err);
	if (!status)
		status = write_sections(build, grams, store, err);
	if (status)
		bs_file_writer_abort(build->writer);
	else
		status = bs_file_writer_finish(build->writer, file_bytes_out, err);
	if (!status && options->is_condensed) {
		status = condense(build, dir, name, err);
		if (status)
			bs_dir_remove(dir, name);
	}
	return status;
}

enum bs_status bs_segment_build(const struct bs_dir *dir, const char *name,
                                struct bs_indexing_buffer *indexing_buffer,
                                struct bs_gram_indexing_buffer *grams,
                                struct bs_store_writer *store, struct bs_file_writer *file,
                                const struct bs_build_options *options, uint64_t *file_bytes_out,
                                struct bs_error *err)
{
	struct build *build = malloc(sizeof(*build));
	if (!build) {
		bs_file_writer_abort(file);
		return bs_fail_memory(err, "a segment", sizeof(*build));
	}
	*build = (struct build){.indexing_buffer = indexing_buffer,
	                        .options = options,
	                        .policy = options->policy,
	                        .writer = file};
	enum bs_status status = build_segment(build, dir, name, grams, store, file_bytes_out, err);
	free(build->sorted);
	bs_shard_plan_deinit(&build->plan);
	bs_size_classes_deinit(&build->classes);
	bs_buffer_deinit(&build->shard_entries);
	bs_false_positives_builder_deinit(&build->false_positives);
	bs_vector_deinit(&build->shard_rows.documents);
	bs_vector_deinit(&build->shard_rows.n_docs);
	free(build);
	return status;
}
