/*
 * writer.c: the writer of bitsift/writer.h, which adds in-memory documents. A transaction, from the
 * first change to the commit, is an index run (indexing.h). The documents belong to the source of
 * standard input, with separate ids (BS_DOC_SEPARATE_ID).
 *
 *      texts -> [ held, until word pairs are chosen ] -> fields -> analysed batch
 *                                    -> id owners, indexing buffer, segments, as in any run
 *
 * Fields are analysed directly, without being written as JSON first. A JSON line is written only
 * for the store and the checksum.
 */
#include "core/bitsift/writer.h"
#include "core/bitsift/build.h"
#include "core/bitsift/host.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/vector.h"
#include "core/store/field_weights.h"
#include "core/system/deadline.h"
#include "corpus/changes/recorded.h"
#include "corpus/changes/uncommitted.h"
#include "corpus/read/in_memory_document.h"
#include "corpus/read/reader.h"
#include "corpus/read/record.h"
#include "corpus/read/text_store.h"
#include "indexer/run/indexing.h"

/* Documents are merged in batches of this size: half of a batch of lines, so that no buffer of the
 * analysed batch becomes so large that it is freed after each batch. */
#define BATCH_BYTES (BS_BATCH_BYTES / 2)
/* Documents with this much text are held, as the sample for choosing word pairs. The sample of a
 * collection is an eighth of it, so this is the sample of a collection of 32 MiB. */
#define HELD_BYTES (4u << 20)
/* A document larger than 1/LARGE_SHARE of the memory is processed alone, as in reader.c. */
#define LARGE_SHARE 128u

/* A document that is held until word pairs are chosen. */
struct held_document {
	size_t id_bytes, n_texts;
};

BS_VECTOR(held_list, struct held_document);
BS_VECTOR(held_texts, struct bs_text);

/* The documents that were added before word pairs are chosen. */
struct held_documents {
	struct held_list list;
	/* texts of all documents, consecutive; their pointers are valid only in give_all_held */
	struct held_texts texts;
	/* for each document: its id, then the field name and the text of each of its texts */
	struct bs_buffer bytes;
	struct bs_buffer line;  /* scratch: the JSON line of a document */
	uint64_t counted_bytes; /* size of the documents, compared with HELD_BYTES */
};

struct bs_writer {
	/* must be the first field, because query/search/ casts a writer's pointer to this type */
	struct bs_uncommitted uncommitted;
	struct bs_build_request build; /* the request of each transaction */
	struct bs_build_tuning tuning; /* referenced by build */
	bool not_stored, no_checksums, grams;
	uint64_t document_memory_bytes; /* see struct bs_writer_request */
	struct bs_indexing *at;         /* the present transaction; NULL: none */
	uint32_t source;                /* number, in `at`, of the source of in-memory documents */
	/* failure for which the transaction was rolled back; BS_OK: none */
	enum bs_status failed;
	/* message of failed */
	struct bs_error why;
	/* documents that are analysed but not merged */
	struct bs_term_batch batch;
	uint64_t batch_bytes;          /* bytes of the JSON lines of the documents in batch */
	struct bs_buffer line, fields; /* scratch: of the current document */
	/* documents are being held, because there are too few to choose word pairs */
	bool holds;
	struct held_documents held;
	struct bs_term_table held_ids;
};

static const char *in_memory_source[] = {"-"};

/* Keeps all sources of the index, and begins the source of in-memory documents. */
static enum bs_status begin_sources(struct bs_writer *writer, struct bs_error *err)
{
	struct bs_indexing *at = writer->at;
	const struct bs_manifest *manifest = &at->writer.manifest;
	struct bs_feed *none = NULL;
	enum bs_status status = BS_OK;
	for (uint32_t i = 0; i < at->list.n_sources && !status; i++) {
		if (manifest->sources[i].kind == BS_SOURCE_STDIN)
			writer->source = i;
		else
			status = bs_indexing_source(at, i, err);
	}
	const struct bs_source_record *record = &manifest->sources[writer->source];
	if (!status)
		status = bs_recorded_root(&at->dir, record, &at->source, err);
	if (!status)
		status = bs_refresh_begin(&at->refresh, writer->source, &at->source, record,
		                          &at->writer.source_options, false, NULL, NULL,
		                          &at->refreshing, &none, err);
	at->source_number = writer->source;
	at->next_sequence = record->read_lines;
	return status ? status : bs_index_writer_step(&at->writer, BS_BUILD_READ, 0, err);
}

