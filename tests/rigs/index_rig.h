/*
 * index_rig.h: small indexes in the folder of core_rig.h, for tests of readers.
 */
#pragma once

#include "core/bitsift/build.h"
#include "indexer/run/tuning.h"
#include "tests/rigs/core_rig.h"

/* Builds an index of the sources (NULL-terminated), with the rest of the request as given. `input`,
 * if not NULL, is standard input for the source "-". */
void index_sources(const struct bs_build_request *request, const char *const *sources,
                   const char *input);

/*
 * Makes "index", which has some of everything: two segments of documents and one of rows; in the
 * first segment a shard with columns of all levels, exact columns and false-positive lists, and a
 * shard of forward indexes; tombstones; stored texts. Its sources are "c.jsonl", "d" and "-". Its
 * size is some KB.
 */
void make_small_index(void);
/* Like make_small_index, but without false-positive lists: documents that lack a term may pass the
 * columns of the term. */
void make_small_index_of_chances(void);

/* The path of file number `which`, from 0, among the files in "index" whose names begin with
 * `prefix`, such as "index/seg-000001". The caller frees it. */
char *index_file(const char *prefix, unsigned which);
