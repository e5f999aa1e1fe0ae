/*
 * renumber.c: see renumber.h. A chunk of the spool is a task. What comes of it is written into chunks of the thread's own, the
 * first of which are new, and all others those that it has done with.
 */
#include "indexer/renumber.h"

#include <stdlib.h>
#include <string.h>

#include "indexer/crew.h"

/* One thread's. */
struct writer {
	struct bs_spool_chunk *chunks; /* written; the first is open */
	struct bs_spool_chunk *spare;
};

struct task {
	struct bs_spool_chunk *chunk; /* NULL: it is done with */
	uint32_t end;                 /* of its documents */
};

struct renumbering {
	struct bs_gather *gather;
	const uint32_t *new_of;
	const uint8_t *weights;
	uint32_t last;
	struct bs_class_doc *docs_out;
	struct task *tasks; /* in the order of documents */
	uint32_t n_tasks;
	struct writer *writers;
};

/* Room for a document's codes: five bytes each at most, written eight at a time. */
static uint8_t *reserve(struct writer *writer, uint32_t n_terms, struct bs_error *err)
{
	size_t n_bytes = (size_t)n_terms * 5 + 8;
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

/* As bs_varint_put writes it, without a branch on its length. */
static inline uint8_t *put_code(uint8_t *to, uint32_t number)
{
	static const uint64_t more[6] = {0, 0, 0x80, 0x8080, 0x808080, 0x80808080};
	unsigned n_bytes = (38u - (unsigned)__builtin_clz(number | 1)) / 7;
	uint64_t n = number;
	bs_store_u64(to, (n & 0x7f) | (n & 0x3f80) << 1 | (n & 0x1fc000) << 2 | (n & 0xfe00000) << 3 |
	                         (n & 0xf0000000) << 4 | more[n_bytes]);
	return to + n_bytes;
}

static enum bs_status renumber_document(const struct renumbering *all, struct writer *writer, uint32_t document,
                                        struct bs_error *err)
{
	struct bs_gathered_doc *doc = (struct bs_gathered_doc *)(void *)all->gather->docs.data + document;
	struct bs_term_reader reader = bs_gather_read(all->gather, document);
	uint32_t numbers[BS_TERM_CHUNK];
	uint64_t weight = 0;
	uint8_t *to = reserve(writer, doc->n_terms, err);
	if (!to)
		return BS_NO_MEMORY;
	doc->codes = to;
	for (uint32_t n; (n = bs_gather_next(&reader, numbers)) > 0;) {
		for (uint32_t i = 0; i < n; i++)
			__builtin_prefetch(&all->new_of[numbers[i]]);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t number = all->new_of[numbers[i]];
			weight += all->weights[number < all->last ? number : all->last];
			to = put_code(to, number);
		}
	}
	writer->chunks->used_bytes = (size_t)(to - writer->chunks->bytes);
	all->docs_out[document] = (struct bs_class_doc){.weight = weight, .n_terms = doc->n_terms};
	return BS_OK;
}

static enum bs_status renumber_chunk(void *context, uint32_t thread, uint32_t task, struct bs_error *err)
{
	struct renumbering *all = context;
	struct bs_spool_chunk *chunk = all->tasks[task].chunk;
	struct writer *writer = &all->writers[thread];
	enum bs_status status = BS_OK;
	for (uint32_t i = chunk->first_doc; i < all->tasks[task].end && !status; i++)
		status = renumber_document(all, writer, i, err);
	all->tasks[task].chunk = NULL;
	chunk->next = writer->spare;
	writer->spare = chunk;
	return status;
}

static enum bs_status list_tasks(struct renumbering *all, struct bs_error *err)
{
	uint32_t end = bs_gather_n_docs(all->gather);
	for (struct bs_spool_chunk *chunk = all->gather->chunks; chunk; chunk = chunk->next)
		all->n_tasks++;
	all->tasks = malloc(((size_t)all->n_tasks + 1) * sizeof(*all->tasks));
	if (!all->tasks)
		return bs_fail_memory(err, "gathered terms", all->n_tasks * sizeof(*all->tasks));
	uint32_t i = all->n_tasks;
	for (struct bs_spool_chunk *chunk = all->gather->chunks; chunk; chunk = chunk->next) {
		all->tasks[--i] = (struct task){chunk, end};
		end = chunk->first_doc;
	}
	return BS_OK;
}

static void keep_chunk(struct bs_gather *gather, struct bs_spool_chunk *chunk)
{
	chunk->next = gather->chunks;
	gather->chunks = chunk;
}

/* What was written becomes the gather's, and what could not be read, after a failure, stays its own. */
static void take_written(struct renumbering *all, uint32_t n_threads)
{
	all->gather->chunks = NULL;
	for (uint32_t i = 0; i < all->n_tasks; i++)
		if (all->tasks[i].chunk)
			keep_chunk(all->gather, all->tasks[i].chunk);
	for (uint32_t i = 0; i < n_threads; i++) {
		struct writer *writer = &all->writers[i];
		bs_spool_chunks_free(writer->spare);
		for (struct bs_spool_chunk *chunk = writer->chunks, *next; chunk; chunk = next) {
			next = chunk->next;
			keep_chunk(all->gather, chunk);
		}
	}
}

enum bs_status bs_renumber(struct bs_gather *gather, const uint32_t *new_of, const uint8_t *weights, uint32_t last,
                           uint32_t n_threads, struct bs_class_doc *docs_out, struct bs_error *err)
{
	struct renumbering all = {.gather = gather, .new_of = new_of, .weights = weights, .last = last, .docs_out = docs_out};
	enum bs_status status = list_tasks(&all, err);
	all.writers = calloc(n_threads, sizeof(*all.writers));
	if (!status && !all.writers)
		status = bs_fail_memory(err, "gathered terms", n_threads * sizeof(*all.writers));
	if (!status) {
		status = bs_crew_run(n_threads, all.n_tasks, renumber_chunk, &all, err);
		take_written(&all, n_threads);
	}
	free(all.tasks);
	free(all.writers);
	return status;
}