/* The memory limit of one document. */
static uint64_t document_memory(const struct bs_writer *writer)
{
	uint64_t memory = writer->at->writer.source_options.memory_bytes;
	return memory > writer->document_memory_bytes ? memory : writer->document_memory_bytes;
}

static void use_batch(struct bs_writer *writer)
{
	struct bs_indexing *at = writer->at;
	bs_term_batch_clear(&writer->batch);
	writer->batch.tokenizer = bs_pipeline_words(at->writer.pipeline);
	writer->batch.grams = bs_pipeline_record_grams(at->writer.pipeline);
	writer->batch.weights = at->writer.manifest.options.weights;
	writer->batch.pairs = at->writer.pairs.n_word_pairs > 0 ? &at->writer.pairs : NULL;
	writer->batch.memory_bytes = document_memory(writer);
	writer->batch.keep_raws = !writer->not_stored;
	writer->batch_bytes = 0;
}

static void forget_held(struct held_documents *held)
{
	bs_vector_deinit(&held->list);
	bs_vector_deinit(&held->texts);
	bs_buffer_deinit(&held->bytes);
	bs_buffer_deinit(&held->line);
	held->counted_bytes = 0;
}

/* Ends the transaction: commits if status is BS_OK, otherwise discards everything. */
static enum bs_status end(struct bs_writer *writer, enum bs_status status,
                          struct bs_build_report *report_out, struct bs_error *err)
{
	status = bs_indexing_end(writer->at, status, report_out, err);
	free(writer->at);
	writer->at = NULL;
	writer->batch.tokenizer = NULL;
	writer->batch.grams = NULL;
	forget_held(&writer->held);
	bs_term_table_clear(&writer->held_ids);
	bs_buffer_trim(&writer->line, BATCH_BYTES);
	return status;
}

/* Begins a transaction, unless there is one. */
static enum bs_status begin(struct bs_writer *writer, struct bs_error *err)
{
	if (writer->failed)
		return bs_fail(err, writer->failed, "%s", writer->why.text);
	if (writer->at) {
		writer->at->writer.progress.owner = pthread_self();
		return BS_OK;
	}
	writer->at = calloc(1, sizeof(*writer->at));
	if (!writer->at)
		return bs_fail_memory(err, "a transaction", sizeof(*writer->at));
	writer->at->is_in_memory = true;
	writer->at->wants_grams = writer->grams;
	enum bs_status status = bs_indexing_begin(writer->at, &writer->build, err);
	if (!status)
		status = begin_sources(writer, err);
	if (status)
		return end(writer, status, NULL, NULL);
	writer->holds = writer->at->is_full || bs_snapshot_is_small(&writer->at->old);
	use_batch(writer);
	return BS_OK;
}

static enum bs_status check_id(size_t id_bytes, struct bs_error *err)
{
	return id_bytes > 0 && id_bytes <= UINT32_MAX / 2
	               ? BS_OK
	               : bs_fail(err, BS_INVALID, "an id has 1 to 2^31 bytes");
}

/* Begins a change of a document: checks the id, begins the transaction if there is none, and starts
 * the deadline. After success the caller ends the deadline. */
static enum bs_status enter(struct bs_writer *writer, size_t id_bytes, struct bs_deadline *deadline,
                            struct bs_error *err)
{
	enum bs_status status = check_id(id_bytes, err);
	if (!status)
		status = bs_deadline_begin(deadline, writer->uncommitted.limits, err);
	if (status)
		return status;
	status = begin(writer, err);
	if (status)
		bs_deadline_end(deadline);
	return status;
}

/* Rolls the transaction back if a change failed. */
static enum bs_status settle(struct bs_writer *writer, enum bs_status status, struct bs_error *why,
                             struct bs_error *err)
{
	if (!status)
		return BS_OK;
	writer->failed = status;
	writer->why = *why;
	if (writer->at)
		(void)!end(writer, status, NULL, NULL);
	return bs_fail(err, status, "%s", why->text);
}

static struct bs_doc_record named(const void *id, size_t id_bytes)
{
	return (struct bs_doc_record){
		.flags = BS_DOC_SEPARATE_ID, .name = id, .name_bytes = (uint32_t)id_bytes};
}

/* ids are prefetched this many documents ahead */
#define IDS_AHEAD 4u

