/* pg_analysis.c: see pg_analysis.h. */
#include "bindings/postgresql/storage/pg_analysis.h"

#include "catalog/pg_class.h"
#include "utils/memutils.h"

#include "bindings/postgresql/base/pg_options.h"
#include "bindings/postgresql/storage/pg_page.h"

/* Takes the analysis from the options of CREATE INDEX, for a partitioned index, which has no pages.
 * Its partitions inherit these options. */
static void analysis_of_options(Relation index, struct bsp_analysis *out)
{
	const struct bsp_options *options = (const struct bsp_options *)index->rd_options;
	*out = (struct bsp_analysis){.stemmer = ""};
	strlcpy(out->stemmer, bsp_stemmer(index), sizeof(out->stemmer));
	if (!options)
		return;
	out->fold_accents = options->fold_accents;
	out->split_identifiers = options->split_identifiers;
	out->grams = options->grams;
}

void bsp_index_analysis(Relation index, struct bsp_analysis *out)
{
	if (index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX) {
		analysis_of_options(index, out);
		return;
	}
	if (!index->rd_amcache) {
		union bsp_meta_copy *copy = palloc(sizeof(*copy));
		bsp_meta_read(index, copy);
		struct bsp_analysis *analysis =
			MemoryContextAllocZero(index->rd_indexcxt, sizeof(*analysis));
		strlcpy(analysis->stemmer, copy->meta.stemmer, sizeof(analysis->stemmer));
		analysis->fold_accents = copy->meta.fold_accents;
		analysis->split_identifiers = copy->meta.split_identifiers;
		analysis->grams = copy->meta.grams;
		index->rd_amcache = analysis;
		pfree(copy);
	}
	*out = *(struct bsp_analysis *)index->rd_amcache;
}
