/* indexer.c: an index run from start to commit. See indexer.h. */
#include "indexer/indexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/hash.h"
#include "core/index_dir.h"
#include "core/words.h"
#include "corpus/recorded.h"
#include "corpus/source.h"
#include "corpus/store.h"
#include "indexer/claims.h"
#include "indexer/gather.h"
#include "indexer/pipeline.h"
#include "indexer/segment_build.h"

#define DEFAULT_MEMORY_BYTES (UINT64_C(1) << 30)
#define MIN_MEMORY_BYTES     (UINT64_C(16) << 20)
#define MAX_THREADS          64
/* Timestamps of files come from a clock that ticks every few ms; one from this shortly before the run may be later. */
#define CLOCK_GRAIN_NS       20000000

struct run {
	const struct bs_index_job *job;
	struct bs_index_lock lock;
	struct bs_snapshot old;
	bool has_old;
	bool is_damaged;             /* there is an index, but it could not be opened */
	struct bs_manifest manifest; /* of the commit to be */
	struct bs_source_options source_options;
	struct bs_build_options build_options;
	uint64_t gather_limit_bytes;
	int64_t start_mtime_ns; /* a file not older than this is suspect */
	uint64_t start_ns;
	struct bs_pipeline *pipeline;
	const struct bs_harvest *harvest; /* the one being poured */
	struct bs_gather gather;
	struct bs_store_writer *store; /* of the segment being gathered, or NULL */
	uint64_t n_stored;
	struct bs_claims claims;
	/* The source being read. */
	struct bs_source source;
	uint32_t source_number;
	uint32_t n_sources_read;
	struct bs_index_report report;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void report_skip(void *context, enum bs_skip reason, const char *message)
{
	struct run *run = context;
	run->report.skipped[reason]++;
	if (run->job->skipped)
		run->job->skipped(run->job->context, reason, message);
}

/* BS_STOPPED if the caller wants no more. */
static enum bs_status tell_progress(struct run *run, struct bs_error *err)
{
	run->report.elapsed_ns = clock_ns(CLOCK_MONOTONIC) - run->start_ns;
	if (run->job->progress && run->job->progress(run->job->context, &run->report) != 0)
		return bs_fail(err, BS_STOPPED, "stopped; the index is as it was");
	return BS_OK;
}

/* ---- segments ---- */

/* Writes what is gathered as a segment and starts the next. */
static enum bs_status flush_segment(struct run *run, struct bs_error *err)
{
	if (bs_gather_n_docs(&run->gather) == 0)
		return BS_OK;
	run->report.is_writing = true;
	enum bs_status status = tell_progress(run, err);
	run->report.is_writing = false;
	if (status)
		return status;
	struct bs_segment_record record = {
		.number = run->manifest.next_number++,
		.n_docs = bs_gather_n_docs(&run->gather),
	};
	struct bs_build_sum sum = {0};
	char *path = bs_index_file_path(run->job->dir, "seg", record.number);
	if (!path)
		return bs_fail_memory(err, "a path", strlen(run->job->dir));
	status = run->store ? bs_store_writer_finish(run->store, err) : BS_OK;
	if (!status)
		status = bs_segment_build(path, &run->gather, run->store, &run->build_options, &sum, err);
	record.n_bytes = sum.file_bytes;
	if (!status)
		status = bs_manifest_add_segment(&run->manifest, &record, err);
	if (!status)
		status = bs_claims_next_segment(&run->claims, path, err);
	free(path);
	if (status)
		return status;
	run->report.n_postings += run->gather.n_postings;
	run->report.n_terms += sum.n_terms;
	run->report.index_bytes += sum.file_bytes;
	run->report.n_segments++;
	bs_gather_clear(&run->gather);
	bs_store_writer_free(run->store);
	run->store = NULL;
	run->n_stored = 0;
	return BS_OK;
}

/* ---- documents ---- */

static struct bs_doc_record make_record(const struct run *run, const struct bs_harvest_doc *doc)
{
	const struct bs_document *document = &doc->document;
	struct bs_doc_record record = {
		.source = run->source_number,
		.flags = document->is_named_by_line ? BS_DOC_NAMED_BY_LINE : 0,
		.name = run->harvest->names.data + doc->name_offset,
		.name_bytes = doc->name_bytes,
	};
	switch (run->source.kind) {
	case BS_SOURCE_FOLDER:
	case BS_SOURCE_FILE:
		record.place[0] = document->stamp.size_bytes;
		record.place[1] = (uint64_t)document->stamp.mtime_ns;
		record.place[2] = (uint64_t)document->stamp.ctime_ns;
		record.place[3] = document->stamp.inode;
		if (document->stamp.mtime_ns >= run->start_mtime_ns)
			record.flags |= BS_DOC_SUSPECT;
		break;
	case BS_SOURCE_COLLECTION:
		record.place[0] = document->offset;
		record.place[1] = document->raw_bytes;
		record.place[2] = document->line;
		break;
	case BS_SOURCE_STDIN:
		record.place[0] = run->n_stored;
		record.place[1] = document->raw_bytes;
		record.place[2] = document->line;
		break;
	}
	return record;
}

static enum bs_status store_document(struct run *run, const struct bs_harvest_doc *doc, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	if (!run->store)
		status = bs_store_writer_new(run->job->dir, &run->store, err);
	if (!status)
		status = bs_store_writer_add(run->store, run->harvest->raws.data + doc->raw_offset,
		                             (size_t)doc->document.raw_bytes, err);
	run->n_stored++;
	return status;
}

static enum bs_status add_document(struct run *run, uint32_t i, struct bs_error *err)
{
	const struct bs_harvest_doc *doc = &bs_harvest_docs(run->harvest)[i];
	struct bs_doc_record record = make_record(run, doc);
	uint32_t document = bs_gather_n_docs(&run->gather);
	enum bs_status status = BS_OK;
	if (document >= UINT32_MAX - 1)
		return bs_fail(err, BS_INVALID, "more than 2^32 documents in one segment; use less --memory");
	/* Paths are unique as they are. */
	if (run->source.kind == BS_SOURCE_COLLECTION || run->source.kind == BS_SOURCE_STDIN)
		status = bs_claims_take(&run->claims, &run->source, &run->gather.doc_table, &record, document, err);
	if (!status && run->harvest->keep_raws)
		status = store_document(run, doc, err);
	if (!status)
		status = bs_gather_add(&run->gather, run->harvest, i, &record, err);
	run->report.text_bytes += doc->text_bytes;
	run->report.n_docs++;
	return status;
}

static enum bs_status pour_skips(struct run *run, struct bs_error *err)
{
	for (uint32_t i = 0; i < run->harvest->n_skips; i++) {
		const struct bs_harvest_skip *skip = &bs_harvest_skips(run->harvest)[i];
		const char *message = (const char *)run->harvest->messages.data + skip->message_offset;
		if (run->job->strict && (skip->reason == BS_SKIP_BAD_RECORD || skip->reason == BS_SKIP_NO_TEXT))
			return bs_fail(err, BS_INVALID, "%s (--strict stops here; the index is as it was)", message);
		report_skip(run, skip->reason, message);
	}
	return BS_OK;
}

/* What a document may add to the gather, were all its terms new: an entry, its slots, its code, some bytes of its own. */
#define NEW_TERM_BYTES 64u

/* Whether the document should start a segment of its own; by content only, so the same for any number of threads. */
static bool is_too_much(const struct run *run, const struct bs_harvest_doc *doc)
{
	uint32_t max_docs = run->job->max_segment_docs;
	uint64_t n_bytes = bs_gather_bytes(&run->gather) + (uint64_t)doc->n_terms * NEW_TERM_BYTES;
	return n_bytes > run->gather_limit_bytes || (max_docs && bs_gather_n_docs(&run->gather) >= max_docs);
}

/* The documents of a harvest go into the gather; a full gather becomes a segment. */
static enum bs_status pour(void *context, const struct bs_harvest *harvest, uint64_t source_bytes, struct bs_error *err)
{
	struct run *run = context;
	run->harvest = harvest;
	enum bs_status status = pour_skips(run, err);
	if (!status)
		status = bs_gather_start(&run->gather, harvest, err);
	for (uint32_t i = 0; i < harvest->n_docs && !status; i++) {
		if (bs_gather_n_docs(&run->gather) > 0 && is_too_much(run, &bs_harvest_docs(harvest)[i])) {
			status = flush_segment(run, err);
			if (!status)
				status = bs_gather_start(&run->gather, harvest, err);
		}
		if (!status)
			status = add_document(run, i, err);
	}
	run->report.source_bytes = source_bytes;
	return status ? status : tell_progress(run, err);
}

/* ---- sources ---- */

/* Text of standard input lives in the old index only: read it from there. */
static enum bs_status replay_segment(struct run *run, uint32_t s, uint32_t old_source, struct bs_error *err)
{
	const struct bs_segment *segment = &run->old.segments[s];
	struct bs_store *store = NULL;
	struct bs_store_reader *store_reader = NULL;
	struct bs_buffer raw = {0};
	struct bs_harvest *harvest = bs_pipeline_harvest(run->pipeline, true);
	const struct bs_document_sink sink = bs_harvest_sink(harvest);
	enum bs_status status = bs_section_touch(&segment->store_dictionary, 0, segment->store_dictionary.n_bytes, err);
	if (!status)
		status = bs_section_touch(&segment->store_offsets, 0, segment->store_offsets.n_bytes, err);
	if (!status)
		status = bs_store_open(segment->store_dictionary.data, (size_t)segment->store_dictionary.n_bytes,
		                       segment->store_offsets.data, (size_t)segment->store_offsets.n_bytes,
		                       segment->store_frames.data, (size_t)segment->store_frames.n_bytes, &store, err);
	if (!status)
		status = bs_store_reader_new(store, &store_reader, err);
	for (uint32_t d = 0; d < segment->meta.n_docs && !status; d++) {
		struct bs_doc_record record;
		struct bs_document document;
		if (bs_snapshot_is_deleted(&run->old, s, d))
			continue;
		status = bs_doc_table_get(&segment->docs, d, &record, err);
		if (status || record.source != old_source)
			continue;
		bs_harvest_clear(harvest);
		status = bs_store_fetch(store_reader, record.place[0], &raw, err);
		if (!status)
			status = bs_reader_fetch_raw(bs_pipeline_reader(run->pipeline), raw.data, raw.used_bytes, &document, err);
		if (status)
			break;
		document.line = record.place[2];
		status = sink.document(sink.context, &document, err);
		if (!status)
			status = pour(run, harvest, 0, err);
	}
	bs_buffer_deinit(&raw);
	bs_store_reader_free(store_reader);
	bs_store_close(store);
	return status;
}

static enum bs_status replay_stdin(struct run *run, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; run->has_old && i < run->old.manifest.n_sources; i++) {
		if (run->old.manifest.sources[i].kind != BS_SOURCE_STDIN)
			continue;
		for (uint32_t s = 0; s < run->old.manifest.n_segments && !status; s++)
			if (run->old.segments[s].store_offsets.n_bytes > 0)
				status = replay_segment(run, s, i, err);
	}
	return status;
}

