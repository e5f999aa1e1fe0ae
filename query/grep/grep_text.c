/* grep_text.c: see grep_text.h. */
#include "query/grep/grep_text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <unicode/utf8.h>

#include "corpus/walk/file.h"
#include "query/regex/text.h"

/* ripgrep's decoder takes the first three bytes to look for a mark, then this many at a time. */
#define MARK_BYTES    ((size_t)3)
#define DECODER_BYTES ((size_t)8192)
/* Read at once, where a file is read in pieces: a part of what a core has near. */
#define STEP_BYTES ((size_t)131072)
/* Memory beyond this is given back before the next file. */
#define GENEROUS_BYTES ((size_t)64 << 20)

static const uint8_t utf8_mark[] = {0xef, 0xbb, 0xbf};

enum bs_status bs_grep_coding_find(const char *name, enum bs_grep_coding *coding_out, struct bs_error *err)
{
	static const struct {
		const char *name;
		enum bs_grep_coding coding;
	} codings[] = {
		{"auto", BS_GREP_CODING_AUTO},         {"none", BS_GREP_CODING_NONE},
		{"utf-8", BS_GREP_CODING_UTF8},        {"utf8", BS_GREP_CODING_UTF8},
		{"utf-16", BS_GREP_CODING_UTF16LE},    {"utf-16le", BS_GREP_CODING_UTF16LE},
		{"utf-16be", BS_GREP_CODING_UTF16BE},  {"latin1", BS_GREP_CODING_LATIN1},
		{"iso-8859-1", BS_GREP_CODING_LATIN1}, {"windows-1252", BS_GREP_CODING_LATIN1},
		{"ascii", BS_GREP_CODING_LATIN1},
	};
	for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
		if (strcasecmp(name, codings[i].name) == 0) {
			*coding_out = codings[i].coding;
			return BS_OK;
		}
	}
	return bs_fail(err, BS_UNSUPPORTED, "--encoding %s: not known; see bitsift-grep(1)", name);
}

static enum bs_status refuse(int error_number, struct bs_error *err)
{
	return bs_fail(err, bs_file_status(error_number), "%s", strerror(error_number));
}

