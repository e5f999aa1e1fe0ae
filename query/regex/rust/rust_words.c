/* rust_words.c: see rust_words.h. */
#include "query/regex/rust/rust_words.h"

#include "query/regex/rust/rust_write.h"
#include "query/regex/text.h"

#define WORDS  "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\x{200c}\\x{200d}"
#define SPACES "\\t-\\r\\x{85}\\p{Z}"

struct pass {
	const uint8_t *text;
	size_t n_bytes, at;
	/* the last item is one ASCII word character without a quantifier, so that a \b after it can
	 * only be the end of a word */
	bool follows_word;
	struct bs_text_writer to;
};

static void put(struct pass *pass, const char *text)
{
	bs_text_put_string(&pass->to, text);
}

/* The end of the escape at `at`. */
static size_t escape_end(const struct pass *pass, size_t at)
{
	uint8_t letter = at + 1 < pass->n_bytes ? pass->text[at + 1] : 0;
	size_t end = at + 2 < pass->n_bytes ? at + 2 : pass->n_bytes;
	if (end < pass->n_bytes && pass->text[end] == '{' && strchr("xpPgk", letter) && letter) {
		const uint8_t *close = memchr(pass->text + end, '}', pass->n_bytes - end);
		return close ? (size_t)(close - pass->text) + 1 : pass->n_bytes;
	}
	if (letter == 'x')
		return pass->n_bytes - end < 2 ? pass->n_bytes : end + 2;
	return end;
}

/* The end of the class at `at`. */
static size_t class_end(const struct pass *pass, size_t at)
{
	for (at++; at < pass->n_bytes && pass->text[at] != ']';)
		at = pass->text[at] == '\\' ? escape_end(pass, at) : at + 1;
	return at < pass->n_bytes ? at + 1 : at;
}

static void copy_to(struct pass *pass, size_t end)
{
	bs_text_put(&pass->to, pass->text + pass->at, end - pass->at);
	pass->at = end;
}

static const char *definition(uint8_t letter)
{
	return (letter | 0x20) == 'w' ? WORDS : SPACES;
}

/* Writes text[from..end) of a class: replaces \w and \s, leaves out \W and \S. */
static void put_class(struct pass *pass, size_t from, size_t end)
{
	for (pass->at = from; pass->at < end;) {
		size_t next =
			pass->text[pass->at] == '\\' ? escape_end(pass, pass->at) : pass->at + 1;
		uint8_t letter = pass->text[pass->at] == '\\' ? pass->text[pass->at + 1] : 0;
		if (letter == 'w' || letter == 's')
			put(pass, definition(letter));
		else if (letter == 'h') /* written by regex_rewrite.h, for \s without line ends */
			put(pass, "\\t\\p{Zs}");
		else if (letter != 'W' && letter != 'S')
			copy_to(pass, next);
		pass->at = next;
	}
}

/* True if the class has members other than \W and \S. from: after its bracket and ^. */
static bool has_others(const struct pass *pass, size_t from, size_t end)
{
	for (size_t at = from; at < end - 1; at = escape_end(pass, at))
		if (pass->text[at] != '\\' ||
		    (pass->text[at + 1] != 'W' && pass->text[at + 1] != 'S'))
			return true;
	return false;
}

/* Rewrites a class that has \W or \S: [a\W] to (?>[a]|[^w]), [^a\W] to (?:(?![a])[w]), where w is
 * the definition of \w. A class with both \W and \S contains every character, because no character
 * is both a word character and white space. */
static void rewrite_class(struct pass *pass, size_t end, bool has_w, bool has_s)
{
	size_t start = pass->at, from = start + 1;
	bool is_negated = pass->text[from] == '^';
	from += is_negated;
	bool has_rest = has_others(pass, from, end);
	if (has_w && has_s) {
		put(pass, is_negated ? "(?!)" : "(?s:.)");
		pass->at = end;
		return;
	}
	put(pass, is_negated ? "(?:" : "(?>");
	if (has_rest) {
		put(pass, is_negated ? "(?![" : "[");
		put_class(pass, from, end);
		put(pass, is_negated ? ")" : "|");
	}
	put(pass, is_negated ? "[" : "[^");
	put(pass, has_w ? WORDS : SPACES);
	put(pass, "])");
	pass->at = end;
}

static void pass_class(struct pass *pass)
{
	size_t end = class_end(pass, pass->at), at = pass->at;
	bool has_w = false, has_s = false;
	while (at < end) {
		uint8_t letter = pass->text[at] == '\\' ? pass->text[at + 1] : 0;
		has_w |= letter == 'W';
		has_s |= letter == 'S';
		at = pass->text[at] == '\\' ? escape_end(pass, at) : at + 1;
	}
	if (has_w || has_s)
		rewrite_class(pass, end, has_w, has_s);
	else
		put_class(pass, pass->at, end);
}

/* True if the next item is an ASCII word character that is not optional. */
static bool precedes_word(const struct pass *pass)
{
	size_t at = pass->at;
	return at < pass->n_bytes && bs_is_ascii_word(pass->text[at]) &&
	       (at + 1 == pass->n_bytes || !strchr("?*{", pass->text[at + 1]));
}

static void pass_escape(struct pass *pass, bool follows_word)
{
	uint8_t letter = pass->at + 1 < pass->n_bytes ? pass->text[pass->at + 1] : 0;
	size_t end = escape_end(pass, pass->at);
	if (!letter || !strchr("wWsSbB", letter)) {
		copy_to(pass, end);
		return;
	}
	pass->at = end;
	if (letter == 'b')
		put(pass, precedes_word(pass) ? "(?<![" WORDS "])"
		          : follows_word      ? "(?![" WORDS "])"
		                         : "(?(?<=[" WORDS "])(?![" WORDS "])|(?=[" WORDS "]))");
	else if (letter == 'B')
		put(pass, "(?(?<=[" WORDS "])(?=[" WORDS "])|(?![" WORDS "]))");
	else {
		put(pass, letter == 'w' || letter == 's' ? "[" : "[^");
		put(pass, definition(letter));
		put(pass, "]");
	}
}

enum bs_status bs_rust_words(const uint8_t *text, size_t n_bytes, bool calls,
                             struct bs_rust_words *words, struct bs_error *err)
{
	struct bs_buffer defined = {0};
	struct pass pass = {
		.text = text, .n_bytes = n_bytes, .to = {.out = &words->text, .err = err}};
	/* PCRE2 needs an address even for an empty pattern. */
	pass.to.status = bs_buffer_reserve(&words->text, 1, err);
	if (calls)
		put(&pass, "(?:");
	while (pass.at < n_bytes && !pass.to.status) {
		uint8_t c = text[pass.at];
		size_t from = pass.at, start = words->text.used_bytes;
		bool follows_word = pass.follows_word;
		pass.follows_word = bs_is_ascii_word(c);
		if (c == '\\')
			pass_escape(&pass, follows_word);
		else if (c == '[')
			pass_class(&pass);
		else
			copy_to(&pass, pass.at + 1);
		/* Replacements are longer than the constructs that they replace, except those of a
		 * class with both \W and \S, which need no definition. */
		bool is_changed = words->text.used_bytes - start > pass.at - from;
		words->is_changed |= is_changed;
		if (calls && is_changed)
			bs_rust_define(&pass.to, &defined, start);
	}
	if (calls) {
		put(&pass, ")(?(DEFINE)");
		words->n_defined = bs_rust_put_defined(&pass.to, &defined);
		put(&pass, ")");
	}
	bs_buffer_deinit(&defined);
	return pass.to.status;
}
