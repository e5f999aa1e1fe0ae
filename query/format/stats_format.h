/* stats_format.h: the contents of an index as text and as JSON. Called by cmd_stats.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/store/index_stats.h"
#include "core/store/snapshot.h"
#include "corpus/changes/fresh.h"

/* Prints a summary of a few lines. age_seconds: the time since the last commit. since: what changed
 * in the sources since then. shows_all: lists every field that has values, not only the first
 * few. */
void bs_format_stats_summary(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                             int64_t age_seconds, const struct bs_fresh_counts *since,
                             bool shows_all, FILE *out);

/* Prints details as text, in at most 80 columns unless paths are long. */
void bs_format_stats_text(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                          FILE *out);

/* Prints the contents of the index as a JSON object and a line feed. */
void bs_format_stats_json(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                          FILE *out);
