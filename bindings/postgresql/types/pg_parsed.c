/* pg_parsed.c: see pg_parsed.h. */
#include "bindings/postgresql/types/pg_parsed.h"

#include "common/hashfn.h"

#include "bindings/postgresql/base/pg_error.h"
#include "bindings/postgresql/base/pg_versions.h"
#include "bindings/postgresql/types/pg_stats_type.h"
#include "core/bitsift/query.h"
#include "core/bitsift/statistics.h"

/* The number of cached queries. In a join, each row may have another query; a cached query takes
 * some kilobytes. */
#define SLOTS 32

struct slot {
	uint32 hash;                   /* of datum->parts */
	struct bsp_query_datum *datum; /* a copy made by malloc; NULL if the slot is free */
	struct bs_query *query;
	struct bs_statistics *statistics;
	uint64 used; /* the clock at the last use */
};

static struct slot slots[SLOTS];
static uint64 clock; /* counts uses of slots */

static void clear(struct slot *slot)
{
	bs_query_free(slot->query);
	bs_statistics_free(slot->statistics);
	free(slot->datum);
	*slot = (struct slot){.hash = 0};
}

static void parse(struct slot *slot, const struct bsp_query_datum *datum)
{
	struct bsp_query query;
	struct bsp_query_strings strings;
	struct bs_search_request find;
	struct bs_error err = {""};
	size_t error_byte;
	bsp_query_read(datum, &query);
	bsp_query_search_request(&query, &strings, &find);
	struct bs_query_request request = {
		.query = find.query.text,
		.query_bytes = find.query.text_bytes,
		.any = find.query.any,
		.strict_query = find.query.strict,
		.stop_language = find.query.stop_language,
		.stem_language = strings.stemmer[0] ? strings.stemmer : NULL,
		.fold_accents = (query.flags & BSP_QUERY_FOLD_ACCENTS) != 0,
		.split_identifiers = (query.flags & BSP_QUERY_SPLIT_IDENTIFIERS) != 0,
		.limits = bsp_limits(),
	};
	enum bs_status status = bs_query_new(&request, &slot->query, &error_byte, &err);
	if (status)
		bsp_query_fail(status, &err, &query, error_byte);
}

static struct slot *make(const struct bsp_query_datum *datum, uint32 hash)
{
	struct slot *slot = &slots[0];
	for (int i = 1; i < SLOTS && slot->datum; i++)
		if (!slots[i].datum || slots[i].used < slot->used)
			slot = &slots[i];
	clear(slot);
	parse(slot, datum);
	slot->datum = malloc(VARSIZE(datum));
	if (!slot->datum) {
		clear(slot);
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	}
	memcpy(slot->datum, datum, VARSIZE(datum));
	slot->hash = hash;
	return slot;
}

static size_t parts_bytes(const struct bsp_query_datum *datum)
{
	return VARSIZE(datum) - offsetof(struct bsp_query_datum, parts);
}

/* True if the slot's query and `datum` parse to the same query. The index that they are bound to
 * does not matter: the query in a WHERE is not bound to an index, the same query in the ORDER BY
 * is, and both are parsed once. */
static bool is_of(const struct slot *slot, uint32 hash, const struct bsp_query_datum *datum)
{
	/* These flags say only where the analysis of the query comes from. */
	const uint8 who_says = BSP_QUERY_STATED | BSP_QUERY_BOUND;
	const struct bsp_query_datum *own = slot->datum;
	return own && slot->hash == hash && VARSIZE(own) == VARSIZE(datum) &&
	       own->version == datum->version &&
	       (own->flags | who_says) == (datum->flags | who_says) &&
	       own->stemmer_bytes == datum->stemmer_bytes && own->stop_bytes == datum->stop_bytes &&
	       own->statistics_bytes == datum->statistics_bytes &&
	       memcmp(own->parts, datum->parts, parts_bytes(datum)) == 0;
}

static struct slot *slot_of(const struct bsp_query_datum *datum)
{
	static int last;
	if (is_of(&slots[last], slots[last].hash, datum))
		return &slots[last];
	/* Throws if the datum is invalid. */
	struct bsp_query query;
	bsp_query_read(datum, &query);
	uint32 hash = hash_bytes((const unsigned char *)datum->parts, (int)parts_bytes(datum));
	for (int i = 0; i < SLOTS; i++)
		if (is_of(&slots[i], hash, datum)) {
			last = i;
			slots[i].used = ++clock;
			return &slots[i];
		}
	struct slot *slot = make(datum, hash);
	slot->used = ++clock;
	last = (int)(slot - slots);
	return slot;
}

struct bs_query *bsp_parsed(const struct bsp_query_datum *datum)
{
	return slot_of(datum)->query;
}

const struct bs_statistics *bsp_parsed_statistics(const struct bsp_query_datum *datum)
{
	struct slot *slot = slot_of(datum);
	struct bsp_query query;
	bsp_query_read(datum, &query);
	if (query.statistics_bytes == 0)
		return NULL;
	if (!slot->statistics)
		slot->statistics = bsp_stats_load(query.statistics, query.statistics_bytes);
	return slot->statistics;
}
