/*
 * index.h: an index: building, refreshing, compacting, deleting, checking and opening it. Part of the public interface; see
 * bitsift.h.
 */
#ifndef BITSIFT_INDEX_H
#define BITSIFT_INDEX_H

#include "changes.h"
#include "host.h"
#include "limits.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why something named by a source did not become a document. The numbers are those of the file format. */
enum bs_skip {
	BS_SKIP_BINARY,     /* a NUL byte in the first 64 KiB */
	BS_SKIP_LINK,       /* a symbolic link inside a folder, broken or not: not followed */
	BS_SKIP_SPECIAL,    /* a socket, pipe or device */
	BS_SKIP_UNREADABLE, /* the operating system refused: permission, I/O error, vanished while reading */
	BS_SKIP_TOO_LARGE,  /* over the limit that the index has, at most 4 GiB; grep looks into such files */
	BS_SKIP_BAD_RECORD, /* a JSONL line that is not a JSON object, or whose id is neither string nor integer */
	BS_SKIP_NO_TEXT,    /* a JSONL record without a string to index */
	BS_SKIP_UNTRUSTED,  /* a recorded source that is not followed (bs_consent): what the index has of it stays */
	BS_SKIP_GONE,       /* a recorded source that held documents and is gone, or a folder that is empty now, as if it were not
	                     * mounted: its documents stay in the index, until it is forgotten or, with rebuild, read anew */
	BS_SKIP_HIDDEN,     /* a file in a folder that is hidden, */
	BS_SKIP_HIDDEN_FOLDER,  /* ... or a folder, which counts as one whatever it holds; the index itself is not counted */
	BS_SKIP_IGNORED,    /* a file in a folder that an ignore file or a glob leaves out, */
	BS_SKIP_IGNORED_FOLDER, /* ... or a folder, likewise */
	BS_SKIP_REASONS     /* how many reasons this header knows; a later library may know more, up to BS_SKIP_MAX */
};

#define BS_SKIP_MAX 16

/* The reason as a short phrase that fits behind a number: "binary files", or "binary file" for 1. Never NULL. */
BS_API const char *bs_skip_name(enum bs_skip reason, uint64_t n);

#define BS_SKIP_KINDS      64
#define BS_SKIP_KIND_BYTES 8

/* Binary files whose names end alike. */
struct bs_skip_kind {
	char name[BS_SKIP_KIND_BYTES]; /* "png": small letters and digits, NUL-ended */
	uint64_t n_files;              /* 0: there is no kind here, nor behind it */
};

/* What a run is at, for those who watch it. */
enum bs_build_step {
	BS_BUILD_LOOK,  /* at a sample of the sources of a new index; it counts the files on the way */
	BS_BUILD_READ,  /* one source after the other, each a step of its own */
	BS_BUILD_WRITE, /* what was read, when memory is full, and at the end; no documents are read meanwhile */
};

/* What has been done so far, and in the end what the run amounted to. */
struct bs_build_report {
	uint64_t n_docs;        /* that can be found, at the end of the run */
	uint64_t n_indexed;     /* documents read and indexed by this run */
	uint64_t n_replaced;    /* of those, records whose id came again later in their source */
	uint64_t n_kept_out;    /* of those, documents that stay deleted */
	uint64_t n_unchanged;   /* documents that the index had, and that are what they were */
	uint64_t n_renewed;     /* ... of those, indexed again: stamps proved nothing, or a collection was rewritten */
	uint64_t n_changed;     /* ... whose text is another: of a record, its line of JSON */
	uint64_t n_removed;     /* ... that are gone */
	uint64_t text_bytes;    /* of the documents indexed by this run */
	uint64_t n_terms;       /* of those: distinct words, summed over the segments */
	uint64_t n_postings;    /* of those: (document, distinct word) pairs */
	uint64_t written_bytes; /* of the segments of those */
	uint64_t n_segments, index_bytes; /* of the index, and of its files */
	uint64_t n_excluded;    /* documents that bs_index_delete keeps out */
	uint64_t n_compacted, n_moved, compacted_bytes; /* segments merged, documents moved by that, bytes written */
	uint64_t n_stayed;      /* documents that should have moved, but are not what was indexed, or take too much memory */
	uint64_t n_unread;      /* files, folders, sources not to be looked at: what the index had of them stays */
	uint64_t skipped[BS_SKIP_MAX]; /* by enum bs_skip */
	struct bs_skip_kind binary[BS_SKIP_KINDS]; /* of skipped[BS_SKIP_BINARY], those whose names end in one of the first kinds met */
	uint64_t elapsed_ns;
	enum bs_build_step step;
	uint64_t step_done, step_total; /* files of a folder, bytes of a collection, documents written; 0: not known */
	uint64_t step_ns;       /* how long that took so far */
	bool is_refresh;        /* the index was there, and is not made anew */
	bool is_committed;      /* something changed */
	bool is_shared;         /* the index may be read by others, as request->shared wished */
	char warning[256];      /* what housekeeping was not done, and why; empty: it was done */
	uint64_t reserved[3];
};

