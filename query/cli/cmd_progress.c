/* cmd_progress.c: see cmd_progress.h. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "query/cli/cmd_progress.h"
#include "query/options/command_line.h"

/* The signal that arrived; 0: none. It is the cancel flag of struct bs_limits. */
static volatile int interrupted_by;
static uint64_t interrupted_at_ns; /* The processor time of the process when the signal arrived. */

/* If a cancelled call does not return, the program ends at once. This is checked every MOST_WAIT_US
 * of real time after the signal: the program ends if it has used MOST_WORK_NS of processor time
 * since the signal. On a busy machine, real time would end it too early. */
#define MOST_WAIT_US 150000
#define MOST_WORK_NS UINT64_C(100000000)

/* The functions from here to end_at_once run in signal handlers and only make system calls. */
static uint64_t worked_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void start_wait(void)
{
	const struct itimerval wait = {.it_value.tv_usec = MOST_WAIT_US};
	setitimer(ITIMER_REAL, &wait, NULL);
}

static void note(int number)
{
	interrupted_by = number;
	interrupted_at_ns = worked_ns();
	start_wait();
}

/* Ends the program as if it were killed: the index stays at the last commit, and the next run
 * removes leftover files. */
static void end_at_once(int number)
{
	static const char line[] =
		"bitsift: interrupted, and ended at once: the next run removes what is left over\n";
	(void)number;
	if (worked_ns() - interrupted_at_ns < MOST_WORK_NS) {
		start_wait();
		return;
	}
	(void)!write(STDERR_FILENO, line, sizeof(line) - 1);
	signal(interrupted_by, SIG_DFL);
	raise(interrupted_by);
}

struct bs_limits bs_interrupt_catch(void)
{
	static const int numbers[] = {SIGINT, SIGTERM};
	/* Without SA_RESTART, the signal ends a read that waits for a pipe. */
	struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND}, before;
	struct sigaction at_once = {.sa_handler = end_at_once, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	sigemptyset(&at_once.sa_mask);
	sigaction(SIGALRM, &at_once, NULL);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	return (struct bs_limits){.cancel = &interrupted_by};
}

void bs_interrupt_end(bool is_done)
{
	if (!interrupted_by)
		return;
	signal(SIGALRM, SIG_IGN);
	fputs(is_done ? "bitsift: interrupted; the index is committed\n"
	              : "bitsift: interrupted; the index is unchanged\n",
	      stderr);
	signal(interrupted_by, SIG_DFL);
	raise(interrupted_by);
}

/* The status line is first drawn after FIRST_NS of work, then after PAUSE_NS or at a new step. */
#define FIRST_NS    UINT64_C(1000000000)
#define PAUSE_NS    UINT64_C(100000000)
#define LEAST_SHARE 0.01 /* The remaining time is shown from this share of the work on. */

/* Prints the estimated remaining time, "1:02:03 left". */
static void show_left(double seconds, double share)
{
	unsigned left = (unsigned)(seconds * (1 / share - 1) + 0.5);
	fprintf(stderr, " \xc2\xb7 ");
	if (left >= 3600)
		fprintf(stderr, "%u:%02u:%02u left", left / 3600, left / 60 % 60, left % 60);
	else if (left >= 60)
		fprintf(stderr, "%u:%02u left", left / 60, left % 60);
	else
		fprintf(stderr, "%u s left", left);
}

bool bs_progress_begin(struct bs_progress *progress, uint64_t elapsed_ns)
{
	if (elapsed_ns < FIRST_NS || elapsed_ns - progress->last_drawn_ns < PAUSE_NS ||
	    !isatty(STDERR_FILENO))
		return false;
	progress->last_drawn_ns = elapsed_ns;
	progress->is_drawn = true;
	fprintf(stderr, "\r\033[K%s: ", progress->verb);
	return true;
}

int bs_progress_show(void *context, const struct bs_build_report *report)
{
	struct bs_progress *progress = context;
	double share =
		report->step_total ? (double)report->step_done / (double)report->step_total : 0;
	/* A new step is shown without delay. */
	if (report->step != progress->step)
		progress->last_drawn_ns = 0;
	if (!bs_progress_begin(progress, report->elapsed_ns))
		return 0;
	progress->step = report->step;
	if (report->step == BS_BUILD_LOOK) {
		fprintf(stderr, "looking at %s files", BS_COUNT(report->step_done));
	} else {
		fprintf(stderr, "%s documents \xc2\xb7 %s \xc2\xb7 %.0f MB/s",
		        BS_COUNT(report->n_indexed + report->n_unchanged),
		        BS_BYTES(report->text_bytes),
		        (double)report->text_bytes * 1e3 / (double)report->elapsed_ns);
		if (report->step == BS_BUILD_WRITE)
			fputs(" \xc2\xb7 writing the index", stderr);
		if (share > 0)
			fprintf(stderr, " \xc2\xb7 %.0f %%", share * 100);
		if (share >= LEAST_SHARE)
			show_left((double)report->step_ns / 1e9, share);
	}
	fflush(stderr);
	return 0;
}

void bs_progress_clear(struct bs_progress *progress)
{
	if (progress->is_drawn)
		fputs("\r\033[K", stderr);
	progress->is_drawn = false;
}
