/*
 * clusters.h: where a text may be cut so that what a reader takes for one character stays whole:
 * between the extended grapheme clusters of UAX #29, with the conjuncts of Unicode 15.1 (GB9c),
 * whatever the version of ICU. A cut that this allows is allowed by Unicode; a conjunct of a script
 * that Unicode does not name in GB9c is kept whole, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A walk over the boundaries of a text. After bs_icu_load (icu.h). */
struct bs_clusters {
	const uint8_t *text;
	size_t text_bytes;
	size_t at;        /* a boundary */
	size_t next;      /* the end of the code point that was read last; at least `at` */
	uint8_t before;   /* its break property */
	bool is_odd_flag; /* it is a regional indicator, the first of a pair */
	bool is_picture;  /* a pictograph with extensions ends there, */
	bool is_joined;   /* and a joiner */
	bool is_letter;   /* an Indic consonant with extensions ends there, */
	bool is_linked;   /* with a virama among them */
};

/* Goes to the last boundary at or before `at` <= text_bytes. Looks back at 4 KiB at most: what is
 * one cluster for longer is taken to begin there. */
void bs_clusters_seek(struct bs_clusters *clusters, const uint8_t *text, size_t text_bytes,
                      size_t at);

/* Goes to the next boundary, the end of the text at last; false: it is there. */
bool bs_clusters_next(struct bs_clusters *clusters);
