/* model_run.h: runs of the indexer for test_model.c, with random options that must not change the
 * results. */
#pragma once

#include "core/bitsift/index.h"
#include "indexer/run/tuning.h"
#include "tests/property/model/model.h"

/* A randomly drawn run of the indexer. */
struct run {
	struct bs_build_request request;
	struct bs_build_tuning tuning;
	const char *sources[MODEL_MAX_SOURCES];
	char *input; /* standard input, for "-"; NULL: none */
	struct bs_build_report report;
	struct bs_error err;
	void *world;        /* borrowed: the test's world, which is disturbed during the run */
	unsigned countdown; /* calls of the progress callback before the disturbance */
};

/* Initialises run for the index in dir, without sources. */
void run_draw(struct run *run, const char *dir);
/* Adds some of the sources. If "-" is among them, run->input is set; the caller frees it. */
void run_draw_sources(struct run *run, const char *const *sources, size_t n_sources);
void run_trace(const struct run *run, const char *what);
enum bs_status run_do(struct run *run);
/* Like run_do, but sometimes without the drawn options, except the number of threads. */
enum bs_status run_do_any(struct run *run);

/* Sets whether new indexes have grams in addition to words. */
void run_with_grams(bool with_grams);
