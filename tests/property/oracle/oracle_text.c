/* oracle_text.c: random words and texts, with many things that the analyzer treats specially. See
 * oracle.h. */
#include <unicode/utf8.h>

#include "tests/generate/generate.h"
#include "tests/property/oracle/oracle.h"
#include "tests/rigs/test.h"

static void append_code_point(struct bs_buffer *to, uint32_t c)
{
	uint8_t bytes[U8_MAX_LENGTH];
	size_t n = 0;
	U8_APPEND_UNSAFE(bytes, n, c);
	append_bytes(to, bytes, n);
}

/* Words of many kinds that are hard to analyse. */
static const char *const odd_words[] = {
	"caf\u00e9", "Cafe\u0301", "NO\u00cbL", "na\u00efve", "stra\u00dfe", "STRASSE", "\ufb01n",
	"\u0130stanbul", "\u00e5", "A\u030a", "obj.method", "Obj.Method.call", "a@example.com",
	"std::vector", "key:value", "e-mail", "foo_bar", "_x", "don't", "l\u2019\u00e9t\u00e9",
	"3.14", "1,000", "42", "\uff14\uff12", "v2.0", "C++", "x86-64", "10:30", "\u00b2",
	"\u0416\u0443\u043a", "\u043c\u0438\u0440", "\u041c\u0418\u0420",
	"\u0451\u043b\u043a\u0430", "\u05d0\"\u05d1", "\u0645\u0631\u062d\u0628\u0627",
	"\ud55c\uad6d\uc5b4", "\u0915\u094d\u0937", "\U0001f600", "\U0001f44d\U0001f3fd",
	"\U0001f1e9\U0001f1ea", "\U0001f468\u200d\U0001f469", "\u2764\ufe0f", "\u2764", "\u3297",
	"\u3297\ufe0f", "\u3299", "\U0001f21a", "\U0001f250", "\u32d0", "\u32d0\u32d1", "\u3300",
	"\u2f00", "\u2f01", "\u3220", "\u337b", "\u0e01\u0e33",
	"\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "\u0e97\u0eb5\u0ed1", "\u1780\u17d2\u1798",
	"\u1019\u103c\u1041", "\uff76\uff9e", "\u304b\u3099", "\u6f22\u0345", "\u03b9",
	"\u115f\u0301", "\u6f22\u0301", "\u8fbb\U000e0100", "\U00020000", "AND", "or", "NOT",
	"title", "body", "fooBar", "FOOBar2", "foo_bar_", "barFoo", "Foo1", "foobar",
	"caf\u00e9Bar", "02T03", "1T", "02", "03", "\u0661T\u0662", "don\u02bct", "#\ufe0f\u20e3",
	"\U0001f1e9\U0001f1ea\U0001f1eb", "running", "runs", "ran",
	/* Characters that fold to ASCII or to nothing, and their ASCII equivalents: bytes alone do
	 * not decide whether these words match. */
	"so\u00adft", "soft", "\u212aelvin", "kelvin", "\u017ftone", "stone", "fin",
	"\uff57\uff4f\uff52\uff44", "word", "\u338f", "kg", "\u2100", "\u2488", "\u3220",
	"3\u202414", "14", "don", "don\u2019t", "foo", "bar", "method", "cafe", "cafe\u200d",
	"cafe\ufe0f", "bar\u0301", "\ufeffbar", "t\u2060bar", "nfoo", "tbar", "u0062ar", "_foo_",
	"a.b.c", "foo@bar", "'foo'", "x", "n"};

/* Code points of script runs: few, so that different runs have some in common. The last ones are
 * signs that belong to no run, but fold to a code point of a run. */
static const uint32_t run_code_points[] = {0x6f22, 0x5b57, 0x795d, 0x79d8, 0x7121, 0x4e00,
                                           0x4e2d, 0x6587, 0x304b, 0x306a, 0x30ab, 0x30a2,
                                           0x0e01, 0x0e32, 0x3297, 0x3299, 0x1f21a};

