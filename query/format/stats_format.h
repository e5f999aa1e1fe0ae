/* stats_format.h: what an index is made of, as text and as JSON.
 * cmd_stats.c writes it out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/store/index_stats.h"
#include "core/store/snapshot.h"
#include "corpus/changes/fresh.h"

/* A few lines for anyone. age_seconds: since the last commit; since: changes of the sources;
 * shows_all: every field that has values, however many. */
void bs_format_stats_summary(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                             int64_t age_seconds, const struct bs_freshened *since, bool shows_all,
                             FILE *out);

/* Several lines for a person, at most 80 columns wide unless paths are long. */
void bs_format_stats_text(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                          FILE *out);

/* One JSON object and a line feed. */
void bs_format_stats_json(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                          FILE *out);
