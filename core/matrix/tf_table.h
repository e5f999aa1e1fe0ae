/* tf_table.h: the tf codes (tf_code.h) of a segment's documents, one after the other, and where each begins. In
 * FORMAT.md: sections 37 and 38. */
#ifndef BS_CORE_MATRIX_TF_TABLE_H
#define BS_CORE_MATRIX_TF_TABLE_H

#include <stdint.h>

#include "core/base/buffer.h"
#include "core/file/container.h"
#include "core/file/packed.h"
#include "core/base/status.h"
#include "core/matrix/tf_code.h"

/* Writing: the document at hand is the next one. */

/* Zero-initialise. */
struct bs_tf_table_builder {
	struct bs_buffer ends; /* u64 a document: where its bits end */
	struct bs_buffer bits;
};
enum bs_status bs_tf_table_add(struct bs_tf_table_builder *builder, const uint8_t *bits, size_t n_bytes,
                               struct bs_error *err) BS_WARN_UNUSED;
/* The bits of a document added before; the pad is there once all are. */
const uint8_t *bs_tf_table_added(const struct bs_tf_table_builder *builder, uint32_t document, size_t *n_bytes_out);
/* Before the first bs_tf_table_added: puts the pad behind the last document. */
enum bs_status bs_tf_table_pad(struct bs_tf_table_builder *builder, struct bs_error *err) BS_WARN_UNUSED;
/* Bytes held, for a memory budget. */
uint64_t bs_tf_table_builder_bytes(const struct bs_tf_table_builder *builder);
enum bs_status bs_tf_table_write(const struct bs_tf_table_builder *builder, struct bs_writer *writer,
                                 struct bs_error *err) BS_WARN_UNUSED;
void bs_tf_table_builder_clear(struct bs_tf_table_builder *builder);
void bs_tf_table_builder_deinit(struct bs_tf_table_builder *builder);

/* Reading: any number of threads. */

struct bs_tf_table {
	struct bs_packed offsets; /* one a document and one more */
	struct bs_section bits;   /* and BS_TF_PAD_BYTES zero bytes */
};
/* BS_CORRUPT if the sections do not fit n_docs documents. */
enum bs_status bs_tf_table_open(struct bs_tf_table *table, const struct bs_container *file, uint64_t n_docs,
                                struct bs_error *err) BS_WARN_UNUSED;
/* Ask the memory for where the bits of a document are; and, some time after that, for the bits. */
static inline void bs_tf_table_prefetch_place(const struct bs_tf_table *table, uint32_t document)
{
	bs_packed_prefetch(&table->offsets, document);
}
void bs_tf_table_prefetch(const struct bs_tf_table *table, uint32_t document);
/* The bits of a document, for bs_tf_decode. BS_CORRUPT. */
enum bs_status bs_tf_table_get(const struct bs_tf_table *table, uint32_t document, const uint8_t **bits_out,
                               size_t *n_bytes_out, struct bs_error *err) BS_WARN_UNUSED;

#endif
