/*
 * compact.c: see compact.h.
 *
 * The rule (tiered, as in Lucene's TieredMergePolicy and LSM trees): segments are in tiers by the
 * bytes of their live documents; each tier is FACTOR times the previous one. When a tier has FACTOR
 * segments, they are merged, together with all segments of lower tiers. So a document is rewritten
 * about once for each tier, and a tier keeps at most FACTOR - 1 segments, unless the merge would be
 * more than an eighth of the index (at least 8 MiB). Such a merge is left to `bitsift compact`,
 * because a refresh should not take long without a visible reason.
 *
 * A segment with more than half of its documents deleted is drained: each refresh moves some of its
 * documents to a new segment, within the same limit, until the segment is empty and removed. At
 * most as many documents are moved as were deleted, which bounds the cost.
 *
 * Segments of documents and segments of rows are compacted separately.
 */
#include "indexer/run/compact.h"

#include <stdlib.h>

#include "core/bitsift/build.h"
#include "core/store/index_dir.h"
#include "core/store/summary_make.h"
#include "corpus/changes/index_entries.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"
#include "indexer/run/index_writer.h"

#define FACTOR           6u
#define FIRST_TIER_BYTES (UINT64_C(16) << 10) /* most bytes of a segment in the lowest tier */
/* After a refresh at most 1/LIMIT_SHARE of the index is merged, or LEAST_LIMIT_BYTES if that is
 * more. */
#define LEAST_LIMIT_BYTES (UINT64_C(8) << 20)
#define LIMIT_SHARE       8u
/* The limit of a refresh counts bytes of index. If a segment is drained (see above), documents with
 * up to this many times as many bytes of text are moved: the index is a tenth to a third of its
 * text. */
#define TEXT_FACTOR 4u
#define MAX_TIERS   40u

struct compact {
	struct bs_index_writer writer;
	struct bs_snapshot snapshot;
	bool of_rows;      /* compacts segments of rows, not of documents */
	bool *chosen;      /* by segment: to be merged */
	uint32_t n_chosen; /* 0: nothing to do */
	/* limit of text to move; UINT64_MAX: none */
	uint64_t text_bytes;
	uint64_t moved_bytes; /* text moved so far */
	uint64_t n_moved;
	/* run by `bitsift compact`: reports unreadable documents. (A refresh has reported them
	 * already.) */
	bool is_all;
	struct bs_build_report moved; /* report of the run */
};

static uint64_t live_bytes(const struct bs_segment_record *segment)
{
	if (segment->n_docs == 0)
		return 0;
	return (uint64_t)((double)segment->n_bytes *
	                  (double)(segment->n_docs - segment->n_deleted) / (double)segment->n_docs);
}

static uint32_t tier_of(uint64_t n_bytes)
{
	uint32_t tier = 0;
	for (uint64_t limit = FIRST_TIER_BYTES; n_bytes > limit && tier + 1 < MAX_TIERS;
	     limit *= FACTOR)
		tier++;
	return tier;
}

/* True if the segment is of the kind being compacted, and its texts are available. (Texts that only
 * a provider has need the provider.) */
static bool may_move(const struct compact *compact, uint32_t segment)
{
	return compact->snapshot.manifest.segments[segment].is_rows == compact->of_rows &&
	       (compact->snapshot.texts ||
	        !bs_snapshot_has_external_texts(&compact->snapshot, segment));
}

/* The highest tier that is full and that is, together with all lower tiers, within the limit;
 * MAX_TIERS if there is none. */
static uint32_t find_tier(const struct compact *compact, uint64_t limit_bytes)
{
	const struct bs_manifest *manifest = &compact->snapshot.manifest;
	uint32_t n[MAX_TIERS] = {0};
	uint64_t n_bytes[MAX_TIERS] = {0};
	uint32_t found = MAX_TIERS;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < manifest->n_segments; i++) {
		uint64_t bytes = live_bytes(&manifest->segments[i]);
		if (!may_move(compact, i))
			continue;
		n[tier_of(bytes)]++;
		n_bytes[tier_of(bytes)] += bytes;
	}
	for (uint32_t tier = 0; tier < MAX_TIERS; tier++) {
		sum += n_bytes[tier];
		if (n[tier] >= FACTOR && sum <= limit_bytes)
			found = tier;
	}
	return found;
}

