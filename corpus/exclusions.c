/* exclusions.c: see exclusions.h. */
#include "corpus/exclusions.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

/* By source and name; a record without id is named by its line. */
static uint64_t record_hash(const struct bs_doc_record *record)
{
	uint64_t line = record->flags & BS_DOC_NAMED_BY_LINE ? record->place[2] : 0;
	return bs_hash_mix(bs_checksum(record->name, record->name_bytes) + bs_hash_mix(line) + record->source);
}

static bool is_same(const struct bs_doc_record *a, const struct bs_doc_record *b)
{
	bool is_by_line = a->flags & BS_DOC_NAMED_BY_LINE;
	if (a->source != b->source || is_by_line != ((b->flags & BS_DOC_NAMED_BY_LINE) != 0) ||
	    a->name_bytes != b->name_bytes || (is_by_line && a->place[2] != b->place[2]))
		return false;
	return a->name_bytes == 0 || memcmp(a->name, b->name, a->name_bytes) == 0;
}

enum bs_status bs_exclusions_init(struct bs_exclusions *exclusions, const struct bs_snapshot *snapshot,
                                  struct bs_error *err)
{
	uint32_t n = snapshot->exclusions.n_docs;
	*exclusions = (struct bs_exclusions){0};
	exclusions->entries = calloc((size_t)n + 1, sizeof(*exclusions->entries));
	if (!exclusions->entries)
		return bs_fail_memory(err, "exclusions", ((size_t)n + 1) * sizeof(*exclusions->entries));
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < n && !status; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		status = bs_doc_table_get(&snapshot->exclusions, i, &entry->record, err);
		if (!status)
			status = bs_id_set_add(&exclusions->ids, record_hash(&entry->record), (struct bs_id_place){0, i}, err);
		exclusions->n_entries += !status;
	}
	if (status)
		bs_exclusions_deinit(exclusions);
	return status;
}

void bs_exclusions_deinit(struct bs_exclusions *exclusions)
{
	free(exclusions->entries);
	bs_id_set_deinit(&exclusions->ids);
	*exclusions = (struct bs_exclusions){0};
}

void bs_exclusions_keep(struct bs_exclusions *exclusions, uint32_t i)
{
	exclusions->entries[i].state = BS_EXCLUSION_UNCHANGED;
}

void bs_exclusions_meet(struct bs_exclusions *exclusions, const struct bs_doc_record *record, struct bs_id_place place)
{
	if (exclusions->n_entries == 0)
		return;
	uint64_t hash = record_hash(record);
	uint64_t cursor = hash;
	struct bs_id_place *found;
	while ((found = bs_id_set_next(&exclusions->ids, hash, &cursor)) != NULL) {
		struct bs_exclusion *entry = &exclusions->entries[found->document];
		if (!is_same(&entry->record, record))
			continue;
		entry->state = BS_EXCLUSION_MET;
		entry->met = *record;
		entry->place = place;
		return;
	}
}

enum bs_status bs_exclusions_settle(struct bs_exclusions *exclusions, uint32_t source, bool is_whole,
                                    struct bs_claims *claims, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < exclusions->n_entries && !status; i++) {
		struct bs_exclusion *entry = &exclusions->entries[i];
		if (entry->record.source != source)
			continue;
		bool is_over = entry->state == BS_EXCLUSION_UNSEEN && is_whole;
		if (entry->state == BS_EXCLUSION_MET && entry->met.checksum == entry->record.checksum) {
			/* The same content at another place, or under another stamp. */
			struct bs_doc_record moved = entry->met;
			moved.name = entry->record.name;
			entry->record = moved;
			exclusions->is_changed = true;
			status = bs_claims_kill(claims, entry->place, err);
		} else if (entry->state == BS_EXCLUSION_MET) {
			is_over = true;
		}
		exclusions->is_changed |= is_over;
		if (is_over)
			entry->state = BS_EXCLUSION_OVER;
	}
	return status;
}

enum bs_status bs_exclusions_record(const struct bs_exclusions *exclusions, struct bs_doc_table_builder *records,
                                    struct bs_error *err)
{
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < exclusions->n_entries && !status; i++)
		if (exclusions->entries[i].state != BS_EXCLUSION_OVER)
			status = bs_doc_table_add(records, &exclusions->entries[i].record, err);
	return status;
}
