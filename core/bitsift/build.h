/*
 * build.h: the request and the report of runs that write an index. Part of the public interface;
 * see bitsift.h.
 */
#ifndef BITSIFT_BUILD_H
#define BITSIFT_BUILD_H

#include "host.h"
#include "limits.h"
#include "skip.h"

BS_BEGIN_DECLS

/* The steps of a run. */
enum bs_build_step {
	BS_BUILD_LOOK, /* samples the sources of a new index, and counts their files */
	BS_BUILD_READ, /* reads one source; each source is a step of its own */
	/* writes a segment: when the memory limit is reached, and at the end of the run. Meanwhile
	 * no documents are read */
	BS_BUILD_WRITE,
};

/* The progress of a run, and its result in the end. */
struct bs_build_report {
	uint64_t n_docs;    /* searchable documents at the end of the run */
	uint64_t n_indexed; /* documents read and indexed by this run */
	/* records counted in n_indexed that were replaced by a later record of the same source with
	 * the same id */
	uint64_t n_replaced;
	/* documents counted in n_indexed that are not searchable, because bs_index_delete deleted
	 * them */
	uint64_t n_kept_out;
	uint64_t n_unchanged; /* documents of the index that have not changed */
	/* documents indexed again without a change: their fingerprint was too recent to prove that
	 * their file had not changed, their collection was rewritten, or their source became a
	 * part of another source */
	uint64_t n_renewed;
	/* documents whose text changed; for a record: whose line of JSON changed */
	uint64_t n_changed;
	uint64_t n_removed;  /* documents removed because their file, record or source is gone */
	uint64_t text_bytes; /* bytes of text of the documents that this run indexed */
	/* distinct terms (words, bigrams, word pairs) of the documents counted in n_indexed, summed
	 * over the segments written */
	uint64_t n_terms;
	/* postings of the documents counted in n_indexed: pairs of a document and a term */
	uint64_t n_postings;
	/* bytes of the segments that have the documents counted in n_indexed */
	uint64_t written_bytes;
	uint64_t n_segments;  /* segments of the whole index */
	uint64_t index_bytes; /* bytes of the whole index */
	/* documents of the sources, read in this run or not, that are not searchable, because
	 * bs_index_delete deleted them */
	uint64_t n_excluded;
	uint64_t n_compacted;     /* segments merged */
	uint64_t n_moved;         /* documents copied by merging */
	uint64_t compacted_bytes; /* bytes written by merging */
	/* documents left out of merging, because they changed since they were indexed, or because
	 * they need too much memory */
	uint64_t n_stayed;
	/* files, folders and sources that could not be read; their documents stay in the index */
	uint64_t n_unread;
	uint64_t skipped[BS_SKIP_MAX]; /* by enum bs_skip */
	/* The binary files, counted in skipped[BS_SKIP_BINARY], by the ending of their names. The
	 * sum may be lower: files without a short ending, and endings after the first
	 * BS_SKIP_KINDS, are not counted. */
	struct bs_skip_kind binary[BS_SKIP_KINDS];
	uint64_t elapsed_ns;
	enum bs_build_step step;
	/* Progress of the step: files of a folder, bytes of a collection, or documents written.
	 * step_total 0: unknown. */
	uint64_t step_done, step_total;
	uint64_t step_ns;  /* time spent in this step */
	bool is_refresh;   /* the index existed, and this run did not rebuild it */
	bool is_committed; /* something changed, so a commit was made */
	bool is_shared;    /* the group or others may read the index, as far as the umask allows */
	/* maintenance of the index that was not done, and why; empty if all was done */
	char warning[256];
	uint64_t reserved[3];
};

struct bs_build_tuning; /* for the project's own experiments: indexer/run/tuning.h */

