/* model_run.c: see model_run.h. */
#include <fcntl.h>
#include <unistd.h>

#include "core/bitsift/index.h"
#include "tests/property/model/model.h"
#include "tests/property/model/model_run.h"
#include "tests/rigs/core_rig.h"

static bool has_grams;

void run_with_grams(bool with_grams)
{
	has_grams = with_grams;
}

void run_draw(struct run *run, const char *dir)
{
	*run = (struct run){
		.request = {.dir = dir,
	                    .index.words = true,
	                    .index.grams = has_grams,
	                    .write.memory_bytes = by_chance(30) ? 1 : 0,
	                    .write.n_threads = 1 + below(2)},
		.tuning = {.max_segment_docs = by_chance(60) ? 0 : 1 + below(9),
	                   .max_shard_blocks = by_chance(50),
	                   .forward_mode = (enum bs_forward_mode)below(3),
	                   .pairs_least_bytes = 1},
	};
	run->request.tuning = &run->tuning;
}

void run_draw_sources(struct run *run, const char *const *sources, size_t n_sources)
{
	run->request.sources = run->sources;
	for (size_t i = 0; i < n_sources; i++)
		if (by_chance(40))
			run->sources[run->request.n_sources++] = sources[i];
	for (size_t i = 0; i < run->request.n_sources; i++)
		if (strcmp(run->sources[i], "-") == 0)
			run->input = model_lines(below(5));
}

void run_trace(const struct run *run, const char *what)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "bitsift %s --index %s -j%u%s%s%s", what,
	                 run->request.dir, run->request.write.n_threads,
	                 run->request.index.grams ? " --words --grams" : "",
	                 run->request.write.memory_bytes ? " --memory 1" : "",
	                 run->request.rebuild ? " --rebuild" : "");
	for (size_t i = 0; i < run->request.n_sources; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s", run->sources[i]);
	trace("%s # segments of %u, shards of %u, lists %d", text, run->tuning.max_segment_docs,
	      run->tuning.max_shard_blocks, (int)run->tuning.forward_mode);
	if (run->input)
		trace("# ... its input: %s", run->input);
}

enum bs_status run_do(struct run *run)
{
	int kept = dup(STDIN_FILENO);
	if (run->input) {
		write_text("../input", run->input);
		int fd = open("../input", O_RDONLY);
		assert_true(fd >= 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
		close(fd);
	}
	enum bs_status status = bs_index_build(&run->request, &run->report, &run->err);
	if (kept >= 0) {
		dup2(kept, STDIN_FILENO);
		close(kept);
	}
	return status;
}

enum bs_status run_do_any(struct run *run)
{
	char manifest[512];
	struct bs_build_request request = {.dir = run->request.dir,
	                                   .sources = run->request.sources,
	                                   .n_sources = run->request.n_sources,
	                                   .write.n_threads = run->request.write.n_threads};
	if (run->request.rebuild || run->input || by_chance(70))
		return run_do(run);
	snprintf(manifest, sizeof(manifest), "%s/manifest", run->request.dir);
	request.index.words = access(manifest, F_OK) != 0;
	request.index.grams = request.index.words && has_grams;
	return bs_index_build(&request, &run->report, &run->err);
}
