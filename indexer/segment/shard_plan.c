/* shard_plan.c: see shard_plan.h. */
#include "indexer/segment/shard_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/lexicon/lexicon.h"
#include "core/system/deadline.h"
#include "core/system/workers.h"

/* estimated costs of a term, for the deadline: looked up at random, and read in order */
#define TERM_NS 50u
#define LOOK_NS 10u

/* A thread's state while terms are renumbered. Each task is a chunk of documents. A thread writes
 * renumbered documents to chunks of its own: at first to new ones, later to chunks that it has read
 * completely. */
struct writer {
	struct bs_spool spool;
	struct bs_tf_coder coder;
	struct bs_buffer words; /* scratch: array of struct bs_tf_word for a document */
};

struct task {
	struct bs_spool_chunk *chunk; /* NULL: finished */
	uint32_t first;               /* first document */
	uint32_t end;
	struct bs_buffer tf_codes;
	struct bs_u32s tf_bytes; /* by document: the length of its tf code */
};

struct all {
	struct bs_indexing_buffer *indexing_buffer;
	const struct bs_shard_plan *plan;
	const uint32_t *place_of;
	const uint8_t *notes;
	struct bs_size_class_doc *docs_out;
	struct task *tasks; /* in document order */
	struct writer *writers;
};

/* Encodes the tfs of a document. words[0..n_words): first the document's repeated terms, of which
 * those that are not encoded have tf 0; then other words, with tf 1. tfs: the tfs of the repeated
 * terms. */
static enum bs_status code_tfs(struct writer *writer, uint32_t n_repeated, size_t n_words,
                               const uint8_t *tfs, struct task *task, struct bs_error *err)
{
	struct bs_tf_word *words = (struct bs_tf_word *)(void *)writer->words.data;
	struct bs_term_reader reader = {tfs, n_repeated};
	uint64_t n_before = task->tf_codes.used_bytes;
	struct bs_tf_word *word = words;
	uint32_t some[BS_TERM_CHUNK];
	for (uint32_t n; (n = bs_indexing_buffer_next(&reader, some)) > 0; word += n)
		for (uint32_t i = 0; i < n; i++)
			word[i].tf *= some[i];
	for (size_t i = n_repeated; i-- > 0;)
		if (words[i].tf == 0)
			words[i] = words[--n_words];
	enum bs_status status = bs_tf_encode(&writer->coder, words, n_words, &task->tf_codes, err);
	uint32_t n_bytes = (uint32_t)(task->tf_codes.used_bytes - n_before);
	return status ? status : bs_vector_append(&task->tf_bytes, &n_bytes, err);
}

static enum bs_status renumber_document(const struct all *all, struct writer *writer,
                                        struct task *task, uint32_t document, struct bs_error *err)
{
	const struct bs_shard_plan *plan = all->plan;
	uint32_t last = plan->n_repeated;
	struct bs_buffered_doc *doc = all->indexing_buffer->docs.items + document;
	struct bs_term_reader reader = bs_indexing_buffer_read(all->indexing_buffer, document);
	uint32_t n_repeated = doc->n_repeated;
	uint32_t numbers[BS_TERM_CHUNK];
	struct bs_size_class_doc sums = {.n_terms = doc->n_terms};
	size_t n_words = 0;
	bs_buffer_clear(&writer->words);
	enum bs_status status =
		bs_buffer_reserve(&writer->words, doc->n_terms * sizeof(struct bs_tf_word), err);
	uint8_t *to;
	if (!status)
		status = bs_spool_reserve(&writer->spool, BS_GROUP_MOST_BYTES(doc->n_terms),
		                          document, &to, err);
	if (status)
		return status;
	doc->codes = to;
	struct bs_tf_word *words = (struct bs_tf_word *)(void *)writer->words.data;
	for (uint32_t n; !status && (n = bs_indexing_buffer_next(&reader, numbers)) > 0;) {
		uint8_t notes[BS_TERM_CHUNK];
		uint64_t columns = 0;
		for (uint32_t i = 0; i < n; i++)
			__builtin_prefetch(&all->place_of[numbers[i]]);
		for (uint32_t i = 0; i < n; i++) {
			numbers[i] = all->place_of[numbers[i]];
			notes[i] = all->notes[numbers[i] < last ? numbers[i] : last];
			columns += plan->columns[notes[i] & BS_NOTE_KIND];
			sums.n_listed += (notes[i] & BS_NOTE_IS_LISTED) != 0;
		}
		for (uint32_t level = 0; level < BS_MAX_LEVELS; level++)
			sums.n_columns[level] += (uint32_t)bs_count_at(columns, level);
		/* Terms that are not encoded are omitted, except repeated ones. There is no branch,
		 * because both conditions are unpredictable. */
		for (uint32_t i = 0; i < n; i++) {
			bool is_coded = notes[i] & BS_NOTE_IS_CODED;
			words[n_words] = (struct bs_tf_word){
				plan->hashes[is_coded ? numbers[i] : 0], is_coded};
			n_words += is_coded | (n_words < n_repeated);
		}
		to = bs_group_put(to, numbers, n);
		status = bs_deadline_check_after(n * TERM_NS, err);
	}
	if (status)
		return status;
	writer->spool.chunks->used_bytes = (size_t)(to - writer->spool.chunks->bytes);
	all->docs_out[document] = sums;
	return code_tfs(writer, n_repeated, n_words, reader.codes, task, err);
}

