/* grep_stamps.c: see grep_stamps.h. */
#include "query/grep/grep_stamps.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/watch.h"
#include "core/system/workers.h"
#include "corpus/walk/document.h"
#include "corpus/walk/file.h"

#define CHUNK_DOCS   512u
#define MOST_THREADS 32u

/* Documents of a segment, CHUNK_DOCS at a time, in the order in which a walk meets them if there is but one segment. */
struct chunk {
	uint32_t segment;
	uint32_t first, end;
};

#define STAT_NS 1500u /* what a look at a file costs about */

#define NOT_ASKED 2u /* its record could not be read */

struct bs_grep_stamps {
	const struct bs_snapshot *snapshot;
	uint32_t source;
	const struct bs_doc_bits *candidates;
	int folder; /* descriptor; -1: nothing can be said of any file */
	struct chunk *chunks;
	size_t n_chunks, done_chunk; /* done_chunk: one that is done */
	size_t *first_chunk;         /* per segment; its document 0 is in this chunk */
	uint8_t **unchanged;         /* per segment: a byte a document: 0, 1, or NOT_ASKED */
	struct bs_workers *workers;  /* whose tasks are the chunks */
};

/* A thread stays in the folder of the file before: neighbours in the index are neighbours in the tree, and a name of
 * one component is looked up in half the time of five. */
static bool is_unchanged(const struct bs_grep_stamps *stamps, struct bs_file_place *place,
                         const struct bs_doc_record *record)
{
	char name[PATH_MAX];
	struct stat found;
	size_t n = record->name_bytes;
	if (stamps->folder < 0 || record->flags & BS_DOC_SUSPECT || n >= sizeof(name) ||
	    !bs_doc_name_is_below(record->name, record->name_bytes))
		return false;
	memcpy(name, record->name, n);
	name[n] = '\0';
	if (bs_file_stat_below(stamps->folder, name, place, &found) != 0)
		return false;
	struct bs_stamp now = bs_file_stamp(&found);
	return bs_stamp_equals(&now, record->place);
}

static enum bs_status do_chunk(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct bs_grep_stamps *stamps = context;
	const struct chunk *chunk = &stamps->chunks[task->number];
	const struct bs_doc_table *table = &stamps->snapshot->segments[chunk->segment].docs;
	struct bs_file_place place = {.fd = -1};
	struct bs_source_range range = {.end = 0};
	enum bs_status status = BS_OK;
	for (uint32_t d = chunk->first; d < chunk->end && bs_task_is_wanted(task) && !status; d++) {
		struct bs_doc_ref ref = {chunk->segment, d};
		struct bs_doc_record record;
		if (d >= range.end)
			range = bs_doc_table_range_of(table, d);
		/* Records of a collection in the folder. */
		if (range.source != stamps->source) {
			d = range.end - 1;
			continue;
		}
		if (bs_snapshot_is_deleted(stamps->snapshot, ref.segment, d) ||
		    bs_doc_bits_has(stamps->candidates, ref))
			continue;
		/* A failure is for the caller's thread to meet again. */
		stamps->unchanged[ref.segment][d] =
			bs_snapshot_record(stamps->snapshot, ref, &record, err) ? NOT_ASKED : is_unchanged(stamps, &place, &record);
		status = bs_watch_spend(STAT_NS, err);
	}
	bs_file_place_close(&place);
	return status;
}

/* Where the documents of the source lie in a segment: in [*first, *end). */
static void find_documents(const struct bs_doc_table *table, uint32_t source, uint32_t *first, uint32_t *end)
{
	*first = UINT32_MAX;
	*end = 0;
	for (uint32_t i = 0; i < table->n_ranges; i++) {
		struct bs_source_range range = bs_doc_table_range(table, i);
		if (range.source != source)
			continue;
		*first = range.first < *first ? range.first : *first;
		*end = range.end > *end ? range.end : *end;
	}
}

