/* document_text.h: bs_document: a document by its id, and its text, as bitsift.h has it. What a finder keeps for that. */
#ifndef BS_QUERY_ANSWER_DOCUMENT_TEXT_H
#define BS_QUERY_ANSWER_DOCUMENT_TEXT_H

#include "core/base/buffer.h"
#include "corpus/changes/given_ids.h"
#include "corpus/changes/id_ends.h"
#include "query/load/fetch.h"

/* Zero-initialise. */
struct bs_document_texts {
	struct bs_given_ids given; /* made when the first one is asked for, */
	struct bs_id_ends ends;    /* and of all others when it is none of those */
	struct bs_buffer texts;    /* struct bs_text each */
};
void bs_document_texts_deinit(struct bs_document_texts *texts);

#endif
