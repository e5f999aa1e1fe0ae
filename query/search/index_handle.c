/* index_handle.c: opens an index, checks its sources for changes if requested (`fresh`), and
 * describes it. See index_handle.h and bitsift/index.h. */
#include "query/search/index_handle.h"

#include <stdlib.h>

#include "core/base/clock.h"
#include "core/bitsift/search_result.h"
#include "core/system/deadline.h"
#include "core/system/log.h"
#include "corpus/changes/fresh.h"
#include "corpus/changes/uncommitted.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct freshen_notices {
	struct bs_index *index;
	const struct bs_open_request *request;
	uint64_t n_skipped[BS_SKIP_REASONS]; /* The files skipped so far, by reason. */
};

/* Counts a skipped file. Binary files, symlinks and special files are not reported. All sources
 * without consent are; of the rest, the first few of each reason, or all if verbose. */
static void tell_skipped(void *context, enum bs_skip reason, const char *message)
{
	struct freshen_notices *notices = context;
	notices->index->n_unfollowed += reason == BS_SKIP_UNTRUSTED;
	bool is_told = ++notices->n_skipped[reason] <= BS_MAX_UNREADABLE_NOTICES ||
	               notices->request->verbose || reason == BS_SKIP_UNTRUSTED;
	is_told = is_told && reason > BS_SKIP_SPECIAL;
	if (notices->request->notice && is_told)
		notices->request->notice(notices->request->context, message);
}

/* Checks the sources for changes and reads changed files, so that results are current. */
static enum bs_status freshen(struct bs_index *index, const struct bs_open_request *request,
                              struct bs_error *err)
{
	struct freshen_notices notices = {index, request, {0}};
	struct bs_error line;
	struct bs_fresh_counts freshened = {0};
	enum bs_status status =
		bs_snapshot_add_fresh(&index->snapshot, tell_skipped, &notices, &freshened, err);
	index->n_unread = freshened.n_unread;
	for (int reason = BS_SKIP_UNREADABLE;
	     reason < BS_SKIP_REASONS && request->notice && !request->verbose; reason++) {
		uint64_t n = notices.n_skipped[reason];
		if (n <= BS_MAX_UNREADABLE_NOTICES || reason == BS_SKIP_UNTRUSTED)
			continue;
		(void)bs_fail(&line, BS_IO, "%llu %s in all", (unsigned long long)n,
		              bs_skip_name((enum bs_skip)reason, n));
		request->notice(request->context, line.text);
	}
	return status;
}

enum bs_status bs_index_open_uncommitted(struct bs_writer *writer, struct bs_index **index_out,
                                         struct bs_error *err)
{
	const struct bs_uncommitted *uncommitted =
		(const struct bs_uncommitted *)(const void *)writer;
	struct bs_index *index = *index_out = calloc(1, sizeof(*index));
	if (!index)
		return bs_fail_memory(err, "an index", sizeof(*index));
	index->dir.fd = -1;
	enum bs_status status = uncommitted->show(writer, &index->snapshot, err);
	if (!status)
		status = bs_kernel_choose(NULL, &index->kernel, err);
	if (!status)
		status = bs_manifest_has_other_words(&index->snapshot.manifest,
		                                     &index->has_other_words, err);
	return status ? status : bs_prefix_checks_new(&index->snapshot, &index->prefix_checks, err);
}

static enum bs_status open_index(struct bs_index *index, const struct bs_open_request *request,
                                 bool is_asked, struct bs_error *err)
{
	enum bs_status status = bs_kernel_choose(request->kernel, &index->kernel, err);
	if (!status)
		status = bs_dir_open(&index->dir, request->dir, request->memory,
		                     request->host.consent, err);
	if (!status)
		status = bs_snapshot_open(&index->dir, &index->snapshot, err);
	if (!status && index->snapshot.manifest.options.words)
		status = bs_recorded_options_bind(&index->snapshot.manifest.options,
		                                  request->host.analyzer, index->dir.path, err);
	index->snapshot.texts = request->host.texts;
	if (!status)
		status = bs_manifest_has_other_words(&index->snapshot.manifest,
		                                     &index->has_other_words, err);
	/* Without this check, a query would just find nothing. */
	if (!status && !index->snapshot.manifest.options.words)
		status =
			bs_fail(err, BS_INVALID,
		                "%s: this index has only grams, no words; `bitsift index --rebuild "
		                "--words --grams` makes an index of both",
		                index->dir.path);
	if (!status)
		status = bs_snapshot_use_summary(&index->snapshot,
		                                 is_asked ? BS_SUMMARY_MANY_SEGMENTS : 1, err);
	if (!status && request->fresh)
		status = freshen(index, request, err);
	return status ? status : bs_prefix_checks_new(&index->snapshot, &index->prefix_checks, err);
}

