/* grep_text.c: see grep_text.h. */
#include "query/grep/read/grep_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/deadline.h"
#include "corpus/walk/file.h"
#include "query/grep/read/grep_command.h"

/* Undecoded bytes that are decoded at a time. */
#define DECODER_BYTES ((size_t)8192)
/* Bytes read at once if a file is read in pieces; they fit into a core's cache. */
#define STEP_BYTES ((size_t)131072)
/* Memory beyond this is freed before the next file. */
#define GENEROUS_BYTES ((size_t)64 << 20)

#define READ_NS    1000u /* estimated time per read, without its bytes */
#define BYTES_A_NS 4u    /* estimated number of bytes read per nanosecond */
/* With a deadline, one read gets at most this much: the deadline is checked between reads. */
#define WATCHED_BYTES ((size_t)1 << 20)

static enum bs_status read_some(struct bs_grep_text *text, size_t most_bytes, struct bs_buffer *to,
                                struct bs_error *err)
{
	struct bs_grep_input *input = text->input;
	size_t n = 0;
	most_bytes = bs_deadline_here && most_bytes > WATCHED_BYTES ? WATCHED_BYTES : most_bytes;
	enum bs_status status = bs_deadline_check_after(READ_NS + most_bytes / BYTES_A_NS, err);
	if (!status)
		status = bs_buffer_reserve(to, most_bytes, err);
	if (!status)
		status = input->read(input, to->data + to->used_bytes, most_bytes, &n, err);
	to->used_bytes += n;
	text->read_bytes += n;
	/* If a read returns fewer bytes than wanted and stops exactly at the size that fstat
	 * reported, this is the end of the file; the read that returns 0 is saved. */
	text->is_at_end = n == 0 || (n < most_bytes && text->read_bytes == input->size_bytes);
	return status;
}

/* Reads until `to` has wanted_bytes, or to the end. */
static enum bs_status read_to(struct bs_grep_text *text, size_t wanted_bytes, struct bs_buffer *to,
                              struct bs_error *err)
{
	enum bs_status status = BS_OK;
	while (!status && !text->is_at_end && to->used_bytes < wanted_bytes)
		status = read_some(text, wanted_bytes - to->used_bytes, to, err);
	return status;
}

/* Reads enough bytes to detect a byte order mark. With by_pieces, reads only what has arrived, or
 * more if that may be an incomplete mark. */
static enum bs_status read_head(struct bs_grep_text *text, struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes;
	size_t size_bytes = text->input->size_bytes;
	bool is_small = !text->input->is_stream && size_bytes < BS_GREP_PIECE_BYTES;
	if (!text->by_pieces)
		return read_to(text, is_small ? size_bytes + 1 : BS_GREP_PIECE_BYTES, bytes, err);
	enum bs_status status;
	do
		status = read_some(text, BS_GREP_PIECE_BYTES - bytes->used_bytes, bytes, err);
	while (!status && !text->is_at_end &&
	       bs_grep_coding_may_be_mark(bytes->data, bytes->used_bytes));
	return status;
}

/* If raw has fewer than wanted_bytes undecoded bytes, reads until it has STEP_BYTES. With
 * by_pieces, reads once, and only if none of the undecoded bytes can be decoded yet (raw_held). */
static enum bs_status fill_raw(struct bs_grep_text *text, size_t wanted_bytes, struct bs_error *err)
{
	struct bs_buffer *raw = &text->raw;
	size_t n = raw->used_bytes - text->raw_off;
	if (n >= wanted_bytes || text->is_at_end)
		return BS_OK;
	memmove(raw->data, raw->data + text->raw_off, n);
	raw->used_bytes = n;
	text->raw_off = 0;
	if (!text->by_pieces)
		return read_to(text, STEP_BYTES, raw, err);
	return n > text->raw_held ? BS_OK : read_some(text, wanted_bytes - n, raw, err);
}

/* Decodes until `bytes` has wanted_decoded bytes; with by_pieces, until `bytes` has grown. */
static enum bs_status decode_more(struct bs_grep_text *text, size_t wanted_decoded,
                                  struct bs_error *err)
{
	size_t before_bytes = text->bytes.used_bytes, taken;
	enum bs_status status;
	if (text->by_pieces || wanted_decoded <= before_bytes)
		wanted_decoded = before_bytes + 1;
	do {
		size_t wanted_bytes = text->raw_held + DECODER_BYTES;
		status = fill_raw(text, wanted_bytes, err);
		if (status)
			return status;
		size_t n = text->raw.used_bytes - text->raw_off;
		bool is_last = text->is_at_end && n <= wanted_bytes;
		n = n < wanted_bytes ? n : wanted_bytes;
		status = bs_grep_decode(&text->decoder, text->raw.data + text->raw_off, n, is_last,
		                        &taken, &text->bytes, err);
		text->raw_off += taken;
		text->raw_held = n - taken;
		text->has_more = !is_last;
	} while (!status && text->has_more && text->bytes.used_bytes < wanted_decoded);
	return status;
}