static enum bs_status read_feed(struct run *run, struct bs_source_record *record, struct bs_error *err)
{
	struct bs_feed *feed = NULL;
	enum bs_status status = bs_feed_open(&run->source, &run->source_options, report_skip, run, &feed, err);
	if (!status)
		status = bs_pipeline_run(run->pipeline, &run->source, feed, run->source.kind == BS_SOURCE_STDIN, pour, run, err);
	record->read_bytes = run->report.source_bytes;
	bs_feed_close(feed);
	return status;
}

/* A source that is gone or may not be read is reported, and the others go on; it stays recorded, for it may come back.
 * What was a folder may be a file by now. */
static enum bs_status look_at_source(struct run *run, struct bs_source_record *record, bool *is_there_out,
                                     struct bs_error *err)
{
	struct bs_source found;
	struct bs_error why = {""};
	*is_there_out = true;
	if (run->source.kind == BS_SOURCE_STDIN)
		return BS_OK;
	enum bs_status status = bs_source_init(&found, run->source.path, &why);
	if (status == BS_NO_MEMORY) {
		if (err)
			*err = why;
		return status;
	}
	*is_there_out = status == BS_OK;
	if (status) {
		report_skip(run, BS_SKIP_UNREADABLE, why.text);
		return BS_OK;
	}
	record->kind = found.kind;
	run->source.kind = found.kind;
	bs_source_deinit(&found);
	return BS_OK;
}

