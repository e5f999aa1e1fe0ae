/* prefix_check.c: see prefix_check.h. */
#include "query/load/prefix_check.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"

struct slot {
	/* The latest check whose result lasts (is_lasting); NULL: none. */
	struct bs_prefix_check *prefix_check;
	bool is_read; /* A thread is reading this source, to make a prefix check. */
};

struct bs_prefix_checks {
	const struct bs_snapshot *snapshot;
	struct slot *slots; /* One per source of the manifest. */
	pthread_mutex_t mutex;
	pthread_cond_t done;
};

enum bs_status bs_prefix_checks_new(const struct bs_snapshot *snapshot,
                                    struct bs_prefix_checks **proofs_out, struct bs_error *err)
{
	size_t n = snapshot->manifest.n_sources;
	struct bs_prefix_checks *prefix_checks = calloc(1, sizeof(*prefix_checks));
	struct slot *slots = calloc(n + 1, sizeof(*slots));
	*proofs_out = NULL;
	if (!prefix_checks || !slots) {
		free(prefix_checks);
		free(slots);
		return bs_fail_memory(err, "proofs", n * sizeof(*slots));
	}
	*prefix_checks = (struct bs_prefix_checks){.snapshot = snapshot, .slots = slots};
	pthread_mutex_init(&prefix_checks->mutex, NULL);
	pthread_cond_init(&prefix_checks->done, NULL);
	*proofs_out = prefix_checks;
	return BS_OK;
}

/* Drops a reference. The caller holds the mutex, or has the only reference to the check. */
static void drop(struct bs_prefix_check *prefix_check)
{
	if (!prefix_check || --prefix_check->n_users > 0)
		return;
	struct bs_memory_budget *budget = bs_memory_budget_here;
	bs_memory_budget_here = NULL;
	bs_relocated_deinit(&prefix_check->behind);
	bs_doc_bits_deinit(&prefix_check->replaced);
	bs_memory_budget_here = budget;
	free(prefix_check);
}

void bs_prefix_checks_free(struct bs_prefix_checks *prefix_checks)
{
	if (!prefix_checks)
		return;
	for (uint32_t i = 0; i < prefix_checks->snapshot->manifest.n_sources; i++)
		drop(prefix_checks->slots[i].prefix_check);
	pthread_cond_destroy(&prefix_checks->done);
	pthread_mutex_destroy(&prefix_checks->mutex);
	free(prefix_checks->slots);
	free(prefix_checks);
}

void bs_prefix_check_release(struct bs_prefix_checks *prefix_checks,
                             const struct bs_prefix_check *prefix_check)
{
	if (!prefix_check)
		return;
	pthread_mutex_lock(&prefix_checks->mutex);
	drop((struct bs_prefix_check *)prefix_check);
	pthread_mutex_unlock(&prefix_checks->mutex);
}

/* A prefix check while it is being made. */
struct proving {
	const struct bs_snapshot *snapshot;
	const struct bs_source *source;
	struct bs_prefix_check *prefix_check;
	struct bs_buffer id;
};

/* Marks a document as replaced if its id also occurs after the indexed bytes. Reads only the
 * document's name if that suffices for the id, because reading whole entries of the document
 * table for a million documents would take most of the time. */
static enum bs_status find_appended_id(struct proving *at, struct bs_doc_ref ref,
                                       struct bs_error *err)
{
	const struct bs_doc_table *docs = &at->snapshot->segments[ref.segment].docs;
	struct bs_doc_record record = {0};
	const struct bs_relocated_record *end;
	enum bs_status status =
		bs_names_get(&docs->names, ref.document, &record.name, &record.name_bytes, err);
	if (!status && record.name_bytes == 0 && !at->prefix_check->behind.is_like_line)
		return BS_OK;
	if (!status && record.name_bytes == 0)
		status = bs_doc_table_get(docs, ref.document, &record, err);
	if (!status)
		status = bs_recorded_id(at->source, &record, &at->id, err);
	if (status)
		return status;
	uint64_t hash = bs_hash_slot(at->id.data, at->id.used_bytes);
	const struct bs_relocated_record *found =
		bs_relocated_find(&at->prefix_check->behind, hash, &end);
	if (!found || found == end || found->hash != hash)
		return BS_OK;
	at->prefix_check->has_replaced = true;
	return bs_doc_bits_set(&at->prefix_check->replaced, at->snapshot, ref, err);
}

