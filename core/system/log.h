/* log.h: writes lines to the caller's log (struct bs_log, core/bitsift/limits.h). */
#pragma once

#include "core/base/error.h"
#include "core/bitsift/limits.h"

/* True if the log wants lines of this level. log may be NULL. */
static inline bool bs_log_wants(const struct bs_log *log, enum bs_log_level level)
{
	return log && log->line && level >= log->least;
}

/* Writes a line if the log wants it. Terminal controls are escaped, as in error texts. */
void bs_log_line(const struct bs_log *log, enum bs_log_level level, const char *format, ...)
	BS_PRINTF(3, 4);

/* The level of a line about an operation: BS_LOG_WARNING if it was slow, otherwise `usual`. */
static inline enum bs_log_level bs_log_level_of(const struct bs_log *log, uint64_t elapsed_ns,
                                                enum bs_log_level usual)
{
	return log && log->slow_ns && elapsed_ns > log->slow_ns ? BS_LOG_WARNING : usual;
}