static void choose(struct compact *compact, uint32_t segment)
{
	compact->chosen[segment] = true;
	compact->n_chosen++;
}

/* Chooses the segments that are to be merged or drained after a commit, within the limit. */
static void choose_due(struct compact *compact)
{
	const struct bs_manifest *manifest = &compact->snapshot.manifest;
	uint64_t sum = 0;
	const struct bs_segment_record *worst = NULL;
	for (uint32_t i = 0; i < manifest->n_segments; i++) {
		const struct bs_segment_record *segment = &manifest->segments[i];
		sum += live_bytes(segment);
		if (may_move(compact, i) && (!worst || segment->n_deleted > worst->n_deleted))
			worst = segment;
	}
	uint64_t limit_bytes =
		sum / LIMIT_SHARE > LEAST_LIMIT_BYTES ? sum / LIMIT_SHARE : LEAST_LIMIT_BYTES;
	uint32_t tier = find_tier(compact, limit_bytes);
	for (uint32_t i = 0; i < manifest->n_segments && tier < MAX_TIERS; i++)
		if (may_move(compact, i) && tier_of(live_bytes(&manifest->segments[i])) <= tier)
			choose(compact, i);
	if (compact->n_chosen == 0 && worst && worst->n_deleted * 2 > worst->n_docs) {
		choose(compact, (uint32_t)(worst - manifest->segments));
		compact->text_bytes = limit_bytes * TEXT_FACTOR;
	}
}

/* Chooses all segments except full ones without deleted documents. Chooses none if this would only
 * rewrite a single segment that has no deleted documents. */
static void choose_all(struct compact *compact)
{
	const struct bs_manifest *manifest = &compact->snapshot.manifest;
	uint64_t n_deleted = 0;
	for (uint32_t i = 0; i < manifest->n_segments; i++) {
		if (!may_move(compact, i))
			continue;
		if (!manifest->segments[i].is_full || manifest->segments[i].n_deleted > 0)
			choose(compact, i);
		n_deleted += manifest->segments[i].n_deleted;
	}
	if (compact->n_chosen == 1 && n_deleted == 0)
		compact->n_chosen = 0;
}

static enum bs_status move_document(void *context, const struct bs_term_batch *term_batch,
                                    uint32_t i, struct bs_error *err)
{
	struct compact *compact = context;
	struct bs_doc_ref ref = term_batch->docs.items[i].document.known;
	struct bs_doc_record record;
	compact->moved_bytes += term_batch->docs.items[i].document.text.n_bytes;
	compact->n_moved++;
	enum bs_status status = bs_snapshot_record(&compact->snapshot, ref, &record, err);
	if (!status)
		status = bs_index_writer_add(&compact->writer, term_batch, i, &record, err);
	return status ? status : bs_snapshot_mark(&compact->snapshot, ref, true, err);
}

static enum bs_status merge(void *context, const struct bs_term_batch *term_batch,
                            const struct bs_batch *batch, bool is_last, struct bs_error *err)
{
	struct compact *compact = context;
	enum bs_skip reason;
	const char *message;
	(void)batch, (void)is_last;
	for (size_t next = 0; compact->is_all && (message = bs_term_batch_next_skip(
							  term_batch, &next, &reason)) != NULL;)
		bs_index_writer_skip(&compact->writer, reason, message);
	return bs_index_writer_merge(&compact->writer, term_batch, move_document, compact, err);
}

