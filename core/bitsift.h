/*
 * bitsift.h: exact full-text search without an inverted index. The whole public interface of libbitsift.
 *
 *      bs_index_build    sources -> an index, which is a directory; again: a refresh of it
 *      bs_index_delete, bs_index_compact, bs_index_check   the rest of its life
 *      bs_index_open     an index -> a handle, immutable and shared by any number of threads
 *      bs_finder_new     what one thread needs to search, besides the handle
 *      bs_find           a query -> hits, through a callback
 *      bs_document       an id -> the texts of that document
 *      bs_grep           regular expressions -> lines of files, with an index or without
 *
 * Documents from memory, and indexes in memory: bitsift/writer.h. Candidates for a host that verifies itself:
 * bitsift/candidates.h.
 *
 * What words, queries, ids, scores and "changed" mean is in bitsift-index(1) and bitsift-query(1); the library and the
 * program give the same answers. Link with bitsift::bitsift (CMake) or `pkg-config --cflags --libs bitsift`.
 *
 * The rules that hold everywhere:
 *
 * - The library never prints, never exits and installs no signal handlers. It keeps no global state but ICU's.
 * - A function that can fail returns enum bs_status and takes, last, a struct bs_error, or NULL.
 * - Zero is the default of every field of the request structs. The reserved fields must stay zero, or BS_UNSUPPORTED:
 *   later versions put them to use. Pointers in a request are borrowed until the function returns.
 * - Strings are NUL-ended UTF-8, paths NUL-ended bytes; where a length stands beside them, any bytes, not NUL-ended.
 * - A relative path counts from the working directory, now and for as long as what was opened by it stays open.
 * - Sources are read, never mapped: one that is truncated or fails meanwhile is changed, or cannot be read, and that is
 *   all. The files of an index are mapped. Nothing of bitsift truncates or rewrites one, it only replaces or unlinks
 *   them, which a mapping outlives. Should someone else truncate one that is open, or its disk fail, the thread that
 *   touches it gets SIGBUS. The program catches that, prints what it has, and ends; a host that wants to outlive it
 *   needs a handler of its own, or keeps the index where nobody else writes.
 * - Callbacks run on the thread that called, but those of bs_grep, and where a struct says otherwise (bs_limits, bs_log, bs_analyzer,
 *   bs_text_provider, bs_consent). They must return normally (no longjmp, no C++ exception), and must not use the same finder or
 *   writer. What they are given is borrowed until they return. context is handed to them.
 * - Different objects may be used by different threads at once. What one object allows stands with its functions.
 */
#ifndef BITSIFT_H
#define BITSIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version of this header. The library in use may be a later one: bs_version. */
#define BS_VERSION       "0.1.0"
#define BS_VERSION_MAJOR 0
#define BS_VERSION_MINOR 1
#define BS_VERSION_PATCH 0

#if defined(__GNUC__)
#define BS_API         __attribute__((visibility("default")))
#define BS_WARN_UNUSED __attribute__((warn_unused_result))
#define BS_PRINTF(format_index, args_index) __attribute__((format(printf, format_index, args_index)))
#else
#define BS_API
#define BS_WARN_UNUSED
#define BS_PRINTF(format_index, args_index)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library, "0.1.0". Before 1.0, it fits a program built for the same major and minor number. */
BS_API const char *bs_version(void);

enum bs_status {
	BS_OK = 0,
	BS_INVALID,     /* the caller's input makes no sense: a bad option, a query that does not parse */
	BS_NO_MEMORY,
	BS_IO,          /* the operating system said no: open, read, write, disk full */
	BS_NOT_FOUND,   /* the thing named is not there */
	BS_CORRUPT,     /* a file is not what its checksums or its format say it must be */
	BS_UNSUPPORTED, /* a file of a newer format, an unknown kernel, a missing ICU service */
	BS_BUSY,        /* another writer holds the lock */
	BS_STOPPED,     /* a callback asked to stop */
	BS_UNTRUSTED,   /* another user's, or where nobody has consented that it be read: struct bs_consent */
	BS_DEADLINE,    /* the call took as long as it may: struct bs_limits */
};

/* One line of text without a line feed, cut at 511 bytes, at a UTF-8 boundary if it was UTF-8, that names the thing
 * that failed: "mail.jsonl:812: not valid JSON: unterminated string". It means something only after a failure. */
struct bs_error {
	char text[512];
};

/* The status as a short lower-case phrase ("corrupt"), for logs. Never NULL. */
BS_API const char *bs_status_name(enum bs_status status);

/* Writes the message into err (nothing if err is NULL) and returns status: `return bs_fail(err, BS_IO, "%s: %s", path,
 * why);`. What a terminal might obey (a file name may hold a line feed, an escape, a mark of direction) is written as
 * \xNN. bs_fail_memory: BS_NO_MEMORY, naming what was being allocated and how many bytes. */
BS_API enum bs_status bs_fail(struct bs_error *err, enum bs_status status, const char *format, ...) BS_PRINTF(3, 4);
BS_API enum bs_status bs_fail_memory(struct bs_error *err, const char *what, unsigned long long wanted_bytes);