/* Reads recorded source number i of the new manifest; read_stdin says that "-" was named in this run. */
static enum bs_status read_source(struct run *run, uint32_t i, bool read_stdin, struct bs_error *err)
{
	struct bs_source_record *record = &run->manifest.sources[i];
	bool is_there = false;
	enum bs_status status = bs_recorded_source(run->job->dir, record, &run->source, err);
	if (!status)
		status = look_at_source(run, record, &is_there, err);
	if (status || !is_there) {
		bs_source_deinit(&run->source);
		return status;
	}
	run->n_sources_read++;
	run->source_number = i;
	bs_claims_start_source(&run->claims);
	run->report.source_bytes = 0;
	run->report.source_total = 0;
	if (run->source.kind == BS_SOURCE_COLLECTION) {
		struct bs_stamp stamp;
		status = bs_path_stamp(run->source.path, &stamp, err);
		record->stamp[0] = stamp.size_bytes;
		record->stamp[1] = (uint64_t)stamp.mtime_ns;
		record->stamp[2] = (uint64_t)stamp.ctime_ns;
		record->stamp[3] = stamp.inode;
		record->is_suspect = stamp.mtime_ns >= run->start_mtime_ns;
		run->report.source_total = stamp.size_bytes;
	}
	if (!status && run->source.kind == BS_SOURCE_STDIN)
		status = replay_stdin(run, err);
	if (!status && (run->source.kind != BS_SOURCE_STDIN || read_stdin))
		status = read_feed(run, record, err);
	bs_source_deinit(&run->source);
	return status;
}

