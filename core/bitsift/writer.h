/*
 * writer.h: documents from memory, and indexes in memory. Part of the public interface of libbitsift; the rules are those of
 * bitsift.h.
 *
 *      bs_writer_open    an index, there or to be, in a directory or in memory -> a writer
 *      bs_writer_add ... documents in and out, seen by nobody else until
 *      bs_writer_commit  makes them the index's; or bs_writer_rollback forgets them
 *      bs_memory_new     an index that is no directory
 *
 * What is added to an index by its writer are its given documents, like those of JSONL on standard input: one source,
 * beside which it may have files, folders and collections, whose documents a writer leaves alone. An id names one given
 * document. `bitsift query` and all else that reads the directory finds them.
 */
#ifndef BITSIFT_WRITER_H
#define BITSIFT_WRITER_H

#include "index.h"
#include "index_delete.h"
#include "index_restore.h"
#include "memory_index.h"
#include "transaction.h"

#endif
