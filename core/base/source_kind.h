/* source_kind.h: the kinds of sources, as the manifest records them. corpus/read/source.h reads
 * sources. */
#pragma once

/* Numbers of the file format. A number is never reused for another kind. */
enum bs_source_kind {
	BS_SOURCE_FOLDER = 1,     /* the files below the folder are documents */
	BS_SOURCE_FILE = 2,       /* the file is one document */
	BS_SOURCE_COLLECTION = 3, /* *.jsonl or *.ndjson: every line is a document */
	BS_SOURCE_STDIN = 4,      /* "-": JSONL on standard input; its raw lines are stored */
	/* A removed source. It has no live documents, but segments may still contain its number. */
	BS_SOURCE_FORGOTTEN = 5,
};