static enum bs_status renumber_chunk(void *context, const struct bs_task *which,
                                     struct bs_error *err)
{
	struct all *all = context;
	struct task *task = &all->tasks[which->number];
	struct bs_spool_chunk *chunk = task->chunk;
	struct writer *writer = &all->writers[which->worker];
	enum bs_status status = BS_OK;
	writer->coder.kernel = all->plan->kernel;
	for (uint32_t document = task->first; document < task->end && !status; document++)
		status = renumber_document(all, writer, task, document, err);
	task->chunk = NULL;
	chunk->next = writer->spool.spare;
	writer->spool.spare = chunk;
	return status;
}

static void task_deinit(struct task *task)
{
	bs_buffer_deinit(&task->tf_codes);
	bs_vector_deinit(&task->tf_bytes);
}

/* Adds the tf codes of a task to the table, in document order. */
static enum bs_status put_codes(void *context, uint64_t number, struct bs_error *err)
{
	struct all *all = context;
	struct task *task = &all->tasks[number];
	size_t start = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < task->end - task->first && !status; i++) {
		uint32_t n_bytes = task->tf_bytes.items[i];
		const uint8_t *codes = n_bytes ? task->tf_codes.data + start : NULL;
		status = bs_tf_table_add(&all->indexing_buffer->tf_table, codes, n_bytes, err);
		start += n_bytes;
	}
	task_deinit(task);
	return status;
}

static void keep_chunks(struct bs_indexing_buffer *indexing_buffer, struct bs_spool_chunk *chunks)
{
	for (struct bs_spool_chunk *chunk = chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		chunk->next = indexing_buffer->spool.chunks;
		indexing_buffer->spool.chunks = chunk;
	}
}

/* Moves the written chunks to the indexing buffer. After a failure, chunks that were not read are
 * kept as well. */
static void end_all(struct all *all, uint32_t n_tasks, uint32_t n_threads)
{
	all->indexing_buffer->spool.chunks = NULL;
	for (uint32_t i = 0; i < n_tasks; i++) {
		if (all->tasks[i].chunk)
			all->tasks[i].chunk->next = NULL;
		keep_chunks(all->indexing_buffer, all->tasks[i].chunk);
		task_deinit(&all->tasks[i]);
	}
	for (uint32_t i = 0; i < n_threads; i++) {
		keep_chunks(all->indexing_buffer, all->writers[i].spool.chunks);
		all->writers[i].spool.chunks = NULL;
		bs_spool_deinit(&all->writers[i].spool);
		bs_tf_coder_deinit(&all->writers[i].coder);
		bs_buffer_deinit(&all->writers[i].words);
	}
}

