/*
 * sqlite_feeder.c: see sqlite_feeder.h. Rows are collected in two chunks: the caller fills one
 * while the thread passes the rows of the other to the writer.
 *
 *     chunk: { struct row, lengths of the texts (a size_t each), the texts } ...
 */
#include "bindings/sqlite/index/sqlite_feeder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/sqlite/base/sqlite_rowid.h"
#include "core/bitsift/writer.h"

/* A chunk of this size is handed to the thread. The size is large enough that the thread is seldom
 * woken, and small enough for the cache of its processor. */
#define CHUNK_BYTES ((size_t)256 << 10)

struct row {
	sqlite3_int64 id;
	size_t n_bytes; /* total size of this struct, the lengths and the texts */
	bool there;     /* false: the row was deleted and has no lengths and texts */
};

struct chunk {
	char *bytes;
	size_t used_bytes, capacity_bytes;
};

struct bsql_feeder {
	struct bs_writer *writer;
	struct bs_text *texts; /* buffer for the row that is being written; has the field names */
	size_t n_texts;
	/* bsql_feeder_put appends rows to `filled`. The thread writes those of `worked`, which
	 * belongs to it while is_busy. */
	struct chunk filled, worked;
	bool has_thread; /* false: the thread could not be started */
	pthread_t thread;
	pthread_mutex_t mutex;  /* protects is_busy, is_ended and the exchange of the chunks */
	pthread_cond_t changed; /* signalled when is_busy or is_ended changes */
	/* is_busy: `worked` has rows to write. is_ended: the thread must exit. */
	bool is_busy, is_ended;
	enum bs_status status; /* of the first row that failed; later rows are ignored */
	struct bs_error err;
};

static enum bs_status write_row(struct bsql_feeder *feeder, const struct row *row, const char *at,
                                struct bs_error *err)
{
	char id[BSQL_ID_BYTES];
	size_t id_bytes = bsql_id_write(row->id, id);
	if (!row->there)
		return bs_writer_delete(feeder->writer, id, id_bytes, NULL, err);
	const char *text = at + feeder->n_texts * sizeof(size_t);
	for (size_t i = 0; i < feeder->n_texts; i++) {
		memcpy(&feeder->texts[i].text_bytes, at + i * sizeof(size_t), sizeof(size_t));
		feeder->texts[i].text = text;
		text += feeder->texts[i].text_bytes;
	}
	return bs_writer_add(feeder->writer, id, id_bytes, feeder->texts, feeder->n_texts, err);
}

static void work(struct bsql_feeder *feeder)
{
	struct row row;
	for (size_t at = 0; at < feeder->worked.used_bytes && !feeder->status; at += row.n_bytes) {
		memcpy(&row, feeder->worked.bytes + at, sizeof(row));
		feeder->status = write_row(feeder, &row, feeder->worked.bytes + at + sizeof(row),
		                           &feeder->err);
	}
	feeder->worked.used_bytes = 0;
}

static void *run_thread(void *context)
{
	struct bsql_feeder *feeder = context;
	pthread_mutex_lock(&feeder->mutex);
	for (;;) {
		while (!feeder->is_busy && !feeder->is_ended)
			pthread_cond_wait(&feeder->changed, &feeder->mutex);
		if (!feeder->is_busy)
			break;
		pthread_mutex_unlock(&feeder->mutex);
		work(feeder);
		pthread_mutex_lock(&feeder->mutex);
		feeder->is_busy = false;
		pthread_cond_signal(&feeder->changed);
	}
	pthread_mutex_unlock(&feeder->mutex);
	return NULL;
}

/* Waits until the thread is idle; returns with the mutex locked. */
static void await(struct bsql_feeder *feeder)
{
	pthread_mutex_lock(&feeder->mutex);
	while (feeder->is_busy)
		pthread_cond_wait(&feeder->changed, &feeder->mutex);
}

static enum bs_status hand_over(struct bsql_feeder *feeder)
{
	await(feeder);
	struct chunk filled = feeder->filled;
	feeder->filled = feeder->worked;
	feeder->worked = filled;
	enum bs_status status = feeder->status;
	feeder->is_busy = feeder->has_thread;
	pthread_cond_signal(&feeder->changed);
	pthread_mutex_unlock(&feeder->mutex);
	if (feeder->has_thread)
		return status;
	work(feeder);
	return feeder->status;
}

