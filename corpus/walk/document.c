/* document.c: fingerprints, and kinds of skipped files. See document.h. */
#include "corpus/walk/document.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define CLOCK_GRAIN_NS 20000000

void bs_skip_kinds_add(struct bs_skip_kind kinds[BS_SKIP_KINDS], const char *name, uint64_t n)
{
	size_t i = 0;
	while (i < BS_SKIP_KINDS && kinds[i].n_files > 0 && strcmp(kinds[i].name, name) != 0)
		i++;
	if (i == BS_SKIP_KINDS || !*name)
		return;
	memccpy(kinds[i].name, name, '\0', sizeof(kinds[i].name));
	kinds[i].n_files += n;
}

void bs_skip_kind_of(const char *path, size_t path_bytes, char name_out[BS_SKIP_KIND_BYTES])
{
	size_t dot = path_bytes;
	memset(name_out, 0, BS_SKIP_KIND_BYTES);
	while (dot > 0 && path[dot - 1] != '.' && path[dot - 1] != '/')
		dot--;
	/* A name whose only dot is its first byte has no extension. */
	if (dot < 2 || path[dot - 1] != '.' || path[dot - 2] == '/' ||
	    path_bytes - dot >= BS_SKIP_KIND_BYTES)
		return;
	for (size_t i = dot; i < path_bytes; i++) {
		char c = path[i] >= 'A' && path[i] <= 'Z' ? (char)(path[i] + 'a' - 'A') : path[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) {
			memset(name_out, 0, BS_SKIP_KIND_BYTES);
			return;
		}
		name_out[i - dot] = c;
	}
}

void bs_access_add(struct bs_access *access, const struct bs_fingerprint *fingerprint)
{
	const unsigned all = S_IRGRP | S_IROTH;
	unsigned denied = fingerprint ? ~(unsigned)fingerprint->mode & all : all;
	/* If the groups differ, the bits of the file and those of the index are about different
	 * users. */
	if (denied && fingerprint && fingerprint->group != access->group)
		denied = all;
	if (denied)
		__atomic_fetch_or(&access->denied, denied, __ATOMIC_RELAXED);
}

/* The time until which the file could be changed without changing this fingerprint. Does not
 * include the granularity of the system clock. */
static int64_t doubted_until(const struct bs_fingerprint *fingerprint)
{
	/* The later time, because setting mtime back sets ctime to the present. */
	int64_t last_ns = fingerprint->mtime_ns > fingerprint->ctime_ns ? fingerprint->mtime_ns
	                                                                : fingerprint->ctime_ns;
	bool is_coarse = last_ns % 1000000000 == 0;
	return last_ns > INT64_MAX - 2000000000 ? INT64_MAX
	                                        : last_ns + (is_coarse ? 2000000000 : 0);
}

bool bs_fingerprint_is_racy(const struct bs_fingerprint *fingerprint, int64_t from_ns)
{
	return doubted_until(fingerprint) >= from_ns;
}

bool bs_fingerprint_outwait(const struct bs_fingerprint *fingerprint, int64_t from_ns)
{
	int64_t last_ns = fingerprint->mtime_ns > fingerprint->ctime_ns ? fingerprint->mtime_ns
	                                                                : fingerprint->ctime_ns;
	if (last_ns > from_ns + CLOCK_GRAIN_NS)
		return false;
	for (int64_t left_ns;
	     (left_ns = doubted_until(fingerprint) - bs_fingerprint_racy_from() + 1) > 0;) {
		struct timespec nap = {.tv_sec = left_ns / 1000000000,
		                       .tv_nsec = left_ns % 1000000000};
		nanosleep(&nap, NULL);
	}
	return true;
}

int64_t bs_fingerprint_racy_from(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - CLOCK_GRAIN_NS;
}

bool bs_fingerprint_equals(const struct bs_fingerprint *fingerprint, const uint64_t recorded[4])
{
	return fingerprint->size_bytes == recorded[0] &&
	       (uint64_t)fingerprint->mtime_ns == recorded[1] &&
	       (uint64_t)fingerprint->ctime_ns == recorded[2] && fingerprint->inode == recorded[3];
}

void bs_fingerprint_record(const struct bs_fingerprint *fingerprint, uint64_t recorded_out[4])
{
	recorded_out[0] = fingerprint->size_bytes;
	recorded_out[1] = (uint64_t)fingerprint->mtime_ns;
	recorded_out[2] = (uint64_t)fingerprint->ctime_ns;
	recorded_out[3] = fingerprint->inode;
}