/* If `bitsift delete` removed a document with this id, ends its exclusion, because it is added
 * again. */
static enum bs_status end_exclusion(struct bs_indexing *at, const struct bs_doc_record *record,
                                    struct bs_error *err)
{
	uint32_t i;
	enum bs_status status =
		bs_exclusions_find(&at->refresh.exclusions, &at->source, record, &i, err);
	if (status || i == UINT32_MAX)
		return status;
	at->refresh.exclusions.entries[i].state = BS_EXCLUSION_OVER;
	at->refresh.exclusions.is_changed = true;
	return BS_OK;
}

static enum bs_status add_given(void *context, const struct bs_term_batch *batch, uint32_t i,
                                struct bs_error *err)
{
	struct bs_writer *writer = context;
	struct bs_indexing *at = writer->at;
	const struct bs_term_batch_doc *doc = &batch->docs.items[i];
	const uint8_t *names = batch->names.data;
	struct bs_doc_record record = named(names + doc->name_offset, doc->document.name.n_bytes);
	if (i + IDS_AHEAD < batch->n_docs) {
		const struct bs_term_batch_doc *next = doc + IDS_AHEAD;
		struct bs_doc_record ahead =
			named(names + next->name_offset, next->document.name.n_bytes);
		bs_refresh_prefetch(&at->refresh, &at->refreshing, &ahead);
	}
	record.flags |= writer->not_stored ? BS_DOC_NOT_STORED : 0;
	record.source = writer->source;
	record.checksum = doc->document.raw.checksum;
	record.place[1] = doc->document.raw.n_bytes;
	record.place[2] = doc->document.place.line;
	record.place[3] = at->next_sequence++;
	enum bs_status status = end_exclusion(at, &record, err);
	if (!status)
		status = bs_refresh_take(&at->refresh, &at->refreshing, &record,
		                         doc->document.known, err);
	if (writer->no_checksums)
		record.checksum = 0;
	return status ? status : bs_index_writer_add(&at->writer, batch, i, &record, err);
}

static enum bs_status merge(struct bs_writer *writer, struct bs_error *err)
{
	bs_term_batch_seal(&writer->batch);
	enum bs_status status =
		bs_index_writer_merge(&writer->at->writer, &writer->batch, add_given, writer, err);
	uint64_t next_bytes = writer->batch.next_bytes;
	bs_term_batch_clear(&writer->batch);
	writer->batch.next_bytes = next_bytes;
	writer->batch_bytes = 0;
	return status;
}

static bool is_large(const struct bs_writer *writer, uint64_t n_bytes)
{
	return n_bytes > writer->at->writer.source_options.memory_bytes / LARGE_SHARE;
}

/* Adds a document to the batch. A large document gets a batch of its own, so that it can be refused
 * without affecting others. */
static enum bs_status take(struct bs_writer *writer, struct bs_document *document,
                           bool *is_refused_out, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	bool is_alone = is_large(writer, document->raw.n_bytes);
	/* Without a line the checksum is unknown, and add_given records 0. Until then it is 1, so
	 * that it differs from the recorded 0 and a replaced document counts as changed. */
	document->raw.checksum = document->raw.bytes ? bs_checksum(document->raw.bytes,
	                                                           (size_t)document->raw.n_bytes)
	                                             : 1;
	document->held_bytes = is_alone ? document->raw.n_bytes * 2 : 0;
	writer->batch.next_bytes = is_alone ? document->raw.n_bytes : 0;
	if (is_alone || writer->batch_bytes >= BATCH_BYTES)
		status = merge(writer, err);
	writer->batch.next_bytes = 0;
	writer->batch.is_alone = is_alone;
	writer->batch_bytes += document->raw.n_bytes + sizeof(struct bs_term_batch_doc);
	if (!status) {
		status = bs_term_batch_sink(&writer->batch).document(&writer->batch, document, err);
		*is_refused_out = status == BS_UNSUPPORTED;
	}
	return status;
}

/* Makes a document from texts. line: its JSON line, nullable. The document refers to the id, the
 * texts, the line, and memory that the next call reuses. */
static enum bs_status make_document(struct bs_writer *writer, const void *id, size_t id_bytes,
                                    const struct bs_text *texts, size_t n_texts,
                                    const struct bs_buffer *line, struct bs_document *document_out,
                                    struct bs_error *err)
{
	enum bs_status status =
		bs_in_memory_document(&writer->at->writer.source_options, texts, n_texts, line,
	                              &writer->fields, document_out, err);
	document_out->name.bytes = id;
	document_out->name.n_bytes = id_bytes;
	if (!line)
		document_out->raw.n_bytes = document_out->text.n_bytes;
	return status;
}

