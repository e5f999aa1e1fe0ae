/* grep_input.c: see grep_input.h. */
#include "query/grep/read/grep_input.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/system/deadline.h"
#include "corpus/walk/file.h"

static enum bs_status refuse(int error_number, struct bs_error *err)
{
	return bs_fail(err, bs_file_status(error_number), "%s", strerror(error_number));
}

static enum bs_status file_read(struct bs_grep_input *input, void *to, size_t n_bytes,
                                size_t *n_out, struct bs_error *err)
{
	struct bs_grep_file_input *file = (struct bs_grep_file_input *)(void *)input;
	struct pollfd coming = {.fd = file->fd, .events = POLLIN};
	ssize_t n;
	*n_out = 0;
	if (file->is_output && n_bytes > input->size_bytes - file->read_bytes)
		n_bytes = (size_t)(input->size_bytes - file->read_bytes);
	if (input->is_stream && (file->wait.run || bs_deadline_here) && poll(&coming, 1, 0) == 0) {
		if (file->wait.run && !file->wait.run(file->wait.context))
			return bs_fail(err, BS_STOPPED, "nobody wants more");
		enum bs_status status = bs_deadline_wait_readable(file->fd, err);
		if (status)
			return status;
	}
	/* A terminal or pipe may be in non-blocking mode. */
	while ((n = bs_holes_read(&file->holes, to, n_bytes)) < 0 &&
	       (errno == EINTR || errno == EAGAIN))
		if (errno == EAGAIN)
			(void)poll(&coming, 1, -1);
	if (n < 0)
		return refuse(errno, err);
	*n_out = (size_t)n;
	file->read_bytes += (uint64_t)n;
	return BS_OK;
}

static enum bs_status file_close(struct bs_grep_input *input, struct bs_error *err)
{
	const struct bs_grep_file_input *file = (struct bs_grep_file_input *)(void *)input;
	(void)err;
	if (!file->is_borrowed)
		close(file->fd);
	return BS_OK;
}

static enum bs_status set(struct bs_grep_file_input *file, int fd, bool only_regular,
                          struct bs_error *err)
{
	struct stat found;
	file->fd = fd;
	if (fstat(fd, &found) != 0)
		return refuse(errno, err);
	if (S_ISDIR(found.st_mode))
		return refuse(EISDIR, err);
	if (only_regular && !S_ISREG(found.st_mode))
		return bs_fail(err, BS_INVALID, "not a regular file");
	/* Files that the kernel generates (/proc) have size 0. */
	bool is_file = S_ISREG(found.st_mode) && found.st_size > 0;
	file->input = (struct bs_grep_input){.read = file_read,
	                                     .close = file_close,
	                                     .is_stream = !is_file,
	                                     .size_bytes = is_file ? (size_t)found.st_size : 0};
	file->read_bytes = 0;
	file->is_output = S_ISREG(found.st_mode) && found.st_ino == file->output_inode &&
	                  found.st_dev == file->output_device;
	bs_holes_init(&file->holes, fd, &found);
	file->input.holes =
		is_file && file->holes.may_have && !file->is_output ? &file->holes : NULL;
	return BS_OK;
}

enum bs_status bs_grep_file_input_open(struct bs_grep_file_input *file, int fd, bool is_borrowed,
                                       bool only_regular, struct bs_error *err)
{
	file->is_borrowed = is_borrowed;
	enum bs_status status = set(file, fd, only_regular, err);
	if (status)
		(void)file_close(&file->input, NULL);
	return status;
}

enum bs_status bs_grep_file_input_read(struct bs_grep_file_input *file, int fd, void *to,
                                       size_t n_bytes, size_t *n_out, bool *at_end_out,
                                       struct bs_error *err)
{
	ssize_t n = pread(fd, to, n_bytes, 0);
	size_t n_read = n > 0 ? (size_t)n : 0;
	*n_out = n_read;
	/* A read may be short because the next page cannot be read. */
	*at_end_out = n_read > 0 && n_read < n_bytes &&
	              pread(fd, (uint8_t *)to + n_read, n_bytes - n_read, n) == 0;
	if (!*at_end_out) {
		if (n_read > 0)
			(void)lseek(fd, n, SEEK_SET);
		enum bs_status status = bs_grep_file_input_open(file, fd, false, true, err);
		file->read_bytes = n_read;
		return status;
	}
	file->fd = fd;
	file->is_borrowed = file->is_output = false;
	file->read_bytes = n_read;
	file->holes = (struct bs_holes){.fd = fd};
	file->input = (struct bs_grep_input){
		.read = file_read, .close = file_close, .size_bytes = n_read};
	return BS_OK;
}
