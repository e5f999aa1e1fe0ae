/*
 * clusters.h: boundaries of user-perceived characters, where a text may be cut: between the
 * extended grapheme clusters of UAX #29, with the conjuncts of Unicode 15.1 (GB9c), for all
 * versions of ICU. Every boundary found is one of Unicode's, except within clusters of more than 4
 * KiB. Not every boundary of Unicode is found: conjuncts of scripts that GB9c does not name are
 * also kept whole.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An iterator over the boundaries of a text. Needs bs_icu_load (icu.h). */
struct bs_clusters {
	const uint8_t *text;
	size_t text_bytes;
	size_t at;      /* offset of the present boundary */
	size_t next;    /* end of the last code point read; at least `at` */
	uint8_t before; /* break property of the last code point read */
	/* the last code point read is a regional indicator, the first of a pair */
	bool is_odd_flag;
	bool is_picture; /* the text up to `next` ends with a pictograph and extensions */
	bool is_joined;  /* the text up to `next` ends with a pictograph, extensions and a joiner */
	bool is_letter;  /* the text up to `next` ends with an Indic consonant and extensions */
	bool is_linked;  /* is_letter, and the extensions include a virama */
};

/* Moves to the last boundary at or before `at` <= text_bytes. Looks back 4 KiB at most; a longer
 * cluster is taken to begin there. */
void bs_clusters_seek(struct bs_clusters *clusters, const uint8_t *text, size_t text_bytes,
                      size_t at);

/* Moves to the next boundary; the last is the end of the text. Returns false if the iterator is
 * there already. */
bool bs_clusters_next(struct bs_clusters *clusters);
