/* refresh.c: see refresh.h. */
#include "corpus/changes/refresh.h"

#include <stdlib.h>

#include "core/base/bytes.h"
#include "core/bitsift/skip.h"
#include "core/collections/binary_search.h"
#include "core/system/deadline.h"
#include "corpus/changes/index_entries.h"
#include "corpus/changes/recorded.h"
#include "corpus/read/feed.h"

#define NONE UINT32_MAX

static int compare_ranges(const void *a, const void *b)
{
	const struct bs_refresh_range *x = a, *y = b;
	int order = bs_compare_u64(x->source, y->source);
	order = order ? order : bs_compare_u64(x->segment, y->segment);
	return order ? order : bs_compare_u64(x->first, y->first);
}

/* Sorts the ranges by source, for binary search, because there may be many sources. */
static enum bs_status sort_ranges(struct bs_refresh *refresh, struct bs_error *err)
{
	const struct bs_snapshot *snapshot = refresh->snapshot;
	size_t n = 0;
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++)
		n += snapshot->segments[s].docs.n_ranges;
	refresh->ranges = calloc(n + 1, sizeof(*refresh->ranges));
	if (!refresh->ranges)
		return bs_fail_memory(err, "documents of sources",
		                      (n + 1) * sizeof(*refresh->ranges));
	for (uint32_t s = 0; s < snapshot->manifest.n_segments; s++) {
		const struct bs_doc_table *docs = &snapshot->segments[s].docs;
		for (uint32_t i = 0; i < docs->n_ranges; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			refresh->ranges[refresh->n_ranges++] =
				(struct bs_refresh_range){range.source, s, range.first, range.end};
		}
	}
	qsort(refresh->ranges, refresh->n_ranges, sizeof(*refresh->ranges), compare_ranges);
	return BS_OK;
}

/* The first range of the source. If it has none: where its ranges would be. */
static size_t first_range(const struct bs_refresh *refresh, uint32_t number)
{
	size_t range;
	BS_BINARY_SEARCH(range, i, 0, refresh->n_ranges, refresh->ranges[i].source < number);
	return range;
}

enum bs_status bs_refresh_init(struct bs_refresh *refresh, struct bs_snapshot *snapshot,
                               const struct bs_snapshot *exclusions_of,
                               const struct bs_manifest *now, const struct bs_source_move *moves,
                               const struct bs_doc_table_builder *accumulated, struct bs_error *err)
{
	*refresh = (struct bs_refresh){
		.snapshot = snapshot, .owners_of = NONE, .owners.accumulated = accumulated};
	enum bs_status status =
		bs_exclusions_init(&refresh->exclusions, exclusions_of, now, moves, err);
	if (!status)
		status = sort_ranges(refresh, err);
	return status ? status : bs_id_owners_next_segment(&refresh->owners, NULL, 0, err);
}

void bs_refresh_deinit(struct bs_refresh *refresh)
{
	bs_id_owners_deinit(&refresh->owners);
	bs_exclusions_deinit(&refresh->exclusions);
	bs_id_lookup_deinit(&refresh->ids);
	bs_buffer_deinit(&refresh->id);
	bs_doc_bits_deinit(&refresh->seen);
	free(refresh->ranges);
}

#define DECIDE_NS 100u /* estimated cost of one decision */

/* What happens to the indexed documents of a source after it was checked. */
enum fate {
	STAYS,
	/* unchanged collection, or standard input: its records stay; its row is treated as in
	 * GONE_UNLESS_SEEN */
	RECORDS_STAY,
	GONE_UNLESS_SEEN, /* files and rows: removed, unless seen unchanged */
	/* changed collection: a record is removed if a record with the same id was read in this
	 * run; if the collection changed other than by appending, all records are removed */
	GONE_IF_OWNED,
};

