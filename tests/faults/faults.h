/* faults.h: what test_faults.c and the library that it preloads into the program (faults_preload.c)
 * tell each other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FAULTS_MAX_STACKS (1u << 18)

enum faults_kind {
	FAULTS_MEMORY,  /* malloc and its kin, mmap, fdopendir, pthread_create, dlopen */
	FAULTS_READING, /* read, pread, readdir: EIO */
	FAULTS_WRITING, /* write, fsync, rename, ...: ENOSPC, EIO */
	FAULTS_KINDS
};

struct faults {
	enum faults_kind kind;
	/* the call that is to fail, from 1 on; 0: none, and the stacks are noted */
	uint64_t wanted;
	bool is_lasting; /* and all after it */
	uint64_t n_calls, n_failed;
	/* of the first that failed: an address in the program, as addr2line wants it */
	uint64_t caller;
	uint64_t stacks[FAULTS_MAX_STACKS];
};