/* Adds the argument's source to the new manifest unless it is recorded already. */
static enum bs_status add_argument(struct run *run, const struct bs_source *source, struct bs_error *err)
{
	struct bs_source_record record = {.kind = source->kind, .label = source->label};
	enum bs_status status = bs_recorded_path(run->job->dir, source, &record.path, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < run->manifest.n_sources; i++) {
		const struct bs_source_record *known = &run->manifest.sources[i];
		if (strcmp(known->label, record.label) != 0)
			continue;
		if (strcmp(known->path, record.path) != 0)
			status = bs_fail(err, BS_INVALID,
			                 "%s: this index has a source of that name at %s already; ids would mix: name it by another "
			                 "path, or use another index", record.label, known->path);
		goto out;
	}
	status = bs_manifest_add_source(&run->manifest, &record, err);
out:
	free(record.path);
	return status;
}

static enum bs_status fail_unreadable(struct bs_error *err)
{
	return bs_fail(err, BS_NOT_FOUND, "none of the sources can be read; the index is as it was");
}

static enum bs_status fail_no_source(struct bs_error *err)
{
	return bs_fail(err, BS_INVALID, "no SOURCE given and none recorded; try `bitsift index .`");
}

/* Before a directory is made: a slip of the pen should not leave one behind. */
static enum bs_status check_arguments(struct run *run, struct bs_error *err)
{
	const struct bs_index_job *job = run->job;
	struct stat info;
	if (stat(job->dir, &info) == 0)
		return BS_OK;
	if (job->n_sources == 0)
		return fail_no_source(err);
	for (size_t i = 0; i < job->n_sources; i++) {
		struct bs_source source;
		enum bs_status status = bs_source_init(&source, job->sources[i], err);
		if (!status)
			bs_source_deinit(&source);
		if (!status || status == BS_NO_MEMORY)
			return status;
	}
	for (size_t i = 0; i < job->n_sources; i++) {
		struct bs_source source;
		struct bs_error why = {""};
		if (bs_source_init(&source, job->sources[i], &why) == BS_OK)
			bs_source_deinit(&source);
		report_skip(run, BS_SKIP_UNREADABLE, why.text);
	}
	return bs_fail(err, BS_NOT_FOUND, "none of the sources can be read");
}

/* The sources of this commit: the recorded ones, then new arguments. An argument that cannot be read is reported, and
 * the others go on. */
static enum bs_status collect_sources(struct run *run, bool *read_stdin_out, struct bs_error *err)
{
	const struct bs_index_job *job = run->job;
	enum bs_status status = BS_OK;
	enum bs_status last = BS_OK;
	size_t n_good = 0;
	*read_stdin_out = false;
	for (uint32_t i = 0; i < run->old.manifest.n_sources && !status; i++) {
		struct bs_source_record record = run->old.manifest.sources[i];
		status = bs_manifest_add_source(&run->manifest, &record, err);
	}
	for (size_t i = 0; i < job->n_sources && !status; i++) {
		struct bs_source source;
		struct bs_error why = {""};
		last = bs_source_init(&source, job->sources[i], &why);
		if (last == BS_NO_MEMORY)
			status = last;
		if (last) {
			report_skip(run, BS_SKIP_UNREADABLE, why.text);
			if (err)
				*err = why;
			continue;
		}
		*read_stdin_out |= source.kind == BS_SOURCE_STDIN;
		status = add_argument(run, &source, err);
		bs_source_deinit(&source);
		n_good++;
	}
	if (!status && job->n_sources > 0 && n_good == 0)
		return fail_unreadable(err);
	if (!status && run->manifest.n_sources == 0)
		return fail_no_source(err);
	return status;
}