/* Counts one live document, unless it is a row, and marks it deleted if it does not stay. */
static enum bs_status decide(struct bs_refresh *refresh, const struct bs_refreshing *at,
                             enum fate fate, struct bs_doc_ref ref, struct bs_error *err)
{
	struct bs_doc_record record;
	bool is_row = !bs_snapshot_has_words(refresh->snapshot, ref.segment);
	if (is_row)
		fate = GONE_UNLESS_SEEN;
	bool is_owned = false, is_same = false;
	bool is_kept = fate == GONE_IF_OWNED && at->is_appended;
	enum bs_status status = bs_deadline_check_after(DECIDE_NS, err);
	if (status || (fate == GONE_UNLESS_SEEN && bs_doc_bits_has(&refresh->seen, ref)))
		return status; /* bs_refresh_unchanged has counted the document */
	bool has_parts = fate == GONE_UNLESS_SEEN && at && at->source->parts;
	if (fate == GONE_IF_OWNED || has_parts)
		status = bs_snapshot_record(refresh->snapshot, ref, &record, err);
	if (has_parts && !status)
		is_kept = !bs_source_has_part(at->source, record.name, record.name_bytes);
	if (fate == GONE_IF_OWNED && !status)
		status = bs_id_owners_find(&refresh->owners, at->source, &record, &is_owned,
		                           &is_same, err);
	if (status)
		return status;
	is_kept &= !is_owned;
	if (is_row)
		return is_kept ? BS_OK : bs_snapshot_mark(refresh->snapshot, ref, true, err);
	refresh->n_unchanged += is_kept || is_same;
	refresh->n_renewed += is_same;
	refresh->n_changed += is_owned && !is_same;
	refresh->n_removed += !is_kept && !is_owned;
	return is_kept ? BS_OK : bs_snapshot_mark(refresh->snapshot, ref, true, err);
}

/* Counts the live documents of a source, and marks those deleted that do not stay. at: NULL if the
 * source is not read. */
static enum bs_status decide_all(struct bs_refresh *refresh, const struct bs_refreshing *at,
                                 uint32_t number, enum fate fate, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (size_t i = first_range(refresh, number);
	     i < refresh->n_ranges && refresh->ranges[i].source == number && !status; i++) {
		struct bs_refresh_range range = refresh->ranges[i];
		bool has_words = bs_snapshot_has_words(refresh->snapshot, range.segment);
		if (fate == STAYS || (fate == RECORDS_STAY && has_words)) {
			refresh->n_unchanged +=
				has_words ? bs_snapshot_n_live(refresh->snapshot, range.segment,
			                                       range.first, range.end)
					  : 0;
			continue;
		}
		for (uint32_t d = range.first; d < range.end && !status; d++)
			if (!bs_snapshot_is_deleted(refresh->snapshot, range.segment, d))
				status = decide(refresh, at, fate,
				                (struct bs_doc_ref){range.segment, d}, err);
	}
	return status;
}

bool bs_refresh_has_documents(const struct bs_refresh *refresh, uint32_t number)
{
	size_t i = first_range(refresh, number);
	return i < refresh->n_ranges && refresh->ranges[i].source == number;
}

enum bs_status bs_refresh_lose(struct bs_refresh *refresh, uint32_t number, struct bs_error *err)
{
	return decide_all(refresh, NULL, number, GONE_UNLESS_SEEN, err);
}

enum bs_status bs_refresh_keep(struct bs_refresh *refresh, uint32_t number, bool has_begun,
                               struct bs_error *err)
{
	uint64_t n_dead = refresh->owners.n_dead;
	enum bs_status status = has_begun && refresh->owners_of == number
	                                ? bs_id_owners_withdraw(&refresh->owners, err)
	                                : BS_OK;
	refresh->n_withdrawn += refresh->owners.n_dead - n_dead;
	return status ? status : decide_all(refresh, NULL, number, STAYS, err);
}

static bool is_known_kind(const struct bs_refresh *refresh, const struct bs_refreshing *at)
{
	const struct bs_manifest *manifest = &refresh->snapshot->manifest;
	return at->number < manifest->n_sources &&
	       manifest->sources[at->number].kind == (uint32_t)at->source->kind;
}

/* Checks a collection. Unless its fingerprint proves that it is unchanged, opens a feed, which
 * begins where the last reading ended if the text before is unchanged. */
static enum bs_status begin_collection(const struct bs_refresh *refresh, struct bs_refreshing *at,
                                       const struct bs_source_record *record,
                                       const struct bs_source_options *options,
                                       struct bs_feed **feed_out, struct bs_error *err)
{
	struct bs_read_mark mark = {record->read_bytes, record->read_lines, record->read_checksum};
	bool is_known = is_known_kind(refresh, at);
	enum bs_status status = bs_source_fingerprint(at->source, &at->fingerprint, err);
	bool is_anew = at->source->is_anew;
	at->is_appended = !status && !is_anew && is_known && !record->is_racy &&
	                  bs_fingerprint_equals(&at->fingerprint, record->fingerprint);
	if (status || at->is_appended)
		return status;
	if (bs_fingerprint_is_racy(&at->fingerprint, options->racy_from_ns))
		(void)bs_fingerprint_outwait(&at->fingerprint, options->racy_from_ns);
	at->is_racy = bs_fingerprint_is_racy(&at->fingerprint, bs_fingerprint_racy_from());
	status = bs_feed_open(at->source, options, NULL, NULL, feed_out, err);
	return status || !is_known || is_anew
	               ? status
	               : bs_feed_resume(*feed_out, &mark, &at->is_appended, err);
}