enum bs_status bs_renumber(struct bs_indexing_buffer *indexing_buffer,
                           const struct bs_shard_plan *plan, const uint32_t *place_of,
                           const uint8_t *notes, uint32_t n_threads,
                           struct bs_size_class_doc *docs_out, struct bs_error *err)
{
	struct all all = {.indexing_buffer = indexing_buffer,
	                  .plan = plan,
	                  .place_of = place_of,
	                  .notes = notes,
	                  .docs_out = docs_out};
	struct bs_workers_plan work = {
		.n_threads = n_threads, .work = renumber_chunk, .put = put_codes, .context = &all};
	uint32_t n_tasks = 0;
	uint32_t end = bs_indexing_buffer_n_docs(indexing_buffer);
	enum bs_status status = BS_OK;
	for (struct bs_spool_chunk *chunk = indexing_buffer->spool.chunks; chunk;
	     chunk = chunk->next)
		n_tasks++;
	all.tasks = malloc(((size_t)n_tasks + 1) * sizeof(*all.tasks));
	all.writers = calloc(n_threads, sizeof(*all.writers));
	if (!all.tasks || !all.writers) {
		status = bs_fail_memory(err, "accumulated terms",
		                        ((size_t)n_tasks + 1) * sizeof(*all.tasks));
		goto out;
	}
	for (uint32_t i = 0; i < n_threads; i++)
		all.writers[i].spool.file = indexing_buffer->spool.file;
	uint32_t task = n_tasks;
	for (struct bs_spool_chunk *chunk = indexing_buffer->spool.chunks; chunk;
	     chunk = chunk->next) {
		all.tasks[--task] =
			(struct task){.chunk = chunk, .first = chunk->first_doc, .end = end};
		end = chunk->first_doc;
	}
	status = bs_workers_run(&work, n_tasks, err);
	end_all(&all, n_tasks, n_threads);
	if (!status)
		status = bs_tf_table_pad(&indexing_buffer->tf_table, err);
out:
	free(all.tasks);
	free(all.writers);
	return status;
}

/* Treatments of dfs below this are looked up in an array, because most terms have small dfs. */
#define SMALL_DF 64u

struct kinds {
	const struct bs_term_treatment_table *treatments;
	uint8_t of_small[SMALL_DF];
	/* Minimum df of a term that may get an exact column in some shard. */
	double least_frequent;
	/* Minimum df of a term that is expected to get an exact column when size classes are
	 * estimated; whether it gets one is decided later, for each shard. */
	double least_exact;
};

static uint8_t treatment_of(const struct kinds *kinds, uint32_t df)
{
	return df < SMALL_DF ? kinds->of_small[df]
	                     : (uint8_t)(bs_term_treatment_find(kinds->treatments, df) -
	                                 kinds->treatments->entries);
}

static bool is_frequent(const struct kinds *kinds, uint32_t df)
{
	return df >= kinds->least_frequent ||
	       kinds->treatments->entries[treatment_of(kinds, df)].has_false_positives;
}

/* The note (BS_NOTE_*) of a term: index in plan->columns of its treatment (the last index if an
 * exact column is assumed), and whether it is in rare-term lists. */
static uint8_t note_of(const struct kinds *kinds, uint32_t df)
{
	uint8_t treatment = treatment_of(kinds, df);
	bool has_false_positives = kinds->treatments->entries[treatment].has_false_positives;
	uint32_t kind = df < kinds->least_exact && treatment < BS_NOTE_KINDS - 1
	                        ? treatment
	                        : BS_NOTE_KINDS - 1;
	return (uint8_t)(kind | (has_false_positives ? 0 : BS_NOTE_IS_LISTED));
}

/* Replaces next_of[df], the number of terms with each df, by the first place of terms with that df.
 * Frequent terms come first, then the others, each by descending df. */
static void place_dfs(struct bs_shard_plan *plan, const struct kinds *kinds, uint32_t most,
                      uint32_t *next_of)
{
	uint32_t n = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t df = most + 1; df-- > 0;) {
			uint32_t n_here = next_of[df];
			if (is_frequent(kinds, df) != (pass == 0))
				continue;
			next_of[df] = n;
			n += n_here;
			if (df > 1)
				plan->n_repeated = n;
		}
		if (pass == 0)
			plan->n_frequent = plan->n_repeated = n;
	}
}

/* The df of term number i. If the plan has a lexicon, term numbers are ordinals. */
static inline uint32_t df_of(const struct bs_shard_plan *plan, uint32_t i)
{
	return plan->lexicon ? plan->lexicon[i].df : plan->indexing_buffer->terms.entries[i].df;
}

static struct bs_lexicon_term term_of(const struct bs_shard_plan *plan, uint32_t i)
{
	if (plan->lexicon)
		return plan->lexicon[i];
	const struct bs_term_entry *entry = &plan->indexing_buffer->terms.entries[i];
	const uint8_t *key = bs_term_table_key(&plan->indexing_buffer->terms, i);
	return (struct bs_lexicon_term){bs_hash_term(key, entry->n_bytes), entry->df,
	                                key[0] == BS_KEY_COMPOUND};
}

