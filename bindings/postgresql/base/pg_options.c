/* pg_options.c: see pg_options.h. */
#include "bindings/postgresql/base/pg_options.h"

#include "access/reloptions.h"

#define DEFAULT_PENDING_KB 1024

static relopt_kind kind;

/* Checks only the length; the library checks whether the stemmer exists when the index is built. */
static void check_stemmer(const char *value)
{
	if (value && strlen(value) > 31)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		                errmsg("there is no stemmer \"%s\"", value)));
}

void bsp_options_init(void)
{
	kind = add_reloption_kind();
	add_string_reloption(kind, "stemmer", "words are indexed by their stems in this language",
	                     NULL, check_stemmer, AccessExclusiveLock);
	add_bool_reloption(kind, "fold_accents", "cafe finds café", false, AccessExclusiveLock);
	add_bool_reloption(kind, "split_identifiers", "parts of identifiers are words, too", false,
	                   AccessExclusiveLock);
	add_bool_reloption(kind, "grams", "LIKE and regular expressions are answered, too", false,
	                   AccessExclusiveLock);
	add_int_reloption(kind, "pending_limit",
	                  "kB of rows that wait to become a part of the index", DEFAULT_PENDING_KB,
	                  64, 256 * 1024, ShareUpdateExclusiveLock);
	add_bool_reloption(kind, "condensed",
	                   "pages have what the cache can be made of, and no more", true,
	                   ShareUpdateExclusiveLock);
}

bytea *bsp_amoptions(Datum reloptions, bool validate)
{
	static const relopt_parse_elt elements[] = {
		{"stemmer", RELOPT_TYPE_STRING, offsetof(struct bsp_options, stemmer_offset)},
		{"fold_accents", RELOPT_TYPE_BOOL, offsetof(struct bsp_options, fold_accents)},
		{"split_identifiers", RELOPT_TYPE_BOOL,
	         offsetof(struct bsp_options, split_identifiers)},
		{"grams", RELOPT_TYPE_BOOL, offsetof(struct bsp_options, grams)},
		{"pending_limit", RELOPT_TYPE_INT, offsetof(struct bsp_options, pending_limit)},
		{"condensed", RELOPT_TYPE_BOOL, offsetof(struct bsp_options, condensed)},
	};
	return build_reloptions(reloptions, validate, kind, sizeof(struct bsp_options), elements,
	                        lengthof(elements));
}

size_t bsp_pending_limit(Relation index)
{
	const struct bsp_options *options = (const struct bsp_options *)index->rd_options;
	return (size_t)(options ? options->pending_limit : DEFAULT_PENDING_KB) * 1024;
}

bool bsp_condenses(Relation index)
{
	const struct bsp_options *options = (const struct bsp_options *)index->rd_options;
	return !options || options->condensed;
}

const char *bsp_stemmer(Relation index)
{
	const struct bsp_options *options = (const struct bsp_options *)index->rd_options;
	return options && options->stemmer_offset ? (const char *)options + options->stemmer_offset
	                                          : "";
}
