/* file_checks.c: see file_checks.h. */
#include "corpus/changes/file_checks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/deadline.h"
#include "core/system/workers.h"
#include "corpus/walk/document.h"
#include "corpus/walk/file.h"

#define CHUNK_DOCS   128u
#define MOST_THREADS 32u
/* The calling thread does this many chunks alone, before it starts threads. Threads that check
 * further files would take the processors from the search, and the first results would come
 * later. */
#define ALONE_CHUNKS 16u
/* The most chunks that are checked ahead of the one that the calling thread waits for. */
#define MOST_AHEAD 256u

/* Up to CHUNK_DOCS documents of a segment, in document order: the order in which a walk finds the
 * files, if there is one segment. `segment` is manifest.n_segments for a chunk of skipped files. */
struct chunk {
	uint32_t segment;
	uint32_t first, end;
	/* position, in the manifest's list, of the first skipped file of the chunk */
	struct bs_non_document_place skipped;
};

/* The range of a segment's documents that includes all documents of the source. */
struct documents {
	uint32_t first, end;
	size_t first_chunk; /* the chunk of document `first` */
	uint8_t *unchanged; /* [d - first]: 1 if document d is unchanged, 0 if not, or NOT_ASKED */
	/* The deleted documents. Bit 0 is for document number first / 8 * 8, and further bits are
	 * for the documents after it. NULL: no document is deleted. A copy, because the caller may
	 * mark documents of other sources while the checks run. */
	uint8_t *deleted;
};

#define STAT_NS 1500u /* estimated time to check a file */

#define NOT_ASKED 2u       /* in documents.unchanged: the document's record could not be read */
#define DONE      SIZE_MAX /* in bs_file_checks.task: the chunk is known to be done */

struct bs_file_checks {
	const struct bs_snapshot *snapshot;
	uint32_t source;
	const struct bs_doc_bits *candidates;
	int folder; /* descriptor of the source; -1: it cannot be opened, so no file is unchanged */
	struct chunk *chunks;
	size_t n_chunks;
	struct documents *documents; /* by segment; the skipped files last */
	struct bs_workers *workers;
	size_t *order; /* order[t]: the chunk of task t */
	/* task[c]: 1 + the number of the task of chunk c; 0: there is no task yet; or DONE */
	size_t *task;
	size_t n_tasks;
	size_t n_waits;     /* chunks that the calling thread waited for */
	uint32_t n_threads; /* threads that are still to be started */
};

/* Checks whether a file still has its fingerprint. The file is looked up relative to the folder of
 * the file checked before: neighbours in the index are mostly in the same folder, and a name of one
 * component is looked up twice as fast as one of five. */
static bool has_fingerprint(const struct bs_file_checks *checks, struct bs_file_place *place,
                            const void *file, size_t n_bytes, const uint64_t fingerprint[4])
{
	char name[PATH_MAX];
	struct stat found;
	if (checks->folder < 0 || n_bytes >= sizeof(name) ||
	    !bs_doc_name_is_below(file, (uint32_t)n_bytes))
		return false;
	memcpy(name, file, n_bytes);
	name[n_bytes] = '\0';
	if (bs_file_stat_below(checks->folder, name, place, &found) != 0)
		return false;
	struct bs_fingerprint now = bs_file_fingerprint(&found);
	return bs_fingerprint_equals(&now, fingerprint);
}

static bool is_unchanged(const struct bs_file_checks *checks, struct bs_file_place *place,
                         const struct bs_doc_record *record)
{
	return !(record->flags & BS_DOC_RACY) &&
	       has_fingerprint(checks, place, record->name, record->name_bytes, record->place);
}

static enum bs_status do_skipped(struct bs_file_checks *checks, const struct chunk *chunk,
                                 const struct bs_task *task, struct bs_error *err)
{
	struct bs_file_place place = {.fd = -1};
	struct bs_non_documents file;
	enum bs_status status = BS_OK;
	struct bs_non_document_place at = chunk->skipped;
	uint8_t *unchanged = checks->documents[chunk->segment].unchanged;
	for (uint32_t i = chunk->first; i < chunk->end && bs_task_is_wanted(task) && !status; i++) {
		(void)bs_manifest_next_non_document(&checks->snapshot->manifest, &at, &file);
		if (!bs_non_document_has_fingerprint(&file))
			continue;
		unchanged[i] = has_fingerprint(checks, &place, file.name, strlen(file.name),
		                               file.fingerprint);
		status = bs_deadline_check_after(STAT_NS, err);
	}
	bs_file_place_close(&place);
	return status;
}

