/* source_kind.h: what a source can be, as the manifest records it. corpus/read/source.h is about
 * reading them. */
#pragma once

/* Numbers of the file format: none is ever used again for something else. */
enum bs_source_kind {
	BS_SOURCE_FOLDER = 1,     /* every file below is a document */
	BS_SOURCE_FILE = 2,       /* is one document */
	BS_SOURCE_COLLECTION = 3, /* *.jsonl or *.ndjson: every line is a document */
	BS_SOURCE_STDIN = 4,      /* "-": JSONL on standard input; its raw lines must be stored */
	/* was one: no document of it lives, and segments may still name its number */
	BS_SOURCE_FORGOTTEN = 5,
};
