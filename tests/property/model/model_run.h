/* model_run.h: runs of the indexer for test_model.c, with random options that must not matter. */
#pragma once

#include "core/bitsift/index.h"
#include "indexer/run/tuning.h"
#include "tests/property/model/model.h"

/* A run of the indexer, as drawn. */
struct run {
	struct bs_build_request request;
	struct bs_build_tuning tuning;
	const char *sources[MODEL_MAX_SOURCES];
	char *input; /* of "-", or NULL */
	struct bs_build_report report;
	struct bs_error err;
	void *world;        /* disturbed in the middle: the test's own, */
	unsigned countdown; /* after so many calls of progress */
};

/* Overwrites run: of the index in dir, without sources. */
void run_draw(struct run *run, const char *dir);
/* Adds some of the sources, and input if "-" is among them, which is to be freed. */
void run_draw_sources(struct run *run, const char *const *sources, size_t n_sources);
void run_trace(const struct run *run, const char *what);
enum bs_status run_do(struct run *run);
/* Sometimes as a refresh that names no options. */
enum bs_status run_do_any(struct run *run);

/* Whether the indexes to come have grams, beside words. */
void run_with_grams(bool with_grams);
