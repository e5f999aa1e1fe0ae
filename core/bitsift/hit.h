/* hit.h: a document that a search found. Part of the public interface; see bitsift.h. */
#ifndef BITSIFT_HIT_H
#define BITSIFT_HIT_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
