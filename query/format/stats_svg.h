/* stats_svg.h: what an index is made of, as a picture. */
#pragma once

#include <stdio.h>

#include "core/store/index_stats.h"
#include "core/store/snapshot.h"

/* An SVG picture: bytes by part, shards by documents and density. */
void bs_format_stats_svg(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                         FILE *out);