static void append_run(struct bs_buffer *to)
{
	for (uint32_t n = roll_between(1, 6); n > 0; n--)
		append_code_point(
			to,
			run_code_points[below(sizeof(run_code_points) / sizeof(*run_code_points))]);
}

static void append_letters(struct bs_buffer *to, uint32_t first, uint32_t n_letters)
{
	for (uint32_t n = roll_between(1, 5); n > 0; n--)
		append_code_point(to, first + below(n_letters));
}

static void append_new_word(struct bs_buffer *to)
{
	char word[BS_GENERATOR_WORD_BYTES];
	switch (below(12)) {
	case 0:
	case 1:
		append_run(to);
		break;
	case 2:
		append_letters(to, 0x430, 32);
		break;
	case 3:
		append_letters(to, 0xe0, 24);
		break;
	case 4:
	case 5:
		append_string(to, odd_words[below(COUNT(odd_words))]);
		break;
	default:
		bs_generator_word(below(100000), word);
		append_string(to, word);
	}
}

void oracle_vocabulary_init(struct oracle_vocabulary *vocabulary, uint32_t n)
{
	*vocabulary = (struct oracle_vocabulary){.n = n};
	vocabulary->offs = must_calloc((size_t)n + 1, sizeof(*vocabulary->offs));
	for (uint32_t i = 0; i < n; i++) {
		append_new_word(&vocabulary->bytes);
		vocabulary->offs[i + 1] = vocabulary->bytes.used_bytes;
	}
}

void oracle_vocabulary_deinit(struct oracle_vocabulary *vocabulary)
{
	bs_buffer_deinit(&vocabulary->bytes);
	free(vocabulary->offs);
}

const uint8_t *oracle_draw_word(const struct oracle_vocabulary *vocabulary, size_t *n_bytes_out)
{
	/* The density of u^4 falls as a power, as Zipf's law does. */
	uint64_t u = below(UINT32_MAX);
	uint64_t u2 = u * u >> 32, u4 = u2 * u2 >> 32;
	uint32_t i = (uint32_t)(u4 * vocabulary->n >> 32);
	*n_bytes_out = vocabulary->offs[i + 1] - vocabulary->offs[i];
	return vocabulary->bytes.data + vocabulary->offs[i];
}

/* Appends a separator between words: usually a space; sometimes nothing, so that words touch. */
static void append_separator(struct bs_buffer *to)
{
	static const char *const separators[] = {
		"",       ", ",     ". ", "\n", "\r\n", "\t",     "-", ".",      "@",
		"\u3002", "\u3000", "/",  "(",  ") ",   " \"",    "'", "\u00a0", "\u200b",
		"; ",     ": ",     ":",  "_",  "\\",   "\u00ad", "*", "~"};
	static const char *const broken[] = {"\xff",         "\x80",         "\xc3", "\xe4\xb8",
	                                     "\xf0\x9f\x98", "\xed\xa0\x80", "\x01"};
	if (by_chance(70))
		append_string(to, " ");
	else if (by_chance(30))
		append_string(to, "");
	else if (by_chance(3))
		append_bytes(to, "\0", 1);
	else if (by_chance(5))
		append_string(to, broken[below(COUNT(broken))]);
	else
		append_string(to, separators[below(COUNT(separators))]);
}

void oracle_append_text(const struct oracle_vocabulary *vocabulary, uint32_t n_words,
                        struct bs_buffer *text)
{
	for (uint32_t i = 0; i < n_words; i++) {
		size_t n_bytes;
		const uint8_t *word = oracle_draw_word(vocabulary, &n_bytes);
		if (i > 0)
			append_separator(text);
		append_bytes(text, word, n_bytes);
		if (by_chance(5)) {
			uint8_t *last = text->data + text->used_bytes - n_bytes;
			if (*last >= 'a' && *last <= 'z')
				*last = (uint8_t)(*last - 'a' + 'A');
		}
	}
}
