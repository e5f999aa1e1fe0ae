/* catalog_handle.h: an open catalog (bitsift/catalog.h) from within. */
#pragma once

#include "core/bitsift/limits.h"
#include "core/catalog/catalog_file.h"
#include "core/file/dir.h"
#include "core/store/index_dir.h"

struct bs_catalog {
	/* of the file and of each index; this and the next ones are borrowed, nullable */
	const struct bs_consent *consent;
	const struct bs_analyzer *analyzer;
	const char *kernel;
	const struct bs_log *log;
	struct bs_dir dir;           /* that the file is in */
	char *name;                  /* of the file */
	struct bs_catalog_file file; /* whose items are looked at anew where they have changed */
	bool is_newer;               /* than the file, some item */
};

/* What becomes of indexes that cannot be asked. */
struct bs_catalog_absence {
	/* each is left out with a notice; else the first is a failure */
	bool partial;
	/* of the failure: what --partial does without the index */
	const char *without;
	/* of the notice: "not asked: ", for example */
	const char *not_done;
	void (*notice)(void *context, const char *message); /* nullable */
	void *context;
	bool *is_absent; /* one for each item */
	uint64_t n;
};

/* Leaves out an index for which status was returned. BS_NO_MEMORY, BS_INVALID, BS_DEADLINE and
 * BS_STOPPED concern the whole call, and are returned; without partial, every status is. */
enum bs_status bs_catalog_leave_out(const struct bs_catalog *catalog,
                                    struct bs_catalog_absence *absence,
                                    const struct bs_catalog_item *item, enum bs_status status,
                                    const struct bs_error *why,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Looks at each index that has another fingerprint than the catalog knows, and leaves out those
 * that cannot be looked at. */
enum bs_status bs_catalog_look_at_all(struct bs_catalog *catalog,
                                      struct bs_catalog_absence *absence, uint64_t *n_changed_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* What is left of the limits of a call, for a search that is a part of it; its context is that of
 * the call. BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_catalog_limit(const struct bs_limits *all, struct bs_limits *limits_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Writes what is newer than the file, if nobody else is writing and it can be written. */
void bs_catalog_keep(struct bs_catalog *catalog);

/* A change of the file: it is read again once nobody else writes it, and items is the list that is
 * to be written. */
struct bs_catalog_change {
	struct bs_index_lock lock;
	struct bs_catalog_file file;
	struct bs_catalog_item **items; /* of the file, and those that are added */
	size_t n_items;
	bool is_none; /* nothing is to be written */
};

/* Begins a change, with room for n_more items, and one. wait: for another writer; else BS_BUSY.
 * bs_catalog_end_change must follow, whatever is returned. */
enum bs_status bs_catalog_begin_change(struct bs_catalog *catalog, bool wait, size_t n_more,
                                       struct bs_catalog_change *change,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Writes the list, unless status says that the change failed, and opens it in place of what the
 * catalog had. */
enum bs_status bs_catalog_end_change(struct bs_catalog *catalog, struct bs_catalog_change *change,
                                     enum bs_status status, struct bs_error *err) BS_WARN_UNUSED;