struct bs_build_tuning; /* for the project's own experiments: indexer/run/indexer.h */

#define BS_MAX_DOCUMENT_BYTES (UINT64_C(4095) << 20)

struct bs_build_request {
	/* The directory of the index, made if it is not there, as are the folders above it. NULL: the nearest .bitsift upward, as
	 * by bs_index_locate, or one in the working directory where there is none. That must not be a symbolic link:
	 * BS_UNTRUSTED. */
	const char *dir;
	struct bs_memory *memory; /* instead of a directory; dir is NULL */
	/*
	 * Files, folders, JSONL collections (*.jsonl, *.ndjson), or "-" for JSONL on file descriptor 0. They are added to
	 * those recorded in the index, and refreshed; the recorded ones stay unchanged. n_sources == 0: all recorded
	 * ones are refreshed (also with shared, and where nothing can be kept: words cut by other rules). What
	 * lies in a recorded folder that has it is a part of it, and only that part is looked at; a folder takes in what was
	 * recorded inside of it and what it has. With rebuild, these must be sources of the index: see there.
	 *
	 * A new source is called as it is spelled here, without leading "./" and trailing "/"; or, if dir is NULL, by where
	 * it is: from the folder that holds the index, or absolute if it lies elsewhere.
	 */
	const char *const *sources;
	size_t n_sources;
	/* Sources to be forgotten, with their documents: by their places, whether there is something still or not. If there are
	 * no others, nothing is looked at. BS_INVALID: one of them is no source of the index. */
	const char *const *forget;
	size_t n_forget;

	/* Options that are recorded with the index. If none of them is set, an index that exists keeps its own, with rebuild, too,
	 * if its manifest can be read. If one is, they must be those it was made with, or rebuild must be set. */
	bool words;                     /* index words, for bs_find */
	bool grams;                     /* index the files' grams, for bs_grep; neither of the two: both, but of collections that are
	                                 * sources only in an index that has a folder or file, too, or was once asked for grams */
	const char *stem_language;      /* a Snowball stemmer, "english"; NULL: words are indexed as they are */
	bool fold_accents;              /* cafe finds café */
	bool split_identifiers;         /* parts of identifiers are words, too: HTTPServer2 is found by server */
	const char *const *weights;     /* JSONL: fields whose words count more than once in scores, "title=3"; NULL-ended; from 1 to 100 */
	bool hidden;                    /* folders: hidden files too */
	bool no_ignore;                 /* folders: .gitignore, .ignore and .rgignore do not count */
	bool binary_as_text;            /* folders: files with NUL bytes too */
	uint64_t max_document_bytes;    /* larger ones are skipped; 0: 256 MiB; at most BS_MAX_DOCUMENT_BYTES */
	const char *id_field;           /* JSONL: the field that names a record; NULL: "id" */
	const char *const *text_fields; /* JSONL: fields to index ("title", "author.name"), NULL-ended; NULL: all */
	const char *const *globs;       /* folders: as ripgrep's -g, a NULL-ended list; NULL: every file */
	/* Folders: which files are read record by record beside *.jsonl and *.ndjson, as a .gitignore has it, below each folder;
	 * NULL-ended; NULL: no others. One whose first line is no JSON object is a file all the same. */
	const char *const *records;
	bool no_records;                /* folders: none are. An index that was made before there was a choice keeps to that */
	bool store;                     /* the texts of files and records are kept in the index, so that nobody need read them again: they
	                                 * are shown and verified as they were indexed, as long as their sources are what they were */
	double density;                 /* share of set bits, 0.05 to 0.6: less is faster and larger; 0: 0.3 */

	/* What the index lacks is told by a summary of it (bitsift/bloom.h): an absent word seems to be there at this rate, 1e-6 to
	 * 0.5; 0: as it was, or 0.01; below 0: no summary. Recorded with the index, and to be changed by any run. */
	double summary_rate;