static enum bs_status plan_chunks(struct bs_grep_stamps *stamps, uint32_t source, struct bs_error *err)
{
	uint32_t n_segments = stamps->snapshot->manifest.n_segments;
	size_t most = 0;
	for (uint32_t s = 0; s < n_segments; s++)
		most += stamps->snapshot->segments[s].docs.n_docs / CHUNK_DOCS + 1;
	stamps->chunks = calloc(most + 1, sizeof(*stamps->chunks));
	stamps->first_chunk = calloc((size_t)n_segments + 1, sizeof(*stamps->first_chunk));
	stamps->unchanged = calloc((size_t)n_segments + 1, sizeof(*stamps->unchanged));
	if (!stamps->chunks || !stamps->first_chunk || !stamps->unchanged)
		return bs_fail_memory(err, "stamps", most * sizeof(*stamps->chunks));
	for (uint32_t s = 0; s < n_segments; s++) {
		const struct bs_doc_table *table = &stamps->snapshot->segments[s].docs;
		uint32_t first, end;
		find_documents(table, source, &first, &end);
		stamps->unchanged[s] = calloc((size_t)table->n_docs + 1, 1);
		if (!stamps->unchanged[s])
			return bs_fail_memory(err, "stamps", table->n_docs);
		stamps->first_chunk[s] = stamps->n_chunks;
		for (uint64_t from = 0; from < table->n_docs; from += CHUNK_DOCS) {
			uint64_t to = from + CHUNK_DOCS < table->n_docs ? from + CHUNK_DOCS : table->n_docs;
			struct chunk *chunk = &stamps->chunks[stamps->n_chunks++];
			chunk->segment = s;
			chunk->first = from > first ? (uint32_t)from : first;
			chunk->end = to < end ? (uint32_t)to : end;
		}
	}
	return BS_OK;
}

enum bs_status bs_grep_stamps_start(const struct bs_snapshot *snapshot, const struct bs_doc_bits *candidates,
                                    uint32_t source, const char *path, unsigned n_threads,
                                    struct bs_grep_stamps **stamps_out, struct bs_error *err)
{
	*stamps_out = NULL;
	struct bs_grep_stamps *stamps = calloc(1, sizeof(*stamps));
	if (!stamps)
		return bs_fail_memory(err, "stamps", sizeof(*stamps));
	stamps->snapshot = snapshot;
	stamps->source = source;
	stamps->candidates = candidates;
	stamps->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	enum bs_status status = plan_chunks(stamps, source, err);
	stamps->done_chunk = stamps->n_chunks;
	struct bs_workers_plan plan = {.n_threads = (n_threads < MOST_THREADS ? n_threads : MOST_THREADS) + 1,
	                               .n_slots = stamps->n_chunks + 1,
	                               .work = do_chunk,
	                               .context = stamps};
	if (!status)
		status = bs_workers_new(&plan, &stamps->workers, err);
	if (status) {
		bs_grep_stamps_free(stamps);
		return status;
	}
	(void)bs_workers_add(stamps->workers, stamps->n_chunks);
	bs_workers_close(stamps->workers);
	for (unsigned n = 1; n < plan.n_threads && n <= stamps->n_chunks && bs_workers_start(stamps->workers); n++)
		continue;
	*stamps_out = stamps;
	return BS_OK;
}

enum bs_status bs_grep_stamps_is_unchanged(struct bs_grep_stamps *stamps, struct bs_doc_ref ref, bool *unchanged_out,
                                           struct bs_error *err)
{
	struct bs_file_place place = {.fd = -1};
	struct bs_doc_record record;
	size_t chunk = stamps->first_chunk[ref.segment] + ref.document / CHUNK_DOCS;
	if (chunk != stamps->done_chunk)
		bs_workers_wait_done(stamps->workers, chunk);
	stamps->done_chunk = chunk;
	*unchanged_out = stamps->unchanged[ref.segment][ref.document] == 1;
	if (stamps->unchanged[ref.segment][ref.document] != NOT_ASKED)
		return BS_OK;
	enum bs_status status = bs_snapshot_record(stamps->snapshot, ref, &record, err);
	*unchanged_out = !status && is_unchanged(stamps, &place, &record);
	bs_file_place_close(&place);
	return status;
}

void bs_grep_stamps_free(struct bs_grep_stamps *stamps)
{
	if (!stamps)
		return;
	bs_workers_free(stamps->workers);
	for (uint32_t s = 0; stamps->unchanged && s < stamps->snapshot->manifest.n_segments; s++)
		free(stamps->unchanged[s]);
	if (stamps->folder >= 0)
		close(stamps->folder);
	free(stamps->unchanged);
	free(stamps->first_chunk);
	free(stamps->chunks);
	free(stamps);
}
