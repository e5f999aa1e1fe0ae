/* stats_svg.h: the contents of an index as a picture. */
#pragma once

#include <stdio.h>

#include "core/store/index_stats.h"
#include "core/store/snapshot.h"

/* Prints an SVG picture of the index: bytes by part, shards by documents and density. */
void bs_format_stats_svg(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                         FILE *out);
