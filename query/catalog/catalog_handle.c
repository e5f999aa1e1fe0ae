/* catalog_handle.c: see catalog_handle.h. */
#include "query/catalog/catalog_handle.h"

#include <stdlib.h>
#include <string.h>

#include "core/bitsift/limits.h"
#include "core/catalog/catalog_look.h"
#include "core/system/deadline.h"
#include "core/system/log.h"

enum bs_status bs_catalog_leave_out(const struct bs_catalog *catalog,
                                    struct bs_unavailable_policy *absence,
                                    const struct bs_catalog_item *item, enum bs_status status,
                                    const struct bs_error *why, struct bs_error *err)
{
	struct bs_error line;
	if (status == BS_NO_MEMORY || status == BS_INVALID || bs_deadline_ended(status))
		return bs_fail(err, status, "%s", why->text);
	if (!absence->partial)
		return bs_fail(err, status, "%s: %s; --partial %s without it", item->name,
		               why->text, absence->without);
	absence->is_absent[item - catalog->file.items] = true;
	absence->n++;
	(void)bs_fail(&line, status, "%s: %s%s", item->name, absence->not_done, why->text);
	if (absence->notice)
		absence->notice(absence->context, line.text);
	return BS_OK;
}

enum bs_status bs_catalog_look_at_all(struct bs_catalog *catalog,
                                      struct bs_unavailable_policy *absence, uint64_t *n_changed,
                                      struct bs_error *err)
{
	enum bs_status result = BS_OK;
	*n_changed = 0;
	for (size_t i = 0;
	     i < catalog->file.n_items && !result && !(result = bs_deadline_check(err)); i++) {
		struct bs_catalog_item *item = &catalog->file.items[i];
		uint64_t fingerprint[BS_CATALOG_FINGERPRINTS];
		struct bs_error why;
		/* An imported item is read again even if its fingerprint is the same. */
		bool is_same = false;
		enum bs_status status = bs_catalog_fingerprint(item->place, fingerprint, &why);
		if (!status)
			is_same =
				memcmp(fingerprint, item->fingerprint, sizeof(fingerprint)) == 0 &&
				!(item->flags & BS_CATALOG_IMPORTED);
		if (!status && !is_same)
			status = bs_catalog_look(item->place, catalog->consent, item, &why);
		*n_changed += !status && !is_same;
		catalog->is_newer |= !status && !is_same;
		if (status)
			result = bs_catalog_leave_out(catalog, absence, item, status, &why, err);
	}
	return result;
}

enum bs_status bs_catalog_limit(const struct bs_limits *all, struct bs_limits *limits,
                                struct bs_error *err)
{
	uint64_t left_ns = bs_deadline_left_ns();
	*limits = *all;
	limits->deadline_ns = left_ns < UINT64_MAX ? left_ns : 0;
	if (left_ns == 0)
		bs_deadline_give_up();
	return bs_deadline_check(err);
}

enum bs_status bs_catalog_begin_change(struct bs_catalog *catalog, bool wait, size_t n_more,
                                       struct bs_catalog_change *change, struct bs_error *err)
{
	char *lock = bs_catalog_sibling_name(catalog->name, ".lock");
	*change = (struct bs_catalog_change){.lock = {.fd = -1}};
	if (!lock)
		return bs_fail_memory(err, "a name", strlen(catalog->name));
	enum bs_status status = bs_index_lock_take(&catalog->dir, lock, wait, &change->lock, err);
	free(lock);
	if (!status)
		status = bs_catalog_file_open(&catalog->dir, catalog->name, &change->file, err);
	if (status)
		return status;
	change->items =
		malloc((change->file.n_items + n_more + 1) * sizeof(struct bs_catalog_item *));
	if (!change->items)
		return bs_fail_memory(err, "a catalog",
		                      change->file.n_items * sizeof(struct bs_catalog_item *));
	while (change->n_items < change->file.n_items) {
		change->items[change->n_items] = &change->file.items[change->n_items];
		change->n_items++;
	}
	return BS_OK;
}

enum bs_status bs_catalog_end_change(struct bs_catalog *catalog, struct bs_catalog_change *change,
                                     enum bs_status status, struct bs_error *err)
{
	struct bs_catalog_file file = {.container = NULL};
	if (!status && !change->is_none)
		status = bs_catalog_file_write(&catalog->dir, catalog->name, change->items,
		                               change->n_items, 0, err);
	if (!status)
		status = bs_catalog_file_open(&catalog->dir, catalog->name, &file, err);
	if (!status) {
		bs_catalog_file_close(&catalog->file);
		catalog->file = file;
		catalog->is_newer = false;
	}
	bs_index_lock_release(&change->lock);
	bs_catalog_file_close(&change->file);
	free(change->items);
	return status;
}

void bs_catalog_keep(struct bs_catalog *catalog)
{
	struct bs_catalog_change change;
	struct bs_error why = {""};
	if (!catalog->is_newer)
		return;
	enum bs_status status = bs_catalog_begin_change(catalog, false, 0, &change, &why);
	/* If another process has changed the list since, its version may be newer, so nothing is
	 * written. */
	bool is_same = !status && change.n_items == catalog->file.n_items;
	for (size_t i = 0; i < change.n_items && is_same; i++)
		is_same = strcmp(change.items[i]->place, catalog->file.items[i].place) == 0 &&
		          strcmp(change.items[i]->name, catalog->file.items[i].name) == 0;
	for (size_t i = 0; i < change.n_items && is_same; i++)
		change.items[i] = &catalog->file.items[i];
	if (!status && !is_same)
		status = bs_fail(&why, BS_BUSY, "changed meanwhile");
	status = bs_catalog_end_change(catalog, &change, status, &why);
	catalog->is_newer = false;
	if (status)
		bs_log_line(catalog->log, BS_LOG_INFO, "%s: what has changed is not kept: %s",
		            catalog->name, why.text);
}