/* The stack of the thread, independent of the default of the host program. */
#define STACK_BYTES ((size_t)1 << 20)

static bool start_thread(struct bsql_feeder *feeder)
{
	pthread_attr_t attributes;
	if (pthread_attr_init(&attributes))
		return false;
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	int failed = pthread_create(&feeder->thread, &attributes, run_thread, feeder);
	(void)pthread_attr_destroy(&attributes);
	return !failed;
}

enum bs_status bsql_feeder_new(struct bs_writer *writer, const char *const *fields,
                               struct bsql_feeder **feeder_out, struct bs_error *err)
{
	struct bsql_feeder *feeder = calloc(1, sizeof(*feeder));
	size_t n = 0;
	while (fields[n])
		n++;
	*feeder_out = feeder;
	if (feeder)
		feeder->texts = calloc(n + 1, sizeof(*feeder->texts));
	if (!feeder || !feeder->texts) {
		free(feeder);
		*feeder_out = NULL;
		return bs_fail_memory(err, "rows", n * sizeof(*feeder->texts));
	}
	feeder->writer = writer;
	feeder->n_texts = n;
	for (size_t i = 0; i < n; i++)
		feeder->texts[i] =
			(struct bs_text){.field = fields[i], .field_bytes = strlen(fields[i])};
	pthread_mutex_init(&feeder->mutex, NULL);
	pthread_cond_init(&feeder->changed, NULL);
	feeder->has_thread = start_thread(feeder);
	return BS_OK;
}

static enum bs_status make_room(struct chunk *chunk, size_t n_bytes, struct bs_error *err)
{
	if (n_bytes <= chunk->capacity_bytes - chunk->used_bytes)
		return BS_OK;
	size_t wanted = chunk->used_bytes + n_bytes;
	wanted = wanted < CHUNK_BYTES * 2 ? CHUNK_BYTES * 2 : wanted;
	char *bytes = realloc(chunk->bytes, wanted);
	if (!bytes)
		return bs_fail_memory(err, "rows", wanted);
	chunk->bytes = bytes;
	chunk->capacity_bytes = wanted;
	return BS_OK;
}

static void append(struct chunk *chunk, const void *bytes, size_t n_bytes)
{
	if (n_bytes > 0)
		memcpy(chunk->bytes + chunk->used_bytes, bytes, n_bytes);
	chunk->used_bytes += n_bytes;
}

enum bs_status bsql_feeder_put(struct bsql_feeder *feeder, sqlite3_int64 id,
                               const struct bs_text *texts, struct bs_error *err)
{
	struct row row = {.id = id, .n_bytes = sizeof(row), .there = texts != NULL};
	for (size_t i = 0; i < feeder->n_texts && texts; i++)
		row.n_bytes += sizeof(size_t) + texts[i].text_bytes;
	enum bs_status status = make_room(&feeder->filled, row.n_bytes, err);
	if (status)
		return status;
	append(&feeder->filled, &row, sizeof(row));
	for (size_t i = 0; i < feeder->n_texts && texts; i++)
		append(&feeder->filled, &texts[i].text_bytes, sizeof(size_t));
	for (size_t i = 0; i < feeder->n_texts && texts; i++)
		append(&feeder->filled, texts[i].text, texts[i].text_bytes);
	status = feeder->filled.used_bytes < CHUNK_BYTES ? BS_OK : hand_over(feeder);
	return status ? bs_fail(err, status, "%s", feeder->err.text) : BS_OK;
}

enum bs_status bsql_feeder_end(struct bsql_feeder *feeder, struct bs_error *err)
{
	if (!feeder)
		return BS_OK;
	(void)hand_over(feeder);
	await(feeder);
	feeder->is_ended = true;
	pthread_cond_signal(&feeder->changed);
	pthread_mutex_unlock(&feeder->mutex);
	if (feeder->has_thread)
		pthread_join(feeder->thread, NULL);
	enum bs_status status =
		feeder->status ? bs_fail(err, feeder->status, "%s", feeder->err.text) : BS_OK;
	pthread_mutex_destroy(&feeder->mutex);
	pthread_cond_destroy(&feeder->changed);
	free(feeder->filled.bytes);
	free(feeder->worked.bytes);
	free(feeder->texts);
	free(feeder);
	return status;
}