/* Detects a byte order mark in the bytes read. If they must be decoded, decodes the first piece. */
static enum bs_status start(struct bs_grep_text *text, enum bs_grep_coding coding,
                            struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes, held = text->raw;
	size_t mark_bytes;
	coding = bs_grep_coding_sniff(bytes->data, bytes->used_bytes, coding, &mark_bytes);
	text->had_mark = mark_bytes > 0;
	text->is_decoded = coding != BS_GREP_CODING_AUTO && coding != BS_GREP_CODING_NONE;
	text->has_more = !text->is_at_end;
	if (!text->is_decoded) {
		bytes->used_bytes -= mark_bytes;
		if (mark_bytes > 0)
			memmove(bytes->data, bytes->data + mark_bytes, bytes->used_bytes);
		return BS_OK;
	}
	text->raw = *bytes;
	*bytes = held;
	bs_buffer_clear(bytes);
	text->raw_off = mark_bytes;
	text->raw_held = 0;
	enum bs_status status = bs_grep_decoder_start(&text->decoder, coding, err);
	return status ? status : decode_more(text, BS_GREP_PIECE_BYTES, err);
}

/* A file up to this size fits into the memory of any machine. The size of the memory is queried
 * only for larger files, because the system call takes a lock of the kernel. */
#define FITTING_BYTES ((size_t)1 << 24)

/* True if a file may be read as a whole. If it is larger than the memory of the machine, the system
 * would kill a process. */
static bool fits(size_t size_bytes)
{
	if (size_bytes <= FITTING_BYTES)
		return true;
	long n_pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	return n_pages <= 0 || page_bytes <= 0 ||
	       size_bytes <= (uint64_t)n_pages * (uint64_t)page_bytes;
}

static enum bs_status read_all(struct bs_grep_text *text, struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes;
	size_t size_bytes = text->input->size_bytes;
	enum bs_status status = BS_OK;
	while (!status && text->has_more && text->is_decoded)
		status = decode_more(text, bytes->used_bytes + DECODER_BYTES, err);
	while (!status && text->has_more) {
		size_t wanted_bytes = bytes->used_bytes + bytes->used_bytes / 2 + STEP_BYTES;
		if (bytes->used_bytes <= size_bytes)
			wanted_bytes = size_bytes + 1;
		status = read_to(text, wanted_bytes, bytes, err);
		text->has_more = !text->is_at_end;
	}
	return status;
}

static void close_root(struct bs_grep_text *text)
{
	bs_file_place_close(&text->place);
	if (text->root.used_bytes > 0)
		close(text->root_fd);
	bs_buffer_clear(&text->root);
}

/* Opens the folder at the beginning of path, unless it is still open from the previous file. */
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
	               ? bs_file_open_near(text->root_fd, path + root_bytes, &text->place,
	                                   O_RDONLY | O_NONBLOCK)
	               : -1;
}

/* Replaces the input by the output of a command that reads the file. */
static enum bs_status run_command(struct bs_grep_text *text,
                                  const struct bs_grep_read_request *reading, struct bs_error *err)
{
	bool is_ours = reading->file->packing == BS_GREP_PACKING_COMPRESS;
	const char *argument = reading->file->shown;
	const char *const unpack[] = {"gzip", "-d", "-c", NULL};
	char *safe = NULL;
	/* Prevents a name from being taken for an option. */
	if (!is_ours && argument[0] == '-' && asprintf(&safe, "./%s", argument) < 0)
		return bs_fail_memory(err, "a path", strlen(argument));
	const char *const run[] = {reading->command, safe ? safe : argument, NULL};
	enum bs_status status = bs_grep_command_open(is_ours ? unpack : run, text->file.fd,
	                                             text->file.wait, &text->input, err);
	free(safe);
	return status;
}

/* Makes an input of fd, a file below a folder, and reads its first piece. */
static enum bs_status open_below(struct bs_grep_text *text, int fd, struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes;
	enum bs_status status =
		bs_deadline_check_after(READ_NS + BS_GREP_PIECE_BYTES / BYTES_A_NS, err);
	if (!status)
		status = bs_buffer_reserve(bytes, BS_GREP_PIECE_BYTES, err);
	if (status) {
		close(fd);
		return status;
	}
	status = bs_grep_file_input_read(&text->file, fd, bytes->data, BS_GREP_PIECE_BYTES,
	                                 &bytes->used_bytes, &text->is_at_end, err);
	text->read_bytes = bytes->used_bytes;
	return status;
}