/* Calls give with each held document. */
static enum bs_status give_all_held(struct bs_writer *writer, bool has_lines, bs_sample_fn give,
                                    void *context, struct bs_error *err)
{
	struct held_documents *held = &writer->held;
	struct bs_text *text = held->texts.items;
	const char *at = (const char *)held->bytes.data;
	enum bs_status status = BS_OK;
	for (size_t d = 0; d < bs_vector_n(&held->list) && !status; d++) {
		struct held_document of = held->list.items[d];
		struct bs_text *texts = text;
		struct bs_document document;
		const char *id = at;
		at += of.id_bytes;
		for (size_t i = 0; i < of.n_texts; i++, text++) {
			text->field = at;
			text->text = at + text->field_bytes;
			at = text->text + text->text_bytes;
		}
		if (has_lines)
			status = bs_in_memory_line(texts, of.n_texts, &held->line, err);
		if (!status)
			status = make_document(writer, id, of.id_bytes, texts, of.n_texts,
			                       has_lines ? &held->line : NULL, &document, err);
		if (!status)
			status = give(context, &document, err);
	}
	return status;
}

/* A bs_give_sample_fn; context: the writer. */
static enum bs_status give_sample(void *context, bs_sample_fn give, void *give_context,
                                  struct bs_error *err)
{
	return give_all_held(context, false, give, give_context, err);
}

static enum bs_status take_held(void *context, const struct bs_document *document,
                                struct bs_error *err)
{
	struct bs_document own = *document;
	bool is_refused = false;
	return take(context, &own, &is_refused, err);
}

/* Chooses word pairs from the held documents, then adds these documents to the batch. Later
 * documents are not held. */
static enum bs_status release_held(struct bs_writer *writer, struct bs_error *err)
{
	if (!writer->holds)
		return BS_OK;
	writer->holds = false;
	enum bs_status status =
		bs_index_writer_choose_by(&writer->at->writer, give_sample, writer, err);
	use_batch(writer);
	if (!status)
		status = give_all_held(writer, !writer->no_checksums, take_held, writer, err);
	forget_held(&writer->held);
	bs_term_table_deinit(&writer->held_ids);
	return status;
}

static enum bs_status hold_text(struct held_documents *held, const struct bs_text *text,
                                struct bs_error *err)
{
	enum bs_status status = bs_vector_append(&held->texts, text, err);
	if (!status)
		status = bs_buffer_append(&held->bytes, text->field, text->field_bytes, err);
	return status ? status : bs_buffer_append(&held->bytes, text->text, text->text_bytes, err);
}

static enum bs_status hold(struct bs_writer *writer, const struct bs_document *document,
                           const struct bs_text *texts, size_t n_texts, struct bs_error *err)
{
	struct held_documents *held = &writer->held;
	const struct held_document entry = {document->name.n_bytes, n_texts};
	uint32_t number;
	enum bs_status status = bs_term_table_intern(
		&writer->held_ids, document->name.bytes, (uint32_t)document->name.n_bytes,
		bs_hash_slot(document->name.bytes, document->name.n_bytes), &number, NULL, err);
	if (!status)
		status = bs_vector_append(&held->list, &entry, err);
	if (!status)
		status = bs_buffer_append(&held->bytes, document->name.bytes,
		                          document->name.n_bytes, err);
	for (size_t i = 0; i < n_texts && !status; i++)
		status = hold_text(held, &texts[i], err);
	held->counted_bytes += sizeof(entry) + document->name.n_bytes + document->raw.n_bytes;
	if (!document->raw.bytes)
		held->counted_bytes += n_texts * sizeof(*texts);
	return status || held->counted_bytes < HELD_BYTES ? status : release_held(writer, err);
}

static bool is_held(const struct bs_writer *writer, const char *id, size_t id_bytes)
{
	uint32_t number;
	return writer->holds &&
	       bs_term_table_find(&writer->held_ids, (const uint8_t *)id, (uint32_t)id_bytes,
	                          bs_hash_slot(id, id_bytes), &number);
}

