/*
 * host.h: what an application supplies to the library: an analyzer, the user's consent, the texts
 * of its documents, a log. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_HOST_H
#define BITSIFT_HOST_H

#include "status.h"

BS_BEGIN_DECLS

/*
 * An analyzer splits texts into words, in place of the library's tokenizer. The index records the
 * analyzer's name. It can be built, searched and compacted only with an analyzer of that name;
 * otherwise BS_UNSUPPORTED. Change the name whenever the analyzer changes its output. The library
 * neither stems nor folds its words: BS_INVALID with stem_language, fold_accents or
 * split_identifiers.
 */
struct bs_analyzer {
	const char *name; /* 1 to 63 of a-z, A-Z, 0-9, ".", "_", "-" */
	/*
	 * Calls emit for each word, in the order of positions, and returns 0. If emit returns
	 * another value than 0, `cut` returns that value at once. If `cut` itself fails, it returns
	 * any value but 0; the library's function then fails with BS_IO and a message that names
	 * the analyzer.
	 *
	 * term is the indexed form of the word, in UTF-8, at least one byte; two words are equal if
	 * their terms are. [start, stop) are the bytes of the word in the text, in ascending order
	 * of start. Words that break these rules are BS_INVALID. Equal texts must give equal words.
	 * The text is a text of a document, or a word or phrase of a query, and may be invalid
	 * UTF-8. Called on any thread, and by several at once.
	 */
	int (*cut)(void *context, const uint8_t *text, size_t text_bytes,
	           int (*emit)(void *emit_context, const uint8_t *term, size_t term_bytes,
	                       size_t start, size_t stop),
	           void *emit_context);
	void *context;
	uint64_t reserved[4];
};

/*
 * An index is a directory that may come from an archive or lie in a shared folder. The caller's
 * consent says how far its contents are trusted. Without consent (NULL, or all zero):
 *
 * - The directory and its files must belong to the effective user or to root; otherwise
 *   BS_UNTRUSTED.
 * - Sources in the folder that holds the index directory (symlinks resolved) are followed. Other
 *   sources are not opened, read or stat'ed. Their documents stay in the index, but are in no
 *   answer; if one might match, it counts as unreadable. A build reads the sources that its request
 *   names, wherever they are, but later calls need consent for them.
 *
 * A program that indexes sources in other folders must pass the same consent when it builds an
 * index and when it opens it. It may simply set `all` if no other program can write to the folders
 * of its indexes. The callbacks are called only for indexes and sources that the rules above
 * refuse. dir is the canonical path of the index directory. A NULL callback refuses. The callbacks
 * run on any thread that opens an index or makes a searcher. The struct must outlive the objects
 * that were opened with it.
 */
struct bs_consent {
	bool all; /* every index may be used, and every source may be read */
	/* Whether the index may be used although it, or a file in it, belongs to user `owner`. */
	bool (*trusts)(void *context, const char *dir, unsigned owner);
	/* Whether a recorded source outside the index's own folder may be read. path is absolute,
	 * symlinks not resolved. */
	bool (*follows)(void *context, const char *dir, const char *path);
	/* Called before the index records a source that the request of a build names, so that
	 * `follows` can accept this source from now on. */
	void (*named)(void *context, const char *dir, const char *path);
	void *context;
	uint64_t reserved[4];
};

/* An index in memory instead of a directory: bitsift/memory_index.h. */
struct bs_memory_index;

/* A named text of a document. Any bytes, not NUL-ended. */
struct bs_text {
	const char *field;
	size_t field_bytes;
	const char *text;
	size_t text_bytes;
};

/*
 * A text provider returns the current texts of documents that the index does not store
 * (bs_writer_request.not_stored). If the index alone can decide whether a document matches, the
 * provider is not called, and the answer is about the text as it was added. Pass the provider
 * whenever you open the index; it must outlive the opened objects.
 */
struct bs_text_provider {
	/* Returns 0: *texts_out is set, and borrowed until the next call on this thread; 1: the
	 * document no longer exists; any other value: it cannot be read. Called on the searching
	 * thread. */
	int (*texts)(void *context, const char *id, size_t id_bytes,
	             const struct bs_text **texts_out, size_t *n_texts_out);
	void *context;
	/* True: several threads may call `texts` at once. Searches with several threads then do
	 * so. */
	bool any_thread;
	uint64_t reserved[2];
};

struct bs_log; /* bitsift/limits.h */

/* What the application supplies to the library. A NULL member is the default. */
struct bs_host {
	/* consent to use the index and its sources; NULL: the rules of struct bs_consent */
	const struct bs_consent *consent;
	const struct bs_analyzer *analyzer; /* NULL: the library's tokenizer */
	/* returns the texts of documents that are not stored; NULL: they count as unreadable */
	const struct bs_text_provider *texts;
	const struct bs_log *log; /* NULL: none */
	uint64_t reserved[4];
};

/*
 * Messages of the library may recommend an option of the program `bitsift`. A host whose options
 * have other names can replace such phrases by its own. pairs: a phrase, its replacement, the next
 * phrase, and so on, ended by NULL. ^ at the beginning of a phrase: the phrase is replaced only at
 * the beginning of the text. $ at its end: everything after the phrase is replaced, too. The
 * function changes `text` in place. capacity is the size of `text`, including the NUL; a result
 * that does not fit is cut.
 */
BS_API void bs_reword(char *text, size_t capacity, const char *const *pairs);

/* The kinds of a field name (a name before a colon in a query): flags, because a name may be of
 * several kinds. */
enum bs_field_kind {
	BS_FIELD_OF_RECORDS = 1,  /* records have a field of that name */
	BS_FIELD_WITH_VALUES = 2, /* some of its values are numbers or dates */
	BS_FIELD_OF_FILES = 4,    /* the name is "name", and the index has files */
};

BS_END_DECLS
#endif
