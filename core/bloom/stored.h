/*
 * stored.h: the head that all stored forms of the Bloom family have, 64 bytes, and what it must
 * say. FORMAT.md, "Filters", has it byte by byte. The body that follows is its member's business.
 */
#pragma once

#include "core/base/error.h"

#define BS_STORED_HEAD_BYTES 64u

enum bs_stored_kind {
	BS_STORED_PLAIN = 1,
	BS_STORED_COUNTING,
	BS_STORED_COMPRESSED,
	BS_STORED_DELTA,
	BS_STORED_ATTENUATED,
	BS_STORED_KINDS
};

struct bs_stored {
	enum bs_stored_kind kind;
	uint32_t n_hashes;
	uint64_t n_bits;
	uint64_t number; /* a member's own; 0 where it has none */
};

/* Writes the head before the body, which stands in bytes already: n_bytes with the head. */
void bs_stored_seal(const struct bs_stored *stored, uint8_t *bytes, size_t n_bytes);

/* Reads the head: whatever all members have in common holds then, BS_CORRUPT or BS_UNSUPPORTED
 * otherwise. */
enum bs_status bs_stored_read(enum bs_stored_kind kind, const uint8_t *bytes, size_t n_bytes,
                              struct bs_stored *stored_out, struct bs_error *err) BS_WARN_UNUSED;
/* The checksum of the body. */
enum bs_status bs_stored_check_body(enum bs_stored_kind kind, const uint8_t *bytes, size_t n_bytes,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* The one place that says BS_CORRUPT: what is wrong with the byte at this offset. */
enum bs_status bs_stored_corrupt(enum bs_stored_kind kind, uint64_t at, struct bs_error *err,
                                 const char *format, ...) BS_PRINTF(4, 5);
