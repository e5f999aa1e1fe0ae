/* catalog_handle.h: the internals of an open catalog (bitsift/catalog.h). */
#pragma once

#include "core/bitsift/limits.h"
#include "core/catalog/catalog_file.h"
#include "core/file/dir.h"
#include "core/store/index_dir.h"

struct bs_catalog {
	/* For the catalog file and each index. This and the next three members are borrowed and
	 * nullable. */
	const struct bs_consent *consent;
	const struct bs_analyzer *analyzer;
	const char *kernel;
	const struct bs_log *log;
	struct bs_dir dir;           /* The folder of the file. */
	char *name;                  /* The name of the file in that folder. */
	struct bs_catalog_file file; /* Its items are read again from indexes that have changed. */
	bool is_newer;               /* Some item is newer than the file on disk. */
};

/* How a call treats indexes that are unavailable. */
struct bs_catalog_absence {
	/* Such indexes are left out, each with a notice; otherwise the first one fails the call. */
	bool partial;
	/* For the failure's message: what --partial does without the index. */
	const char *without;
	/* For the notice: its beginning, such as "not asked: ". */
	const char *not_done;
	void (*notice)(void *context, const char *message); /* Receives the notices; nullable. */
	void *context;
	bool *is_absent; /* Whether each item of the catalog was left out. */
	uint64_t n;
};

/* Leaves out an index because of a status. BS_NO_MEMORY, BS_INVALID, BS_DEADLINE and BS_STOPPED
 * concern the whole call and are returned; without `partial`, every status is. */
enum bs_status bs_catalog_leave_out(const struct bs_catalog *catalog,
                                    struct bs_catalog_absence *absence,
                                    const struct bs_catalog_item *item, enum bs_status status,
                                    const struct bs_error *why,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Reads the items of indexes whose fingerprints differ from the catalog's again, and leaves out
 * indexes that cannot be read. */
enum bs_status bs_catalog_look_at_all(struct bs_catalog *catalog,
                                      struct bs_catalog_absence *absence, uint64_t *n_changed_out,
                                      struct bs_error *err) BS_WARN_UNUSED;
/* The limits for a search that is part of a call: what remains of the call's limits, with the same
 * context. BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_catalog_limit(const struct bs_limits *all, struct bs_limits *limits_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Writes newer items to the file, if no other writer is active and the file is writable. Errors are
 * only logged. */
void bs_catalog_keep(struct bs_catalog *catalog);

/* A change of the file: it is locked and read again, and `items` is the list to write. */
struct bs_catalog_change {
	struct bs_index_lock lock;
	struct bs_catalog_file file;
	struct bs_catalog_item **items; /* The items of the file, and added ones. */
	size_t n_items;
	bool is_none; /* There is nothing to write. */
};

/* Begins a change, with room for n_more items and one extra. wait: wait for another writer, instead
 * of returning BS_BUSY. bs_catalog_end_change must follow, even after a failure. */
enum bs_status bs_catalog_begin_change(struct bs_catalog *catalog, bool wait, size_t n_more,
                                       struct bs_catalog_change *change,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Writes the list, unless status is a failure, and replaces the catalog's content by it. Returns
 * status if that is a failure. */
enum bs_status bs_catalog_end_change(struct bs_catalog *catalog, struct bs_catalog_change *change,
                                     enum bs_status status, struct bs_error *err) BS_WARN_UNUSED;
