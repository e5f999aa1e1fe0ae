/*
 * renumber.c: see renumber.h. A chunk of documents is a task. A thread writes them into chunks of its own: the first of them are
 * new, the others are those that it is done with.
 */
#include "indexer/segment/renumber.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/workers.h"

/* One thread's. */
struct writer {
	struct bs_spool_chunk *chunks; /* written; the first is open */
	struct bs_spool_chunk *spare;
	struct bs_tf_coder coder;
	struct bs_buffer words; /* of a document: struct bs_tf_word each */
};

struct task {
	struct bs_spool_chunk *chunk; /* NULL: it is done with */
	uint32_t first;               /* of its documents */
	uint32_t end;
	struct bs_buffer tf_codes;
	struct bs_buffer tf_bytes; /* u32 a document */
};

struct all {
	struct bs_accumulator *accumulator;
	const struct bs_renumbering *renumbering;
	struct bs_size_class_doc *docs_out;
	struct task *tasks; /* in the order of documents */
	struct writer *writers;
};

/* Room for a document's terms. */
static uint8_t *reserve(struct writer *writer, uint32_t n_terms, struct bs_error *err)
{
	size_t n_bytes = BS_GROUP_MOST_BYTES(n_terms);
	struct bs_spool_chunk *chunk = writer->chunks;
	if (chunk && n_bytes <= chunk->capacity_bytes - chunk->used_bytes)
		return chunk->bytes + chunk->used_bytes;
	chunk = writer->spare;
	if (chunk && n_bytes <= chunk->capacity_bytes) {
		writer->spare = chunk->next;
		chunk->next = writer->chunks;
		chunk->used_bytes = 0;
	} else {
		chunk = bs_spool_chunk_new(writer->chunks, n_bytes, err);
	}
	if (!chunk)
		return NULL;
	writer->chunks = chunk;
	return chunk->bytes;
}

/* words[0..n_words): first the document's repeated terms, with a tf of 0 for those that are not coded; then the others that
 * are. How often the first ones stand there is read from tfs. */
static enum bs_status code_tfs(struct writer *writer, uint32_t n_repeated, size_t n_words, const uint8_t *tfs,
                               struct task *task, struct bs_error *err)
{
	struct bs_tf_word *words = (struct bs_tf_word *)(void *)writer->words.data;
	struct bs_term_reader reader = {tfs, n_repeated};
	uint64_t n_before = task->tf_codes.used_bytes;
	struct bs_tf_word *word = words;
	uint32_t some[BS_TERM_CHUNK];
	for (uint32_t n; (n = bs_accumulator_next(&reader, some)) > 0; word += n)
		for (uint32_t i = 0; i < n; i++)
			word[i].tf *= some[i];
	for (size_t i = n_repeated; i-- > 0;)
		if (words[i].tf == 0)
			words[i] = words[--n_words];
	enum bs_status status = bs_tf_encode(&writer->coder, words, n_words, &task->tf_codes, err);
	uint32_t n_bytes = (uint32_t)(task->tf_codes.used_bytes - n_before);
	return status ? status : bs_buffer_append(&task->tf_bytes, &n_bytes, sizeof(n_bytes), err);
}

static enum bs_status renumber_document(const struct all *all, struct writer *writer, struct task *task,
                                        uint32_t document, struct bs_error *err)
{
	const struct bs_renumbering *by = all->renumbering;
	struct bs_accumulated_doc *doc = (struct bs_accumulated_doc *)(void *)all->accumulator->docs.data + document;
	struct bs_term_reader reader = bs_accumulator_read(all->accumulator, document);
	uint32_t length = bs_doc_table_builder_get_length(&all->accumulator->doc_table, document);
	uint8_t coded = length >= by->min_coded_length ? BS_NOTE_IS_CODED : 0;
	uint32_t n_repeated = doc->n_repeated;
	uint32_t numbers[BS_TERM_CHUNK];
	uint64_t weight = 0;
	size_t n_words = 0;
	bs_buffer_clear(&writer->words);
	enum bs_status status = bs_buffer_reserve(&writer->words, doc->n_terms * sizeof(struct bs_tf_word), err);
	uint8_t *to = status ? NULL : reserve(writer, doc->n_terms, err);
	if (!to)
		return BS_NO_MEMORY;
	doc->codes = to;
	struct bs_tf_word *words = (struct bs_tf_word *)(void *)writer->words.data;
	for (uint32_t n; (n = bs_accumulator_next(&reader, numbers)) > 0;) {
		uint8_t notes[BS_TERM_CHUNK];
		for (uint32_t i = 0; i < n; i++)
			__builtin_prefetch(&by->new_of[numbers[i]]);
		for (uint32_t i = 0; i < n; i++) {
			numbers[i] = by->new_of[numbers[i]];
			notes[i] = by->notes[numbers[i] < by->last ? numbers[i] : by->last] | coded;
			weight += notes[i] & ~BS_NOTE_IS_CODED;
		}
		/* What is not coded takes up no room, unless its tf follows. No branch: either is anyone's guess. */
		for (uint32_t i = 0; i < n; i++) {
			bool is_coded = notes[i] & BS_NOTE_IS_CODED;
			words[n_words] = (struct bs_tf_word){by->hashes[is_coded ? numbers[i] : 0], is_coded};
			n_words += is_coded | (n_words < n_repeated);
		}
		to = bs_group_put(to, numbers, n);
	}
	writer->chunks->used_bytes = (size_t)(to - writer->chunks->bytes);
	all->docs_out[document] = (struct bs_size_class_doc){.weight = weight, .n_terms = doc->n_terms};
	return code_tfs(writer, n_repeated, n_words, reader.codes, task, err);
}