static enum bs_status check_bytes(uint64_t n_bytes, uint64_t most_bytes, struct bs_error *err)
{
	return n_bytes <= most_bytes
	               ? BS_OK
	               : bs_fail(err, BS_INVALID, "a document of %llu bytes: %llu are the most",
	                         (unsigned long long)n_bytes, (unsigned long long)most_bytes);
}

static uint64_t bytes_of(const struct bs_text *texts, size_t n_texts)
{
	uint64_t n_bytes = 0;
	for (size_t i = 0; i < n_texts; i++)
		n_bytes += texts[i].text_bytes;
	return n_bytes;
}

/* Checks the number and the size of the texts before memory is allocated for them. */
static enum bs_status check_texts(const struct bs_writer *writer, const struct bs_text *texts,
                                  size_t n_texts, struct bs_error *err)
{
	uint64_t most_bytes = bs_max_document(&writer->at->writer.manifest.options),
		 memory = document_memory(writer);
	if (n_texts > BS_RECORD_MAX_FIELDS)
		return bs_fail(err, BS_INVALID, "a document of more than %zu texts",
		               BS_RECORD_MAX_FIELDS);
	return check_bytes(bytes_of(texts, n_texts), most_bytes < memory ? most_bytes : memory,
	                   err);
}

/* Refuses a line that is too large for the memory or the store. */
static enum bs_status check_line(const struct bs_writer *writer, struct bs_error *err)
{
	uint64_t memory = document_memory(writer);
	return check_bytes(writer->line.used_bytes,
	                   memory < BS_STORE_LIMIT_BYTES ? memory : BS_STORE_LIMIT_BYTES - 1, err);
}

static enum bs_status add(struct bs_writer *writer, const char *id, size_t id_bytes,
                          const struct bs_text *texts, size_t n_texts, struct bs_error *err)
{
	struct bs_document document;
	struct bs_error why = {""};
	bool is_refused = false;
	enum bs_status status = check_texts(writer, texts, n_texts, err);
	if (status)
		return status;
	const struct bs_buffer *line = writer->no_checksums ? NULL : &writer->line;
	if (line) {
		status = bs_in_memory_line(texts, n_texts, &writer->line, &why);
		enum bs_status refused = status ? BS_OK : check_line(writer, err);
		if (refused)
			return refused;
	}
	if (!status && writer->holds &&
	    is_large(writer, line ? line->used_bytes : bytes_of(texts, n_texts)))
		status = release_held(writer, &why);
	if (!status)
		status = make_document(writer, id, id_bytes, texts, n_texts, line, &document, &why);
	if (!status)
		status = writer->holds ? hold(writer, &document, texts, n_texts, &why)
		                       : take(writer, &document, &is_refused, &why);
	if (is_refused)
		return bs_fail(err, BS_INVALID, "%s", why.text);
	return settle(writer, status, &why, err);
}

/* Where the in-memory document with a given id is now. */
struct found {
	bool is_held;  /* among the held documents, not yet in the batch */
	bool is_added; /* merged in this transaction, at place */
	bool is_old;   /* in the previous commit, at ref */
	struct bs_id_place place;
	struct bs_doc_ref ref;
};

/* Finds a document among the held documents, those merged in this transaction, and those of the
 * previous commit. Documents in the batch are not found. */
static enum bs_status find(struct bs_writer *writer, const char *id, size_t id_bytes,
                           struct found *found_out, struct bs_error *err)
{
	struct bs_indexing *at = writer->at;
	struct bs_doc_record record = named(id, id_bytes);
	*found_out = (struct found){.is_held = is_held(writer, id, id_bytes)};
	if (found_out->is_held)
		return BS_OK;
	enum bs_status status = bs_id_owners_lives(&at->refresh.owners, &at->source, &record,
	                                           &found_out->is_added, &found_out->place, err);
	if (!status && !found_out->is_added)
		status = bs_refresh_find_stdin(&at->refresh, &at->refreshing, id, id_bytes,
		                               &found_out->ref, NULL, err);
	found_out->is_old =
		!status && !found_out->is_added && found_out->ref.segment != BS_DOC_NONE;
	return status;
}

static bool is_found(const struct found *found)
{
	return found->is_held || found->is_added || found->is_old;
}

/* *is_found_out: whether a document with the id exists. If it is not found elsewhere, it may be in
 * the batch, which is then merged. */
