/* parsed.c: see parsed.h. */
#include "parsed.h"

#include "common/hashfn.h"

#include "error.h"
#include "stats_type.h"
#include "versions.h"

/* A query of a join may come with many; each takes some kilobytes. */
#define SLOTS 32

struct slot {
	uint32 hash;
	uint32 n_bytes;
	char *bytes; /* of the datum behind its length; NULL: the slot is free */
	struct bs_query *query;
	struct bs_statistics *statistics;
	uint64 used;         /* when it was asked for last */
	int matches_nothing; /* -1: not known */
};

static struct slot slots[SLOTS];
static uint64 clock;

static void clear(struct slot *slot)
{
	bs_query_free(slot->query);
	bs_statistics_free(slot->statistics);
	free(slot->bytes);
	*slot = (struct slot){.matches_nothing = -1};
}

static void parse(struct slot *slot, const struct bsp_query_datum *datum)
{
	struct bsp_query query;
	struct bsp_query_strings strings;
	struct bs_find_request find;
	struct bs_error err = {""};
	size_t error_byte;
	bsp_query_read(datum, &query);
	bsp_query_find_request(&query, &strings, &find);
	struct bs_query_request request = {
		.query = find.query,
		.query_bytes = find.query_bytes,
		.any = find.any,
		.strict_query = find.strict_query,
		.stop_language = find.stop_language,
		.stem_language = strings.stemmer[0] ? strings.stemmer : NULL,
		.fold_accents = (query.flags & BSP_QUERY_FOLD_ACCENTS) != 0,
		.split_identifiers = (query.flags & BSP_QUERY_SPLIT_IDENTIFIERS) != 0,
		.limits = bsp_limits(),
	};
	enum bs_status status = bs_query_new(&request, &slot->query, &error_byte, &err);
	if (status)
		bsp_query_fail(status, &err, &query, error_byte);
}

static struct slot *make(const struct bsp_query_datum *datum, uint32 hash, uint32 n_bytes)
{
	struct slot *slot = &slots[0];
	for (int i = 1; i < SLOTS && slot->bytes; i++)
		if (!slots[i].bytes || slots[i].used < slot->used)
			slot = &slots[i];
	clear(slot);
	parse(slot, datum);
	slot->bytes = malloc(n_bytes);
	if (!slot->bytes) {
		clear(slot);
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	}
	memcpy(slot->bytes, &datum->version, n_bytes);
	slot->hash = hash;
	slot->n_bytes = n_bytes;
	return slot;
}

static bool is_of(const struct slot *slot, uint32 hash, const struct bsp_query_datum *datum, uint32 n_bytes)
{
	return slot->bytes && slot->hash == hash && slot->n_bytes == n_bytes &&
	       memcmp(slot->bytes, &datum->version, n_bytes) == 0;
}

static struct slot *slot_of(const struct bsp_query_datum *datum)
{
	static int last;
	uint32 n_bytes = (uint32)(VARSIZE(datum) - offsetof(struct bsp_query_datum, version));
	uint32 hash = slots[last].hash;
	if (is_of(&slots[last], hash, datum, n_bytes))
		return &slots[last];
	hash = hash_bytes((const unsigned char *)&datum->version, (int)n_bytes);
	for (int i = 0; i < SLOTS; i++)
		if (is_of(&slots[i], hash, datum, n_bytes)) {
			last = i;
			slots[i].used = ++clock;
			return &slots[i];
		}
	struct slot *slot = make(datum, hash, n_bytes);
	slot->used = ++clock;
	last = (int)(slot - slots);
	return slot;
}

struct bs_query *bsp_parsed(const struct bsp_query_datum *datum)
{
	return slot_of(datum)->query;
}

bool bsp_matches_nothing(const struct bsp_query_datum *datum)
{
	struct slot *slot = slot_of(datum);
	if (slot->matches_nothing < 0) {
		struct bs_text none = {.text = ""};
		struct bs_query_result result;
		struct bs_error err;
		enum bs_status status = bs_query_match(slot->query, &none, 1, &result, &err);
		bsp_check(status, &err, NULL);
		slot->matches_nothing = result.is_match;
	}
	return slot->matches_nothing;
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
