/*
 * engine_lucene.c: Lucene 8 in a Java process, LuceneEngine.java, queried through a pair of pipes.
 * The Java process measures the time itself, so the time of the pipes is not included. It answers
 * all queries before any measurement, because Java code is slow until it has been compiled.
 */
#include "bench/engine_lucene.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/tool.h"

const char *lucene_class_path;

/* The serial garbage collector: the measured thread waits for it, so that its time counts. */
#define JAVA_OPTIONS "-Xmx4g", "-XX:+UseSerialGC", "-XX:-UsePerfData"

struct lucene {
	pid_t process;
	FILE *to, *from;
};

static void run_java(const char *command, const char *corpus_dir, const char *index_path)
{
	execlp("java", "java", JAVA_OPTIONS, "-cp", lucene_class_path, "LuceneEngine", command,
	       corpus_dir, index_path, (char *)NULL);
	die("java: %s", strerror(errno));
}

static struct lucene *start(const char *command, const char *corpus_dir, const char *index_path)
{
	int to[2], from[2];
	struct lucene *lucene = grown(NULL, sizeof(*lucene));
	/* The pipes are closed on exec, so that another child does not keep this child's input
	 * open. */
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC) || (lucene->process = fork()) < 0)
		die("java: %s", strerror(errno));
	if (lucene->process == 0) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		run_java(command, corpus_dir, index_path);
	}
	close(to[0]);
	close(from[1]);
	lucene->to = fdopen(to[1], "w");
	lucene->from = fdopen(from[0], "r");
	if (!lucene->to || !lucene->from)
		die("java: %s", strerror(errno));
	return lucene;
}

static struct rusage stop(struct lucene *lucene)
{
	struct rusage usage = {0};
	int status;
	fclose(lucene->to);
	if (wait4(lucene->process, &status, 0, &usage) < 0 || status != 0)
		die("java: it failed");
	fclose(lucene->from);
	free(lucene);
	return usage;
}

/* Building. */

static void build(const struct corpus *corpus, const char *path, const char *command,
                  struct build_times *times_out)
{
	if (!lucene_class_path)
		die("Lucene needs --lucene CLASSPATH");
	struct lucene *lucene = start(command, corpus->dir, path);
	if (fscanf(lucene->from, "%" SCNu64 " %" SCNu64 " %" SCNu64, &times_out->main_ns,
	           &times_out->finish_ns, &times_out->cpu_ns) != 3)
		die("java: no answer");
	struct rusage usage = stop(lucene);
	times_out->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
}

void lucene_build_positions(const struct corpus *corpus, const char *path,
                            struct build_times *times_out)
{
	build(corpus, path, "build-positions", times_out);
}

void lucene_build_documents(const struct corpus *corpus, const char *path,
                            struct build_times *times_out)
{
	build(corpus, path, "build-documents", times_out);
}

void lucene_build_standard(const struct corpus *corpus, const char *path,
                           struct build_times *times_out)
{
	build(corpus, path, "build-standard", times_out);
}

/* Querying. */

/* command: "count" or "top". */
static void ask(struct lucene *lucene, const char *command, const struct query *query,
                struct answer *answer_out)
{
	fprintf(lucene->to, "%s\t%s", command,
	        query->is_phrase ? "phrase"
	        : query->is_any  ? "or"
	        : query->is_not  ? "not"
	                         : "and");
	for (unsigned i = 0; i < query->n_words; i++)
		fprintf(lucene->to, "\t%s", query->words[i]);
	fputc('\n', lucene->to);
	fflush(lucene->to);
	if (fscanf(lucene->from, "%" SCNu64 " %" SCNu64, &answer_out->count,
	           &answer_out->elapsed_ns) != 2)
		die("java: no answer to %s", query->text);
}

void *lucene_open(const struct corpus *corpus, const char *index_path, const struct query_set *set)
{
	(void)set;
	return start("serve", corpus->dir, index_path);
}

void lucene_count(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, "count", query, answer_out);
}

void lucene_top(void *handle, const struct query *query, struct answer *answer_out)
{
	ask(handle, "top", query, answer_out);
}

void lucene_close(void *handle)
{
	(void)stop(handle);
}