/* ---- start and end ---- */

static enum bs_status copy_options(struct bs_index_options *to, const struct bs_index_options *from,
                                   struct bs_error *err)
{
	*to = *from;
	to->stem_language = from->stem_language ? strdup(from->stem_language) : NULL;
	to->id_field = from->id_field ? strdup(from->id_field) : NULL;
	to->text_fields = NULL;
	to->globs = NULL;
	if ((from->stem_language && !to->stem_language) || (from->id_field && !to->id_field))
		return bs_fail_memory(err, "options", 0);
	enum bs_status status = bs_list_copy(from->text_fields, &to->text_fields, err);
	if (!status)
		status = bs_list_copy(from->globs, &to->globs, err);
	return status;
}

static enum bs_status choose_options(struct run *run, struct bs_error *err)
{
	const struct bs_index_job *job = run->job;
	const struct bs_index_options *options = &job->options;
	if (run->has_old && !job->rebuild) {
		if (!job->use_recorded_options && !bs_index_options_equal(options, &run->old.manifest.options))
			return bs_fail(err, BS_INVALID, "%s: the options differ from those it was made with; leave them out, or add "
			               "--rebuild to index everything again with the new ones", job->dir);
		options = &run->old.manifest.options;
	}
	return copy_options(&run->manifest.options, options, err);
}

static void set_limits(struct run *run)
{
	const struct bs_index_job *job = run->job;
	uint64_t memory = job->memory_bytes ? job->memory_bytes : DEFAULT_MEMORY_BYTES;
	if (memory < MIN_MEMORY_BYTES)
		memory = MIN_MEMORY_BYTES;
	/* What is gathered is counted by content; the arrays that hold it have half as much again to grow into. Sorting and
	 * counters come on top, and the columns of one slab. None of it may depend on the number of threads. */
	run->gather_limit_bytes = memory * 2 / 5;
	run->build_options = (struct bs_build_options){
		.policy = job->policy ? *job->policy : bs_treatment_policy_default(),
		.max_blocks = job->max_slab_blocks ? job->max_slab_blocks : BS_SLAB_MAX_BLOCKS,
		.max_slab_bytes = memory / 8,
		.list_mode = job->list_mode,
	};
	if (!job->policy)
		run->build_options.policy.density = run->manifest.options.density;
}

static uint32_t count_threads(const struct bs_index_job *job)
{
	long n = job->n_threads ? (long)job->n_threads : sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (n > MAX_THREADS ? MAX_THREADS : (uint32_t)n);
}

/* A damaged index must not stand in the way of the rebuild that mends it: its manifest, if that is whole, still says
 * what to read. But text from standard input stands nowhere else. */
static enum bs_status salvage_sources(struct run *run, enum bs_status damage, struct bs_error *err)
{
	const struct bs_index_job *job = run->job;
	bool has_stdin = false;
	for (size_t i = 0; i < job->n_sources; i++)
		has_stdin |= strcmp(job->sources[i], "-") == 0;
	if (!job->rebuild)
		return damage;
	if (bs_manifest_read(job->dir, &run->old.manifest, NULL) != BS_OK) {
		bs_manifest_deinit(&run->old.manifest);
		if (job->n_sources > 0)
			return BS_OK;
		return bs_fail(err, damage, "%s: its manifest cannot be read, and with it the list of sources is lost: name "
		               "them, as in `bitsift index --rebuild .`", job->dir);
	}
	for (uint32_t i = 0; i < run->old.manifest.n_sources; i++)
		if (run->old.manifest.sources[i].kind == BS_SOURCE_STDIN && !has_stdin)
			return bs_fail(err, damage, "%s: damaged, and it holds the only copy of what came from standard input: "
			               "give that again, with `bitsift index --rebuild -`", job->dir);
	return BS_OK;
}