static enum bs_status find_any(struct bs_writer *writer, const char *id, size_t id_bytes,
                               bool *is_found_out, struct bs_error *err)
{
	struct found found;
	enum bs_status status = find(writer, id, id_bytes, &found, err);
	if (!status && !is_found(&found)) {
		status = merge(writer, err);
		if (!status)
			status = find(writer, id, id_bytes, &found, err);
	}
	*is_found_out = is_found(&found);
	return status;
}

/* Adds a document or replaces the one with its id. must_be_there: BS_NOT_FOUND if there is none. */
static enum bs_status put(struct bs_writer *writer, const char *id, size_t id_bytes,
                          const struct bs_text *texts, size_t n_texts, bool must_be_there,
                          struct bs_error *err)
{
	bool is_there = true;
	struct bs_error why = {""};
	struct bs_deadline deadline;
	enum bs_status status = enter(writer, id_bytes, &deadline, err);
	if (status)
		return status;
	if (must_be_there)
		status = settle(writer, find_any(writer, id, id_bytes, &is_there, &why), &why, err);
	if (!status && !is_there)
		status = bs_fail(err, BS_NOT_FOUND, "%.*s: no in-memory document has this id",
		                 (int)(id_bytes < 200 ? id_bytes : 200), id);
	if (!status)
		status = add(writer, id, id_bytes, texts, n_texts, err);
	bs_deadline_end(&deadline);
	return status;
}

enum bs_status bs_writer_add(struct bs_writer *writer, const char *id, size_t id_bytes,
                             const struct bs_text *texts, size_t n_texts, struct bs_error *err)
{
	return put(writer, id, id_bytes, texts, n_texts, false, err);
}

enum bs_status bs_writer_replace(struct bs_writer *writer, const char *id, size_t id_bytes,
                                 const struct bs_text *texts, size_t n_texts, struct bs_error *err)
{
	return put(writer, id, id_bytes, texts, n_texts, true, err);
}

/* Deletes a document that was added in this transaction, so that it does not count as added. */
static enum bs_status drop_added(struct bs_indexing *at, struct bs_id_place place,
                                 struct bs_error *err)
{
	at->refresh.n_withdrawn++;
	return bs_id_owners_kill(&at->refresh.owners, place, err);
}

static enum bs_status drop_old(struct bs_indexing *at, struct bs_doc_ref ref, struct bs_error *err)
{
	at->refresh.n_removed++;
	return bs_snapshot_mark(&at->old, ref, true, err);
}

static enum bs_status drop(struct bs_writer *writer, const char *id, size_t id_bytes,
                           bool *was_there_out, struct bs_error *err)
{
	struct found found;
	enum bs_status status = is_held(writer, id, id_bytes) ? release_held(writer, err) : BS_OK;
	if (!status)
		status = merge(writer, err);
	if (!status)
		status = find(writer, id, id_bytes, &found, err);
	if (status)
		return status;
	*was_there_out = found.is_added || found.is_old;
	if (found.is_added)
		return drop_added(writer->at, found.place, err);
	return found.is_old ? drop_old(writer->at, found.ref, err) : BS_OK;
}

enum bs_status bs_writer_delete(struct bs_writer *writer, const char *id, size_t id_bytes,
                                bool *was_there_out, struct bs_error *err)
{
	bool own, *was_there = was_there_out ? was_there_out : &own;
	struct bs_error why = {""};
	struct bs_deadline deadline;
	*was_there = false;
	enum bs_status status = enter(writer, id_bytes, &deadline, err);
	if (status)
		return status;
	status = settle(writer, drop(writer, id, id_bytes, was_there, &why), &why, err);
	bs_deadline_end(&deadline);
	return status;
}

/* Lists in the manifest the segments of the previous commit and those of this transaction. */
static enum bs_status list_segments(const struct bs_indexing *at, struct bs_manifest *manifest,
                                    struct bs_error *err)
{
	const struct bs_segment_records *written = &at->writer.written;
	enum bs_status status = bs_manifest_copy_head(&at->writer.manifest, manifest, err);
	for (uint32_t s = 0; s < at->old.manifest.n_segments && !at->is_full && !status; s++)
		status = bs_manifest_add_segment(manifest, &at->old.manifest.segments[s], err);
	for (size_t i = 0; i < bs_vector_n(written) && !status; i++)
		status = bs_manifest_add_segment(manifest, &written->items[i], err);
	manifest->exclusions.number = manifest->exclusions.n_docs = 0;
	return status;
}