static enum bs_status do_chunk(void *context, const struct bs_task *task, struct bs_error *err)
{
	struct bs_file_checks *checks = context;
	const struct chunk *chunk = &checks->chunks[checks->order[task->number]];
	if (chunk->segment == checks->snapshot->manifest.n_segments)
		return do_skipped(checks, chunk, task, err);
	const struct bs_doc_table *table = &checks->snapshot->segments[chunk->segment].docs;
	struct bs_file_place place = {.fd = -1};
	struct bs_source_range range = {.end = 0};
	const struct documents *documents = &checks->documents[chunk->segment];
	uint32_t first = documents->first, first_bit = first / 8 * 8;
	enum bs_status status = BS_OK;
	for (uint32_t d = chunk->first; d < chunk->end && bs_task_is_wanted(task) && !status; d++) {
		struct bs_doc_ref ref = {chunk->segment, d};
		struct bs_doc_record record;
		if (d >= range.end)
			range = bs_doc_table_range_of(table, d);
		/* The range belongs to another source, such as a collection in the folder. */
		if (range.source != checks->source) {
			d = range.end - 1;
			continue;
		}
		if ((documents->deleted &&
		     (documents->deleted[(d - first_bit) / 8] >> (d % 8) & 1)) ||
		    (checks->candidates && bs_doc_bits_has(checks->candidates, ref)))
			continue;
		/* After NOT_ASKED the calling thread reads the record again, and reports errors. */
		documents->unchanged[d - first] =
			bs_snapshot_record(checks->snapshot, ref, &record, err)
				? NOT_ASKED
				: is_unchanged(checks, &place, &record);
		status = bs_deadline_check_after(STAT_NS, err);
	}
	bs_file_place_close(&place);
	return status;
}

/* Finds bounds of the documents of a source in a segment: they are within [*first, *end). */
static void find_documents(const struct bs_doc_table *table, uint32_t source, uint32_t *first,
                           uint32_t *end)
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
	*first = *first < *end ? *first : *end;
}

static uint32_t count_skipped(const struct bs_file_checks *checks)
{
	const struct bs_manifest *manifest = &checks->snapshot->manifest;
	struct bs_non_document_place at = bs_manifest_find_non_documents(manifest, checks->source);
	struct bs_non_documents file;
	uint32_t n = 0;
	while (bs_manifest_next_non_document(manifest, &at, &file) && file.source == checks->source)
		n++;
	return n;
}

/* Adds the chunks of segment s. documents[s].first and documents[s].end are set already. */
static enum bs_status plan_segment(struct bs_file_checks *checks, uint32_t s, struct bs_error *err)
{
	struct documents *documents = &checks->documents[s];
	uint32_t first = documents->first, end = documents->end, first_bit = first / 8 * 8;
	documents->first_chunk = checks->n_chunks;
	if (first == end)
		return BS_OK;
	documents->unchanged = calloc(end - first, 1);
	const uint8_t *deleted = s < checks->snapshot->manifest.n_segments
	                                 ? checks->snapshot->tombstones.bits[s]
	                                 : NULL;
	size_t deleted_bytes = ((size_t)end - first_bit + 7) / 8;
	if (deleted)
		documents->deleted = malloc(deleted_bytes);
	if (!documents->unchanged || (deleted && !documents->deleted))
		return bs_fail_memory(err, "file checks", end - first);
	if (deleted)
		memcpy(documents->deleted, deleted + first_bit / 8, deleted_bytes);
	for (uint64_t from = first; from < end; from += CHUNK_DOCS) {
		uint64_t to = from + CHUNK_DOCS < end ? from + CHUNK_DOCS : end;
		checks->chunks[checks->n_chunks++] =
			(struct chunk){.segment = s, .first = (uint32_t)from, .end = (uint32_t)to};
	}
	return BS_OK;
}

/* Finds the first skipped file of each chunk of skipped files. */
static void place_skipped(struct bs_file_checks *checks)
{
	const struct bs_manifest *manifest = &checks->snapshot->manifest;
	struct bs_non_document_place at = bs_manifest_find_non_documents(manifest, checks->source);
	struct bs_non_documents file;
	for (size_t i = checks->documents[manifest->n_segments].first_chunk; i < checks->n_chunks;
	     i++) {
		checks->chunks[i].skipped = at;
		for (uint32_t k = 0; k < CHUNK_DOCS; k++)
			(void)bs_manifest_next_non_document(manifest, &at, &file);
	}
}