static enum bs_status move_source(struct compact *compact, uint32_t i, uint64_t limit_bytes,
                                  struct bs_error *err)
{
	struct bs_source source;
	struct bs_feed *feed = NULL;
	enum bs_status status = bs_recorded_source(compact->writer.dir, &compact->snapshot.manifest,
	                                           i, &source, err);
	if (status)
		return status;
	/* A source that is not followed must not be read. So its documents stay in their segments,
	 * unless the index stores their texts; rows always stay, because they are read from
	 * files. */
	if (source.is_refused && (compact->of_rows || !compact->snapshot.manifest.options.store)) {
		struct bs_error why;
		(void)bs_recorded_refuse(compact->writer.dir, &source, &why);
		if (compact->is_all && source.kind != BS_SOURCE_FORGOTTEN)
			bs_index_writer_skip(&compact->writer, BS_SKIP_UNTRUSTED, why.text);
		bs_source_deinit(&source);
		return BS_OK;
	}
	struct bs_recall_choice choice = {compact->chosen, compact->of_rows, true, limit_bytes};
	status = bs_index_entries_recall(&source, &compact->snapshot, i, &choice, &feed, err);
	if (!status)
		status = bs_pipeline_run(
			compact->writer.pipeline, feed,
			!compact->of_rows && bs_index_writer_stores(&compact->writer, source.kind),
			merge, compact, err);
	bs_feed_close(feed);
	bs_source_deinit(&source);
	return status;
}

static enum bs_status move_documents(struct compact *compact, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	uint64_t limit_bytes = compact->text_bytes;
	for (uint32_t i = 0; i < compact->snapshot.manifest.n_sources && !status; i++) {
		uint64_t done = compact->moved_bytes;
		/* The documents of inner collections are moved together with those of their
		 * folder. */
		if (done < limit_bytes && !compact->snapshot.manifest.sources[i].parent)
			status = move_source(compact, i, limit_bytes - done, err);
	}
	return status ? status : bs_index_writer_flush(&compact->writer, err);
}

static enum bs_status commit(struct compact *compact, struct bs_error *err)
{
	struct bs_manifest *manifest = &compact->writer.manifest;
	uint32_t n_changed;
	enum bs_status status =
		bs_index_writer_settle(&compact->writer, &compact->snapshot, &n_changed, err);
	bs_index_writer_release(&compact->writer); /* making the summary may need this memory */
	if (!status)
		status = bs_summary_update(
			compact->writer.dir, &compact->snapshot, &compact->writer.cache,
			compact->writer.source_options.memory_bytes, manifest, err);
	if (!status)
		status = bs_snapshot_commit(compact->writer.dir, &compact->snapshot.manifest,
		                            manifest, err);
	if (!status)
		bs_index_sweep(compact->writer.dir, manifest);
	return status;
}

static void report_compaction(struct compact *compact, struct bs_build_report *report)
{
	const struct bs_manifest *old = &compact->snapshot.manifest;
	report->skipped[BS_SKIP_UNTRUSTED] += compact->moved.skipped[BS_SKIP_UNTRUSTED];
	report->compacted_bytes += compact->moved.written_bytes;
	report->is_committed |= compact->n_moved > 0;
	if (compact->of_rows)
		return;
	report->n_moved += compact->n_moved;
	report->n_unread += compact->moved.skipped[BS_SKIP_UNREADABLE];
	for (uint32_t i = 0; i < old->n_segments; i++) {
		if (!compact->chosen[i])
			continue;
		report->n_compacted++;
		if (compact->text_bytes == UINT64_MAX)
			report->n_stayed += old->segments[i].n_docs -
			                    bs_snapshot_n_deleted(&compact->snapshot, i);
	}
}