/*
 * What ends a call before it is done; NULL in a request, or zero: nothing. Every call that may take long looks at it about
 * each millisecond, but for what the operating system, or a callback, takes for itself; for one step of a pattern, which may look
 * through a whole line, or with is_multi_line a whole file (a millisecond for a MB, and not begun if twice the time left is not
 * enough); and for bringing hits into order, where a million of them are wanted (less than a second). Nothing is half done then: what
 * bs_index_build promises of a failure holds, and a finder is fit for the next search. What was handed to a callback
 * before, hits or lines, is right. A call that a callback makes without limits of its own has those of the call around it.
 */
struct bs_limits {
	uint64_t deadline_ns;       /* from the beginning of the call: then it ends with BS_DEADLINE. 0: none */
	const volatile int *cancel; /* not 0: it ends with BS_STOPPED. Any thread, or a signal handler, may set it at any time; NULL: none */
	/* Return 0 to go on, anything else ends the call with BS_STOPPED. Asked about each millisecond by any thread that
	 * works for the call, one at a time. NULL: not called. */
	int (*stop)(void *context);
	void *context;
	/* bs_find, bs_grep: what was found until then is the answer: BS_OK, with is_partial in the result. To hand hits out then takes
	 * up to a quarter of the time that went before, or a millisecond. */
	bool partial;
	/* bs_find: what the finder may hold for queries, its memory from earlier ones included, which it gives back if that
	 * is more. One that needs more ends with BS_NO_MEMORY, and a message that names the limit. 0: none. */
	uint64_t memory_bytes;
	uint64_t reserved[4];
};

/* What the library does on its own, or what takes long, for whoever keeps a log. */
enum bs_log_level {
	BS_LOG_DEBUG = 0, /* each query and what it cost, each step of a build */
	BS_LOG_INFO,      /* an index is opened, committed, compacted */
	BS_LOG_WARNING,   /* a slow query, an answer that is cut off, a source that cannot be read, housekeeping not done */
};

struct bs_log {
	/* One printable line. On any thread that uses what the log was given to, and several at once if they do. */
	void (*line)(void *context, enum bs_log_level level, const char *line);
	void *context;
	enum bs_log_level least; /* lower ones are not made */
	uint64_t slow_ns;        /* a query, or grep, that takes longer is a warning; 0: none is */
	uint64_t reserved[4];
};

/*
 * Cuts texts into words, in place of the library's rules. The index records its name, and is built on, searched and
 * compacted only with an analyzer of that name: BS_UNSUPPORTED. So another name is due when it cuts otherwise. Words have
 * neither stems nor folded accents then, but those that it gives them: with stem_language, fold_accents or
 * split_identifiers it is BS_INVALID.
 */
struct bs_analyzer {
	const char *name; /* 1 to 63 of a-z, A-Z, 0-9, ".", "_", "-" */
	/*
	 * Calls emit for each word, in the order of their positions, and returns 0; or what emit returned, at once, if that is not
	 * 0; anything else is a failure: BS_IO, of which the message names the analyzer. term: what the word is indexed as and
	 * compared by, in UTF-8, at least one byte. [start, stop): the bytes of the text that it stands in, in ascending order of
	 * start. Other words are BS_INVALID. Equal texts must give equal words. The text is as it stands in the source, or in a word or
	 * phrase of a query, and need not be UTF-8. On any thread, and several at once.
	 */
	int (*cut)(void *context, const uint8_t *text, size_t text_bytes,
	           int (*emit)(void *emit_context, const uint8_t *term, size_t term_bytes, size_t start, size_t stop),
	           void *emit_context);
	void *context;
	uint64_t reserved[4];
};

/*
 * An index is a directory that may have come with an archive or lie in a shared place: what it says is done only as far
 * as its reader consents. Without a word from the caller (NULL, or all zero):
 *
 * - The directory and each file in it must belong to the effective user or to root: else BS_UNTRUSTED.
 * - Sources in the folder that holds the index directory, links resolved, are followed; others are not opened, read or
 *   stat'ed. Their documents stay in the index, are in no answer, and count as unreadable where they might have
 *   matched. A build reads the sources that its own request names, wherever they are, but the index does not make this
 *   consent last.
 *
 * So a program that indexes sources elsewhere passes its consent when it builds and when it opens: with all set, if its
 * indexes lie where only it can write. The callbacks are asked only when the answer is not yes without them; dir is the
 * canonical path of the index directory. NULL answers no. They may be called by any thread that opens an index or makes
 * a finder. The struct must outlive what is opened with it.
 */
struct bs_consent {
	bool all; /* every index, every source */
	/* May the index be used, though it or a file in it belongs to this user? */
	bool (*trusts)(void *context, const char *dir, unsigned owner);
	/* May the source be read that the index has recorded at path, absolute, not resolved, outside of its own
	 * folder? */
	bool (*follows)(void *context, const char *dir, const char *path);
	/* A build's request named that source, so that follows may say yes from now on. Before the index records it. */
	void (*named)(void *context, const char *dir, const char *path);
	void *context;
	uint64_t reserved[4];
};

/* An index that is no directory: its files are in memory. See bitsift/writer.h. */
struct bs_memory;

/* One named text of a document. Any bytes, not NUL-ended. */
struct bs_text {
	const char *field;
	size_t field_bytes;
	const char *text;
	size_t text_bytes;
};

