/* catalog_handle.h: the internals of an open catalog (bitsift/catalog.h). */
#pragma once

#include "core/bitsift/limits.h"
#include "core/catalog/catalog_file.h"
#include "core/file/dir.h"
#include "core/store/index_dir.h"

struct bs_catalog {
	/* The consent to the catalog file and to each index. Borrowed; nullable. */
	const struct bs_consent *consent;
	/* The application's analyzer, for indexes that were made with it. Borrowed; nullable. */
	const struct bs_analyzer *analyzer;
	const char *kernel;       /* The name of the kernel to use. Borrowed; NULL: the best. */
	const struct bs_log *log; /* Receives log lines. Borrowed; nullable. */
	struct bs_dir dir;        /* The folder of the catalog file. */
	char *name;               /* The name of the catalog file in `dir`. */
	/* The content of the catalog file, with the items of changed indexes read again. */
	struct bs_catalog_file file;
	bool is_newer; /* Some item is newer than the catalog file on disk. */
};

/* How a call treats indexes that are unavailable. */
struct bs_unavailable_policy {
	/* Unavailable indexes are left out, each with a notice. False: the first one fails the
	 * call. */
	bool partial;
	/* A verb for the failure's message: "searches" in "--partial searches without it". */
	const char *without;
	/* For the notice: its beginning, such as "not searched: ". */
	const char *not_done;
	void (*notice)(void *context, const char *message); /* Receives the notices; nullable. */
	void *context;
	/* The caller's array, initially all false. For each item of the catalog: it was left
	 * out. */
	bool *is_absent;
	uint64_t n; /* The number of indexes left out. */
};

/* Leaves out an index that failed with `status`. Returns `status` instead if `partial` is false, or
 * if the status concerns the whole call: BS_NO_MEMORY, BS_INVALID, BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_catalog_leave_out(const struct bs_catalog *catalog,
                                    struct bs_unavailable_policy *absence,
                                    const struct bs_catalog_item *item, enum bs_status status,
                                    const struct bs_error *why,
                                    struct bs_error *err) BS_WARN_UNUSED;
/* Reads again the items whose indexes have other fingerprints than the catalog, and all imported
 * items. *n_changed_out: their number. Leaves out indexes that cannot be read. Fails like
 * bs_catalog_leave_out, or if the deadline is over. */
enum bs_status bs_catalog_look_at_all(struct bs_catalog *catalog,
                                      struct bs_unavailable_policy *absence,
                                      uint64_t *n_changed_out, struct bs_error *err) BS_WARN_UNUSED;
/* Sets *limits_out to the limits for a part of a call: those of the call, with the time that is
 * left. BS_DEADLINE, BS_STOPPED. */
enum bs_status bs_catalog_limit(const struct bs_limits *all, struct bs_limits *limits_out,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Writes items that are newer than the catalog file to it, if no other writer is active and the
 * file is writable. Errors are only logged. */
void bs_catalog_keep(struct bs_catalog *catalog);

/* A change of the catalog file, which is locked and read again. `items` is the list to write. */
struct bs_catalog_change {
	struct bs_index_lock lock;
	struct bs_catalog_file file;
	struct bs_catalog_item **items; /* The items of the file, and added ones. */
	size_t n_items;
	bool is_none; /* There is nothing to write. */
};

/* Begins a change. `items` has room for n_more added items. wait: waits for another writer, instead
 * of returning BS_BUSY. bs_catalog_end_change must follow, even after a failure. */
enum bs_status bs_catalog_begin_change(struct bs_catalog *catalog, bool wait, size_t n_more,
                                       struct bs_catalog_change *change,
                                       struct bs_error *err) BS_WARN_UNUSED;
/* Unless status is a failure, writes `items` (not if is_none is set) and reads the file into the
 * catalog. Ends the change in any case. Returns status if that is a failure. */
enum bs_status bs_catalog_end_change(struct bs_catalog *catalog, struct bs_catalog_change *change,
                                     enum bs_status status, struct bs_error *err) BS_WARN_UNUSED;
