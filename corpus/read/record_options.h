/* record_options.h: what a record's id and texts are, and the limits of a record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Levels of objects and arrays, the record itself included. Costs 33 bytes each, touched only when
 * reached. */
#define BS_RECORD_MAX_DEPTH 65536
/* So that the names of a deep record are not many times its size. */
#define BS_RECORD_NAME_BYTES 255u
/* So that positions, with the gaps between fields, fit into 32 bits. */
#define BS_RECORD_MAX_FIELDS ((size_t)1 << 24)

/* Strings are borrowed for as long as the parser lives. */
struct bs_record_options {
	const char *id_field; /* NULL: "id" */
	/* the fields that are text, or NULL: every one but the id */
	const char *const *text_fields;
	size_t n_text_fields;
	/* the id is known: no field is it, and there may be no text (BS_DOC_SEPARATE_ID) */
	bool has_separate_id;
};

static inline const char *bs_record_id_field(const struct bs_record_options *options)
{
	return options->id_field ? options->id_field : "id";
}

static inline bool bs_record_is_id(const struct bs_record_options *options, const char *name,
                                   size_t name_bytes)
{
	const char *field = bs_record_id_field(options);
	return !options->has_separate_id && strlen(field) == name_bytes &&
	       memcmp(field, name, name_bytes) == 0;
}

/* Whether a field of that name is text. */
static inline bool bs_record_is_text(const struct bs_record_options *options, const char *name,
                                     size_t name_bytes)
{
	bool is_text = !options->text_fields && !bs_record_is_id(options, name, name_bytes);
	for (size_t i = 0; i < options->n_text_fields && !is_text; i++) {
		const char *field = options->text_fields[i];
		is_text = strlen(field) == name_bytes && memcmp(field, name, name_bytes) == 0;
	}
	return is_text;
}
