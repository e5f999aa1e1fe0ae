/* hostile.c: see hostile.h. */
#include "tests/rigs/hostile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bitsift.h"

struct bytes bytes_of(const void *data, size_t n)
{
	struct bytes bytes = {calloc(n + 1, 1), n};
	if (!bytes.data)
		abort();
	if (n > 0)
		memcpy(bytes.data, data, n);
	return bytes;
}

void bytes_put(struct bytes *to, const void *data, size_t n)
{
	to->data = realloc(to->data, to->n + n + 1);
	if (!to->data)
		abort();
	if (n > 0)
		memcpy(to->data + to->n, data, n);
	to->n += n;
	to->data[to->n] = '\0';
}

struct bytes bytes_join(struct bytes a, const char *between, struct bytes b)
{
	struct bytes joined = bytes_of(a.data, a.n);
	bytes_put(&joined, between, strlen(between));
	bytes_put(&joined, b.data, b.n);
	return joined;
}

bool bytes_equal(struct bytes a, struct bytes b)
{
	return a.n == b.n && memcmp(a.data, b.data, a.n) == 0;
}

uint64_t hostile_below(struct hostile *hostile, uint64_t bound)
{
	hostile->random ^= hostile->random << 13;
	hostile->random ^= hostile->random >> 7;
	hostile->random ^= hostile->random << 17;
	return hostile->random % bound;
}

void hostile_deinit(struct hostile *hostile)
{
	for (size_t i = 0; i < sizeof(hostile->last) / sizeof(*hostile->last); i++)
		free(hostile->last[i].data);
	*hostile = (struct hostile){.random = hostile->random};
}

static const char *const specials[] = {
	/* Syntax of paths, ids, options and globs. */
	"", "#", ":", "/", "..", ".", "-", "--", "-0", "--ids", "*", "**", "[", "{a,b}", "!x", "'",
	"\"", "\\", "a#b", "a#1", "-:1", "-:2", ":1", "c.jsonl:1", "c.jsonl#1", "../../etc/passwd",
	"/etc/passwd", "a//b", "a/./b", "http://x/?y=1&z",
	/* White space and control characters. */
	"\n", "\r", "\r\n", "\t", " ", "  x ", "\x7f", "\x1b[2J", "\xc2\x85", "\u00a0", "\u2028",
	"\u202eabc", "\u2066x\u2069", "\ufeff", "\ufeffid",
	/* Names of fields, weights, numbers, constants of JSON, operators of queries. */
	"id", "name", "ID", "text", "a.b", ".a", "a.", "a=b=3", "a,b", "ab", "0", "-0", "00", "1",
	"18446744073709551615", "18446744073709551616", "1e5", "true", "null", "AND", "OR NOT",
	"(a", "a^2", "a~1",
	/* Invalid UTF-8, and noncharacters. */
	"\xff", "\xc3", "a\xe2\x82", "\xed\xa0\x80", "\xed\xa0\x80\xed\xb0\x80", "\xc0\x80",
	"\xf4\x90\x80\x80", "\ufffd", "\ufffe",
	/* Characters that fold or decompose, and sequences that are one character. */
	"\u00e9", "e\u0301", "\ufb00", "ff", "FF", "\u00df", "ss", "\u0130", "\u1100\u1161",
	"\uac00", "\U0001f469\u200d\U0001f4bb"};
#define N_SPECIALS (sizeof(specials) / sizeof(*specials))
static const struct {
	char bytes[4];
	size_t n;
} with_nul[] = {{"\0", 1},   {"\0\0", 2}, {"a\0", 2},  {"\0a", 2},
                {"a\0b", 3}, {"a\0c", 3}, {"i\0d", 3}, {"id\0", 3}};
#define N_WITH_NUL (sizeof(with_nul) / sizeof(*with_nul))

static struct bytes random_bytes(struct hostile *hostile, size_t n)
{
	struct bytes bytes = bytes_of(NULL, 0);
	bool is_ascii = hostile_below(hostile, 3) == 0;
	for (size_t i = 0; i < n; i++) {
		char byte = (char)(is_ascii ? 1 + hostile_below(hostile, 127)
		                            : hostile_below(hostile, 256));
		bytes_put(&bytes, &byte, 1);
	}
	return bytes;
}

static struct bytes long_bytes(struct hostile *hostile)
{
	static const size_t lengths[] = {253,  254,  255,   256,   257,    1000,
	                                 4095, 4096, 65535, 65536, 1 << 20};
	/* The longest lengths are rare. */
	size_t n = lengths[hostile_below(
		hostile, hostile_below(hostile, 8) ? 6 : sizeof(lengths) / sizeof(*lengths))];
	struct bytes bytes = {malloc(n + 1), n};
	if (!bytes.data)
		abort();
	memset(bytes.data, "ax\xc3"[hostile_below(hostile, 3)], n);
	bytes.data[n] = '\0';
	for (size_t i = 0; i < 3; i++)
		bytes.data[hostile_below(hostile, n)] = (char)hostile_below(hostile, 256);
	return bytes;
}

