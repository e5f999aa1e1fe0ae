/* bitsift_candidates.c: the grep part of bitsift.h, put upon grep_index.h. */
#include "core/bitsift.h"

#include <string.h>

#include "query/grep/grep_index.h"

/* What is made of a request; all of it borrowed from there. */
struct asked {
	const char *pattern;
	size_t pattern_bytes;
	struct bs_grep_pattern patterns;
	struct bs_grep_walk_options walk;
};

static void report(void *context, const char *message)
{
	const struct bs_candidates_request *request = context;
	if (request->notice)
		request->notice(request->context, message);
}

static enum bs_status take_request(const struct bs_candidates_request *request, struct asked *asked, struct bs_error *err)
{
	static const char *const here[] = {"./"};
	for (size_t i = 0; i < sizeof(request->reserved) / sizeof(*request->reserved); i++)
		if (request->reserved[i])
			return bs_fail(err, BS_UNSUPPORTED, "a reserved field of a request is not zero");
	if (!request->pattern || !request->file)
		return bs_fail(err, BS_INVALID, "candidates want a pattern and a callback for files");
	bool is_default = request->n_paths == 0;
	*asked = (struct asked){
		.pattern = request->pattern,
		.pattern_bytes = request->pattern_bytes,
		.patterns = {.n_patterns = 1,
		             .letter_case = request->ignore_case ? BS_GREP_CASE_INSENSITIVE : BS_GREP_CASE_SENSITIVE,
		             .is_fixed = request->is_fixed,
		             .line_end = '\n'},
		.walk = {.paths = is_default ? here : request->paths,
		         .n_paths = is_default ? 1 : request->n_paths,
		         .is_default_path = is_default,
		         .max_file_bytes = UINT64_MAX},
	};
	asked->patterns.patterns = &asked->pattern;
	asked->patterns.pattern_bytes = &asked->pattern_bytes;
	return BS_OK;
}

static enum bs_status list_files(struct bs_grep_source *source, const struct bs_candidates_request *request,
                                 uint64_t *n_files, struct bs_error *err)
{
	struct bs_grep_file file;
	enum bs_status status;
	source->report = report;
	source->report_context = (void *)(uintptr_t)request;
	while ((status = source->next(source, &file, err)) == BS_OK && file.shown) {
		++*n_files;
		if (request->file(request->context, file.shown) != 0)
			return bs_fail(err, BS_STOPPED, "stopped by the callback");
	}
	return status;
}

enum bs_status bs_candidates(const char *dir, const struct bs_candidates_request *request, uint64_t *n_files_out,
                             struct bs_error *err)
{
	struct asked asked;
	struct bs_grep_analysis analysis = {.is_ascii = false};
	struct bs_grep_source *source = NULL;
	uint64_t n_files = 0;
	struct bs_dir opened = {.fd = -1};
	enum bs_status status = take_request(request, &asked, err);
	if (!status)
		status = bs_grep_analyse(&asked.patterns, &analysis, err);
	if (!status)
		status = bs_dir_open(&opened, dir, request->consent, err);
	struct bs_grep_index_options options = {
		.dir = &opened, .walk = &asked.walk, .pattern = &analysis, .trust = request->no_stat, .ends_at_nul = true};
	if (!status)
		status = bs_grep_index_open(&options, NULL, &source, err);
	if (source) {
		status = list_files(source, request, &n_files, err);
		source->close(source);
	}
	bs_grep_analysis_deinit(&analysis);
	bs_dir_close(&opened);
	if (n_files_out)
		*n_files_out = n_files;
	return status;
}