/*
 * Gives the texts of documents that the index does not store (struct bs_writer_request), as they are now. What a query can decide by the
 * index alone is answered for the texts that were added, without asking; a text that is read counts as it is. texts: 0, and *texts_out is borrowed until the next call on this thread; 1: there is no such document any
 * more; anything else: it cannot be read. It must be given to whoever opens the index, and must outlive what is opened. It
 * is called by the thread that searches; if any_thread is set, and n_threads of a search is not 1, by several at once.
 */
struct bs_text_provider {
	int (*texts)(void *context, const char *id, size_t id_bytes, const struct bs_text **texts_out, size_t *n_texts_out);
	void *context;
	bool any_thread;
	uint64_t reserved[2];
};

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
	BS_SKIP_GONE,       /* a recorded source that is not there any more, told of by the build that finds that out */
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
	/* The directory of the index, made if it is not there (its parent must be). NULL: the nearest .bitsift upward, as
	 * by bs_index_locate, or one in the working directory where there is none. That must not be a symbolic link:
	 * BS_UNTRUSTED. */
	const char *dir;
	struct bs_memory *memory; /* instead of a directory; dir is NULL */
	/*
	 * Files, folders, JSONL collections (*.jsonl, *.ndjson), or "-" for JSONL on file descriptor 0. They are added to
	 * those recorded in the index, and looked at; the recorded ones stay as they were. n_sources == 0: all recorded
	 * ones are looked at (as they are with shared, and where nothing can be kept: another version of Unicode). What
	 * lies in a recorded folder that has it is a part of it, and only that part is looked at; a folder takes in what was
	 * recorded inside of it and what it has. With rebuild, the index has these sources and no others.
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
	bool rebuild;          /* index everything again: with new options, or after damage */
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
	/* Called with a printable line when recorded sources become others: taken in, or none any more; and at the end for each of
	 * weights that is of a field which no record has. NULL: not called. */
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
 * BS_OK: committed, even if documents were skipped or some could not be read (n_unread). Otherwise nothing changed, and
 * *report_out says how far it came, and a directory that the run itself made is gone again: BS_INVALID (an option out of its range or unlike the recorded ones, an unknown
 * stemmer, no source given or recorded, with strict a bad record), BS_BUSY (another writer), BS_NOT_FOUND (no source
 * could be read), BS_IO, BS_CORRUPT (of the old index: rebuild mends it), BS_STOPPED, BS_UNSUPPORTED (the old index is
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

/* Files that a search met and that are not what was indexed, each counted once in the life of a finder. */
struct bs_changes {
	uint64_t n_changed, n_gone;
	char example[256]; /* the path of the first, printable, cut if it is long; empty: there is none */
	uint64_t reserved[4];
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
	/* The index was made with another ICU or Unicode version than this library has. Its words may differ from those
	 * of a query, so that every search reads every document: right, but slow. To mend it, build with rebuild. */
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

/* Text of strangers on its way to a terminal or into JSON. bs_visible_next: the code point at *at < text_bytes, and *at
 * moved past it; negative for an invalid sequence, which it moves over as a whole. bs_visible_is_obeyed: control
 * characters (C0, DEL, C1), and the marks that show what follows in another direction. bs_visible_escape_next: puts the
 * next character into out, as it is, or, where a terminal might obey it, as \xNN for each of its bytes, and returns how
 * many bytes that are; bytes that are not UTF-8 stay, unless they are C1 by themselves. */
#define BS_VISIBLE_MOST_BYTES 16
BS_API int32_t bs_visible_next(const uint8_t *text, size_t text_bytes, size_t *at);
BS_API bool bs_visible_is_obeyed(int32_t code_point);
BS_API size_t bs_visible_escape_next(const uint8_t *text, size_t text_bytes, size_t *at,
                                     char out[BS_VISIBLE_MOST_BYTES + 1]);

/* The kernels that this machine can run, best first: fills at most capacity names (of static storage; names may be NULL
 * if capacity is 0) and returns how many there are, at least 1. */
BS_API size_t bs_kernel_names(const char **names, size_t capacity);

/* All that is written while searching. One thread at a time may use it; it may pass from one to another. It keeps its
 * memory for the next search, and what it learnt of sources that changed since they were indexed: where those go on
 * changing, make a new one now and then. A collection that only grew is read once for all finders of an index, each time
 * that it has grown. */
struct bs_finder;

/* *finder_out is the caller's, for bs_finder_free; NULL on failure: BS_NO_MEMORY, BS_UNSUPPORTED (ICU has no data for
 * it), BS_CORRUPT, BS_IO. The index must stay open for longer. */
BS_API enum bs_status bs_finder_new(const struct bs_index *index, struct bs_finder **finder_out, struct bs_error *err)
	BS_WARN_UNUSED;
/* NULL is fine. */
BS_API void bs_finder_free(struct bs_finder *finder);

#define BS_QUERY_MAX_BYTES      (1u << 20) /* longest query text */
#define BS_FIND_TOLD_UNREADABLE 3u

enum bs_find_mode {
	BS_FIND_TOP = 0, /* the best n_best hits by BM25, best first, equal ones in document order */
	BS_FIND_IDS,     /* every hit, in document order, not scored */
	BS_FIND_COUNT,   /* only how many: the hit callback is not called */
};

/*
 * A line of a document in which words of the query stand, or as much of it as has them within 160 columns; and of the next
 * lines, what has other words of the query. Words of a phrase count where the phrase stands, those for a field in that field.
 */
struct bs_passage {
	uint64_t line;   /* 1, 2, ...: of a file, where the first of the words stands; of a record, its line in the collection; 0:
	                  * the document could not be read again */
	uint64_t column; /* 1, 2, ...: in that line; of a record, in the text of the field. In UTF-8, of files in UTF-16 too */
	uint64_t start_byte; /* from the first of the words, */
	uint64_t stop_byte;  /* to the end of the last one: of the file; of a record, of the text of the field */
	const char *field;   /* of a record: its name; of a file of no bytes. Not NUL-ended, as text below */
	size_t field_bytes;
	const char *text;    /* the lines that the words stand in as one, of about 160 columns around them; as a snippet, without marks */
	size_t text_bytes;
	uint64_t reserved[2];
};

struct bs_find_hit {
	uint64_t rank;       /* BS_FIND_TOP: 1, 2, ...; else 0 */
	double score;        /* BS_FIND_TOP: > 0, or 0 if the query has no positive word, or hits are sorted; else 0 */
	const char *id;      /* any bytes, not NUL-ended */
	size_t id_bytes;
	const char *local_id; /* the id as `bitsift query --ids` prints it: of a file, its path; of a record, its id */
	size_t local_id_bytes;
	const char *path;    /* the file its text stands in, openable from the working directory, and relative to that if it lies
	                      * below, or both lie in the folder of the index; "-": in the index */
	const char *snippet; /* valid UTF-8, not NUL-ended, without control characters but the marks; of a record one line, of
	                      * a file lines with a line feed between; of no bytes unless asked for; NULL: the text is gone */
	size_t snippet_bytes;
	bool is_changed;     /* the text that snippet and passages are from is not what was indexed */
	bool is_candidate;   /* with candidates: it only may match */
	uint64_t document;   /* a number that no other document of this opened index has */
	const struct bs_passage *passages; /* if asked for: all, in the order of the text */
	size_t n_passages;
	struct bs_passage best; /* if asked for: one that the snippet shows, with most distinct words; or the beginning */
	const char *value;   /* with sort_field: the value that counts, a number as JSON has it or a date as 2024-05-17T08:30:59Z,
	                      * NUL-ended; NULL: it has none */
	bool is_date;        /* it is one */
	uint64_t reserved[6];
};

struct bs_statistics;
struct bs_hit_batch; /* bitsift/candidates.h */

struct bs_find_request {
	/* In the query language of bitsift-query(1), at most BS_QUERY_MAX_BYTES. Any bytes: what is not UTF-8 counts as
	 * U+FFFD. */
	const char *query;
	size_t query_bytes;
	enum bs_find_mode mode;
	size_t n_best;   /* BS_FIND_TOP: how many; 0: 10 */
	size_t offset;   /* BS_FIND_TOP, BS_FIND_IDS: so many hits before them are passed over: page after page, each hit comes once */
	bool any;        /* documents with any of the words, not all */
	bool strict_query; /* what notice_query would be called for is an error: BS_INVALID, with its place */
	/* Words that do not score and, with any, do not match, while the query has others: the list of that name, which can be
	 * "english"; and these, in UTF-8, where a # begins a line that is a remark, and a | the rest of a line. NULL: none. */
	const char *stop_language;
	const char *stop_words;
	size_t stop_words_bytes;
	/* The words that are typical of so many of the best documents count beside the query, by weights of their own: documents
	 * that have one of them match, too, unless the query excludes them. 0: none are taken. */
	size_t feedback_docs;
	/* Likewise the words of a document, by its id as bs_delete_request has it, which is no hit itself; or those of a text.
	 * The query may then be without words, and not with feedback_docs. */
	const char *like_id;
	const char *like_text;
	size_t like_text_bytes;
	/* Scores are by these instead of what this index says, and their fields are fields here, too (bitsift/query.h): borrowed until
	 * bs_find returns. BS_INVALID: they do not name a word of the query that scores; or with feedback_docs, like_id or
	 * like_text. NULL: by this index. */
	const struct bs_statistics *statistics;
	bool approx;     /* BS_FIND_TOP: verify only the candidates that look best; a notice says how many */
	bool brute;      /* read every document instead of using the index: the same answer, for comparison */
	/* BS_FIND_IDS, BS_FIND_COUNT: no text is read and no file looked at. Hits are all documents that the index does not rule out; of
	 * each it says whether it only may match. What is certain, is so of the texts that were indexed. BS_INVALID with what reads texts: brute,
	 * feedback_docs, like_id, like_text. */
	bool candidates;
	bool no_stat;    /* take the index at its word: no file is looked at unless its text is needed. What is read counts as it is */
	bool exhaustive; /* BS_FIND_TOP: score every match, where bounds leave most unseen: n_hits is exact. BS_FIND_COUNT: by the columns,
	                  * where the lexicon knows the number */
	bool verbose;    /* notice is called for every file that changed or cannot be read; result.changes counts them */
	bool suggest;    /* nothing matches: notice is called for words that are not in the index, with one much like it */
	bool snippets;   /* BS_FIND_TOP: with some text around the words found: of a file whole lines, where they are short enough */
	bool passages;   /* BS_FIND_TOP: with the places where words of the query stand */
	uint32_t n_threads; /* that read texts, where many must be read; 0: one a processor; 1: the caller's; more than 64 count as 64. The
	                     * others live for as long as they read. Callbacks are on the caller's; nothing else depends on it */
	/* BS_FIND_TOP: not the best by score, but the first in the order of the numbers and dates in this field of records, numbers
	 * before dates: of several values by the least, or, descending, by the greatest. Documents without one come last, equal
	 * ones in document order. NULL: by score. */
	const char *sort_field;
	bool sort_descending;
	uint32_t snippet_columns; /* of a snippet's lines at most, as a terminal shows them; 0: 160 */
	const char *mark_start; /* in a snippet, written before and after each word found; NULL: nothing */
	const char *mark_stop;
	bool explain_bars; /* what explain is called with has bars, for a terminal */

	/*
	 * Which documents may be hits; without, all may. Of others no text is read. Lists are NULL-ended. Nothing of this
	 * changes a score.
	 */
	const char *const *globs;     /* paths of hits that match, as ripgrep's -g has it; with "!" in front, none of those */
	const char *const *types;     /* files of these types of ripgrep's */
	const char *const *type_nots; /* no files of these */
	const char *const *places;    /* files and folders: what is there, or below */
	/* Dates in ISO 8601, in UTC unless they say otherwise, or ages (90s, 30m, 2h, 3d, 2w): files that were changed then or
	 * later, and files that were changed earlier, by the times that the index has recorded; or, */
	const char *newer, *older;
	const char *date_field; /* records with such a date in this field; NULL: the file's time counts */

	/* Called for each hit after the search is done; return 0 to go on. Anything else ends it with BS_STOPPED. Not
	 * NULL, unless mode is BS_FIND_COUNT. */
	int (*hit)(void *context, const struct bs_find_hit *hit);
	/* BS_FIND_IDS: called instead of hit, with many at once, which takes a fraction of the time. NULL: hit is. */
	int (*batch)(void *context, const struct bs_hit_batch *batch);
	/* Called with one printable line for what the user should know: a document that cannot be read (the first
	 * BS_FIND_TOLD_UNREADABLE in the life of a finder); with verbose, every document that cannot be read, and every file
	 * that has changed since it was indexed or is gone. NULL: not called. */
	void (*notice)(void *context, const char *message);
	/* ... and for what in the query may mean something else than it seems: a field that is none, `or` in lower case, a
	 * bracket that is never closed, a word without letters that is ignored; at most five times. NULL: notice is. */
	void (*notice_query)(void *context, const char *message);
	/* Called with lines of text on how the query is answered, before and after the search. NULL: not made. */
	void (*explain)(void *context, const char *text, size_t text_bytes);
	void *context;
	const struct bs_limits *limits; /* NULL: none */
	/* The query asks for words in this field alone, and names none: what looks like a field or a range is text. BS_NOT_FOUND: no
	 * document has a field of that name. NULL: for words of all fields, or of those that it names. */
	const char *field;
	uint64_t reserved[7];
};

enum bs_stage {
	BS_STAGE_PARSE,
	BS_STAGE_PLAN,
	BS_STAGE_SCAN,
	BS_STAGE_RANK,
	BS_STAGE_VERIFY,
	BS_STAGES,
};

/* What a search cost: the whole funnel from lines read to hits. */
struct bs_query_stats {
	uint64_t stage_ns[BS_STAGES]; /* without the callbacks for hits */
	uint64_t total_ns;            /* their sum */
	uint64_t lines_read;      /* lines of 64 bytes read from the columns of the index */
	uint64_t document_lines;  /* those of document and exact columns among them */
	uint64_t asked;           /* rows whose lists of rare terms were looked into */
	uint64_t blocks_live;     /* blocks of 512 documents with a candidate */
	uint64_t candidates;      /* documents that passed the filter and are not deleted */
	uint64_t blocks_skipped;  /* ranking: passed over with their slab: nothing there could be among the best */
	uint64_t blocks_weighed;  /* ranking: live blocks whose documents were weighed, 512 at a time */
	uint64_t blocks_dropped;  /* those of them that hold none of the best, by their weights */
	uint64_t scored;          /* documents whose scores, or bounds of them, were worked out from the index */
	uint32_t planes;          /* ranking: bits of a sum of weights; 0: nothing was weighed */
	double threshold;         /* ranking: the score of the last of the best; 0: there are fewer than wanted */
	uint64_t verified;        /* documents whose text was read */
	uint64_t hits;
	uint64_t false_positives; /* verified, and no hit */
	uint64_t bytes_verified;  /* of their texts; of a record that fails unparsed, of its line */
	uint64_t reserved[8];
};

struct bs_find_result {
	uint64_t n_hits;       /* exactly, of matching documents; BS_FIND_TOP: of those found on the way to the best,
	                        * at least as many as were shown: most need not be looked at */
	bool is_at_least;      /* BS_FIND_TOP: there may be more than n_hits */
	bool is_partial;       /* a limit ended it (partial): there may be more hits, and better ones; n_hits is a lower bound */
	uint64_t n_candidates; /* with candidates: of n_hits, those that only may match */
	uint64_t n_unreadable; /* documents that might match but could not be read: n_hits is then a lower bound */
	struct bs_changes changes;
	size_t error_byte;     /* BS_INVALID: where in the query the error stands, 0..query_bytes; SIZE_MAX: nowhere */
	struct bs_query_stats stats;
	uint64_t reserved[8];
};

/*
 * Runs one query: the hits are exactly the documents that match, as they are now if their sources have changed. They
 * are those of the index's commit; a document that is not in it is not found, unless the index was opened fresh.
 *
 * BS_INVALID (the query does not parse or is empty: err says why, result_out->error_byte where; or no callback for
 * hits, a bad glob, an unknown type, a date that is none, a field to sort by that has no numbers or dates), BS_NOT_FOUND
 * (nothing of a place is in the index, no document has like_id, no such field), BS_STOPPED, BS_DEADLINE, BS_CORRUPT, BS_UNSUPPORTED, BS_IO, BS_NO_MEMORY.
 * The finder is fit for the next search after any
 * of them. Hits that were handed out before a failure are hits. result_out may be NULL.
 */
BS_API enum bs_status bs_find(struct bs_finder *finder, const struct bs_find_request *request,
                              struct bs_find_result *result_out, struct bs_error *err) BS_WARN_UNUSED;

/*
 * The texts of the document that bears this id, as they are now: of a file one, of a field without name; of a record or a given
 * document the fields that are indexed, dots between names. The id is one of a given document, or else as those of
 * bs_delete_request: for the first of these the finder passes by all documents, and keeps some nine bytes of each, by which it
 * looks up the others; of several that have it this is the first. *is_changed_out (nullable): it is not what was indexed.
 * *texts_out is borrowed until the finder is used next. BS_NOT_FOUND: no document has that id, or its source is gone; BS_IO: it
 * cannot be read, or may not be; BS_CORRUPT, BS_NO_MEMORY; within a callback of a call with limits, BS_DEADLINE, BS_STOPPED.
 */
BS_API enum bs_status bs_document(struct bs_finder *finder, const char *id, size_t id_bytes, const struct bs_text **texts_out,
                                  size_t *n_texts_out, bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;
/* The same of a document by its number (struct bs_find_hit), which takes no look for it. */
BS_API enum bs_status bs_document_numbered(struct bs_finder *finder, uint64_t document, const struct bs_text **texts_out,
                                           size_t *n_texts_out, bool *is_changed_out, struct bs_error *err) BS_WARN_UNUSED;

/* For people: the query and, on a line of its own, a caret under the character at error_byte (or one past the end),
 * without a final line feed. Control characters and what is not UTF-8 are shown as U+FFFD; a long query is cut around
 * the caret. *text_out is for free(). BS_INVALID (error_byte > query_bytes), BS_NO_MEMORY: it is NULL. */
BS_API enum bs_status bs_query_caret(const char *query, size_t query_bytes, size_t error_byte, char **text_out,
                                     struct bs_error *err) BS_WARN_UNUSED;

/* Lines that match, as `bitsift grep` finds and prints them. The structs are its options, by the names that
 * bitsift-grep(1) has for them, weighed against each other. Zero is ripgrep's default. */
enum bs_grep_case {
	BS_GREP_CASE_SENSITIVE = 0,
	BS_GREP_CASE_INSENSITIVE, /* -i */
	BS_GREP_CASE_SMART,       /* -S: insensitive unless a pattern holds an upper-case letter */
};

struct bs_grep_pattern {
	const char *const *patterns; /* of PCRE2, in UTF-8; any of them may match. None: nothing matches */
	const size_t *pattern_bytes;
	size_t n_patterns;
	enum bs_grep_case letter_case;
	bool is_fixed, is_word, is_line; /* -F: literal text, -w, -x */
	bool is_multi_line, dot_all;     /* -U: a match may span lines, and a dot match their ends */
	bool crlf, null_data, no_unicode;
	bool is_pcre2; /* -P: what is not UTF-8 is searched as U+FFFD */
	bool is_brute; /* line by line, without the index: the same answer, for comparison */
	uint64_t reserved[4];
};

/* More patterns, each by itself, in NULL-ended lists, or NULL; what struct bs_grep_pattern says of letter case and so on
 * is said of them too. Found is a line that its patterns match if each of ands matches it, too, and none of nots. (With
 * is_multi_line: the lines of a match.) What invert asks for are the other lines. */
struct bs_grep_conditions {
	const char *const *ands, *const *nots;
	bool by_file; /* they choose files instead: others are not searched, and nothing is said of them */
	uint64_t reserved[4];
};

/* Kinds of ignore files. */
#define BS_WALK_NO_DOT     1u  /* .ignore; as rg has it, .rgignore is still read */
#define BS_WALK_NO_VCS     2u  /* .gitignore */
#define BS_WALK_NO_EXCLUDE 4u  /* .git/info/exclude */
#define BS_WALK_NO_GLOBAL  8u  /* git's global excludes */
#define BS_WALK_NO_PARENT  16u /* those of the folders above the one named */

/* Whether NUL bytes are looked for as rg does in files that it maps (few that are named and no folder), or that it
 * reads. */
enum bs_grep_maps { BS_GREP_MAPS_AS_RG = 0, BS_GREP_MAPS_ALL, BS_GREP_MAPS_NONE };

/* By what the entries of each folder come in order, files and folders alike; equal ones by name. */
enum bs_grep_sort { BS_GREP_SORT_PATH = 0, BS_GREP_SORT_MODIFIED, BS_GREP_SORT_ACCESSED, BS_GREP_SORT_CREATED };

struct bs_grep_files {
	const char *const *paths; /* "-": file descriptor 0. None: the working directory, shown without "./" */
	size_t n_paths;
	bool hidden, no_ignore, follow; /* follow: symbolic links */
	bool ignores_outside_git;       /* git's ignore files count outside a repository too */
	bool caseless_ignore_files;     /* ASCII letters in ignore files match in either case */
	bool one_file_system;           /* folders on another device than the path that they lie below are left out */
	unsigned no_ignore_kinds;       /* BS_WALK_NO_... that are not read */
	const char *const *ignore_files; /* NULL-ended: more of them, of any name, whatever no_ignore says; or NULL */
	bool has_max_depth, has_max_file_bytes;
	uint32_t max_depth;
	uint64_t max_file_bytes; /* of files below folders */
	/* NULL-ended lists, or NULL. Types of files are cleared and added to before they are chosen or left out. */
	const char *const *globs, *const *iglobs;
	const char *const *type_clears, *const *type_adds, *const *types, *const *type_nots;
	const char *encoding; /* as -E; NULL: by a byte order mark; without one, bytes as they are */
	bool is_text;         /* -a: NUL is a byte as any other */
	bool search_binary;   /* --binary */
	enum bs_grep_maps maps;
	bool no_rule_notices; /* nothing is said of ignore rules below the paths that make no sense */
	/* -z: what is compressed, by the ending of its name, is searched as it was. --pre: a program, looked for in PATH; it is run with a
	 * path as its argument and the file on its standard input, and what it prints is searched; --pre-glob, NULL-ended: for which
	 * files, as globs. NULL: no program; all files. */
	bool search_zip;
	const char *preprocessor;
	const char *const *preprocessor_globs;
	enum bs_grep_sort sort;
	bool is_reversed; /* the last of each folder first */
	uint64_t reserved[6];
};

enum bs_grep_format {
	BS_GREP_LINES = 0,
	BS_GREP_JSON,
	BS_GREP_COUNT,
	BS_GREP_COUNT_MATCHES,
	BS_GREP_FILES_WITH,
	BS_GREP_FILES_WITHOUT,
	BS_GREP_QUIET, /* ends with the first match */
};

/* When what write got is to be passed on at once, so that flush is called. */
enum bs_grep_buffering {
	BS_GREP_BUFFER_AUTO = 0, /* is_terminal: as LINES; else before a pipe that has no more yet is waited for */
	BS_GREP_BUFFER_LINES,    /* --line-buffered: at each line */
	BS_GREP_BUFFER_BLOCKS,   /* --block-buffered: never */
};

/* What switches a colour on; "": none. */
struct bs_grep_colors {
	char path[96], line[96], column[96], match[96];
};

/* Of any bytes; NULL: the usual. */
struct bs_grep_separator {
	const char *bytes;
	size_t n_bytes;
};

struct bs_grep_output {
	enum bs_grep_format format;
	bool invert, passthru;
	bool line_numbers, columns, byte_offsets, with_path, heading;
	bool only_matching, per_match; /* -o, --vimgrep */
	bool trim, include_zero, max_columns_preview, no_group_separator;
	bool enclosing;         /* --enclosing: the line of the function, or the heading, around a match */
	bool nul_after_path;    /* -0 */
	char path_separator;    /* stands for each slash in paths, but in JSON; 0: a slash */
	bool is_terminal;       /* in paths and JSON, what a terminal might obey is escaped */
	enum bs_grep_buffering buffering;
	uint64_t before, after; /* -B, -A: lines of context */
	uint64_t max_count;     /* -m: matching lines of each file; 0: all */
	/* --max-results: of all files together; lines, or files where the format or the task is about files. What is beyond
	 * is counted. 0: all */
	uint64_t max_results;
	const char *cursor;     /* --after: one of struct bs_grep_results, of the same search: what is found up to there is
	                         * passed over, and not counted. NULL: nothing is */
	/* Of several searches that are one, with max_results: what those before this one came to, which it goes on with, so that results
	 * are of all so far. NULL: none was. And what stands before the cursors of this one, and a colon; a cursor that is given is
	 * without. NULL: nothing. */
	const struct bs_grep_results *before_this;
	const char *cursor_name;
	uint64_t max_columns;   /* -M; 0: any number */
	struct bs_grep_colors colors;
	const char *replacement; /* -r; NULL: none */
	size_t replacement_bytes;
	/* Where there is colour, paths and what stands before a line are links of the terminal to this URL, in which {path}, {line}
	 * and {column} are replaced, {{ and }} are braces, and the path is real, absolute and percent-encoded. NULL: none. */
	const char *hyperlink;
	/* Behind path, number ... (":"), the same on lines of context ("-"), between lines that do not follow each other
	 * ("--"; no_group_separator: nothing). */
	struct bs_grep_separator match_separator, context_separator, group_separator;
	uint64_t reserved[6];
};

enum bs_grep_task {
	BS_GREP_SEARCH = 0,
	BS_GREP_LIST_FILES,      /* --files: those that would be searched */
	BS_GREP_LIST_CANDIDATES, /* --candidates: those that the index does not rule out */
	BS_GREP_LIST_TYPES,      /* --type-list */
	BS_GREP_TELL_ENGINE,     /* --pcre2-version */
	BS_GREP_CHECK,           /* the request, its pattern and its index; no file is looked at */
};

/* Of a line, or of a match from one into the next: bytes [start, end). */
struct bs_grep_span {
	size_t start, end;
};

struct bs_grep_line {
	const char *path;    /* as it is shown; "<stdin>" */
	const char *text;    /* with its end; with is_multi_line perhaps several lines. NULL: a file is listed */
	size_t text_bytes;
	uint64_t number;     /* from 1; 0: not counted (line_numbers) */
	uint64_t byte_off;   /* of text in the file, as it was decoded */
	const struct bs_grep_span *matches; /* in text, in order */
	size_t n_matches;
	bool is_context;
	/* The last line up to this one that begins a function or the like; enclosing NULL: there is none, or it is not asked
	 * for, or this is_context. */
	const char *enclosing;
	size_t enclosing_bytes;
	uint64_t enclosing_number;
	uint64_t reserved[4];
};

/* What a search with max_results came to, from its cursor on. */
struct bs_grep_results {
	uint64_t n_shown, n_found; /* lines (with is_multi_line: lines of a match, as one), or files */
	uint64_t n_files;          /* in which they are found */
	const char *cursor;        /* behind the last one shown; NULL: there are no more */
	const char *last;          /* the same, though there are no more; NULL: none was shown */
	uint64_t reserved[4];
};

struct bs_grep_request {
	struct bs_grep_pattern pattern;
	struct bs_grep_conditions conditions;
	struct bs_grep_files files;
	struct bs_grep_output output;
	enum bs_grep_task task;

	const char *index;    /* the directory of an index, to rule files out by their grams; NULL: none */
	bool try_index;       /* what is wrong with it is a notice, and all is searched. NULL: bs_index_locate's */
	bool no_stat;         /* trust it: look at no file that it rules out. Else files that changed are searched */
	const struct bs_consent *consent;
	const struct bs_limits *limits; /* NULL: none */
	const struct bs_log *log;       /* NULL: none */
	const char *kernel;   /* as that of bs_index_open */
	uint32_t n_threads;   /* 0: one a processor; more than 256 count as 256 */

	/* The callbacks come on any thread, but one at a time; files in the order of paths, below a folder by path
	 * component or as sort says. write gets what the program would print, in pieces of any size, that of the file
	 * which is next in order while it is searched. If line is set, that gets instead each file that is listed or, where the format is
	 * BS_GREP_LINES, each line; of files with NUL bytes as --json. Both return 0 to go on; has_match then says what
	 * was found until they did not. flush, if set, is told when whoever reads what was written is to have it. */
	int (*write)(void *context, const void *bytes, size_t n_bytes);
	void (*flush)(void *context);
	int (*line)(void *context, const struct bs_grep_line *line);
	/* Once, in the end, if there is max_results, the format is not BS_GREP_QUIET, and no callback stopped the search.
	 * NULL: not called. */
	void (*results)(void *context, const struct bs_grep_results *results);
	/* A line about what cannot be read or searched, and so is not; or about an ignore rule that makes no sense and does
	 * not count, which does not count as a notice either. NULL: not called. */
	void (*notice)(void *context, const char *message);
	void (*explain)(void *context, const char *text, size_t text_bytes); /* as that of bs_find, a line at a time */
	bool explain_left_out; /* explain is called for each file and folder that the rules leave out, too */
	void *context;
	/* The regular file that write's bytes go to; 0: none. Below a folder it is not searched; where it is named, no further than it
	 * went when it was opened. */
	uint64_t output_device, output_inode;
	uint64_t reserved[6];
};

struct bs_grep_result {
	bool has_match;       /* or a file was listed */
	bool is_partial;      /* a limit ended it (partial): not everything was searched */
	uint64_t n_files;     /* searched */
	uint64_t n_with_match;
	uint64_t n_ruled_out; /* by the index; if it is trusted, only whether there are some */
	uint64_t n_notices;   /* 0: everything was searched */
	uint64_t read_bytes;
	uint64_t elapsed_ns;
	uint64_t n_unfollowed; /* sources of the index that was not asked about their files: they are not followed */
	uint64_t reserved[7];
};

/*
 * Searches files, with an index or without: the answer is the same, but for what no_stat leaves unseen. Nothing is
 * believed that the index says of a source that is not followed: its files are searched.
 *
 * BS_INVALID (a pattern, glob, type or cursor that makes no sense, neither write nor line), BS_STOPPED (by a callback),
 * BS_DEADLINE (of a search of results, and where it ended is_partial, results is not called),
 * BS_UNSUPPORTED (an encoding, a kernel), BS_NO_MEMORY, BS_IO; of the index, without try_index, as bs_index_open. What
 * a single file fails with is a notice. result_out may be NULL. Any thread.
 */
BS_API enum bs_status bs_grep(const struct bs_grep_request *request, struct bs_grep_result *result_out,
                              struct bs_error *err) BS_WARN_UNUSED;

#ifdef __cplusplus
}
#endif
#endif