/* Returns an earlier result, in most cases with a small change. */
static struct bytes neighbour(struct hostile *hostile)
{
	static const char *const ends[] = {"#", ":1", "#1", "/", ".", " ", "\n", "\xff", "a", "A"};
	const struct bytes *of = &hostile->last[hostile_below(hostile, hostile->n_last)];
	struct bytes bytes = bytes_of(of->data, of->n);
	switch (hostile_below(hostile, 6)) {
	case 0:
		bytes_put(&bytes, "", 1);
		break;
	case 1:
		for (size_t i = 0; i < bytes.n; i++)
			bytes.data[i] ^= bytes.data[i] >= 'a' && bytes.data[i] <= 'z' ? 0x20 : 0;
		break;
	case 2:
		if (bytes.n > 0)
			bytes.data[hostile_below(hostile, bytes.n)] =
				(char)hostile_below(hostile, 256);
		break;
	case 3:
		bytes.n -= bytes.n > 0;
		bytes.data[bytes.n] = '\0';
		break;
	case 4:
		break;
	default: {
		const char *end = ends[hostile_below(hostile, sizeof(ends) / sizeof(*ends))];
		bytes_put(&bytes, end, strlen(end));
	}
	}
	return bytes;
}

struct bytes hostile_bytes(struct hostile *hostile)
{
	struct bytes bytes;
	uint64_t kind = hostile_below(hostile, 16);
	if (kind < 6) {
		size_t i = hostile_below(hostile, N_SPECIALS + N_WITH_NUL);
		bytes = i < N_SPECIALS ? bytes_of(specials[i], strlen(specials[i]))
		                       : bytes_of(with_nul[i - N_SPECIALS].bytes,
		                                  with_nul[i - N_SPECIALS].n);
	} else if (kind < 10 && hostile->n_last > 0) {
		bytes = neighbour(hostile);
	} else if (kind == 10) {
		bytes = long_bytes(hostile);
	} else {
		bytes = random_bytes(hostile, hostile_below(hostile, 30));
	}
	const size_t most = sizeof(hostile->last) / sizeof(*hostile->last);
	size_t place = hostile->n_last < most ? hostile->n_last++ : hostile_below(hostile, most);
	free(hostile->last[place].data);
	hostile->last[place] = bytes_of(bytes.data, bytes.n);
	return bytes;
}

struct bytes hostile_string(struct hostile *hostile)
{
	struct bytes bytes = hostile_bytes(hostile);
	for (size_t i = 0; i < bytes.n; i++)
		bytes.data[i] = bytes.data[i] ? bytes.data[i] : '\x01';
	if (bytes.n == 0)
		bytes_put(&bytes, "x", 1);
	return bytes;
}

struct bytes hostile_file_name(struct hostile *hostile, const char *end)
{
	/* Names that the walk treats specially, and the folder of an index. */
	static const char *const taken[] = {".",       "..",        ".git",    ".gitignore",
	                                    ".ignore", ".rgignore", ".bitsift"};
	struct bytes name = hostile_string(hostile);
	for (size_t i = 0; i < name.n; i++)
		name.data[i] = name.data[i] == '/' ? '|' : name.data[i];
	size_t most = 255 - strlen(end);
	name.n = name.n < most ? name.n : most;
	name.data[name.n] = '\0';
	bytes_put(&name, end, strlen(end));
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (strcmp(name.data, taken[i]) == 0)
			name.data[0] = 'd';
	return name;
}

struct bytes hostile_as_text(struct bytes bytes, bool as_name)
{
	struct bytes text = bytes_of(NULL, 0);
	const uint8_t *from = (const uint8_t *)bytes.data;
	for (size_t at = 0, start; at < bytes.n;) {
		start = at;
		int32_t c = bs_utf8_next(from, bytes.n, &at);
		if (c < 0 || (c == 0 && as_name))
			bytes_put(&text, "\xef\xbf\xbd", 3);
		else
			bytes_put(&text, from + start, at - start);
	}
	return text;
}

static void put_unit(struct bytes *json, unsigned unit)
{
	char escape[8];
	bytes_put(json, escape,
	          (size_t)snprintf(escape, sizeof(escape), unit % 2 ? "\\u%04x" : "\\u%04X", unit));
}

void hostile_put_json(struct hostile *hostile, struct bytes bytes, struct bytes *json)
{
	const uint8_t *from = (const uint8_t *)bytes.data;
	/* Escapes few characters of a long text, so that it does not become six times as long. */
	uint64_t plain_of = bytes.n > 1000 ? 100 : 4;
	bytes_put(json, "\"", 1);
	for (size_t at = 0, start; at < bytes.n;) {
		start = at;
		int32_t c = bs_utf8_next(from, bytes.n, &at);
		bool must = c >= 0 && (c < 0x20 || c == '"' || c == '\\');
		if (!must && hostile_below(hostile, plain_of) != 0)
			bytes_put(json, from + start, at - start);
		else if (c < 0)
			/* A low surrogate: no high surrogate precedes it, so it is invalid. */
			put_unit(json, 0xdc00 + (unsigned)hostile_below(hostile, 0x400));
		else if (c > 0xffff)
			put_unit(json, 0xd7c0 + ((unsigned)c >> 10)),
				put_unit(json, 0xdc00 + ((unsigned)c & 0x3ff));
		else
			put_unit(json, (unsigned)c);
	}
	bytes_put(json, "\"", 1);
}

const char *bytes_shown(struct bytes bytes)
{
	static char rooms[2][400];
	static unsigned next;
	char *room = rooms[next++ % 2], *to = room;
	for (size_t i = 0; i < bytes.n && i < 80; i++)
		to += sprintf(to,
		              (unsigned char)bytes.data[i] > ' ' &&
		                              (unsigned char)bytes.data[i] < 0x7f
		                      ? "%c"
		                      : "\\x%02x",
		              (unsigned char)bytes.data[i]);
	*to = '\0';
	if (bytes.n > 80)
		sprintf(to, " ... (%zu bytes)", bytes.n);
	return room;
}
