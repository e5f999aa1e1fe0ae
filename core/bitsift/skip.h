/*
 * skip.h: why something is not a document, and which ignore files count. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_SKIP_H
#define BITSIFT_SKIP_H

#include "api.h"

BS_BEGIN_DECLS

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

/* Kinds of ignore files that a walk through folders does not read. */
#define BS_WALK_NO_DOT     1u  /* .ignore; as rg has it, .rgignore is still read */
#define BS_WALK_NO_VCS     2u  /* .gitignore */
#define BS_WALK_NO_EXCLUDE 4u  /* .git/info/exclude */
#define BS_WALK_NO_GLOBAL  8u  /* git's global excludes */
#define BS_WALK_NO_PARENT  16u /* those of the folders above the one named */

BS_END_DECLS
#endif
