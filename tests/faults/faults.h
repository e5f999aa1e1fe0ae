/* faults.h: shared memory of test_faults.c and the library that it preloads into the program
 * (faults_preload.c). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FAULTS_MAX_STACKS (1u << 18)

enum faults_kind {
	FAULTS_MEMORY,  /* functions that allocate, mmap, dlopen, pthread_create */
	FAULTS_READING, /* read, pread, readdir: EIO */
	FAULTS_SHORT,   /* read, pread: the first that fails returns one byte; the others: EIO */
	FAULTS_WRITING, /* write, fsync, rename, ...: ENOSPC, EIO */
	FAULTS_KINDS
};

struct faults {
	enum faults_kind kind;
	/* The number of the call that is to fail, from 1; 0: no call fails, and the stacks are
	 * recorded. */
	uint64_t wanted;
	bool is_lasting; /* all later calls fail, too */
	uint64_t n_calls, n_failed;
	/* The first failed call's caller, as an offset in the program, for addr2line. */
	uint64_t caller;
	uint64_t stacks[FAULTS_MAX_STACKS];
};
