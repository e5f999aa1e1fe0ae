/*
 * vector.h: typed arrays that grow. A vector is a bs_buffer (buffer.h) whose bytes are items of one
 * type: buffer.h owns the memory, limits it and may keep it in a file; the macros below add the
 * type.
 *
 *      BS_VECTOR(bs_ranked_hits, struct bs_ranked_hit);
 *
 *      struct bs_ranked_hits hits = {0};
 *      status = bs_vector_append(&hits, &hit, err);
 *      for (size_t i = 0; i < bs_vector_n(&hits); i++)
 *              use(&hits.items[i]);
 *      bs_vector_deinit(&hits);
 *
 * A zero-initialised vector is empty. `items` may move with every append. It is NULL until memory
 * is first needed. A loop that stores 64-bit numbers should copy `items` to a local variable first:
 * to the compiler such a store may change the pointer.
 *
 * The macros may evaluate their arguments more than once.
 */
#pragma once

#include "core/base/buffer.h"

/* Defines struct name. */
#define BS_VECTOR(name, type)                   \
	struct name {                           \
		union {                         \
			struct bs_buffer bytes; \
			type *items;            \
		};                              \
	}

BS_VECTOR(bs_u16s, uint16_t);
BS_VECTOR(bs_u32s, uint32_t);
BS_VECTOR(bs_u64s, uint64_t);

#define bs_vector_n(vector) ((vector)->bytes.used_bytes / sizeof(*(vector)->items))

/* Appends a copy of *item, which must not lie in the vector. A failure (see bs_buffer_reserve)
 * leaves the vector unchanged. */
#define bs_vector_append(vector, item, err) bs_vector_extend(vector, item, 1, err)

/* Appends copies of item[0..n). Fails like bs_vector_append. The operator ?: makes the compiler
 * check that `item` points to items of the vector's type. */
#define bs_vector_extend(vector, item, n, err)                           \
	bs_buffer_append(&(vector)->bytes, 1 ? (item) : (vector)->items, \
	                 (n) * sizeof(*(vector)->items), err)

/* Makes room for n more items. Fails like bs_buffer_reserve. */
#define bs_vector_reserve(vector, n, err) \
	bs_buffer_reserve(&(vector)->bytes, (n) * sizeof(*(vector)->items), err)

/* Sets the number of items. Additional items need room (bs_vector_reserve) and are
 * uninitialised. */
#define bs_vector_set_n(vector, n) \
	((void)((vector)->bytes.used_bytes = (n) * sizeof(*(vector)->items)))

/* Removes all items and keeps the memory. */
#define bs_vector_clear(vector) bs_buffer_clear(&(vector)->bytes)

/* Removes all items and frees the memory. */
#define bs_vector_deinit(vector) bs_buffer_deinit(&(vector)->bytes)