static enum bs_status renumber_chunk(void *context, const struct bs_task *which, struct bs_error *err)
{
	struct all *all = context;
	struct task *task = &all->tasks[which->number];
	struct bs_spool_chunk *chunk = task->chunk;
	struct writer *writer = &all->writers[which->worker];
	enum bs_status status = BS_OK;
	writer->coder.kernel = all->renumbering->kernel;
	for (uint32_t document = task->first; document < task->end && !status; document++)
		status = renumber_document(all, writer, task, document, err);
	task->chunk = NULL;
	chunk->next = writer->spare;
	writer->spare = chunk;
	return status;
}

static void task_deinit(struct task *task)
{
	bs_buffer_deinit(&task->tf_codes);
	bs_buffer_deinit(&task->tf_bytes);
}

/* The tf codes of a task go into the table, in the order of documents. */
static enum bs_status put_codes(void *context, uint64_t number, struct bs_error *err)
{
	struct all *all = context;
	struct task *task = &all->tasks[number];
	size_t start = 0;
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < task->end - task->first && !status; i++) {
		uint32_t n_bytes = ((const uint32_t *)(const void *)task->tf_bytes.data)[i];
		status = bs_tf_table_add(&all->accumulator->tf_table, n_bytes ? task->tf_codes.data + start : NULL, n_bytes, err);
		start += n_bytes;
	}
	task_deinit(task);
	return status;
}

static void keep_chunks(struct bs_accumulator *accumulator, struct bs_spool_chunk *chunks)
{
	for (struct bs_spool_chunk *chunk = chunks, *next; chunk; chunk = next) {
		next = chunk->next;
		chunk->next = accumulator->chunks;
		accumulator->chunks = chunk;
	}
}

/* What was written becomes the accumulator's; what could not be read, after a failure, stays its own. */
static void end_all(struct all *all, uint32_t n_tasks, uint32_t n_threads)
{
	all->accumulator->chunks = NULL;
	for (uint32_t i = 0; i < n_tasks; i++) {
		if (all->tasks[i].chunk)
			all->tasks[i].chunk->next = NULL;
		keep_chunks(all->accumulator, all->tasks[i].chunk);
		task_deinit(&all->tasks[i]);
	}
	for (uint32_t i = 0; i < n_threads; i++) {
		keep_chunks(all->accumulator, all->writers[i].chunks);
		bs_spool_chunks_free(all->writers[i].spare);
		bs_tf_coder_deinit(&all->writers[i].coder);
		bs_buffer_deinit(&all->writers[i].words);
	}
}

enum bs_status bs_renumber(struct bs_accumulator *accumulator, const struct bs_renumbering *renumbering, uint32_t n_threads,
                           struct bs_size_class_doc *docs_out, struct bs_error *err)
{
	struct all all = {.accumulator = accumulator, .renumbering = renumbering, .docs_out = docs_out};
	struct bs_workers_plan plan = {.n_threads = n_threads, .work = renumber_chunk, .put = put_codes, .context = &all};
	uint32_t n_tasks = 0;
	uint32_t end = bs_accumulator_n_docs(accumulator);
	enum bs_status status = BS_OK;
	for (struct bs_spool_chunk *chunk = accumulator->chunks; chunk; chunk = chunk->next)
		n_tasks++;
	all.tasks = malloc(((size_t)n_tasks + 1) * sizeof(*all.tasks));
	all.writers = calloc(n_threads, sizeof(*all.writers));
	if (!all.tasks || !all.writers) {
		status = bs_fail_memory(err, "accumulated terms", ((size_t)n_tasks + 1) * sizeof(*all.tasks));
		goto out;
	}
	uint32_t i = n_tasks;
	for (struct bs_spool_chunk *chunk = accumulator->chunks; chunk; chunk = chunk->next) {
		all.tasks[--i] = (struct task){.chunk = chunk, .first = chunk->first_doc, .end = end};
		end = chunk->first_doc;
	}
	status = bs_workers_run(&plan, n_tasks, err);
	end_all(&all, n_tasks, n_threads);
	if (!status)
		status = bs_tf_table_pad(&accumulator->tf_table, err);
out:
	free(all.tasks);
	free(all.writers);
	return status;
}
