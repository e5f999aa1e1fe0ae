/*
 * field_kind.h: what the fields of an index are. Part of the public interface; see bitsift.h.
 */
#ifndef BITSIFT_FIELD_KIND_H
#define BITSIFT_FIELD_KIND_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a name in front of a colon may mean; more than one at once. */
enum bs_field_kind {
	BS_FIELD_OF_RECORDS = 1,  /* some record has a field of that name, */
	BS_FIELD_WITH_VALUES = 2, /* with a number or a date in it */
	BS_FIELD_OF_FILES = 4,    /* "name": there are files */
};

#ifdef __cplusplus
}
#endif
#endif