static enum bs_status start(struct run *run, struct bs_error *err)
{
	const struct bs_index_job *job = run->job;
	run->start_ns = clock_ns(CLOCK_MONOTONIC);
	run->start_mtime_ns = (int64_t)clock_ns(CLOCK_REALTIME) - CLOCK_GRAIN_NS;
	enum bs_status status = check_arguments(run, err);
	if (!status)
		status = bs_index_create_dir(job->dir, err);
	if (!status)
		status = bs_index_lock_take(job->dir, job->wait, &run->lock, err);
	if (status)
		return status;
	status = bs_snapshot_open(job->dir, &run->old, err);
	run->has_old = status == BS_OK;
	run->is_damaged = status != BS_OK && status != BS_NOT_FOUND;
	if (run->is_damaged) {
		enum bs_status salvaged = salvage_sources(run, status, err);
		if (salvaged)
			return salvaged;
	}
	/* What a killed run left behind goes now; of a damaged index nothing goes before there is a better one. */
	if (run->has_old || status == BS_NOT_FOUND)
		bs_index_sweep(job->dir, run->has_old ? &run->old.manifest : NULL);
	run->manifest.generation = run->old.manifest.generation + 1;
	run->manifest.next_number = bs_index_next_number(job->dir);
	bs_words_versions(run->manifest.icu_version, run->manifest.unicode_version);
	status = choose_options(run, err);
	if (status)
		return status;
	set_limits(run);
	run->source_options = bs_recorded_options(&run->manifest.options, job->dir);
	struct bs_words_options words_options = {
		.stem_language = run->manifest.options.stem_language,
		.fold_accents = run->manifest.options.fold_accents,
	};
	status = bs_kernel_choose(NULL, &run->build_options.kernel, err);
	if (!status)
		status = bs_pipeline_new(count_threads(job), &words_options, &run->source_options, &run->pipeline, err);
	return status ? status : bs_claims_next_segment(&run->claims, NULL, err);
}

static enum bs_status write_tombstones(struct run *run, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < run->manifest.n_segments && !status; i++) {
		struct bs_segment_record *record = &run->manifest.segments[i];
		const uint8_t *bits;
		status = bs_claims_dead(&run->claims, i, record->n_docs, &bits, &record->n_deleted, err);
		if (status || !bits)
			continue;
		record->tombstones = run->manifest.next_number++;
		status = bs_tombstones_write(run->job->dir, record->tombstones, bits, record->n_docs, err);
		run->report.index_bytes += (record->n_docs + 7) / 8;
	}
	return status;
}

static void run_deinit(struct run *run)
{
	bs_claims_deinit(&run->claims);
	bs_gather_deinit(&run->gather);
	bs_store_writer_free(run->store);
	bs_pipeline_free(run->pipeline);
	bs_source_deinit(&run->source);
	bs_manifest_deinit(&run->manifest);
	bs_snapshot_deinit(&run->old);
}

enum bs_status bs_index_run(const struct bs_index_job *job, struct bs_index_report *report_out, struct bs_error *err)
{
	struct run run = {.job = job, .lock = {.fd = -1}};
	bool read_stdin = false;
	enum bs_status status = start(&run, err);
	if (!status)
		status = collect_sources(&run, &read_stdin, err);
	for (uint32_t i = 0; i < run.manifest.n_sources && !status; i++)
		status = read_source(&run, i, read_stdin, err);
	if (!status && run.n_sources_read == 0)
		status = fail_unreadable(err);
	if (!status)
		status = flush_segment(&run, err);
	if (!status)
		status = write_tombstones(&run, err);
	if (!status)
		status = bs_manifest_write(job->dir, &run.manifest, err);
	/* The files of a failed run, or those of the commit before, are of no more use to anyone who opens the index now. */
	if (run.lock.fd >= 0 && !status)
		bs_index_sweep(job->dir, &run.manifest);
	else if (run.lock.fd >= 0 && (run.has_old || !run.is_damaged))
		bs_index_sweep(job->dir, run.has_old ? &run.old.manifest : NULL);
	run.report.n_replaced = run.claims.n_dead;
	run.report.n_docs -= run.report.n_replaced;
	run.report.elapsed_ns = clock_ns(CLOCK_MONOTONIC) - run.start_ns;
	*report_out = run.report;
	run_deinit(&run);
	bs_index_lock_release(&run.lock);
	return status;
}
