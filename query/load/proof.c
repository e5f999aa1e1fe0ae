/* proof.c: see proof.h. */
#include "query/load/proof.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"

struct slot {
	struct bs_proof *proof; /* the last one that lasts, or NULL */
	bool is_read;           /* a thread is about to make one */
};

struct bs_proofs {
	const struct bs_snapshot *snapshot;
	struct slot *slots; /* one for each source */
	pthread_mutex_t mutex;
	pthread_cond_t done;
};

enum bs_status bs_proofs_new(const struct bs_snapshot *snapshot, struct bs_proofs **proofs_out, struct bs_error *err)
{
	size_t n = snapshot->manifest.n_sources;
	struct bs_proofs *proofs = calloc(1, sizeof(*proofs));
	struct slot *slots = calloc(n + 1, sizeof(*slots));
	*proofs_out = NULL;
	if (!proofs || !slots) {
		free(proofs);
		free(slots);
		return bs_fail_memory(err, "proofs", n * sizeof(*slots));
	}
	*proofs = (struct bs_proofs){.snapshot = snapshot, .slots = slots};
	pthread_mutex_init(&proofs->mutex, NULL);
	pthread_cond_init(&proofs->done, NULL);
	*proofs_out = proofs;
	return BS_OK;
}

/* With the mutex held, or by the last one who knows of it. */
static void drop(struct bs_proof *proof)
{
	if (!proof || --proof->n_users > 0)
		return;
	struct bs_account *account = bs_account_here;
	bs_account_here = NULL;
	bs_moved_deinit(&proof->behind);
	bs_doc_bits_deinit(&proof->replaced);
	bs_account_here = account;
	free(proof);
}

void bs_proofs_free(struct bs_proofs *proofs)
{
	if (!proofs)
		return;
	for (uint32_t i = 0; i < proofs->snapshot->manifest.n_sources; i++)
		drop(proofs->slots[i].proof);
	pthread_cond_destroy(&proofs->done);
	pthread_mutex_destroy(&proofs->mutex);
	free(proofs->slots);
	free(proofs);
}

void bs_proof_release(struct bs_proofs *proofs, const struct bs_proof *proof)
{
	if (!proof)
		return;
	pthread_mutex_lock(&proofs->mutex);
	drop((struct bs_proof *)proof);
	pthread_mutex_unlock(&proofs->mutex);
}

/* A proof that is being made. */
struct proving {
	const struct bs_snapshot *snapshot;
	const struct bs_source *source;
	struct bs_proof *proof;
	struct bs_buffer id;
};

/* Notes it if the document's id stands behind what was indexed, too. It has its name alone, if that is enough: of a million
 * documents the rest of what is recorded would cost most of the time. */
static enum bs_status look_behind(struct proving *at, struct bs_doc_ref ref, struct bs_error *err)
{
	const struct bs_doc_table *docs = &at->snapshot->segments[ref.segment].docs;
	struct bs_doc_record record = {0};
	const struct bs_moved_record *end;
	enum bs_status status = bs_names_get(&docs->names, ref.document, &record.name, &record.name_bytes, err);
	if (!status && record.name_bytes == 0 && !at->proof->behind.is_like_line)
		return BS_OK;
	if (!status && record.name_bytes == 0)
		status = bs_doc_table_get(docs, ref.document, &record, err);
	if (!status)
		status = bs_recorded_id(at->source, &record, &at->id, err);
	if (status)
		return status;
	uint64_t hash = bs_hash_slot(at->id.data, at->id.used_bytes);
	const struct bs_moved_record *found = bs_moved_find(&at->proof->behind, hash, &end);
	if (!found || found == end || found->hash != hash)
		return BS_OK;
	at->proof->has_replaced = true;
	return bs_doc_bits_set(&at->proof->replaced, at->snapshot, ref, err);
}

static enum bs_status find_replaced(struct proving *at, uint32_t number, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = at->snapshot;
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments && bs_vector_n(&at->proof->behind.records) > 0; s++) {
		const struct bs_doc_table *docs = &snapshot->segments[s].docs;
		for (uint32_t i = 0; bs_snapshot_has_words(snapshot, s) && i < docs->n_ranges && !status; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			for (uint32_t d = range.first; range.source == number && d < range.end && !status; d++)
				status = look_behind(at, (struct bs_doc_ref){s, d}, err);
		}
	}
	return status;
}

static enum bs_status prove(struct proving *at, uint32_t number, const struct bs_source_options *options,
                            struct bs_reader *reader, struct bs_error *err)
{
	const struct bs_source_record *record = &at->snapshot->manifest.sources[number];
	struct bs_read_mark mark = {record->read_bytes, record->read_lines, record->read_checksum};
	struct bs_feed *feed = NULL;
	enum bs_status status = bs_feed_open(at->source, options, NULL, NULL, &feed, err);
	if (!status)
		status = bs_feed_resume(feed, &mark, &at->proof->is_same, err);
	if (!status && at->proof->is_same)
		status = bs_moved_read(&at->proof->behind, at->source, reader, feed, err);
	bs_feed_close(feed);
	return !status && at->proof->is_same ? find_replaced(at, number, err) : status;
}

static struct bs_proof *make(const struct bs_proofs *proofs, uint32_t number, const struct bs_source *source,
                             const struct bs_source_options *options, struct bs_reader *reader,
                             const struct bs_stamp *stamp)
{
	struct proving at = {proofs->snapshot, source, calloc(1, sizeof(*at.proof)), {0}};
	struct bs_error why;
	if (!at.proof)
		return NULL;
	struct bs_account *account = bs_account_here;
	/* It is for all finders. */
	bs_account_here = NULL;
	at.proof->n_users = 1;
	at.proof->is_lasting = !bs_stamp_is_suspect(stamp, bs_stamp_suspect_from());
	bs_stamp_record(stamp, at.proof->stamp);
	if (prove(&at, number, options, reader, &why)) {
		drop(at.proof);
		at.proof = NULL;
	}
	bs_buffer_deinit(&at.id);
	bs_account_here = account;
	return at.proof;
}

const struct bs_proof *bs_proof_take(struct bs_proofs *proofs, uint32_t number, const struct bs_source *source,
                                     const struct bs_source_options *options, struct bs_reader *reader,
                                     const struct bs_stamp *stamp)
{
	struct slot *slot = &proofs->slots[number];
	pthread_mutex_lock(&proofs->mutex);
	while (slot->is_read)
		pthread_cond_wait(&proofs->done, &proofs->mutex);
	struct bs_proof *proof = slot->proof;
	if (!proof || !bs_stamp_equals(stamp, proof->stamp)) {
		slot->is_read = true;
		pthread_mutex_unlock(&proofs->mutex);
		proof = make(proofs, number, source, options, reader, stamp);
		pthread_mutex_lock(&proofs->mutex);
		slot->is_read = false;
		pthread_cond_broadcast(&proofs->done);
		if (!proof || !proof->is_lasting)
			goto out;
		drop(slot->proof);
		slot->proof = proof;
	}
	proof->n_users++;
out:
	pthread_mutex_unlock(&proofs->mutex);
	return proof;
}
