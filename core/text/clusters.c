/* clusters.c: see clusters.h. */
#include "core/text/clusters.h"

#include <unicode/utf8.h>

#include "core/base/utf8.h"
#include "core/bitsift/escape.h"
#include "core/bitsift/terminal.h"
#include "core/system/icu.h"

/* A longer cluster is cut between code points. No ordinary text has one. */
#define MOST_CLUSTER_BYTES 4096u

/* The properties of a code point that the rules use. */
struct class
{
	uint8_t is;      /* UGraphemeClusterBreak */
	bool is_picture; /* Extended_Pictographic */
	bool is_virama;  /* links consonants */
	bool is_letter;  /* an Indic consonant */
};

static struct class class_of(int32_t c)
{
	struct class class = {.is = U_GCB_OTHER};
	if (c < 0 || (c >= 0x20 && c < 0x7f))
		return class;
	int syllable = bs_icu.u_getIntPropertyValue(c, UCHAR_INDIC_SYLLABIC_CATEGORY);
	class.is = (uint8_t)bs_icu.u_getIntPropertyValue(c, UCHAR_GRAPHEME_CLUSTER_BREAK);
	class.is_picture = bs_icu.u_hasBinaryProperty(c, UCHAR_EXTENDED_PICTOGRAPHIC);
	class.is_virama = syllable == U_INSC_VIRAMA || syllable == U_INSC_INVISIBLE_STACKER;
	class.is_letter = syllable == U_INSC_CONSONANT;
	return class;
}

static bool is_control(uint8_t is)
{
	return is == U_GCB_CONTROL || is == U_GCB_CR || is == U_GCB_LF;
}

/* Whether two adjacent code points are joined by rules GB3 to GB9b. *is_certain_out is false if
 * these rules do not decide. */
static bool are_joined(uint8_t before, const struct class *after, bool *is_certain_out)
{
	*is_certain_out = true;
	if (is_control(before) || is_control(after->is))
		return before == U_GCB_CR && after->is == U_GCB_LF;
	bool is_syllable = before == U_GCB_L && (after->is == U_GCB_L || after->is == U_GCB_V ||
	                                         after->is == U_GCB_LV || after->is == U_GCB_LVT);
	is_syllable |= (before == U_GCB_LV || before == U_GCB_V) &&
	               (after->is == U_GCB_V || after->is == U_GCB_T);
	is_syllable |= (before == U_GCB_LVT || before == U_GCB_T) && after->is == U_GCB_T;
	if (is_syllable || before == U_GCB_PREPEND || after->is == U_GCB_EXTEND ||
	    after->is == U_GCB_ZWJ || after->is == U_GCB_SPACING_MARK)
		return true;
	*is_certain_out =
		!(before == U_GCB_ZWJ && after->is_picture) &&
		!(before == U_GCB_REGIONAL_INDICATOR && after->is == U_GCB_REGIONAL_INDICATOR) &&
		!((before == U_GCB_EXTEND || before == U_GCB_ZWJ) && after->is_letter);
	return false;
}

/* Reads a code point of this class. Returns whether there is a boundary before it. */
static bool read(struct bs_clusters *clusters, const struct class *class)
{
	bool is_certain, is_extension = class->is == U_GCB_EXTEND || class->is == U_GCB_ZWJ;
	bool is_flag = class->is == U_GCB_REGIONAL_INDICATOR;
	bool is_boundary = !are_joined(clusters->before, class, &is_certain);
	if (!is_certain)
		is_boundary = !(clusters->is_joined && class->is_picture) &&
		              !(clusters->is_odd_flag && is_flag) &&
		              !(clusters->is_linked && class->is_letter);
	clusters->before = class->is;
	clusters->is_odd_flag = is_flag && !clusters->is_odd_flag;
	clusters->is_joined = clusters->is_picture && class->is == U_GCB_ZWJ;
	clusters->is_picture =
		class->is_picture || (clusters->is_picture && class->is == U_GCB_EXTEND);
	clusters->is_linked =
		clusters->is_letter && (class->is_virama || (clusters->is_linked && is_extension));
	clusters->is_letter =
		class->is_letter || (clusters->is_letter && (class->is_virama || is_extension));
	return is_boundary;
}

