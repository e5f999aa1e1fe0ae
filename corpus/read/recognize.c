/* recognize.c: see recognize.h. */
#include "corpus/read/recognize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/read/coding.h"
#include "corpus/read/feed.h"
#include "corpus/read/record.h"
#include "corpus/walk/file.h"
#include "corpus/walk/ignore.h"

/* Bytes of a file that are read first. If they do not suffice, BS_BATCH_BYTES are read. */
#define FIRST_BYTES ((size_t)16 << 10)

/* names of collections */
static const char *const endings[] = {"*.jsonl", "*.ndjson"};
#define N_ENDINGS (sizeof(endings) / sizeof(*endings))

struct bs_recognizer {
	/* empty, or *.jsonl and *.ndjson followed by the globs of --records */
	struct bs_ignore globs;
	struct bs_record_parser *parser;
	/* beginning of the file */
	struct bs_buffer head;
	struct bs_buffer text; /* head as UTF-8, if it has another coding */
};

enum bs_status bs_recognizer_new(const struct bs_source_options *options,
                                 struct bs_recognizer **recognizer_out, struct bs_error *err)
{
	/* No key has this name, because it is invalid UTF-8. So no record is refused because of its
	 * id. */
	static const struct bs_record_options no_id = {.id_field = "\xff"};
	struct bs_recognizer *recognizer = calloc(1, sizeof(*recognizer));
	*recognizer_out = recognizer;
	if (!recognizer)
		return bs_fail_memory(err, "a recognizer", sizeof(*recognizer));
	enum bs_status status = bs_record_parser_new(&no_id, &recognizer->parser, err);
	for (size_t i = 0; options->records && i < N_ENDINGS && !status; i++)
		status = bs_ignore_add_line(&recognizer->globs, (const uint8_t *)endings[i],
		                            strlen(endings[i]), err);
	for (const char *const *glob = options->records; glob && *glob && !status; glob++)
		status = bs_ignore_add_line(&recognizer->globs, (const uint8_t *)*glob,
		                            strlen(*glob), err);
	if (status) {
		bs_recognizer_free(recognizer);
		*recognizer_out = NULL;
	}
	return status;
}

void bs_recognizer_free(struct bs_recognizer *recognizer)
{
	if (!recognizer)
		return;
	bs_ignore_deinit(&recognizer->globs);
	bs_record_parser_free(recognizer->parser);
	bs_buffer_deinit(&recognizer->head);
	bs_buffer_deinit(&recognizer->text);
	free(recognizer);
}

static bool ends_so(const char *path, const char *ending)
{
	size_t n = strlen(path), n_ending = strlen(ending);
	return n >= n_ending && memcmp(path + n - n_ending, ending, n_ending) == 0;
}

bool bs_recognizer_has_name(const struct bs_recognizer *recognizer, const char *path)
{
	/* Fast path: mostly there are no globs, and very many files. */
	size_t n = strlen(path);
	if (bs_ignore_n_rules(&recognizer->globs) == 0 &&
	    (n == 0 || (path[n - 1] != 'l' && path[n - 1] != 'n')))
		return false;
	if (bs_ignore_n_rules(&recognizer->globs) == 0)
		return ends_so(path, endings[0] + 1) || ends_so(path, endings[1] + 1);
	const char *slash = strrchr(path, '/');
	struct bs_ignore_entry entry = {.path = (const uint8_t *)path,
	                                .path_bytes = n,
	                                .name_off = slash ? (size_t)(slash - path) + 1 : 0};
	return bs_ignore_match(&recognizer->globs, &entry, 0) == BS_IGNORE_SKIP;
}

/* Continues reading the head until it has n_bytes, or to the end of the file. */
static enum bs_status read_head(struct bs_recognizer *recognizer, int fd, const char *path,
                                size_t n_bytes, struct bs_error *err)
{
	struct bs_buffer *head = &recognizer->head;
	enum bs_status status = bs_buffer_reserve(head, n_bytes - head->used_bytes, err);
	while (!status && head->used_bytes < n_bytes) {
		ssize_t n = pread(fd, head->data + head->used_bytes, n_bytes - head->used_bytes,
		                  (off_t)head->used_bytes);
		if (n == 0)
			break;
		if (n > 0)
			head->used_bytes += (size_t)n;
		else if (errno != EINTR)
			status = bs_fail(err, bs_file_status(errno), "%s: %s", path,
			                 strerror(errno));
	}
	return status;
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Examines the beginning of a file. is_all: the bytes are the whole file. *is_enough_out: false if
 * more bytes are needed for a decision. */
static enum bs_status look(struct bs_recognizer *recognizer, const uint8_t *bytes, size_t n_bytes,
                           bool is_all, bool *has_out, bool *is_enough_out, struct bs_error *err)
{
	struct bs_document document;
	struct bs_refusal refusal;
	size_t at;
	enum bs_coding coding = bs_coding_of(bytes, n_bytes, &at);
	if (coding != BS_CODING_UTF8) {
		enum bs_status status =
			bs_coding_decode(coding, bytes + at, n_bytes - at, &recognizer->text, err);
		if (status)
			return status;
		bytes = recognizer->text.data;
		n_bytes = recognizer->text.used_bytes;
		at = 0;
	}
	while (at < n_bytes && is_space(bytes[at]))
		at++;
	const uint8_t *end = at < n_bytes ? memchr(bytes + at, '\n', n_bytes - at) : NULL;
	bool is_object = at < n_bytes && bytes[at] == '{';
	*is_enough_out = end || is_all || (at < n_bytes && !is_object);
	*has_out = is_object || (at == n_bytes && is_all);
	if (!is_object || (!end && !is_all))
		return BS_OK;
	size_t line_bytes = (end ? (size_t)(end - bytes) : n_bytes) - at;
	enum bs_status status = bs_record_parse(recognizer->parser, bytes + at, line_bytes,
	                                        &document, &refusal, err);
	*has_out = !status && (!refusal.reason || refusal.skip != BS_SKIP_BAD_RECORD);
	return status;
}

enum bs_status bs_recognizer_has_line(struct bs_recognizer *recognizer, int fd, const char *path,
                                      bool *has_out, struct bs_error *err)
{
	static const size_t sizes[] = {FIRST_BYTES, BS_BATCH_BYTES};
	struct bs_buffer *head = &recognizer->head;
	enum bs_status status = BS_OK;
	bool is_enough = false;
	bs_buffer_clear(head);
	*has_out = false;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) && !status && !is_enough; i++) {
		status = read_head(recognizer, fd, path, sizes[i], err);
		if (!status)
			status = look(recognizer, head->data, head->used_bytes,
			              head->used_bytes < sizes[i], has_out, &is_enough, err);
	}
	bs_buffer_trim(head, FIRST_BYTES);
	bs_buffer_trim(&recognizer->text, FIRST_BYTES);
	return status;
}

enum bs_status bs_recognizer_has_text(struct bs_recognizer *recognizer, const uint8_t *text,
                                      size_t text_bytes, bool *has_out, struct bs_error *err)
{
	bool is_enough, is_all = text_bytes < BS_BATCH_BYTES;
	return look(recognizer, text, is_all ? text_bytes : BS_BATCH_BYTES, is_all, has_out,
	            &is_enough, err);
}