	/* Options of this run. */
	/* Without sources, or with all of them: everything is indexed again, with new options, or after damage. With some of
	 * the recorded sources: they are read again, whatever their stamps say, and all others stay unchanged; documents from
	 * standard input replace all earlier ones from there. Then options that decide what the index has of every source
	 * (all but hidden, no_ignore, binary_as_text, globs, records and no_records) must be those it was made with. If the index is
	 * damaged or missing, nothing can be kept: it is made of these sources, which must be all that it had. */
	bool rebuild;
	bool strict;           /* stop at the first bad JSONL record */
	bool wait;             /* for another writer to be done; else BS_BUSY */
	bool names_hidden;     /* skipped is called for what is hidden or ignored, too */
	bool shared;           /* readable for others, as the umask has it, if every source is: see bs_index_build */
	uint64_t memory_bytes; /* to work with; 0: 1 GiB; less than 16 MiB counts as that */
	uint32_t n_threads;    /* 0: one a processor; more than 64 count as 64. The index does not depend on it */

	/* Called often; return 0 to go on, anything else stops the run with BS_STOPPED. A read of standard input that a
	 * signal handler interrupts asks, too. NULL: not called. so_far->n_docs is not known yet. */
	int (*progress)(void *context, const struct bs_build_report *so_far);
	/* Called for everything that is left out, with one printable line ("notes/a.txt: Permission denied"); for what is
	 * hidden or ignored, of which there may be much, only with names_hidden. NULL: not called; the report counts them all
	 * the same. */
	void (*skipped)(void *context, enum bs_skip reason, const char *message);
	/* Called with a printable line when recorded sources are taken in by another, or get other rules from the rebuild of another;
	 * and at the end for each of weights that is of a field which no record has. NULL: not called. */
	void (*notice)(void *context, const char *message);
	void *context;
	const struct bs_consent *consent;
	const struct bs_analyzer *analyzer; /* NULL: the library's rules */
	const struct bs_limits *limits;     /* NULL: none */
	const struct bs_log *log;           /* NULL: none */
	const struct bs_text_provider *texts; /* of documents that are not stored: they are moved by compaction, and made anew by
	                                       * rebuild, if it has them; else they stay as they are, and rebuild fails */
	const struct bs_build_tuning *tuning; /* NULL */
	bool condensed; /* beside each segment that is written, the same condensed (bs_memory_restore in bitsift/writer.h): an index in memory
	                 * alone; it goes when the segment does. Not recorded */
	uint64_t reserved[3];
};

/*
 * Makes an index, or refreshes the one in request->dir: takes the writer's lock, looks at its sources, reads what is
 * new or changed, writes new files beside the old ones and commits by replacing the manifest; then compacts a little,
 * if it is time to. Until then, and whatever happens (a crash too), the old index stays as it was, and those who have
 * it open keep what they opened. Equal input and options give equal bytes.
 *
 * A source that held documents and is gone, or is a folder without any entry but the index, as if its file system were not
 * mounted, keeps its documents; skipped is called with BS_SKIP_GONE and a line that says so. Where everything would be read
 * again (rebuild without sources; another version of Unicode), its documents are made anew from their stored texts; where
 * these are not stored, or the source cannot be read, the run fails.
 *
 * BS_OK: committed, even if documents were skipped or some could not be read (n_unread). Otherwise nothing changed, and
 * *report_out says how far it came, and a directory that the run itself made is gone again: BS_INVALID (an option out of its range or unlike the recorded ones, an unknown
 * stemmer, no source given or recorded, with rebuild one that is not recorded, with strict a bad record), BS_BUSY (another
 * writer), BS_NOT_FOUND (no source could be read; one that everything would be read of again is gone), BS_IO, BS_CORRUPT (of the old index: rebuild mends it), BS_STOPPED, BS_UNSUPPORTED (the old index is
 * of a newer format, or its words were cut by another analyzer), BS_DEADLINE, BS_UNTRUSTED (the old index; or everything would have to be read again, and a source is not
 * followed), BS_NO_MEMORY.
 *
 * The directory and its files are for their owner alone, unless shared is set and every source may be read by its group
 * or by others: each file read or found unchanged, each collection, and each folder named as a source, by its own mode.
 * Standard input, a source that is not there or not followed, or a file that cannot be read counts as one that may not.
 *
 * report_out may be NULL. Any number of threads and processes may build different indexes at once, and open this one.
 * To know a folder's files as ripgrep does, the environment's HOME and XDG_CONFIG_HOME are read, for git's excludes.
 */
