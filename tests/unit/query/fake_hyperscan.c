/* fake_hyperscan.c: a libhs.so.5 for test_automaton.c. The environment has its version,
 * FAKE_VERSION, and the number of matches that a scan reports, FAKE_MATCHES. */
#include <hs.h>
#include <stdlib.h>

hs_error_t hs_compile(const char *pattern, unsigned flags, unsigned mode,
                      const hs_platform_info_t *platform, hs_database_t **database,
                      hs_compile_error_t **why)
{
	*database = malloc(1);
	return *database ? HS_SUCCESS : HS_NOMEM;
}

hs_error_t hs_free_compile_error(hs_compile_error_t *why)
{
	return HS_SUCCESS;
}

hs_error_t hs_free_database(hs_database_t *database)
{
	free(database);
	return HS_SUCCESS;
}

hs_error_t hs_alloc_scratch(const hs_database_t *database, hs_scratch_t **scratch)
{
	*scratch = malloc(1);
	return *scratch ? HS_SUCCESS : HS_NOMEM;
}

hs_error_t hs_free_scratch(hs_scratch_t *scratch)
{
	free(scratch);
	return HS_SUCCESS;
}

hs_error_t hs_scan(const hs_database_t *database, const char *text, unsigned n_bytes,
                   unsigned flags, hs_scratch_t *scratch, match_event_handler take, void *context)
{
	for (int n = atoi(getenv("FAKE_MATCHES")); n > 0; n--)
		take(0, 0, n_bytes, 0, context);
	return HS_SUCCESS;
}

const char *hs_version(void)
{
	return getenv("FAKE_VERSION");
}

hs_error_t hs_valid_platform(void)
{
	return HS_SUCCESS;
}