enum bs_status bs_index_open_with(const struct bs_open_request *request,
                                  struct bs_index **index_out, struct bs_error *err)
{
	return bs_index_open_asked(request, false, index_out, err);
}

enum bs_status bs_index_open_asked(const struct bs_open_request *request, bool is_asked,
                                   struct bs_index **index_out, struct bs_error *err)
{
	*index_out = NULL;
	enum bs_status status = BS_CHECK_RESERVED(err, BS_RESERVED(bs_open_request, *request),
	                                          BS_RESERVED(bs_host, request->host));
	if (status)
		return status;
	struct bs_index *index = calloc(1, sizeof(*index));
	if (!index)
		return bs_fail_memory(err, "an index", sizeof(*index));
	struct bs_deadline deadline;
	uint64_t start_ns = bs_now_ns();
	index->dir.fd = -1;
	index->log = request->host.log;
	status = bs_deadline_begin(&deadline, request->limits, err);
	if (!status) {
		status = open_index(index, request, is_asked, err);
		bs_deadline_end(&deadline);
	}
	if (status) {
		bs_index_close(index);
		return status;
	}
	*index_out = index;
	if (index->has_other_words)
		bs_log_line(request->host.log, BS_LOG_WARNING,
		            "%s: made by another version of the tokenizer: every document is read "
		            "until it is indexed again",
		            index->dir.path);
	bs_log_line(request->host.log, BS_LOG_INFO,
	            "%s: opened, commit %llu, %llu documents in %llu segments, %.1f ms",
	            index->dir.path, (unsigned long long)index->snapshot.manifest.generation,
	            (unsigned long long)index->snapshot.totals.n_live_docs,
	            (unsigned long long)index->snapshot.totals.n_word_segments,
	            (double)(bs_now_ns() - start_ns) / 1e6);
	return BS_OK;
}

enum bs_status bs_index_open(const char *dir, struct bs_index **index_out, struct bs_error *err)
{
	return bs_index_open_with(&(struct bs_open_request){.dir = dir}, index_out, err);
}

void bs_index_close(struct bs_index *index)
{
	if (!index)
		return;
	bs_prefix_checks_free(index->prefix_checks);
	bs_snapshot_deinit(&index->snapshot);
	bs_dir_close(&index->dir);
	free(index);
}

void bs_index_close_files(struct bs_index *index)
{
	bs_snapshot_close_files(&index->snapshot);
	bs_dir_close_descriptor(&index->dir);
}

void bs_index_describe(const struct bs_index *index, struct bs_index_info *info_out)
{
	const struct bs_snapshot *snapshot = &index->snapshot;
	*info_out = (struct bs_index_info){
		.n_docs = snapshot->totals.n_live_docs,
		.n_deleted = snapshot->totals.n_docs + snapshot->overlay.docs.n_docs -
	                     snapshot->totals.n_live_docs,
		.n_segments = snapshot->totals.n_word_segments,
		.generation = snapshot->manifest.generation,
		.is_other_unicode = index->has_other_words,
		.icu_version = snapshot->manifest.versions.icu,
		.unicode_version = snapshot->manifest.versions.unicode,
		.kernel = index->kernel->name,
		.n_unread = index->n_unread,
		.n_unfollowed = index->n_unfollowed,
	};
}

bool bs_index_source(const struct bs_index *index, size_t i, struct bs_source_info *info_out)
{
	static const char *const kinds[] = {[BS_SOURCE_FOLDER] = "folder",
	                                    [BS_SOURCE_FILE] = "file",
	                                    [BS_SOURCE_COLLECTION] = "collection",
	                                    [BS_SOURCE_STDIN] = "stdin"};
	const struct bs_manifest *manifest = &index->snapshot.manifest;
	for (uint32_t k = 0; k < manifest->n_sources; k++) {
		const struct bs_source_record *source = &manifest->sources[k];
		if (source->kind == BS_SOURCE_FORGOTTEN || source->parent || i-- > 0)
			continue;
		*info_out = (struct bs_source_info){
			.kind = kinds[source->kind], .label = source->label, .path = source->path};
		return true;
	}
	return false;
}
