/* stored.h: the header of 64 bytes that begins every stored form of the Bloom family. FORMAT.md,
 * "Filters", describes it byte by byte. Each member defines and checks its own body. */
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
	uint64_t number; /* its meaning depends on the kind (FORMAT.md); 0 if unused */
};

/* Writes the header at the start of `bytes`. The body must already be there, after the room for the
 * header. n_bytes includes the header. */
void bs_stored_seal(const struct bs_stored *stored, uint8_t *bytes, size_t n_bytes);

/* Reads and checks the fields that all kinds share. BS_CORRUPT, BS_UNSUPPORTED. */
enum bs_status bs_stored_read(enum bs_stored_kind kind, const uint8_t *bytes, size_t n_bytes,
                              struct bs_stored *stored_out, struct bs_error *err) BS_WARN_UNUSED;
/* Compares the checksum of the body. BS_CORRUPT. */
enum bs_status bs_stored_check_body(enum bs_stored_kind kind, const uint8_t *bytes, size_t n_bytes,
                                    struct bs_error *err) BS_WARN_UNUSED;

/* Returns BS_CORRUPT with a message. `at` is the offset of the invalid byte. */
enum bs_status bs_stored_corrupt(enum bs_stored_kind kind, uint64_t at, struct bs_error *err,
                                 const char *format, ...) BS_PRINTF(4, 5);