/* Assigns places in the order of place_dfs; terms with equal df keep the order of their numbers. */
static enum bs_status find_places(struct bs_shard_plan *plan, const struct kinds *kinds,
                                  uint32_t *place_of, struct bs_error *err)
{
	uint32_t most = 1;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < plan->n_terms && !status; i++) {
		most = df_of(plan, i) > most ? df_of(plan, i) : most;
		status = bs_deadline_each(i, LOOK_NS, err);
	}
	if (status)
		return status;
	uint32_t *next_of = calloc((size_t)most + 1, sizeof(*next_of));
	if (!next_of)
		return bs_fail_memory(err, "places of terms",
		                      ((size_t)most + 1) * sizeof(*next_of));
	for (uint32_t i = 0; i < plan->n_terms; i++)
		next_of[df_of(plan, i)]++;
	place_dfs(plan, kinds, most, next_of);
	for (uint32_t i = 0; i < plan->n_terms && !status; i++) {
		place_of[i] = next_of[df_of(plan, i)]++;
		status = bs_deadline_each(i, LOOK_NS, err);
	}
	free(next_of);
	return status;
}

/* Fills the plan's arrays that are indexed by place. */
static enum bs_status fill_places(struct bs_shard_plan *plan, const struct kinds *kinds,
                                  const uint32_t *place_of, uint8_t *notes, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	const struct bs_tf_levels *levels = plan->tf_levels;
	for (uint32_t i = 0; i < plan->treatments->n_entries && i < BS_NOTE_KINDS - 1; i++)
		plan->columns[i] = bs_count_pack(plan->treatments->entries[i].n_columns);
	plan->kinds[plan->n_repeated] = treatment_of(kinds, 1);
	/* This element is for all terms of one document, so also for pairs, which have no tf. They
	 * are encoded as words with tf 1, which does no harm. */
	notes[plan->n_repeated] = note_of(kinds, 1) | BS_NOTE_IS_CODED;
	for (uint32_t i = 0; i < plan->n_terms && !status; i++) {
		const struct bs_lexicon_term term = term_of(plan, i);
		uint32_t place = place_of[i];
		uint8_t treatment = treatment_of(kinds, term.df);
		bool has_false_positives = plan->treatments->entries[treatment].has_false_positives;
		plan->hashes[place] = term.hash;
		status = bs_deadline_each(i, TERM_NS, err);
		if (place >= plan->n_repeated)
			continue;
		bool is_coded = !term.is_pair; /* pairs have no tf */
		bool has_levels = is_coded && levels->n_levels > 0 && term.df >= levels->min_df;
		plan->kinds[place] = treatment | (has_levels ? BS_KIND_HAS_LEVELS : 0);
		notes[place] = note_of(kinds, term.df) | (is_coded ? BS_NOTE_IS_CODED : 0);
		if (place < plan->n_frequent)
			plan->frequent[place] = (struct bs_frequent_term){
				.df = term.df, .has_false_positives = has_false_positives};
	}
	return status;
}

/* Terms that are adjacent in the lexicon have scattered places, so these are prefetched this many
 * terms ahead. */
#define PLACES_AHEAD 16u

/* Fills ordinals and by_ordinal. sorted: term numbers in lexicon order; NULL: they are ordinals. */
static enum bs_status fill_ordinals(struct bs_shard_plan *plan, const uint32_t *place_of,
                                    const uint32_t *sorted, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint32_t n_found = 0;
	for (uint32_t i = 0; i < plan->n_terms && !status; i++) {
		if (sorted && plan->n_terms - i > 2 * PLACES_AHEAD) {
			__builtin_prefetch(&place_of[sorted[i + 2 * PLACES_AHEAD]]);
			__builtin_prefetch(&plan->ordinals[place_of[sorted[i + PLACES_AHEAD]]], 1);
		}
		uint32_t place = place_of[sorted ? sorted[i] : i];
		plan->ordinals[place] = i;
		if (place < plan->n_frequent)
			plan->by_ordinal[n_found++] = place;
		status = bs_deadline_each(i, LOOK_NS, err);
	}
	for (uint32_t i = 0; i < plan->n_frequent && !status; i++)
		plan->frequent[i].ordinal = plan->ordinals[i];
	return status;
}