/* Adds to options->access the permissions that the source denies: all, for standard input or a
 * source whose permissions are unknown. */
static void note_access(const struct bs_source *source, const struct bs_source_options *options)
{
	struct bs_fingerprint fingerprint;
	if (!options->access)
		return;
	bool is_known = source->kind != BS_SOURCE_STDIN &&
	                bs_source_fingerprint(source, &fingerprint, NULL) == BS_OK;
	bs_access_add(options->access, is_known ? &fingerprint : NULL);
}

enum bs_status bs_refresh_begin(
	struct bs_refresh *refresh, uint32_t number, const struct bs_source *source,
	const struct bs_source_record *record, const struct bs_source_options *options,
	bool read_stdin, void (*report)(void *context, enum bs_skip reason, const char *message),
	void *report_context, struct bs_refreshing *at_out, struct bs_feed **feed_out,
	struct bs_error *err)
{
	*feed_out = NULL;
	*at_out = (struct bs_refreshing){.source = source, .number = number};
	note_access(source, options);
	enum bs_status status = BS_OK;
	switch (source->kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		status = bs_feed_open(source, options, report, report_context, feed_out, err);
		if (!status && is_known_kind(refresh, at_out))
			status = bs_index_entries_attach(*feed_out, source, refresh->snapshot,
			                                 number, options->n_checkers, err);
		break;
	case BS_SOURCE_COLLECTION:
		status = begin_collection(refresh, at_out, record, options, feed_out, err);
		break;
	case BS_SOURCE_STDIN:
		at_out->is_appended = !source->is_anew;
		if (read_stdin)
			status = bs_feed_open(source, options, NULL, NULL, feed_out, err);
		break;
	case BS_SOURCE_FORGOTTEN:
		break;
	}
	if (status) {
		bs_feed_close(*feed_out);
		*feed_out = NULL;
	}
	return status;
}

enum bs_status bs_refresh_unchanged(struct bs_refresh *refresh, struct bs_doc_ref known,
                                    struct bs_error *err)
{
	if (known.segment == BS_DOC_EXCLUDED) {
		refresh->exclusions.entries[known.document].state = BS_EXCLUSION_UNCHANGED;
		return BS_OK;
	}
	refresh->n_unchanged += bs_snapshot_has_words(refresh->snapshot, known.segment);
	return bs_doc_bits_set(&refresh->seen, refresh->snapshot, known, err);
}

/* Counts a document that was read again. is_same: its text has not changed. */
static void count_again(struct bs_refresh *refresh, bool is_same)
{
	refresh->n_unchanged += is_same;
	refresh->n_renewed += is_same;
	refresh->n_changed += !is_same;
}

static enum bs_status count_read_again(struct bs_refresh *refresh, struct bs_refreshing *at,
                                       const struct bs_doc_record *record, struct bs_doc_ref known,
                                       struct bs_error *err)
{
	struct bs_doc_record before;
	if (known.segment == BS_DOC_NONE || known.segment == BS_DOC_EXCLUDED)
		return BS_OK;
	enum bs_status status = bs_snapshot_record(refresh->snapshot, known, &before, err);
	if (status)
		return status;
	at->n_read_again++;
	count_again(refresh, before.checksum == record->checksum);
	return BS_OK;
}

/* Makes `owners` hold the ids of this source, because ids are unique only within a source. */
static void own_ids(struct bs_refresh *refresh, const struct bs_refreshing *at)
{
	if (refresh->owners_of != at->number)
		bs_id_owners_start_source(&refresh->owners);
	refresh->owners_of = at->number;
}

enum bs_status bs_refresh_find_stdin(struct bs_refresh *refresh, const struct bs_refreshing *at,
                                     const void *id, size_t id_bytes, struct bs_doc_ref *ref_out,
                                     struct bs_doc_record *record_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	ref_out->segment = BS_DOC_NONE;
	if (!bs_refresh_has_documents(refresh, at->number))
		return BS_OK;
	if (!refresh->ids.snapshot)
		status = bs_id_lookup_init(&refresh->ids, refresh->snapshot, at->number, err);
	return status ? status
	              : bs_id_lookup_find(&refresh->ids, id, id_bytes, ref_out, record_out, err);
}

/* If the snapshot has a record of standard input with the id of this new record, marks the old one
 * deleted. */