static enum bs_status plan_chunks(struct bs_file_checks *checks, struct bs_error *err)
{
	uint32_t n_segments = checks->snapshot->manifest.n_segments;
	enum bs_status status = BS_OK;
	size_t most = 1;
	checks->documents = calloc((size_t)n_segments + 1, sizeof(*checks->documents));
	if (!checks->documents)
		return bs_fail_memory(err, "file checks", n_segments * sizeof(*checks->documents));
	for (uint32_t s = 0; s < n_segments; s++)
		find_documents(&checks->snapshot->segments[s].docs, checks->source,
		               &checks->documents[s].first, &checks->documents[s].end);
	checks->documents[n_segments].end = count_skipped(checks);
	for (uint32_t s = 0; s <= n_segments; s++)
		most += (checks->documents[s].end - checks->documents[s].first) / CHUNK_DOCS + 1;
	checks->chunks = calloc(most, sizeof(*checks->chunks));
	checks->order = calloc(most, sizeof(*checks->order));
	checks->task = calloc(most, sizeof(*checks->task));
	if (!checks->chunks || !checks->order || !checks->task)
		status = bs_fail_memory(err, "file checks", most * sizeof(*checks->chunks));
	for (uint32_t s = 0; s <= n_segments && !status; s++)
		status = plan_segment(checks, s, err);
	if (!status)
		place_skipped(checks);
	return status;
}

enum bs_status bs_file_checks_start(const struct bs_snapshot *snapshot,
                                    const struct bs_doc_bits *candidates, uint32_t source,
                                    const char *path, unsigned n_threads,
                                    struct bs_file_checks **checks_out, struct bs_error *err)
{
	*checks_out = NULL;
	struct bs_file_checks *checks = calloc(1, sizeof(*checks));
	if (!checks)
		return bs_fail_memory(err, "file checks", sizeof(*checks));
	checks->snapshot = snapshot;
	checks->source = source;
	checks->candidates = candidates;
	checks->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	enum bs_status status = plan_chunks(checks, err);
	struct bs_workers_plan plan = {
		.n_threads = (n_threads < MOST_THREADS ? n_threads : MOST_THREADS) + 1,
		.n_slots = checks->n_chunks + 1,
		.work = do_chunk,
		.context = checks};
	if (!status)
		status = bs_workers_new(&plan, &checks->workers, err);
	if (status) {
		bs_file_checks_free(checks);
		return status;
	}
	checks->n_threads = plan.n_threads - 1;
	*checks_out = checks;
	return BS_OK;
}

/* Adds tasks for a chunk and for the next n_ahead chunks of its segment, unless they have tasks.
 * n_ahead is the number of chunks that the calling thread has waited for, at most MOST_AHEAD, so
 * that a search that ends early, or that searches only a subfolder, checks few other files. */
static void add_tasks(struct bs_file_checks *checks, size_t chunk)
{
	size_t n_ahead = checks->n_waits < MOST_AHEAD ? checks->n_waits : MOST_AHEAD,
	       n_before = checks->n_tasks;
	uint32_t segment = checks->chunks[chunk].segment;
	for (size_t i = chunk;
	     i <= chunk + n_ahead && i < checks->n_chunks && checks->chunks[i].segment == segment;
	     i++) {
		if (checks->task[i] > 0)
			continue;
		checks->order[checks->n_tasks++] = i;
		checks->task[i] = checks->n_tasks;
	}
	if (checks->n_tasks > n_before)
		(void)bs_workers_add(checks->workers, checks->n_tasks - n_before);
}

/* Waits until a chunk is done, or does it. */
static void wait_chunk(struct bs_file_checks *checks, size_t chunk)
{
	if (checks->task[chunk] == DONE)
		return;
	add_tasks(checks, chunk);
	if (++checks->n_waits > ALONE_CHUNKS)
		for (; checks->n_threads > 0 && bs_workers_start(checks->workers);
		     checks->n_threads--)
			continue;
	bs_workers_wait_done(checks->workers, checks->task[chunk] - 1);
	checks->task[chunk] = DONE;
}

enum bs_status bs_file_checks_is_unchanged(struct bs_file_checks *checks, struct bs_doc_ref ref,
                                           bool *unchanged_out, struct bs_error *err)
{
	struct bs_file_place place = {.fd = -1};
	struct bs_doc_record record;
	const struct documents *documents = &checks->documents[ref.segment];
	uint32_t i = ref.document - documents->first;
	wait_chunk(checks, documents->first_chunk + i / CHUNK_DOCS);
	*unchanged_out = documents->unchanged[i] == 1;
	if (documents->unchanged[i] != NOT_ASKED)
		return BS_OK;
	enum bs_status status = bs_snapshot_record(checks->snapshot, ref, &record, err);
	*unchanged_out = !status && is_unchanged(checks, &place, &record);
	bs_file_place_close(&place);
	return status;
}

void bs_file_checks_free(struct bs_file_checks *checks)
{
	if (!checks)
		return;
	bs_workers_free(checks->workers);
	for (uint32_t s = 0; checks->documents && s <= checks->snapshot->manifest.n_segments; s++) {
		free(checks->documents[s].unchanged);
		free(checks->documents[s].deleted);
	}
	if (checks->folder >= 0)
		close(checks->folder);
	free(checks->documents);
	free(checks->order);
	free(checks->task);
	free(checks->chunks);
	free(checks);
}
