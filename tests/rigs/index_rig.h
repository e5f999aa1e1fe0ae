/*
 * index_rig.h: small indexes for the tests of what reads them, and ways to damage them. In the
 * folder of core_rig.h.
 */
#pragma once

#include "core/bitsift/build.h"
#include "indexer/run/tuning.h"
#include "tests/rigs/core_rig.h"

/* Indexes the sources (NULL-ended), quietly, with the rest of the request as given. input, if not
 * NULL, is what "-" reads. */
void index_sources(const struct bs_build_request *request, const char *const *sources,
                   const char *input);

/*
 * An index "index" with a bit of everything: two segments; of the first, a shard of columns of all
 * levels, exact columns, false positives of all other terms, and a shard of forward indexes;
 * tombstones; stored text. Its sources are "c.jsonl", "d" and "-". Some KB.
 */
void make_small_index(void);
/* The same without false positives. */
void make_small_index_of_chances(void);

/* The one file in "index" whose name begins like that: "index/seg-000001". To be freed. */
char *index_file(const char *prefix, unsigned which);