static enum bs_status open_input(struct bs_grep_text *text,
                                 const struct bs_grep_read_request *reading, struct bs_error *err)
{
	struct bs_grep_file_input *input = &text->file;
	const struct bs_grep_file *file = reading->file;
	int fd = file->path ? open_path(text, file->path, file->root_bytes) : STDIN_FILENO;
	if (fd < 0 && errno == ELOOP && file->root_bytes > 0)
		return bs_fail(err, BS_INVALID, "a symbolic link, which is not followed");
	if (fd < 0)
		return bs_fail(err, bs_file_status(errno), "%s", strerror(errno));
	/* fstat recognises the file that the output goes to; open_below may skip fstat. */
	bool is_below = file->root_bytes > 0;
	enum bs_status status =
		is_below && !file->packing && input->output_inode == 0
			? open_below(text, fd, err)
			: bs_grep_file_input_open(input, fd, !file->path, is_below, err);
	text->input = status ? NULL : &input->input;
	if (status || !file->packing)
		return status;
	if (file->packing >= BS_GREP_PACKING_COMPRESS)
		return run_command(text, reading, err);
	return bs_grep_unpack_open(file->packing, text->input, &text->input, err);
}

enum bs_status bs_grep_text_read(struct bs_grep_text *text,
                                 const struct bs_grep_read_request *reading, struct bs_error *err)
{
	bs_buffer_trim(&text->bytes, GENEROUS_BYTES);
	bs_buffer_trim(&text->raw, GENEROUS_BYTES);
	text->is_at_end = false;
	text->has_more = false;
	text->read_bytes = 0;
	enum bs_status status = open_input(text, reading, err);
	/* The output of a command or a decompressor ends, so it need not be searched as it
	 * arrives. */
	text->by_pieces = !status && text->input->is_stream && !reading->file->packing;
	if (!status)
		status = read_head(text, err);
	if (!status)
		status = start(text, reading->coding, err);
	bool is_small = text->input && fits(text->input->size_bytes);
	if (!status && reading->in_pieces && (!reading->wants_all || !is_small))
		return BS_OK;
	if (!status && !is_small)
		status = bs_fail(err, BS_UNSUPPORTED,
		                 "its %zu bytes must be in memory at once, and do not fit",
		                 text->input->size_bytes);
	if (!status)
		status = read_all(text, err);
	if (status)
		(void)bs_grep_text_close(text, NULL);
	return status;
}

enum bs_status bs_grep_text_more(struct bs_grep_text *text, size_t dropped_bytes,
                                 size_t wanted_bytes, struct bs_error *err)
{
	struct bs_buffer *bytes = &text->bytes;
	bytes->used_bytes -= dropped_bytes;
	if (dropped_bytes > 0)
		memmove(bytes->data, bytes->data + dropped_bytes, bytes->used_bytes);
	if (text->is_decoded)
		return decode_more(text, wanted_bytes, err);
	enum bs_status status;
	if (text->by_pieces) {
		status = read_some(text, wanted_bytes - bytes->used_bytes, bytes, err);
	} else {
		/* Reads at most one byte beyond the size that fstat reported, unless wanted_bytes
		 * needs more. If a command or a decompressor fails, the text that it delivered for
		 * this read is lost, so no more is read at once than rg does. */
		bool is_exact = wanted_bytes > STEP_BYTES || text->input->is_stream;
		size_t step_bytes = is_exact ? wanted_bytes : STEP_BYTES;
		size_t size_bytes = text->input->size_bytes;
		size_t left_bytes = size_bytes > text->read_bytes
		                            ? size_bytes - (size_t)text->read_bytes + 1
		                            : step_bytes;
		if (bytes->used_bytes + left_bytes < step_bytes)
			step_bytes = bytes->used_bytes + left_bytes > wanted_bytes
			                     ? bytes->used_bytes + left_bytes
			                     : wanted_bytes;
		status = read_to(text, step_bytes, bytes, err);
	}
	text->has_more = !status && !text->is_at_end;
	return status;
}

uint64_t bs_grep_text_hole(const struct bs_grep_text *text, uint64_t least_bytes)
{
	/* If the text is decoded, raw may have further bytes, at most 2 * STEP_BYTES. If
	 * least_bytes is larger, these are NUL bytes of the same hole. */
	bool is_plain = !text->is_decoded || (text->decoder.coding == BS_GREP_CODING_UTF8 &&
	                                      least_bytes > 2 * STEP_BYTES);
	struct bs_holes *holes =
		text->input && text->has_more && is_plain ? text->input->holes : NULL;
	uint64_t left_bytes = holes ? bs_holes_left(holes) : 0;
	return left_bytes > 0 && holes->offset - holes->hole_from >= least_bytes ? left_bytes : 0;
}

void bs_grep_text_skip(struct bs_grep_text *text, uint64_t n_bytes)
{
	bs_holes_skip(text->input->holes, n_bytes);
	text->read_bytes += n_bytes;
}

enum bs_status bs_grep_text_close(struct bs_grep_text *text, struct bs_error *err)
{
	struct bs_grep_input *input = text->input;
	text->input = NULL;
	text->has_more = false;
	return input ? input->close(input, err) : BS_OK;
}

void bs_grep_text_deinit(struct bs_grep_text *text)
{
	(void)bs_grep_text_close(text, NULL);
	close_root(text);
	bs_buffer_deinit(&text->root);
	bs_buffer_deinit(&text->bytes);
	bs_buffer_deinit(&text->raw);
	bs_grep_decoder_deinit(&text->decoder);
}