/* Marks as deleted in `shown`: documents that were replaced or deleted in this transaction, and
 * documents of other sources. */
static enum bs_status mark_dead(struct bs_indexing *at, uint32_t source, struct bs_snapshot *shown,
                                struct bs_error *err)
{
	uint32_t n_old = at->is_full ? 0 : at->old.manifest.n_segments;
	enum bs_status status = BS_OK;
	for (uint32_t s = 0; s < shown->manifest.n_segments && !status; s++) {
		const struct bs_doc_table *docs = &shown->segments[s].docs;
		uint64_t n_dead;
		if (s < n_old)
			shown->tombstones.bits[s] = at->old.tombstones.bits[s];
		else
			status = bs_id_owners_dead(&at->refresh.owners, s - n_old, docs->n_docs,
			                           &shown->tombstones.bits[s], &n_dead, err);
		for (uint32_t i = 0; i < docs->n_ranges; i++) {
			struct bs_source_range range = bs_doc_table_range(docs, i);
			if (!status)
				status = bs_deadline_check_after(range.end - range.first, err);
			for (uint32_t d = range.first;
			     range.source != source && d < range.end && !status; d++)
				status = bs_snapshot_mark(shown, (struct bs_doc_ref){s, d}, true,
				                          err);
		}
	}
	return status;
}

static enum bs_status show_written(struct bs_writer *writer, struct bs_snapshot *shown_out,
                                   struct bs_error *err)
{
	struct bs_indexing *at = writer->at;
	struct bs_manifest manifest = {.n_sources = 0};
	enum bs_status status = release_held(writer, err);
	if (!status)
		status = merge(writer, err);
	if (!status)
		status = bs_index_writer_flush(&at->writer, err);
	if (!status)
		status = list_segments(at, &manifest, err);
	if (!status)
		status = bs_snapshot_open_as(&at->dir, &manifest, shown_out, err);
	bs_manifest_deinit(&manifest);
	if (!status)
		status = mark_dead(at, writer->source, shown_out, err);
	shown_out->texts = writer->build.host.texts;
	return status;
}

static enum bs_status show(struct bs_writer *writer, struct bs_snapshot *shown_out,
                           struct bs_error *err)
{
	struct bs_error why = {""};
	*shown_out = (struct bs_snapshot){.dir = NULL};
	enum bs_status status = begin(writer, err);
	if (status)
		return status;
	status = show_written(writer, shown_out, &why);
	if (status)
		bs_snapshot_deinit(shown_out);
	return settle(writer, status, &why, err);
}

static enum bs_status drop_refs(struct bs_writer *writer, const struct bs_doc_ref *refs,
                                size_t n_refs, struct bs_error *err)
{
	struct bs_indexing *at = writer->at;
	uint32_t n_old = at->is_full ? 0 : at->old.manifest.n_segments;
	struct bs_error why = {""};
	enum bs_status status = BS_OK;
	for (size_t i = 0; i < n_refs && !status; i++)
		status = refs[i].segment < n_old
		                 ? drop_old(at, refs[i], &why)
		                 : drop_added(at,
		                              (struct bs_id_place){refs[i].segment - n_old,
		                                                   refs[i].document},
		                              &why);
	return settle(writer, status, &why, err);
}

static enum bs_status commit(struct bs_writer *writer, struct bs_build_report *report_out,
                             struct bs_error *err)
{
	enum bs_status status = begin(writer, err);
	writer->failed = BS_OK;
	if (status)
		return status;
	struct bs_indexing *at = writer->at;
	struct bs_source_record *record = &at->writer.manifest.sources[writer->source];
	status = release_held(writer, err);
	if (!status)
		status = merge(writer, err);
	if (!status)
		status = bs_refresh_end(&at->refresh, &at->refreshing, NULL, record, err);
	record->read_lines = at->next_sequence;
	return end(writer, status, report_out, err);
}

enum bs_status bs_writer_commit(struct bs_writer *writer, struct bs_build_report *report_out,
                                struct bs_error *err)
{
	struct bs_build_report own, *report = report_out ? report_out : &own;
	struct bs_deadline deadline;
	*report = (struct bs_build_report){0};
	enum bs_status status = bs_deadline_begin(&deadline, writer->uncommitted.limits, err);
	if (status)
		return status;
	status = commit(writer, report, err);
	bs_deadline_end(&deadline);
	bs_indexing_log(&writer->build, report, false, status, err);
	return status;
}

