/* automaton.c: see automaton.h. Without Hyperscan's headers at build time, no automaton can be
 * built. */
#include "query/grep/match/automaton.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/library.h"

#ifdef BITSIFT_HAS_HYPERSCAN
#include <hs.h>

/* clang-format off */
#define HYPERSCAN_FUNCTIONS(each) \
	each(hs_compile) each(hs_free_compile_error) each(hs_free_database) \
	each(hs_alloc_scratch) each(hs_free_scratch) each(hs_scan) each(hs_version) \
	each(hs_valid_platform)
/* clang-format on */

BS_LIBRARY_TABLE(bs_hyperscan, HYPERSCAN_FUNCTIONS);
BS_LIBRARY_DEFINE(bs_hyperscan, "Hyperscan", BS_HYPERSCAN_SONAME, BS_HYPERSCAN_FOLDER,
                  HYPERSCAN_FUNCTIONS)

/* Hyperscan counts the bytes of a text in 32 bits. */
#define MOST_BYTES ((size_t)1 << 31)

/* The types that automaton.h declares are Hyperscan's under other names. */
static hs_database_t *database_of(const struct bs_automaton *automaton)
{
	return (hs_database_t *)(uintptr_t)automaton;
}

static hs_scratch_t *scratch_of(const struct bs_automaton_scratch *scratch)
{
	return (hs_scratch_t *)(uintptr_t)scratch;
}

static hs_error_t compile(const char *pattern, hs_database_t **database)
{
	hs_compile_error_t *why = NULL;
	hs_error_t result = bs_hyperscan.hs_compile(pattern, HS_FLAG_MULTILINE, HS_MODE_BLOCK, NULL,
	                                            database, &why);
	if (result != HS_SUCCESS)
		bs_hyperscan.hs_free_compile_error(why);
	return result;
}

static int count_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                       void *n_matches)
{
	(void)id, (void)from, (void)to, (void)flags;
	++*(int *)n_matches;
	return 0;
}

/* True if the library finds the only match of ^a*b in a text: the b that begins its second line.
 * Vectorscan 5.4.9 does not find it. */
static bool finds_all_matches(void)
{
	static const char text[] = "xxxxxxxxxxxxxxxxxxxxxxxx\nb.zzA\n Saaaa";
	hs_database_t *database = NULL;
	hs_scratch_t *scratch = NULL;
	int n_matches = 0;
	if (compile("^a*b", &database) == HS_SUCCESS &&
	    bs_hyperscan.hs_alloc_scratch(database, &scratch) == HS_SUCCESS)
		(void)bs_hyperscan.hs_scan(database, text, sizeof(text) - 1, 0, scratch,
		                           count_match, &n_matches);
	if (scratch)
		bs_hyperscan.hs_free_scratch(scratch);
	if (database)
		bs_hyperscan.hs_free_database(database);
	return n_matches == 1;
}

static bool is_usable;

static void load(void)
{
	struct bs_error ignored;
	if (bs_hyperscan_load(&ignored) || bs_hyperscan.hs_valid_platform() != HS_SUCCESS)
		return;
	const char *version = bs_hyperscan.hs_version();
	bool is_known = strcspn(version, " ") == 5 && memcmp(version, "5.4.", 4) == 0 &&
	                version[4] >= '0' && version[4] <= '2';
	is_usable = is_known && finds_all_matches();
}

static bool load_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load);
	return is_usable;
}

enum bs_status bs_automaton_new(const char *pattern, struct bs_automaton **automaton_out,
                                struct bs_error *err)
{
	hs_database_t *database = NULL;
	*automaton_out = NULL;
	if (!load_once())
		return BS_OK;
	hs_error_t result = compile(pattern, &database);
	if (result == HS_SUCCESS)
		*automaton_out = (struct bs_automaton *)(void *)database;
	return result == HS_NOMEM ? bs_fail_memory(err, "an automaton", strlen(pattern)) : BS_OK;
}

void bs_automaton_free(struct bs_automaton *automaton)
{
	if (automaton)
		bs_hyperscan.hs_free_database(database_of(automaton));
}

enum bs_status bs_automaton_prepare(const struct bs_automaton *automaton,
                                    struct bs_automaton_scratch **scratch, struct bs_error *err)
{
	hs_scratch_t *prepared = scratch_of(*scratch);
	hs_error_t result = bs_hyperscan.hs_alloc_scratch(database_of(automaton), &prepared);
	/* A failure may have freed the scratch, which is then NULL. */
	*scratch = (struct bs_automaton_scratch *)(void *)prepared;
	return result == HS_SUCCESS ? BS_OK : bs_fail_memory(err, "an automaton", sizeof(prepared));
}

void bs_automaton_scratch_free(struct bs_automaton_scratch *scratch)
{
	if (scratch)
		bs_hyperscan.hs_free_scratch(scratch_of(scratch));
}

struct scan {
	bool (*take)(void *context, size_t match_end);
	void *context;
};

static int take_match(unsigned id, unsigned long long from, unsigned long long to, unsigned flags,
                      void *context)
{
	const struct scan *scan = context;
	(void)id, (void)from, (void)flags;
	return scan->take(scan->context, (size_t)to);
}

enum bs_automaton_result bs_automaton_scan(const struct bs_automaton *automaton,
                                           struct bs_automaton_scratch *scratch,
                                           const uint8_t *text, size_t n_bytes,
                                           bool (*take)(void *context, size_t match_end),
                                           void *context)
{
	struct scan scan = {take, context};
	if (n_bytes > MOST_BYTES)
		return BS_AUTOMATON_FAILED;
	hs_error_t result =
		bs_hyperscan.hs_scan(database_of(automaton), (const char *)text, (unsigned)n_bytes,
	                             0, scratch_of(scratch), take_match, &scan);
	return result == HS_SUCCESS           ? BS_AUTOMATON_DONE
	       : result == HS_SCAN_TERMINATED ? BS_AUTOMATON_STOPPED
	                                      : BS_AUTOMATON_FAILED;
}

void bs_automaton_version(char out[64])
{
	*out = '\0';
	if (!load_once())
		return;
	const char *version = bs_hyperscan.hs_version();
	snprintf(out, 64, "Hyperscan %.*s", (int)strcspn(version, " "), version);
}
#else
enum bs_status bs_automaton_new(const char *pattern, struct bs_automaton **automaton_out,
                                struct bs_error *err)
{
	(void)pattern, (void)err;
	*automaton_out = NULL;
	return BS_OK;
}

void bs_automaton_free(struct bs_automaton *automaton)
{
	(void)automaton;
}

enum bs_status bs_automaton_prepare(const struct bs_automaton *automaton,
                                    struct bs_automaton_scratch **scratch, struct bs_error *err)
{
	(void)automaton, (void)scratch;
	return bs_fail(err, BS_UNSUPPORTED, "built without Hyperscan");
}

void bs_automaton_scratch_free(struct bs_automaton_scratch *scratch)
{
	(void)scratch;
}

enum bs_automaton_result bs_automaton_scan(const struct bs_automaton *automaton,
                                           struct bs_automaton_scratch *scratch,
                                           const uint8_t *text, size_t n_bytes,
                                           bool (*take)(void *context, size_t match_end),
                                           void *context)
{
	(void)automaton, (void)scratch, (void)text, (void)n_bytes, (void)take, (void)context;
	return BS_AUTOMATON_FAILED;
}

void bs_automaton_version(char out[64])
{
	*out = '\0';
}
#endif