static enum bs_status find_replaced(struct proving *at, uint32_t number, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = at->snapshot;
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments &&
	                     bs_vector_n(&at->prefix_check->behind.records) > 0;
	     s++) {
		const struct bs_doc_table *docs = &snapshot->segments[s].docs;
		for (uint32_t i = 0;
		     bs_snapshot_has_words(snapshot, s) && i < docs->n_ranges && !status; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			for (uint32_t d = range.first;
			     range.source == number && d < range.end && !status; d++)
				status = find_appended_id(at, (struct bs_doc_ref){s, d}, err);
		}
	}
	return status;
}

static enum bs_status prove(struct proving *at, uint32_t number,
                            const struct bs_source_options *options, struct bs_reader *reader,
                            struct bs_error *err)
{
	const struct bs_source_record *record = &at->snapshot->manifest.sources[number];
	struct bs_read_mark mark = {record->read_bytes, record->read_lines, record->read_checksum};
	struct bs_feed *feed = NULL;
	enum bs_status status = bs_feed_open(at->source, options, NULL, NULL, &feed, err);
	if (!status)
		status = bs_feed_resume(feed, &mark, &at->prefix_check->is_same, err);
	if (!status && at->prefix_check->is_same)
		status =
			bs_relocated_read(&at->prefix_check->behind, at->source, reader, feed, err);
	bs_feed_close(feed);
	return !status && at->prefix_check->is_same ? find_replaced(at, number, err) : status;
}

static struct bs_prefix_check *make(const struct bs_prefix_checks *prefix_checks, uint32_t number,
                                    const struct bs_source *source,
                                    const struct bs_source_options *options,
                                    struct bs_reader *reader,
                                    const struct bs_fingerprint *fingerprint)
{
	struct proving at = {
		prefix_checks->snapshot, source, calloc(1, sizeof(*at.prefix_check)), {0}};
	struct bs_error why;
	if (!at.prefix_check)
		return NULL;
	struct bs_memory_budget *budget = bs_memory_budget_here;
	/* The check is not counted in the memory budget of any thread, because all searchers share
	 * it. */
	bs_memory_budget_here = NULL;
	at.prefix_check->n_users = 1;
	at.prefix_check->is_lasting =
		!bs_fingerprint_is_racy(fingerprint, bs_fingerprint_racy_from());
	bs_fingerprint_record(fingerprint, at.prefix_check->fingerprint);
	if (prove(&at, number, options, reader, &why)) {
		drop(at.prefix_check);
		at.prefix_check = NULL;
	}
	bs_buffer_deinit(&at.id);
	bs_memory_budget_here = budget;
	return at.prefix_check;
}

const struct bs_prefix_check *bs_prefix_check_take(struct bs_prefix_checks *prefix_checks,
                                                   uint32_t number, const struct bs_source *source,
                                                   const struct bs_source_options *options,
                                                   struct bs_reader *reader,
                                                   const struct bs_fingerprint *fingerprint)
{
	struct slot *slot = &prefix_checks->slots[number];
	pthread_mutex_lock(&prefix_checks->mutex);
	while (slot->is_read)
		pthread_cond_wait(&prefix_checks->done, &prefix_checks->mutex);
	struct bs_prefix_check *prefix_check = slot->prefix_check;
	if (!prefix_check || !bs_fingerprint_equals(fingerprint, prefix_check->fingerprint)) {
		slot->is_read = true;
		pthread_mutex_unlock(&prefix_checks->mutex);
		prefix_check = make(prefix_checks, number, source, options, reader, fingerprint);
		pthread_mutex_lock(&prefix_checks->mutex);
		slot->is_read = false;
		pthread_cond_broadcast(&prefix_checks->done);
		if (!prefix_check || !prefix_check->is_lasting)
			goto out;
		drop(slot->prefix_check);
		slot->prefix_check = prefix_check;
	}
	prefix_check->n_users++;
out:
	pthread_mutex_unlock(&prefix_checks->mutex);
	return prefix_check;
}
