/* engines.c: the tables of engine.h: the index kinds and the engines, in the order of the reports.
 * In engines[], each value of `every` appears first after all smaller values have appeared, because
 * compare_report.c prints the tables in this order. */
#include "bench/engine.h"

#include <string.h>

#include "bench/engine_bitsift.h"
#include "bench/engine_lucene.h"
#include "bench/tool.h"
#ifdef HAVE_ROARING
#include "bench/engine_roaring.h"
#endif
#ifdef HAVE_SQLITE
#include "bench/engine_fts5.h"
#endif
#ifdef HAVE_XAPIAN
#include "bench/engine_xapian.h"
#endif

const struct index_kind index_kinds[] = {
	{"bitsift", "bitsift, default density", false, bitsift_build},
	{"bitsift-2t", "bitsift, two threads", true, bitsift_build_two_threads},
	{"bitsift-d50", "bitsift, density 0.5", false, bitsift_build_dense},
#ifdef HAVE_ROARING
	{"croaring", "CRoaring: a bitmap a term", false, roaring_build},
#endif
	{"lucene", "Lucene, positions, frequencies, norms", false, lucene_build_positions},
	{"lucene-docs", "Lucene, documents only", false, lucene_build_documents},
	{"lucene-standard", "Lucene, positions, StandardAnalyzer on the text", true,
         lucene_build_standard},
#ifdef HAVE_SQLITE
	{"fts5-full", "FTS5, detail=full", false, fts5_build_full},
	{"fts5-column", "FTS5, detail=column", false, fts5_build_column},
	{"fts5-none", "FTS5, detail=none", false, fts5_build_none},
	{"fts5-unicode61", "FTS5, detail=full, unicode61 on the text", true, fts5_build_unicode61},
#endif
#ifdef HAVE_XAPIAN
	{"xapian", "Xapian, positions", false, xapian_build_positions},
	{"xapian-docs", "Xapian, documents only", false, xapian_build_documents},
	{"xapian-generator", "Xapian, positions, TermGenerator on the text", true,
         xapian_build_generator},
#endif
	{0},
};

const struct engine engines[] = {
	{"candidates", "bitsift", COUNT_AT_LEAST, true, false, NULL, 1, 0, filter_open, filter_ask,
         filter_close},
	{"bitsift", "bitsift", COUNT_EXACT, true, true, NULL, 1, 0, bitsift_open, bitsift_count,
         bitsift_close},
	{"bitsift-stat", "bitsift", COUNT_EXACT, true, true, NULL, 1, 0, bitsift_open,
         bitsift_count_stat, bitsift_close},
	{"bitsift-2t", "bitsift", COUNT_EXACT, true, false, "phrase2,phrase3", 1, 0, bitsift_open,
         bitsift_count_two_threads, bitsift_close},
	{"bitsift-ids", "bitsift", COUNT_EXACT, true, true, "rare,low,mid", 1, 0, bitsift_open,
         bitsift_ids, bitsift_close},
	{"candidates-d50", "bitsift-d50", COUNT_AT_LEAST, true, false, NULL, 1, 0, filter_open,
         filter_ask, filter_close},
	{"bitsift-d50", "bitsift-d50", COUNT_EXACT, true, true, NULL, 1, 0, bitsift_open,
         bitsift_count, bitsift_close},
	{"bitsift-top", "bitsift", COUNT_NONE, true, true, NULL, 2, 0, bitsift_open, bitsift_top,
         bitsift_close},
	{"bitsift-brute", "bitsift", COUNT_EXACT, true, true, NULL, 200, 0, bitsift_open,
         bitsift_brute, bitsift_close},
#ifdef HAVE_ROARING
	{"croaring", "croaring", COUNT_EXACT, false, false, NULL, 1, 0, roaring_open, roaring_ask,
         roaring_close},
#endif
	{"lucene", "lucene", COUNT_EXACT, true, true, NULL, 1, 10, lucene_open, lucene_count,
         lucene_close},
	{"lucene-docs", "lucene-docs", COUNT_EXACT, false, true, NULL, 1, 10, lucene_open,
         lucene_count, lucene_close},
	{"lucene-top", "lucene", COUNT_NONE, true, true, NULL, 2, 5, lucene_open, lucene_top,
         lucene_close},
#ifdef HAVE_SQLITE
	{"fts5-full", "fts5-full", COUNT_EXACT, true, false, NULL, 1, 0, fts5_open, fts5_ask,
         fts5_close},
	{"fts5-column", "fts5-column", COUNT_EXACT, false, false, NULL, 1, 0, fts5_open, fts5_ask,
         fts5_close},
	{"fts5-none", "fts5-none", COUNT_EXACT, false, false, NULL, 1, 0, fts5_open, fts5_ask,
         fts5_close},
#endif
#ifdef HAVE_XAPIAN
	{"xapian", "xapian", COUNT_EXACT, true, true, NULL, 1, 0, xapian_open, xapian_ask,
         xapian_close},
	{"xapian-top", "xapian", COUNT_NONE, true, true, NULL, 2, 0, xapian_open, xapian_top,
         xapian_close},
	{"xapian-docs", "xapian-docs", COUNT_EXACT, false, true, NULL, 1, 0, xapian_open,
         xapian_ask, xapian_close},
#endif
	{0},
};

const struct index_kind *index_kind_named(const char *name)
{
	for (const struct index_kind *kind = index_kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	die("%s: no such index, or its library was not there when this was built", name);
}
