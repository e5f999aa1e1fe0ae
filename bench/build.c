/*
 * build.c: see build.h. Builds an index in a child process, so that the memory that building takes
 * can be measured, and writes time and memory to INDEX.times, as lines of "name value".
 */
#include "bench/build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/tool.h"

/* Reads a line of /proc/self/status and converts it to bytes. line_format: "VmHWM: %lu" for the
 * maximum resident memory, "VmRSS: %lu" for the current. */
static uint64_t resident_bytes(const char *line_format)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	unsigned long kibibytes = 0;
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, line_format, &kibibytes) == 1)
			break;
	if (file)
		fclose(file);
	return (uint64_t)kibibytes * 1024;
}

void build_begins(struct build_times *times)
{
	times->begin_bytes = resident_bytes("VmRSS: %lu");
	times->begin_ns = now_ns();
	times->begin_cpu_ns = cpu_ns();
}

void build_finishes(struct build_times *times)
{
	times->main_ns = now_ns() - times->begin_ns;
}

void build_ends(struct build_times *times)
{
	times->finish_ns = now_ns() - times->begin_ns - times->main_ns;
	times->cpu_ns = cpu_ns() - times->begin_cpu_ns;
	times->peak_bytes = resident_bytes("VmHWM: %lu") - times->begin_bytes;
}

static void write_times(const char *path, const struct build_times *times, uint64_t index_bytes)
{
	char *times_path = text_of("%s.times", path);
	FILE *file = open_file(times_path, "w");
	fprintf(file,
	        "main_ns %" PRIu64 "\nfinish_ns %" PRIu64 "\ncpu_ns %" PRIu64
	        "\npeak_bytes %" PRIu64 "\nindex_bytes %" PRIu64 "\n",
	        times->main_ns, times->finish_ns, times->cpu_ns, times->peak_bytes, index_bytes);
	close_file(file, times_path);
	free(times_path);
}

bool build_times_read(const char *path, struct build_times *times_out, uint64_t *index_bytes_out)
{
	char *times_path = text_of("%s.times", path);
	FILE *file = fopen(times_path, "r");
	free(times_path);
	*times_out = (struct build_times){0};
	if (!file)
		return false;
	int n = fscanf(file,
	               "main_ns %" SCNu64 " finish_ns %" SCNu64 " cpu_ns %" SCNu64
	               " peak_bytes %" SCNu64 " index_bytes %" SCNu64,
	               &times_out->main_ns, &times_out->finish_ns, &times_out->cpu_ns,
	               &times_out->peak_bytes, index_bytes_out);
	fclose(file);
	return n == 5;
}

static void build_here(const struct corpus *corpus, const struct index_kind *kind, const char *path)
{
	struct build_times times = {0};
	kind->build(corpus, path, &times);
	write_times(path, &times, path_bytes(path));
	if (kind->is_rate_only)
		remove_tree(path);
}

void build_index(const struct corpus *corpus, const struct index_kind *kind)
{
	char *path = text_of("%s/%s", corpus->dir, kind->name);
	char *times_path = text_of("%s.times", path);
	int status;
	remove_tree(path);
	remove_tree(times_path);
	say("building %s ...", kind->name);
	pid_t process = fork();
	if (process < 0)
		die("fork: %s", strerror(errno));
	if (process == 0) {
		build_here(corpus, kind, path);
		fflush(NULL);
		_exit(0); /* does not run the parent's exit handlers or free its objects */
	}
	if (waitpid(process, &status, 0) < 0 || status != 0)
		die("%s could not be built", kind->name);
	free(path);
	free(times_path);
}