static void begin(struct bs_clusters *clusters, const uint8_t *text, size_t text_bytes, size_t at)
{
	*clusters = (struct bs_clusters){.text = text,
	                                 .text_bytes = text_bytes,
	                                 .at = at,
	                                 .next = at,
	                                 .before = U_GCB_CONTROL};
	if (at == text_bytes)
		return;
	struct class first = class_of(bs_utf8_next(text, text_bytes, &clusters->next));
	(void)read(clusters, &first);
}

bool bs_clusters_next(struct bs_clusters *clusters)
{
	if (clusters->at == clusters->text_bytes)
		return false;
	size_t start = clusters->at;
	while (clusters->next < clusters->text_bytes) {
		size_t at = clusters->next;
		struct class class = class_of(
			bs_utf8_next(clusters->text, clusters->text_bytes, &clusters->next));
		bool is_boundary = read(clusters, &class) || at - start >= MOST_CLUSTER_BYTES;
		clusters->at = at;
		if (is_boundary)
			return true;
	}
	clusters->at = clusters->text_bytes;
	return true;
}

/* The start of the code point that contains text[at]. */
static size_t code_point_start(const uint8_t *text, size_t text_bytes, size_t at)
{
	for (size_t start = at; at < text_bytes && start > 0 && at - start < U8_MAX_LENGTH - 1 &&
	                        U8_IS_TRAIL(text[start]);) {
		size_t end = --start;
		if (!U8_IS_TRAIL(text[start]))
			return bs_utf8_next(text, text_bytes, &end) >= 0 && end > at ? start : at;
	}
	return at;
}

void bs_clusters_seek(struct bs_clusters *clusters, const uint8_t *text, size_t text_bytes,
                      size_t at)
{
	at = code_point_start(text, text_bytes, at);
	size_t start = at, end = at;
	struct class after = {.is = U_GCB_CONTROL};
	bool is_certain, is_start = at == text_bytes;
	if (!is_start)
		after = class_of(bs_utf8_next(text, text_bytes, &end));
	while (start > 0 && !is_start && at - start < MOST_CLUSTER_BYTES) {
		size_t before = start;
		struct class class = class_of(bs_utf8_previous(text, &before));
		is_start = !are_joined(class.is, &after, &is_certain) && is_certain;
		start = is_start ? start : before;
		after = class;
	}
	begin(clusters, text, text_bytes, start);
	for (struct bs_clusters next = *clusters; bs_clusters_next(&next) && next.at <= at;)
		*clusters = next;
}

size_t bs_cluster_boundary(const uint8_t *text, size_t text_bytes, size_t at, bool is_forward)
{
	struct bs_clusters clusters;
	at = at < text_bytes ? at : text_bytes;
	size_t character = code_point_start(text, text_bytes, at);
	if (at == text_bytes || bs_icu_load(NULL) != BS_OK)
		return character;
	bs_clusters_seek(&clusters, text, text_bytes, at);
	if (clusters.at == at || (!is_forward && at - clusters.at <= BS_MAX_CLUSTER_BYTES))
		return clusters.at;
	/* Limits the search for the next boundary, because a farther one is not returned. */
	clusters.text_bytes = text_bytes - at > 2 * BS_MAX_CLUSTER_BYTES
	                              ? at + 2 * BS_MAX_CLUSTER_BYTES
	                              : text_bytes;
	bool is_found = is_forward && bs_clusters_next(&clusters) &&
	                clusters.at - at <= BS_MAX_CLUSTER_BYTES;
	return is_found ? clusters.at : character;
}
