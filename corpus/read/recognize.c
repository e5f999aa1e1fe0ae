/* recognize.c: see recognize.h. */
#include "corpus/read/recognize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corpus/read/record.h"
#include "corpus/walk/ignore.h"

#define FIRST_BYTES ((size_t)16 << 10)

static const char *const endings[] = {"*.jsonl", "*.ndjson"};
#define N_ENDINGS (sizeof(endings) / sizeof(*endings))

struct bs_recognizer {
	struct bs_ignore globs; /* none, or with those for endings before them */
	struct bs_record_parser *parser;
	struct bs_buffer head;
};

enum bs_status bs_recognizer_new(const struct bs_source_options *options, struct bs_recognizer **recognizer_out,
                                 struct bs_error *err)
{
	/* No key is called so, and none of a wrong type will be refused. */
	static const struct bs_record_options no_id = {.id_field = "\xff"};
	struct bs_recognizer *recognizer = calloc(1, sizeof(*recognizer));
	*recognizer_out = recognizer;
	if (!recognizer)
		return bs_fail_memory(err, "a recognizer", sizeof(*recognizer));
	enum bs_status status = bs_record_parser_new(&no_id, &recognizer->parser, err);
	for (size_t i = 0; options->records && i < N_ENDINGS && !status; i++)
		status = bs_ignore_add_line(&recognizer->globs, (const uint8_t *)endings[i], strlen(endings[i]), err);
	for (const char *const *glob = options->records; glob && *glob && !status; glob++)
		status = bs_ignore_add_line(&recognizer->globs, (const uint8_t *)*glob, strlen(*glob), err);
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
	free(recognizer);
}

static bool ends_so(const char *path, const char *ending)
{
	size_t n = strlen(path), n_ending = strlen(ending);
	return n >= n_ending && memcmp(path + n - n_ending, ending, n_ending) == 0;
}

bool bs_recognizer_has_name(const struct bs_recognizer *recognizer, const char *path)
{
	/* Mostly there are no globs, and very many files. */
	if (recognizer->globs.n_rules == 0)
		return ends_so(path, endings[0] + 1) || ends_so(path, endings[1] + 1);
	const char *slash = strrchr(path, '/');
	struct bs_ignore_entry entry = {
		.path = (const uint8_t *)path, .path_bytes = strlen(path), .name_off = slash ? (size_t)(slash - path) + 1 : 0};
	return bs_ignore_match(&recognizer->globs, &entry, 0) == BS_IGNORE_SKIP;
}

/* Reads on from the beginning until the head has n_bytes, or all there is. */
static enum bs_status read_head(struct bs_recognizer *recognizer, int fd, size_t n_bytes, struct bs_error *err)
{
	struct bs_buffer *head = &recognizer->head;
	enum bs_status status = bs_buffer_reserve(head, n_bytes - head->used_bytes, err);
	while (!status && head->used_bytes < n_bytes) {
		ssize_t n = pread(fd, head->data + head->used_bytes, n_bytes - head->used_bytes, (off_t)head->used_bytes);
		if (n == 0)
			break;
		if (n > 0)
			head->used_bytes += (size_t)n;
		else if (errno != EINTR)
			status = bs_fail(err, BS_IO, "%s", strerror(errno));
	}
	return status;
}

static bool is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* Where the first line begins that is not blank; used_bytes if there is none. */
static size_t find_start(const struct bs_buffer *head)
{
	size_t at = head->used_bytes >= 3 && memcmp(head->data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (at < head->used_bytes && is_space(head->data[at]))
		at++;
	return at;
}

enum bs_status bs_recognizer_has_line(struct bs_recognizer *recognizer, int fd, bool *has_out, struct bs_error *err)
{
	struct bs_buffer *head = &recognizer->head;
	struct bs_document document;
	struct bs_refusal refusal;
	const uint8_t *end = NULL;
	size_t at = 0, n_bytes = FIRST_BYTES;
	bool is_all = false;
	enum bs_status status = BS_OK;
	bs_buffer_clear(head);
	*has_out = false;
	for (;; n_bytes = BS_BATCH_BYTES) {
		status = read_head(recognizer, fd, n_bytes, err);
		if (status)
			return status;
		is_all = head->used_bytes < n_bytes;
		at = find_start(head);
		end = at < head->used_bytes ? memchr(head->data + at, '\n', head->used_bytes - at) : NULL;
		bool is_other = at < head->used_bytes && head->data[at] != '{';
		if (end || is_all || is_other || n_bytes == BS_BATCH_BYTES)
			break;
	}
	if (at == head->used_bytes || head->data[at] != '{' || (!end && !is_all)) {
		*has_out = at == head->used_bytes ? is_all : head->data[at] == '{';
		bs_buffer_trim(head, FIRST_BYTES);
		return BS_OK;
	}
	size_t line_bytes = (end ? (size_t)(end - head->data) : head->used_bytes) - at;
	status = bs_record_parse(recognizer->parser, head->data + at, line_bytes, &document, &refusal, err);
	*has_out = !status && (!refusal.reason || refusal.skip != BS_SKIP_BAD_RECORD);
	bs_buffer_trim(head, FIRST_BYTES);
	return status;
}
