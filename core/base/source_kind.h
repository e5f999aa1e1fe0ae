/* source_kind.h: the kinds of sources, as the manifest records them. corpus/read/source.h reads
 * sources. */
#pragma once

/* Numbers of the file format. A number is never reused for another kind. */
enum bs_source_kind {
	BS_SOURCE_FOLDER = 1,     /* documents are files below the folder */
	BS_SOURCE_FILE = 2,       /* the file is one document */
	BS_SOURCE_COLLECTION = 3, /* a JSONL file (a collection): documents are its lines */
	BS_SOURCE_STDIN = 4,      /* "-": standard input (JSONL), and documents from a writer */
	/* A removed source. It has no live documents, but segments may still contain its number. */
	BS_SOURCE_FORGOTTEN = 5,
};