/* Reads until wanted_bytes are there or the file, announced as size_bytes long, ends. */
static enum bs_status read_to(int fd, size_t wanted_bytes, size_t size_bytes, struct bs_buffer *bytes, bool *at_end,
                              struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(bytes, wanted_bytes - bytes->used_bytes, err);
	while (!status && !*at_end && bytes->used_bytes < wanted_bytes) {
		size_t asked_bytes = wanted_bytes - bytes->used_bytes;
		ssize_t n = read(fd, bytes->data + bytes->used_bytes, asked_bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return refuse(errno, err);
		bytes->used_bytes += (size_t)n;
		/* A read cut short where the end was announced is the end: no further one to be told so. */
		*at_end = n == 0 || ((size_t)n < asked_bytes && bytes->used_bytes == size_bytes);
	}
	return status;
}

static enum bs_status read_first(struct bs_grep_text *text, const struct bs_grep_reading *reading, struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes;
	struct stat found;
	bool at_end = false;
	if (fstat(text->fd, &found) != 0)
		return refuse(errno, err);
	if (S_ISDIR(found.st_mode))
		return refuse(EISDIR, err);
	if (reading->root_bytes > 0 && !S_ISREG(found.st_mode))
		return bs_fail(err, BS_INVALID, "not a regular file");
	size_t size_bytes = S_ISREG(found.st_mode) && found.st_size > 0 ? (size_t)found.st_size : 0;
	size_t head_bytes = size_bytes && size_bytes < BS_GREP_PIECE_BYTES ? size_bytes + 1 : BS_GREP_PIECE_BYTES;
	text->size_bytes = size_bytes;
	enum bs_status status = read_to(text->fd, head_bytes, size_bytes, bytes, &at_end, err);
	bool is_cut = !status && reading->stop_at_nul && bytes->used_bytes &&
	              memchr(bytes->data, 0, bytes->used_bytes) && !bs_file_is_utf16(bytes->data, bytes->used_bytes);
	text->has_more = !status && !at_end && !is_cut && reading->in_pieces;
	/* The mark that decides about decoding is in the first piece. */
	if (text->has_more && reading->coding != BS_GREP_CODING_NONE)
		text->has_more = reading->coding == BS_GREP_CODING_AUTO &&
		                 !bs_file_is_utf16(bytes->data, bytes->used_bytes) &&
		                 memcmp(bytes->data, utf8_mark, MARK_BYTES) != 0;
	while (!status && !at_end && !is_cut && !text->has_more) {
		size_t wanted =
			bytes->used_bytes <= size_bytes ? size_bytes + 1 : bytes->used_bytes + bytes->used_bytes / 2;
		status = read_to(text->fd, wanted, size_bytes, bytes, &at_end, err);
	}
	text->read_bytes = bytes->used_bytes;
	return status;
}

static void close_file(struct bs_grep_text *text)
{
	if (!text->is_stdin)
		close(text->fd);
	text->has_more = false;
}

static void close_root(struct bs_grep_text *text)
{
	if (text->root.used_bytes > 0)
		close(text->root_fd);
	bs_buffer_clear(&text->root);
}

/* Opens the folder that path begins with, unless it is that of the file before. */
static bool open_root(struct bs_grep_text *text, const char *path, size_t root_bytes)
{
	struct bs_buffer *root = &text->root;
	if (root->used_bytes == root_bytes + 1 && memcmp(root->data, path, root_bytes) == 0)
		return true;
	close_root(text);
	errno = ENOMEM;
	if (bs_buffer_reserve(root, root_bytes + 1, NULL) != BS_OK)
		return false;
	memcpy(root->data, path, root_bytes);
	root->data[root_bytes] = '\0';
	text->root_fd = bs_file_open(AT_FDCWD, (const char *)root->data, O_PATH | O_DIRECTORY);
	root->used_bytes = text->root_fd < 0 ? 0 : root_bytes + 1;
	return text->root_fd >= 0;
}

static int open_path(struct bs_grep_text *text, const char *path, size_t root_bytes)
{
	if (root_bytes == 0)
		return bs_file_open(AT_FDCWD, path, O_RDONLY);
	return open_root(text, path, root_bytes)
	               ? bs_file_open_below(text->root_fd, path + root_bytes, O_RDONLY | O_NONBLOCK)
	               : -1;
}

static enum bs_status read_path(struct bs_grep_text *text, const char *path, const struct bs_grep_reading *reading,
                                struct bs_error *err)
{
	text->has_more = false;
	text->is_stdin = !path;
	text->fd = path ? open_path(text, path, reading->root_bytes) : STDIN_FILENO;
	if (text->fd < 0 && errno == ELOOP && reading->root_bytes > 0)
		return bs_fail(err, BS_INVALID, "a symbolic link, which is not followed");
	if (text->fd < 0)
		return refuse(errno, err);
	enum bs_status status = read_first(text, reading, err);
	if (!text->has_more)
		close_file(text);
	return status;
}

enum bs_status bs_grep_text_more(struct bs_grep_text *text, size_t dropped_bytes, size_t wanted_bytes,
                                 struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes;
	bool at_end = false;
	bytes->used_bytes -= dropped_bytes;
	memmove(bytes->data, bytes->data + dropped_bytes, bytes->used_bytes);
	size_t had_bytes = bytes->used_bytes, before_bytes = (size_t)text->read_bytes - had_bytes;
	size_t step_bytes = wanted_bytes > STEP_BYTES ? wanted_bytes : STEP_BYTES;
	size_t left_bytes =
		text->size_bytes > text->read_bytes ? text->size_bytes - (size_t)text->read_bytes + 1 : step_bytes;
	if (had_bytes + left_bytes < step_bytes)
		step_bytes = had_bytes + left_bytes > wanted_bytes ? had_bytes + left_bytes : wanted_bytes;
	size_t size_bytes = text->size_bytes > before_bytes ? text->size_bytes - before_bytes : 0;
	enum bs_status status = read_to(text->fd, step_bytes, size_bytes, bytes, &at_end, err);
	text->read_bytes += bytes->used_bytes - had_bytes;
	if (status || at_end)
		close_file(text);
	return status;
}

void bs_grep_text_close(struct bs_grep_text *text)
{
	if (text->has_more)
		close_file(text);
}

/* The bytes of the character at text (valid, or the longest beginning of one) and whether it is valid. */
static size_t utf8_length(const uint8_t *text, size_t n, bool *is_valid)
{
	int32_t at = 0;
	UChar32 code;
	U8_NEXT(text, at, (int32_t)(n < 4 ? n : 4), code);
	*is_valid = code >= 0;
	return (size_t)at;
}

static enum bs_status decode_utf8(const uint8_t *from, size_t n, struct bs_buffer *out, struct bs_error *err)
{
	struct bs_text_writer to = {.out = out, .err = err};
	size_t valid = 0;
	for (size_t at = 0; at < n && !to.status;) {
		bool is_valid = true;
		size_t length = from[at] < 0x80 ? 1 : utf8_length(from + at, n - at, &is_valid);
		if (!is_valid) {
			bs_text_put(&to, from + valid, at - valid);
			bs_text_put_string(&to, "\xef\xbf\xbd");
			valid = at + length;
		}
		at += length;
	}
	bs_text_put(&to, from + valid, n - valid);
	return to.status;
}

/* What 0x80..0x9f are in windows-1252; 0: themselves. */
static const uint16_t cp1252[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                    0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

static enum bs_status decode_latin1(const uint8_t *from, size_t n, struct bs_buffer *to, struct bs_error *err)
{
	enum bs_status status = bs_buffer_reserve(to, 3 * n, err);
	if (status)
		return status;
	size_t used = to->used_bytes;
	for (size_t i = 0; i < n; i++) {
		uint32_t code = from[i];
		if (code >= 0x80 && code < 0xa0 && cp1252[code - 0x80])
			code = cp1252[code - 0x80];
		U8_APPEND_UNSAFE(to->data, used, code);
	}
	to->used_bytes = used;
	return BS_OK;
}

/* With a mark before them, which bs_file_transcode() wants. */
static enum bs_status decode_utf16(const uint8_t *from, size_t n, bool is_big, struct bs_buffer *to,
                                   struct bs_error *err)
{
	struct bs_buffer marked = {0};
	enum bs_status status = bs_buffer_append(&marked, is_big ? "\xfe\xff" : "\xff\xfe", 2, err);
	if (!status && n)
		status = bs_buffer_append(&marked, from, n, err);
	if (!status)
		status = bs_file_transcode(marked.data, marked.used_bytes, to, err);
	bs_buffer_deinit(&marked);
	return status;
}

/* What is decoded so far is all that this piece yields. */
static enum bs_status note_piece(struct bs_grep_text *text, struct bs_error *err)
{
	return bs_buffer_append(&text->pieces, &text->bytes.used_bytes, sizeof(size_t), err);
}

/* Where a piece of from[0..n) that ends at `end` must end for its last character to be whole. */
static size_t whole_end(const uint8_t *from, size_t n, size_t end, enum bs_grep_coding coding)
{
	if (coding != BS_GREP_CODING_UTF8)
		return end;
	for (size_t back = 1; back <= 3 && back <= end; back++) {
		bool is_valid;
		if (from[end - back] >= 0xc0)
			return utf8_length(from + end - back, n - end + back, &is_valid) > back ? end - back : end;
	}
	return end;
}

/* Piece by piece, as rg's decoder gets them: the first is what is left of the bytes in which a mark was looked for. */
static enum bs_status decode_pieces(struct bs_grep_text *text, enum bs_grep_coding coding, const uint8_t *from,
                                    size_t n, size_t first, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	size_t done = 0;
	for (size_t end = first; done < n && !status; end += DECODER_BYTES) {
		size_t upto = end < n ? whole_end(from, n, end, coding) : n;
		if (upto > done && coding == BS_GREP_CODING_UTF8)
			status = decode_utf8(from + done, upto - done, &text->bytes, err);
		else if (upto > done)
			status = decode_latin1(from + done, upto - done, &text->bytes, err);
		done = upto > done ? upto : done;
		if (!status)
			status = note_piece(text, err);
	}
	return status;
}

/* UTF-16: a guess between, if what comes out is not as long as what goes in; only where reading stops at a NUL byte can
 * it be told. */
static enum bs_status note_pieces(struct bs_grep_text *text, size_t n, size_t first, struct bs_error *err)
{
	enum bs_status status = BS_OK;
	double ratio = n ? (double)text->bytes.used_bytes / (double)n : 1;
	for (size_t at = first < n ? first : n; at < n && !status; at += DECODER_BYTES) {
		size_t end = (size_t)((double)at * ratio);
		status = bs_buffer_append(&text->pieces, &end, sizeof(end), err);
	}
	return status ? status : note_piece(text, err);
}

/* The coding that the mark tells, and the mark's length. */
static enum bs_grep_coding sniff(const struct bs_buffer *bytes, enum bs_grep_coding coding, size_t *mark_bytes_out)
{
	*mark_bytes_out = 0;
	if (coding == BS_GREP_CODING_NONE)
		return coding;
	if (bytes->used_bytes >= 3 && memcmp(bytes->data, utf8_mark, 3) == 0) {
		*mark_bytes_out = 3;
		return coding;
	}
	if (bs_file_is_utf16(bytes->data, bytes->used_bytes)) {
		*mark_bytes_out = 2;
		return bytes->data[0] == 0xff ? BS_GREP_CODING_UTF16LE : BS_GREP_CODING_UTF16BE;
	}
	return coding;
}

static enum bs_status decode(struct bs_grep_text *text, enum bs_grep_coding coding, struct bs_error *err)
{
	size_t mark_bytes;
	coding = sniff(&text->bytes, coding, &mark_bytes);
	text->had_mark = mark_bytes > 0;
	size_t n = text->bytes.used_bytes - mark_bytes;
	if (coding == BS_GREP_CODING_AUTO || coding == BS_GREP_CODING_NONE ||
	    (coding == BS_GREP_CODING_UTF8 && bs_text_is_utf8(text->bytes.data + mark_bytes, n))) {
		if (mark_bytes)
			memmove(text->bytes.data, text->bytes.data + mark_bytes, n);
		text->bytes.used_bytes = n;
		return coding == BS_GREP_CODING_UTF8 ? note_pieces(text, n, MARK_BYTES - mark_bytes, err) : BS_OK;
	}
	struct bs_buffer held = text->raw;
	text->raw = text->bytes;
	text->bytes = held;
	bs_buffer_clear(&text->bytes);
	const uint8_t *from = text->raw.data + mark_bytes;
	if (coding == BS_GREP_CODING_UTF8 || coding == BS_GREP_CODING_LATIN1)
		return decode_pieces(text, coding, from, n, MARK_BYTES - mark_bytes, err);
	enum bs_status status = decode_utf16(from, n, coding == BS_GREP_CODING_UTF16BE, &text->bytes, err);
	return status ? status : note_pieces(text, n, MARK_BYTES - mark_bytes, err);
}

enum bs_status bs_grep_text_read(struct bs_grep_text *text, const char *path, const struct bs_grep_reading *reading,
                                 struct bs_error *err)
{
	bs_buffer_trim(&text->bytes, GENEROUS_BYTES);
	bs_buffer_trim(&text->raw, GENEROUS_BYTES);
	bs_buffer_clear(&text->pieces);
	text->had_mark = false;
	enum bs_status status = read_path(text, path, reading, err);
	return status || text->has_more ? status : decode(text, reading->coding, err);
}

void bs_grep_text_deinit(struct bs_grep_text *text)
{
	bs_grep_text_close(text);
	close_root(text);
	bs_buffer_deinit(&text->root);
	bs_buffer_deinit(&text->bytes);
	bs_buffer_deinit(&text->raw);
	bs_buffer_deinit(&text->pieces);
}