static enum bs_status compact_segments(struct compact *compact, struct bs_build_report *report,
                                       struct bs_error *err)
{
	struct bs_index_writer *writer = &compact->writer;
	bool is_outdated = false;
	enum bs_status status =
		bs_manifest_is_outdated(&compact->snapshot.manifest, &is_outdated, err);
	/* The index is outdated: its next refresh will read everything, so merging now would be
	 * wasted. But a merge that the user requested is done if there is a provider of texts: it
	 * reduces the number of files. */
	if (!status && is_outdated && !compact->is_all)
		return BS_OK;
	if (!status && is_outdated && !compact->snapshot.texts)
		return bs_fail(err, BS_INVALID,
		               "%s: it was made by another version of the tokenizer: run `bitsift "
		               "index` first, which "
		               "indexes everything again",
		               writer->dir->path);
	if (!status)
		status = bs_manifest_copy_head(&compact->snapshot.manifest, &writer->manifest, err);
	if (status)
		return status;
	if (is_outdated)
		bs_manifest_mark_mixed_words(&writer->manifest);
	writer->manifest.generation++;
	writer->manifest.next_number =
		bs_index_next_number(writer->dir, &compact->snapshot.manifest);
	status = bs_index_writer_start(writer, NULL, err);
	if (!status)
		status = bs_index_writer_read(writer, &compact->snapshot, err);
	if (!status)
		status = bs_index_writer_hold_skipped(writer, &writer->manifest, err);
	if (!status)
		status = bs_index_writer_keep_choices(writer, &compact->snapshot, err);
	if (!status)
		status = move_documents(compact, err);
	if (!status && compact->n_moved > 0)
		status = commit(compact, err);
	if (!status)
		report_compaction(compact, report);
	return status;
}

/* Opens the last commit, chooses segments, and merges them. *has_rows_out: set if the index has
 * segments of rows. */
static enum bs_status compact_chosen(struct compact *compact,
                                     const struct bs_build_request *request,
                                     struct bs_build_report *report, bool *has_rows_out,
                                     struct bs_error *err)
{
	const struct bs_dir *dir = compact->writer.dir;
	enum bs_status status = bs_snapshot_open(dir, &compact->snapshot, err);
	if (!status && compact->snapshot.manifest.options.words)
		status = bs_recorded_options_bind(&compact->snapshot.manifest.options,
		                                  request->host.analyzer, dir->path, err);
	compact->snapshot.texts = request->host.texts;
	compact->writer.reads_alone = request->host.texts && !request->host.texts->any_thread;
	if (!status) {
		compact->chosen = calloc((size_t)compact->snapshot.manifest.n_segments + 1,
		                         sizeof(*compact->chosen));
		if (!compact->chosen)
			status = bs_fail_memory(err, "a plan",
			                        compact->snapshot.manifest.n_segments);
	}
	if (!status)
		(compact->is_all ? choose_all : choose_due)(compact);
	for (uint32_t i = 0; i < compact->snapshot.manifest.n_segments && !status; i++)
		*has_rows_out |= compact->snapshot.manifest.segments[i].is_rows;
	if (!status && compact->n_chosen > 0)
		status = compact_segments(compact, report, err);
	/* Removes files that a failed run wrote. */
	if (status && compact->snapshot.dir)
		bs_index_sweep_failed(dir, &compact->snapshot.manifest);
	return status;
}

static enum bs_status compact_kind(const struct bs_build_request *request, const struct bs_dir *dir,
                                   bool is_all, bool of_rows, struct bs_build_report *report,
                                   bool *has_rows_out, struct bs_error *err)
{
	struct compact *compact = calloc(1, sizeof(*compact));
	if (!compact)
		return bs_fail_memory(err, "a compaction", sizeof(*compact));
	compact->is_all = is_all;
	compact->of_rows = of_rows;
	compact->text_bytes = UINT64_MAX;
	bs_index_writer_init(&compact->writer, request, &compact->moved);
	compact->writer.dir = dir;
	enum bs_status status = compact_chosen(compact, request, report, has_rows_out, err);
	free(compact->chosen);
	bs_index_writer_deinit(&compact->writer);
	bs_snapshot_deinit(&compact->snapshot);
	free(compact);
	return status;
}

enum bs_status bs_compact(const struct bs_build_request *request, const struct bs_dir *dir,
                          bool is_all, struct bs_build_report *report, struct bs_error *err)
{
	bool has_rows = false;
	enum bs_status status = compact_kind(request, dir, is_all, false, report, &has_rows, err);
	return status || !has_rows
	               ? status
	               : compact_kind(request, dir, is_all, true, report, &has_rows, err);
}