/* Ranges of options. */
#define BS_MAX_DOCUMENT_BYTES (UINT64_C(4095) << 20)
#define BS_MIN_DENSITY        0.05
#define BS_MAX_DENSITY        0.6
#define BS_MIN_SUMMARY_RATE   1e-6
#define BS_MAX_SUMMARY_RATE   0.5

/*
 * Options that are recorded with an index. Any run may change summary_rate. If all other fields of
 * this struct and of struct bs_source_rules are zero, an existing index keeps its recorded options.
 * Otherwise they must be equal to the recorded ones, unless the run is a rebuild; BS_INVALID if
 * they differ.
 */
struct bs_index_options {
	/* bs_index_build: indexes words, for bs_search. If neither words nor grams is set, it
	 * indexes both. But in this case, a collection that is itself a source gets grams only if
	 * another source is a folder or a file, or if a run has set `grams`. A writer always
	 * indexes words. */
	bool words;
	/* Indexes grams: of files for bs_grep, of in-memory documents for bs_candidates. A writer
	 * can do so only if the index is new or has grams already; BS_INVALID if an existing index
	 * has no grams. */
	bool grams;
	const char *stem_language; /* a Snowball stemmer, "english"; NULL: words are not stemmed */
	bool fold_accents;         /* cafe finds café */
	/* parts of identifiers are words, too: `server` finds HTTPServer2 */
	bool split_identifiers;
	/* fields of records whose words count more in scores: "title=3", 1 to 100; NULL-ended */
	const char *const *weights;
	/* intended share of set bits in the columns of the matrix, BS_MIN_DENSITY to
	 * BS_MAX_DENSITY; a lower density makes searches faster and the index larger; 0: 0.3 */
	double density;
	/* The false positive rate of the index summary, BS_MIN_SUMMARY_RATE to BS_MAX_SUMMARY_RATE.
	 * The summary is a Bloom filter of the words of the index, by which a catalog rules out
	 * indexes. 0: unchanged; for a new index: 0.01. Negative: no summary. */
	double summary_rate;
	uint64_t reserved[4];
};

/* How sources are read. These rules are recorded with the index, and must be equal to the recorded
 * ones as struct bs_index_options says. Lists end with NULL. */
struct bs_source_rules {
	/* Folders: */
	bool hidden;              /* indexes hidden files, too */
	bool no_ignore;           /* reads no ignore files (.gitignore and so on) */
	bool binary_as_text;      /* indexes files with NUL bytes, too */
	const char *const *globs; /* as ripgrep's -g; NULL: every file */
	/* Files that are read record by record in addition to *.jsonl and *.ndjson: patterns, which
	 * match as if a .gitignore in each folder had them. A file whose first line is not a JSON
	 * object is read as one document. NULL: none. */
	const char *const *records;
	/* Reads *.jsonl and *.ndjson in folders as files, not record by record. Indexes made before
	 * this option existed keep doing so. */
	bool no_records;
	/* Records: */
	const char *id_field;           /* the field whose value is the record's id; NULL: "id" */
	const char *const *text_fields; /* to index ("title", "author.name"); NULL: all but id */
	/* All documents: */
	/* Larger documents are skipped. 0: 256 MiB; at most BS_MAX_DOCUMENT_BYTES. */
	uint64_t max_document_bytes;
	/* Stores the texts of files and records in the index. As long as the fingerprint of a
	 * source is unchanged, its documents are shown and verified from the stored texts, and the
	 * source is not read again. */
	bool store;
	uint64_t reserved[4];
};

/* Options of one run, or of one writer. They are not recorded, and answers of the index do not
 * depend on them. */
struct bs_write_options {
	uint64_t memory_bytes; /* working memory; 0: 1 GiB; at least 16 MiB are used */
	/* 0: one for each processor; at most BS_MAX_THREADS. A writer analyses words on the calling
	 * thread. */
	uint32_t n_threads;
	/* true: if another writer holds the lock, the run waits for it, as long as the limits
	 * allow; false: it returns BS_BUSY */
	bool wait;
	/* for in-memory indexes: also writes the condensed form of each new segment
	 * (bitsift/index_restore.h) */
	bool condensed;
	uint64_t reserved[2];
};