void bs_writer_rollback(struct bs_writer *writer)
{
	writer->failed = BS_OK;
	if (writer->at)
		(void)!end(writer, BS_STOPPED, NULL, NULL);
}

void bs_writer_close(struct bs_writer *writer)
{
	if (!writer)
		return;
	bs_writer_rollback(writer);
	bs_term_batch_deinit(&writer->batch);
	bs_buffer_deinit(&writer->line);
	bs_buffer_deinit(&writer->fields);
	forget_held(&writer->held);
	bs_term_table_deinit(&writer->held_ids);
	free(writer);
}

/* If the index exists, checks that its options equal those of the writer. */
static enum bs_status check_index(const struct bs_writer *writer, struct bs_error *err)
{
	const struct bs_build_request *build = &writer->build;
	struct bs_dir dir = {.fd = -1};
	struct bs_manifest manifest = {.n_sources = 0};
	enum bs_status status =
		bs_dir_open(&dir, build->dir, build->memory, build->host.consent, err);
	if (!status)
		status = bs_manifest_read(&dir, &manifest, err);
	if (!status)
		status = bs_indexing_check_options(build, &manifest.options, dir.path, err);
	if (!status)
		status = bs_indexing_check_grams(writer->grams, &manifest.options, dir.path, err);
	bs_manifest_deinit(&manifest);
	bs_dir_close(&dir);
	return status == BS_NOT_FOUND ? BS_OK : status;
}

static enum bs_status check_options(const struct bs_build_request *build, struct bs_error *err)
{
	char **weights = NULL;
	enum bs_status status = bs_indexing_check_request(build, err);
	if (!status)
		status = bs_field_weights_make(build->index.weights, &weights, err);
	bs_strings_free(weights);
	return status;
}

enum bs_status bs_writer_open(const struct bs_writer_request *request,
                              struct bs_writer **writer_out, struct bs_error *err)
{
	*writer_out = NULL;
	enum bs_status status =
		BS_CHECK_RESERVED(err, BS_RESERVED(bs_writer_request, *request),
	                          BS_RESERVED(bs_index_options, request->index),
	                          BS_RESERVED(bs_write_options, request->write),
	                          BS_RESERVED(bs_build_callbacks, request->callbacks),
	                          BS_RESERVED(bs_host, request->host));
	if (status)
		return status;
	struct bs_writer *writer = calloc(1, sizeof(*writer));
	if (!writer)
		return bs_fail_memory(err, "a writer", sizeof(*writer));
	writer->uncommitted = (struct bs_uncommitted){request->limits, show, drop_refs};
	writer->not_stored = request->not_stored;
	writer->no_checksums = request->not_stored && request->no_checksums;
	writer->grams = request->index.grams;
	writer->document_memory_bytes = request->document_memory_bytes;
	writer->tuning.pair_bits = request->phrase_bits;
	writer->build = (struct bs_build_request){
		.dir = request->dir,
		.memory = request->memory,
		.sources = in_memory_source,
		.n_sources = 1,
		.index.stem_language = request->index.stem_language,
		.index.fold_accents = request->index.fold_accents,
		.index.split_identifiers = request->index.split_identifiers,
		.index.weights = request->index.weights,
		.index.density = request->index.density,
		.index.summary_rate = request->index.summary_rate,
		.write.wait = request->write.wait,
		.write.memory_bytes = request->write.memory_bytes,
		.write.n_threads = request->write.n_threads,
		.callbacks.progress = request->callbacks.progress,
		.callbacks.notice = request->callbacks.notice,
		.callbacks.context = request->callbacks.context,
		.host.consent = request->host.consent,
		.host.texts = request->host.texts,
		.host.analyzer = request->host.analyzer,
		.host.log = request->host.log,
		.tuning = &writer->tuning,
		.write.condensed = request->write.condensed};
	if (!request->dir == !request->memory)
		status = bs_fail(err, BS_INVALID, "an index is either in a directory or in memory");
	if (!status && !(request->phrase_bits >= 0 && request->phrase_bits <= 16))
		status = bs_fail(err, BS_INVALID, "%g bits for phrases: not a number from 0 to 16",
		                 request->phrase_bits);
	if (!status)
		status = check_options(&writer->build, err);
	if (!status)
		status = check_index(writer, err);
	if (status)
		bs_writer_close(writer);
	else
		*writer_out = writer;
	return status;
}
