/*
 * skip.h: reasons for skipping files and records, and kinds of ignore files. Part of the public
 * interface; see bitsift.h.
 */
#ifndef BITSIFT_SKIP_H
#define BITSIFT_SKIP_H

#include "api.h"

BS_BEGIN_DECLS

/* Why a file, record or source did not become a document. The index files use the same numbers. */
enum bs_skip {
	BS_SKIP_BINARY,     /* a NUL byte in the first 64 KiB */
	BS_SKIP_LINK,       /* a symlink in a folder, broken or not: not followed */
	BS_SKIP_SPECIAL,    /* a socket, pipe or device */
	BS_SKIP_UNREADABLE, /* permission denied, an I/O error, or removed while it was read */
	/* larger than max_document_bytes of the index (struct bs_source_rules), or too large for
	 * the memory of the run; bs_grep searches such files */
	BS_SKIP_TOO_LARGE,
	/* a line that is not a JSON object, or whose id is neither a string nor an integer */
	BS_SKIP_BAD_RECORD,
	BS_SKIP_NO_TEXT, /* a record without a string to index */
	/* a recorded source that is not followed (struct bs_consent): its documents stay in the
	 * index */
	BS_SKIP_UNTRUSTED,
	/* A recorded source that had documents and no longer exists, or is now an empty folder
	 * (perhaps it is not mounted). Its documents stay in the index until the source is
	 * forgotten, or read again by a rebuild. */
	BS_SKIP_GONE,
	BS_SKIP_HIDDEN, /* a hidden file in a folder */
	/* a hidden folder; counts once, regardless of its contents. The index directory does not
	 * count. */
	BS_SKIP_HIDDEN_FOLDER,
	BS_SKIP_IGNORED,        /* a file in a folder, left out by an ignore file or a glob */
	BS_SKIP_IGNORED_FOLDER, /* a folder left out by an ignore file or a glob; counts once */
	/* The number of reasons in this header. A later library may have more, up to
	 * BS_SKIP_MAX. */
	BS_SKIP_REASONS
};

#define BS_SKIP_MAX 16

/* The reason as a short phrase to follow a number: "binary files", or "binary file" for n = 1.
 * Never NULL. */
BS_API const char *bs_skip_name(enum bs_skip reason, uint64_t n);

#define BS_SKIP_KINDS      64
#define BS_SKIP_KIND_BYTES 8

/* A file name ending, and the number of binary files that have it. */
struct bs_skip_kind {
	char name[BS_SKIP_KIND_BYTES]; /* "png": lower-case letters and digits, NUL-ended */
	uint64_t n_files;              /* 0: the list ends before this entry */
};

/* Flags for kinds of ignore files that are not read. */
#define BS_WALK_NO_DOT     1u  /* .ignore and .rgignore */
#define BS_WALK_NO_VCS     2u  /* .gitignore */
#define BS_WALK_NO_EXCLUDE 4u  /* .git/info/exclude */
#define BS_WALK_NO_GLOBAL  8u  /* git's global excludes */
#define BS_WALK_NO_PARENT  16u /* ignore files of the folders above a folder that is searched */

BS_END_DECLS
#endif