/* Assigns the places of terms and fills the arrays by place. The caller frees *notes_out, after a
 * failure too. */
static enum bs_status make_places(struct bs_shard_plan *plan, struct kinds *kinds,
                                  const uint32_t *sorted, uint32_t *place_of, uint8_t **notes_out,
                                  struct bs_error *err)
{
	size_t n_terms = (size_t)plan->n_terms + 1;
	kinds->treatments = plan->treatments;
	for (uint32_t df = 0; df < SMALL_DF; df++)
		kinds->of_small[df] = (uint8_t)(bs_term_treatment_find(plan->treatments, df) -
		                                plan->treatments->entries);
	plan->ordinals = malloc(n_terms * sizeof(*plan->ordinals));
	enum bs_status status =
		bs_indexing_buffer_place(plan->indexing_buffer, &plan->of_hashes, err);
	if (!status)
		status = bs_buffer_reserve(&plan->of_hashes, n_terms * sizeof(*plan->hashes), err);
	if (!status && !plan->ordinals)
		status =
			bs_fail_memory(err, "what shards share", n_terms * sizeof(*plan->ordinals));
	if (!status)
		status = find_places(plan, kinds, place_of, err);
	if (status)
		return status;
	plan->hashes = (uint64_t *)(void *)plan->of_hashes.data;
	*notes_out = malloc((size_t)plan->n_repeated + 1);
	plan->kinds = malloc((size_t)plan->n_repeated + 1);
	plan->frequent = malloc(((size_t)plan->n_frequent + 1) * sizeof(*plan->frequent));
	plan->by_ordinal = malloc(((size_t)plan->n_frequent + 1) * sizeof(*plan->by_ordinal));
	if (!*notes_out || !plan->kinds || !plan->frequent || !plan->by_ordinal)
		return bs_fail_memory(err, "what shards share",
		                      plan->n_frequent * sizeof(*plan->frequent));
	status = fill_places(plan, kinds, place_of, *notes_out, err);
	return status ? status : fill_ordinals(plan, place_of, sorted, err);
}

enum bs_status bs_shard_plan_make(struct bs_shard_plan *plan,
                                  struct bs_indexing_buffer *indexing_buffer,
                                  const uint32_t *sorted, uint32_t n_threads,
                                  struct bs_size_class_doc *docs_out, struct bs_error *err)
{
	uint32_t n_docs = bs_indexing_buffer_n_docs(indexing_buffer);
	/* The least df, in whole documents, for an exact column if all documents were one shard
	 * with a padded last block, as in shard_build.c. */
	double least_exact =
		plan->exact_share * ((n_docs + BS_LINE_BITS - 1) / BS_LINE_BITS) * BS_LINE_BITS;
	struct kinds kinds = {
		.least_frequent = plan->exact_share * BS_LINE_BITS,
		.least_exact = least_exact < 1 ? 1 : (double)(uint64_t)least_exact,
	};
	uint8_t *notes = NULL;
	plan->n_terms = indexing_buffer->terms.n_terms;
	size_t n_bytes = ((size_t)plan->n_terms + 1) * sizeof(uint32_t);
	uint32_t *place_of = malloc(n_bytes);
	enum bs_status status =
		place_of ? BS_OK : bs_fail_memory(err, "what shards share", n_bytes);
	if (!status) {
		bs_buffer_advise(place_of, n_bytes);
		status = make_places(plan, &kinds, sorted, place_of, &notes, err);
	}
	if (!status)
		status = bs_renumber(indexing_buffer, plan, place_of, notes, n_threads, docs_out,
		                     err);
	free(place_of);
	free(notes);
	return status;
}

enum bs_status bs_shard_plan_of_lexicon(struct bs_shard_plan *plan, double least_frequent,
                                        uint32_t *place_of, struct bs_error *err)
{
	struct kinds kinds = {.least_frequent = least_frequent, .least_exact = least_frequent};
	uint8_t *notes = NULL;
	enum bs_status status = make_places(plan, &kinds, NULL, place_of, &notes, err);
	free(notes);
	return status;
}

void bs_shard_plan_deinit(struct bs_shard_plan *plan)
{
	bs_buffer_deinit(&plan->of_hashes);
	free(plan->ordinals);
	free(plan->kinds);
	free(plan->frequent);
	free(plan->by_ordinal);
	*plan = (struct bs_shard_plan){0};
}