static enum bs_status replace_given(struct bs_refresh *refresh, const struct bs_refreshing *at,
                                    const struct bs_doc_record *record, struct bs_error *err)
{
	struct bs_buffer *id = &refresh->id;
	struct bs_doc_record before;
	struct bs_doc_ref ref = {BS_DOC_NONE, 0};
	if (!bs_refresh_has_documents(refresh, at->number))
		return BS_OK;
	enum bs_status status = bs_recorded_id(at->source, record, id, err);
	if (!status)
		status = bs_refresh_find_stdin(refresh, at, id->data, id->used_bytes, &ref, &before,
		                               err);
	if (status || ref.segment == BS_DOC_NONE)
		return status;
	count_again(refresh, before.checksum == record->checksum);
	return bs_snapshot_mark(refresh->snapshot, ref, true, err);
}

void bs_refresh_prefetch(struct bs_refresh *refresh, const struct bs_refreshing *at,
                         const struct bs_doc_record *record)
{
	if (bs_source_has_records(at->source) && refresh->owners_of == at->number)
		bs_id_owners_prefetch(&refresh->owners, at->source, record);
}

enum bs_status bs_refresh_take(struct bs_refresh *refresh, struct bs_refreshing *at,
                               const struct bs_doc_record *record, struct bs_doc_ref known,
                               struct bs_error *err)
{
	struct bs_id_place place = {refresh->owners.n_segments - 1,
	                            refresh->owners.accumulated->n_docs};
	enum bs_status status =
		bs_exclusions_note_read(&refresh->exclusions, at->source, record, place, err);
	if (status)
		return status;
	/* Paths are unique, so files need no owners. */
	if (!bs_source_has_records(at->source))
		return count_read_again(refresh, at, record, known, err);
	at->last_line = record->place[2];
	own_ids(refresh, at);
	if (at->source->kind == BS_SOURCE_STDIN && !at->source->is_anew)
		status = replace_given(refresh, at, record, err);
	return status ? status
	              : bs_id_owners_take(&refresh->owners, at->source, record, place.document,
	                                  err);
}

/* Updates the counts of invalid records. Those of an unchanged beginning stay, because they were
 * counted when it was read. */
static void record_left_out(const struct bs_refreshing *at, struct bs_source_record *record)
{
	uint64_t *n = record->left_out.n;
	if (!at->is_appended)
		record->left_out = (struct bs_left_out){.n = {0}};
	/* When the collection was last read, its last line was incomplete and was counted as
	 * invalid. The line was read again in this run, so it must not count twice. */
	else if (record->read_bytes < record->fingerprint[0] && n[BS_SKIP_BAD_RECORD] > 0)
		n[BS_SKIP_BAD_RECORD]--;
	for (size_t reason = 0; reason < BS_SKIP_MAX; reason++)
		n[reason] += at->n_bad[reason];
}

/* Updates the manifest's record of a collection. */
static void record_collection(const struct bs_refreshing *at, const struct bs_feed *feed,
                              struct bs_source_record *record)
{
	struct bs_read_mark whole, mark;
	bs_feed_mark(feed, true, &whole);
	/* If the last line has no newline and is not a record, it may be incomplete: do not count
	 * it as read. */
	bs_feed_mark(feed, at->last_line == whole.n_lines, &mark);
	bs_fingerprint_record(&at->fingerprint, record->fingerprint);
	record->is_racy = at->is_racy;
	record->read_bytes = mark.n_bytes;
	record->read_lines = mark.n_lines;
	record->read_checksum = mark.checksum;
}

enum bs_status bs_refresh_end(struct bs_refresh *refresh, struct bs_refreshing *at,
                              const struct bs_feed *feed, struct bs_source_record *record,
                              struct bs_error *err)
{
	bool is_file = !bs_source_has_records(at->source);
	/* Records of standard input need no pass over the earlier ones, because bs_refresh_take has
	 * replaced those with equal ids. But if the source is read anew, all earlier records are
	 * removed. */
	bool decides_by_id = feed && (at->source->kind == BS_SOURCE_COLLECTION ||
	                              (!is_file && at->source->is_anew));
	enum fate fate = is_file ? GONE_UNLESS_SEEN : decides_by_id ? GONE_IF_OWNED : RECORDS_STAY;
	own_ids(refresh, at);
	enum bs_status status = decide_all(refresh, at, at->number, fate, err);
	/* decide_all counted changed files as removed; they were read again. */
	refresh->n_removed -= is_file ? at->n_read_again : 0;
	uint64_t n_dead = refresh->owners.n_dead;
	if (!status)
		status = bs_exclusions_settle(&refresh->exclusions, at->source, at->number,
		                              !at->is_appended, &refresh->owners, err);
	refresh->n_kept_out += refresh->owners.n_dead - n_dead;
	if (!status && feed && !is_file)
		record_left_out(at, record);
	if (!status && feed && at->source->kind == BS_SOURCE_COLLECTION)
		record_collection(at, feed, record);
	return status;
}