BS_API enum bs_status bs_index_build(const struct bs_build_request *request, struct bs_build_report *report_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Everything that compaction can do, which a refresh does in small steps: few large segments instead of many small
 * ones, and deleted documents gone. Matches stay what they are; scores move as deleted documents no longer count.
 * Documents whose sources changed since they were indexed, or are not followed, are left as they are. Of the request,
 * dir, wait, memory_bytes, n_threads, consent and the callbacks count. Files stay as private as the index was. Returns
 * as bs_index_build; BS_NOT_FOUND: there is no index. */
BS_API enum bs_status bs_index_compact(const struct bs_build_request *request, struct bs_build_report *report_out,
                                       struct bs_error *err) BS_WARN_UNUSED;

struct bs_delete_request {
	const char *dir;
	struct bs_memory *memory; /* instead; dir is NULL */
	const struct bs_text_provider *texts; /* the query: of documents that are not stored */
	/* The documents of one of these local ids (struct bs_find_hit), or where none has it, of that id, in whatever source; or,
	 * if there is a query, */
	const char *const *ids;
	size_t n_ids;
	const char *query;      /* those that bs_find would find by it; NULL: ids */
	size_t query_bytes;
	bool any;               /* the query: documents with any of the words, not all */
	bool undo;              /* of the documents that are deleted: they are so no longer */
	bool dry_run;           /* nothing is written */
	bool wait;              /* for another writer to be done; else BS_BUSY */
	/* As for bs_find, and a line for each id that nothing bears. */
	void (*notice)(void *context, const char *message);
	/* Called for each of the documents, in document order, before anything is done. NULL: not called. */
	void (*document)(void *context, const char *local_id, size_t local_id_bytes);
	/* Called with how many there are, if any, before they are deleted; return 0 to go on, anything else ends it with
	 * BS_STOPPED. Nobody else can write the index until it returns. NULL, and with dry_run: not called. */
	int (*confirm)(void *context, uint64_t n_documents);
	void *context;
	const struct bs_consent *consent; /* by ids, only the question about owners is asked */
	const struct bs_analyzer *analyzer; /* with a query, as that of bs_open_request */
	const struct bs_limits *limits;
	const struct bs_log *log;
	uint64_t reserved[6];
};

struct bs_delete_result {
	uint64_t n_deleted;    /* with undo: that were deleted; with dry_run: that would be, or would be no longer. 0: nothing was done */
	struct bs_changes changes; /* with a query */
	uint64_t n_unreadable; /* as that of bs_find: they may match, and stay */
	uint64_t n_to_read;    /* undo: of them, documents that the index does not hold any more: the next bs_index_build reads them */
	uint64_t n_lost;       /* undo: of them, those that came from standard input: they have to be given again */
	size_t error_byte;     /* as that of bs_find */
	uint64_t reserved[3];
};

/* Deletes documents, and commits. They stay deleted, though their sources still have them, until they have changed, or
 * undo takes that back: then they are found again at once if compaction has not removed them.
 * BS_INVALID (the query does not parse, or something in it may mean something else than it seems, as with strict_query of bs_find),
 * BS_NOT_FOUND (no index), BS_BUSY, BS_STOPPED, BS_CORRUPT, BS_IO, BS_UNTRUSTED,
 * BS_UNSUPPORTED, BS_DEADLINE, BS_NO_MEMORY: nothing is deleted. result_out may be NULL. */
BS_API enum bs_status bs_index_delete(const struct bs_delete_request *request, struct bs_delete_result *result_out,
                                      struct bs_error *err) BS_WARN_UNUSED;

struct bs_check_request {
	const char *dir;
	struct bs_memory *memory; /* instead; dir is NULL */
	const struct bs_consent *consent; /* only the question about owners is asked */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t total_bytes); /* comes often; NULL: not called */
	void *context;
	const struct bs_limits *limits; /* NULL: none */
	uint64_t reserved[4];
};

struct bs_check_report {
	uint64_t n_docs; /* that can be found */
	uint64_t n_segments;
	uint64_t n_bytes; /* of all the files */
	uint64_t reserved[5];
};

/* Reads every byte of the last commit: is it what the format says it must be? Sources are not read. BS_CORRUPT with the
 * file and what is wrong with it; BS_NOT_FOUND, BS_IO, BS_UNSUPPORTED, BS_UNTRUSTED, BS_NO_MEMORY as bs_index_open.
 * report_out may be NULL. */
