/*
 * build.h: what bs_index_build is asked to do, and what it reports. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_BUILD_H
#define BITSIFT_BUILD_H

#include "host.h"
#include "limits.h"
#include "skip.h"

BS_BEGIN_DECLS

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
	uint64_t n_renewed;     /* ... of those, indexed again: fingerprints proved nothing, or a collection was rewritten */
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

struct bs_build_tuning; /* for the project's own experiments: indexer/run/tuning.h */

/* Ranges of options. */
#define BS_MAX_DOCUMENT_BYTES (UINT64_C(4095) << 20)
#define BS_MIN_DENSITY      0.05
#define BS_MAX_DENSITY       0.6
#define BS_MIN_SUMMARY_RATE 1e-6
#define BS_MAX_SUMMARY_RATE  0.5

struct bs_build_request {
	/* The directory of the index, made if it is not there, as are the folders above it. NULL: the nearest .bitsift upward, as
	 * by bs_index_locate, or one in the working directory where there is none. That must not be a symbolic link:
	 * BS_UNTRUSTED. */
	const char *dir;
	struct bs_memory_index *memory; /* instead of a directory; dir is NULL */
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
	bool words;                     /* index words, for bs_search */
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
	double density;                 /* share of set bits, BS_MIN_DENSITY to BS_MAX_DENSITY: less is faster and larger; 0: 0.3 */

	/* The summary of the index (bitsift/bloom.h) says which words are absent: an absent word seems to be there at this rate,
	 * BS_MIN_SUMMARY_RATE to BS_MAX_SUMMARY_RATE; 0: as it was, or 0.01; below 0: no summary. Recorded with the index, and to be changed by any run. */
	double summary_rate;

	/* Options of this run. */
	/* Without sources, or with all of them: everything is indexed again, with new options, or after damage. With some of
	 * the recorded sources: they are read again, whatever their fingerprints say, and all others stay unchanged; documents from
	 * standard input replace all earlier ones from there. Then options that decide what the index has of every source
	 * (all but hidden, no_ignore, binary_as_text, globs, records and no_records) must be those it was made with. If the index is
	 * damaged or missing, nothing can be kept: it is made of these sources, which must be all that it had. */
	bool rebuild;
	bool strict;           /* stop at the first bad JSONL record */
	bool wait;             /* for another writer to be done; else BS_BUSY */
	bool names_hidden;     /* skipped is called for what is hidden or ignored, too */
	bool shared;           /* readable for others, as the umask has it, if every source is: see bs_index_build */
	uint64_t memory_bytes; /* to work with; 0: 1 GiB; less than 16 MiB counts as that */
	uint32_t n_threads;    /* 0: one a processor; more than BS_MAX_THREADS count as that. The index does not depend on it */

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
	bool condensed; /* beside each segment that is written, the same condensed (bs_memory_index_restore in bitsift/writer.h): an index in memory
	                 * alone; it goes when the segment does. Not recorded */
	uint64_t reserved[3];
};

BS_END_DECLS
#endif
