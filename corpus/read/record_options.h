/* record_options.h: which fields of a record are the id and the texts, and the limits of a
 * record. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Maximum nesting of objects and arrays, including the record itself. For each level, parsing takes
 * 33 bytes of memory, which are touched only when the level is reached. */
#define BS_RECORD_MAX_DEPTH 65536
/* Maximum length of a name, so that the names of a deep record are not many times its size. */
#define BS_RECORD_NAME_BYTES 255u
/* Maximum number of fields of a record. It keeps positions, including the gaps between fields,
 * within 32 bits. */
#define BS_RECORD_MAX_FIELDS ((size_t)1 << 24)

/* Strings are borrowed while the parser exists. */
struct bs_record_options {
	const char *id_field; /* NULL: "id" */
	/* names of the text fields; NULL: all fields but the id */
	const char *const *text_fields;
	size_t n_text_fields;
	/* the id is passed separately: no field is the id, and a record may have no text
	 * (BS_DOC_SEPARATE_ID) */
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

/* True if a field with this name is text. */
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