BS_API enum bs_status bs_index_check(const struct bs_check_request *request, struct bs_check_report *report_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* An opened index: the commit that was the last one when it was opened. Immutable; threads share it without locking. */
struct bs_index;

struct bs_open_request {
	const char *dir;
	struct bs_memory *memory; /* instead; dir is NULL */
	const struct bs_text_provider *texts; /* of documents that are not stored. NULL: such that must be read cannot be */
	const char *kernel; /* the SIMD code to use, a name of bs_kernel_names; NULL: the best of this machine */
	const struct bs_consent *consent;
	/* Look at every source: the handle answers for what the sources hold now, documents that are new or changed
	 * since the commit included. Those are read for every query, so build when there are many. Nothing is
	 * written. */
	bool fresh;
	bool verbose; /* notice is called for each */
	/* With fresh, nullable: gets a printable line for each source, file or record that should be a document and
	 * cannot be read; of many such for the first BS_FIND_TOLD_UNREADABLE, and a number; the index's word of it stays
	 * (n_unread of bs_index_describe). */
	void (*notice)(void *context, const char *message);
	void *context;
	/* NULL; or the one that the index was made with, which the handle keeps: it must outlive that, as log must. */
	const struct bs_analyzer *analyzer;
	const struct bs_limits *limits; /* of opening; NULL: none */
	const struct bs_log *log;       /* of opening, and of all queries; NULL: none */
	uint64_t reserved[8];
};

/* The files are mapped, their structure is checked now and their contents on first touch. *index_out is the caller's,
 * for bs_index_close; NULL on failure: BS_NOT_FOUND (no index there), BS_CORRUPT, BS_UNSUPPORTED (a newer format, an
 * unknown kernel), BS_IO, BS_INVALID (it has grams alone, and no words), BS_UNTRUSTED (another user's), BS_NO_MEMORY.
 * bs_index_open: without consent. */
BS_API enum bs_status bs_index_open(const char *dir, const char *kernel, struct bs_index **index_out,
                                    struct bs_error *err) BS_WARN_UNUSED;
BS_API enum bs_status bs_index_open_with(const struct bs_open_request *request, struct bs_index **index_out,
                                         struct bs_error *err) BS_WARN_UNUSED;

/* After all its finders have been freed, with no other thread using it. NULL is fine. */
BS_API void bs_index_close(struct bs_index *index);

/* The nearest .bitsift of the working directory and its parents, as a path for bs_index_open; release it with free().
 * BS_NOT_FOUND (*dir_out is NULL), BS_UNTRUSTED (it is a symbolic link), BS_IO, BS_NO_MEMORY. */
BS_API enum bs_status bs_index_locate(char **dir_out, struct bs_error *err) BS_WARN_UNUSED;

/* The strings are borrowed until the index is closed. */
struct bs_index_info {
	uint64_t n_docs;     /* that can be found */
	uint64_t n_deleted;  /* deleted or replaced, but still in the index; scores count them */
	uint64_t n_segments;
	uint64_t generation; /* of the commit: 1, 2, ... */
	/* The words of the index were cut by other rules than those of this library: by an earlier version of it, or of ICU or
	 * Unicode. They may differ from those of a query, so that every search of words reads every document: which match is
	 * exact, but scores go by what the index has. The next bs_index_build renews it; a writer does not. */
	bool is_other_unicode;
	const char *icu_version, *unicode_version; /* with which it was made */
	const char *kernel;                        /* in use */
	/* Opened fresh: files, folders and sources that could not be looked at, and of these the sources that are not
	 * followed: answers may be incomplete. */
	uint64_t n_unread, n_unfollowed;
	uint64_t reserved[6];
};

/* Never fails. */
BS_API void bs_index_describe(const struct bs_index *index, struct bs_index_info *info_out);

/* One of the index's sources. Borrowed until the index is closed. */
struct bs_source_info {
	const char *kind;  /* "folder", "file", "collection", "stdin" */
	const char *label; /* as it was named; "" for "." */
	const char *path;  /* absolute, or from the folder that holds the index */
	uint64_t reserved[5];
};

/* The i-th, from 0. False: there are not so many. */
BS_API bool bs_index_source(const struct bs_index *index, size_t i, struct bs_source_info *info_out);

/* The kernels that this machine can run, best first: fills at most capacity names (of static storage; names may be NULL
 * if capacity is 0) and returns how many there are, at least 1. */
BS_API size_t bs_kernel_names(const char **names, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif
