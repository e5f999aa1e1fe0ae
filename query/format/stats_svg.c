/* stats_svg.c: draws an index, 880 units wide: the bytes of each part as bars; below, the shards of
 * each segment. The width of a shard shows the number of its documents, and its darkness the
 * density of its columns. */
#include <math.h>
#include <stdio.h>

#include "query/format/stats_svg.h"
#include "query/options/command_line.h"

#define WIDTH      880
#define LEFT       190
#define BAR_WIDTH  480
#define ROW_HEIGHT 22

static void put_label(FILE *out, double x, int y, const char *anchor, const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
	        text);
}

/* One colour each for the parts of words, the parts of grams, and the other parts. */
static const char *part_color(int part)
{
	return part < BS_FIRST_GRAM_PART    ? "#2b6cb0"
	       : part < BS_FIRST_OTHER_PART ? "#2f855a"
	                                    : "#718096";
}

static int draw_parts(FILE *out, const struct bs_index_stats *stats, int y)
{
	uint64_t most = 1;
	for (int part = 0; part < BS_PARTS; part++)
		most = stats->parts[part] > most ? stats->parts[part] : most;
	for (int part = 0; part < BS_PARTS; part++) {
		char label[64];
		double width = (double)stats->parts[part] / (double)most * BAR_WIDTH;
		if (stats->parts[part] == 0)
			continue;
		snprintf(label, sizeof(label), "%s, %.1f %%", BS_BYTES(stats->parts[part]),
		         (double)stats->parts[part] / (double)stats->n_bytes * 100);
		put_label(out, LEFT - 8, y + 15, "end", bs_part_name((enum bs_part)part));
		fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>\n",
		        LEFT, y + 3, fmax(width, 1), part_color(part));
		put_label(out, LEFT + width + 8, y + 15, "start", label);
		y += ROW_HEIGHT;
	}
	return y;
}

/* Draws a shard. Its density is that of the coarsest level or, if that is 0, of the finest level
 * with columns. A shard of forward indexes has no columns and is drawn empty. */
static void draw_shard(FILE *out, const struct bs_shard_stats *shard, uint32_t number, double x,
                       double width, int y)
{
	double density = shard->n_levels > 0 ? shard->density[shard->n_levels - 1] : 0;
	for (uint32_t l = 0; l < shard->n_levels; l++)
		density = shard->n_columns[l] > 0 && density <= 0 ? shard->density[l] : density;
	fprintf(out,
	        "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"#2b6cb0\" "
	        "fill-opacity=\"%.3f\" "
	        "stroke=\"#2d3748\" stroke-width=\"0.5\"><title>shard %u: %s, %s "
	        "%.3f</title></rect>\n",
	        x, y + 3, fmax(width, 0.5), fmin(density * 1.6, 1), number,
	        BS_THINGS(shard->n_docs, "document"),
	        shard->n_levels > 0 ? "density" : "forward indexes", density);
}

static int draw_segments(FILE *out, const struct bs_snapshot *snapshot,
                         const struct bs_index_stats *stats, int y)
{
	uint64_t most = 1;
	for (uint32_t s = 0; s < stats->n_segments; s++)
		most = snapshot->segments[s].meta.n_docs > most ? snapshot->segments[s].meta.n_docs
		                                                : most;
	for (uint32_t s = 0; s < stats->n_segments; s++) {
		if (!bs_snapshot_has_words(snapshot, s))
			continue;
		char label[64];
		double x = LEFT;
		snprintf(label, sizeof(label), "seg-%06llu",
		         (unsigned long long)snapshot->manifest.segments[s].number);
		put_label(out, LEFT - 8, y + 15, "end", label);
		for (uint32_t i = 0; i < snapshot->segments[s].meta.n_shards; i++) {
			const struct bs_shard_stats *shard = &stats->segments[s].shards[i];
			double width = (double)shard->n_docs / (double)most * BAR_WIDTH;
			draw_shard(out, shard, i, x, width, y);
			x += width;
		}
		put_label(out, x + 8, y + 15, "start",
		          BS_THINGS(snapshot->segments[s].meta.n_docs, "document"));
		y += ROW_HEIGHT;
	}
	return y;
}

static int draw_heading(FILE *out, const char *text, int y)
{
	fprintf(out, "<text x=\"12\" y=\"%d\" font-weight=\"bold\">%s</text>\n", y + 20, text);
	return y + 30;
}

void bs_format_stats_svg(const struct bs_snapshot *snapshot, const struct bs_index_stats *stats,
                         FILE *out)
{
	int n_parts = 0;
	for (int part = 0; part < BS_PARTS; part++)
		n_parts += stats->parts[part] > 0;
	int height = 80 + ROW_HEIGHT * (n_parts + (int)stats->n_segments);
	int y = 4;
	char title[160];
	fprintf(out,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
	        "0 %d %d\" "
	        "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
	        "height=\"100%%\" fill=\"white\"/>\n",
	        WIDTH, height, WIDTH, height);
	snprintf(title, sizeof(title),
	         "%s, %s: bytes of words (blue), of grams (green), of all else (grey)",
	         BS_BYTES(stats->n_bytes), BS_THINGS(snapshot->totals.n_live_docs, "document"));
	y = draw_heading(out, title, y);
	y = draw_parts(out, stats, y);
	y = draw_heading(out, "Segments and their shards: width is documents, darkness is density",
	                 y);
	draw_segments(out, snapshot, stats, y);
	fputs("</svg>\n", out);
}
