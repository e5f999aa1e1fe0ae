/*
 * host.h: what an application supplies to the library: an analyzer, its consent, the texts of its documents and the kinds
 * of their fields. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_HOST_H
#define BITSIFT_HOST_H

#include "status.h"

BS_BEGIN_DECLS

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
 * a searcher. The struct must outlive what is opened with it.
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
struct bs_memory_index;

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

/*
 * Messages of the library name options of the command `bitsift` where those are the remedy. A host says it in its own words:
 * bs_reword replaces phrases in a message, in place, in room bytes, of which there is one for the NUL; what has no room is cut off.
 * pairs: a phrase and what comes in its place, and so on, ended by NULL. ^ in front of a phrase: only at the beginning of the text; $
 * at its end: all that follows is replaced, too.
 */
BS_API void bs_reword(char *text, size_t room, const char *const *pairs);

/* The meanings of a name before a colon. They are flags: a name may have several. */
enum bs_field_kind {
	BS_FIELD_OF_RECORDS = 1,  /* some record has a field of that name, */
	BS_FIELD_WITH_VALUES = 2, /* with a number or a date in it */
	BS_FIELD_OF_FILES = 4,    /* "name": there are files */
};

BS_END_DECLS
#endif