/* Callbacks that are NULL are not called. */
struct bs_build_callbacks {
	/* Called often, also when a signal interrupts a read of standard input. Return 0 to
	 * continue; any other value stops the run with BS_STOPPED. so_far->n_docs is not known yet.
	 * A writer calls it while it writes and merges segments. */
	int (*progress)(void *context, const struct bs_build_report *so_far);
	/* bs_index_build: a printable line for each file, record or source that is skipped
	 * ("notes/a.txt: Permission denied"). The report counts all of them in any case. */
	void (*skipped)(void *context, enum bs_skip reason, const char *message);
	/* Gets a printable line if a recorded source became a part of another source; if a rebuild
	 * of some sources changes the rules of a source that is not rebuilt; if everything is
	 * indexed again because the tokenizer changed; and, at the end, if no record has a field
	 * that `weights` names. */
	void (*notice)(void *context, const char *message);
	void *context;
	/* `skipped` is called for hidden and ignored files, too, which may be many */
	bool names_hidden;
	uint64_t reserved[4];
};

struct bs_build_request {
	/* The directory of the index. It is created if it does not exist, as are its parent
	 * folders. NULL: the nearest .bitsift of the working directory and its parents
	 * (bs_index_locate), or else a new one in the working directory; BS_UNTRUSTED if the
	 * .bitsift found is a symlink. */
	const char *dir;
	/* an in-memory index instead of a directory; dir is then NULL */
	struct bs_memory_index *memory;
	/*
	 * Files, folders, collections (*.jsonl, *.ndjson), or "-" for JSONL on file descriptor 0.
	 * They are added to the recorded sources of the index and refreshed; other recorded sources
	 * stay unchanged. All recorded sources are refreshed if n_sources is 0, if `shared` is set,
	 * or if no document can be kept because the tokenizer changed. A path within a recorded
	 * folder is a part of that source, and only this part is refreshed. A folder absorbs
	 * recorded sources within it.
	 *
	 * A new source is recorded as it is spelled here, without leading "./" and trailing "/";
	 * with dir NULL, relative to the folder that holds the index, or absolute if it is
	 * elsewhere.
	 */
	const char *const *sources;
	size_t n_sources;
	/* Sources to remove from the index together with their documents, by path, whether they
	 * still exist or not. If n_sources is 0, nothing is refreshed. BS_INVALID: one of them is
	 * not a source of the index. */
	const char *const *forget;
	size_t n_forget;

	struct bs_index_options index;
	struct bs_source_rules rules;
	struct bs_write_options write;
	/* Without sources, or with all of them: indexes everything again, with new options or after
	 * damage. With some of the recorded sources: reads these sources again even if their
	 * fingerprints are unchanged, and keeps the documents of the other sources. If standard
	 * input is one of them, its records replace all earlier records from standard input. In a
	 * rebuild of some sources, only hidden, no_ignore, binary_as_text, globs, records and
	 * no_records may differ from the recorded options, because the other options concern all
	 * sources. If the index is damaged or missing, no documents can be kept: all of its sources
	 * must be named. */
	bool rebuild;
	bool strict; /* stops at the first invalid record: BS_INVALID */
	/* lets the group and others read the index, as the umask allows, if they may read all
	 * sources: see bs_index_build */
	bool shared;
	struct bs_build_callbacks callbacks;
	/* host.texts returns the texts of documents that are not stored. Merging copies the
	 * documents whose texts it gets and leaves the others where they are. A rebuild fails if it
	 * does not get a text. */
	struct bs_host host;
	const struct bs_limits *limits;       /* NULL: none */
	const struct bs_build_tuning *tuning; /* NULL, except in the project's own experiments */
	uint64_t reserved[4];
};

BS_END_DECLS
#endif
