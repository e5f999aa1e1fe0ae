/* log.h: lines for who keeps a log of what the library does (struct bs_log of bitsift.h). */
#pragma once

#include "core/base/error.h"
#include "core/bitsift/limits.h"

/* Whether somebody wants lines of that level. log may be NULL. */
static inline bool bs_log_wants(const struct bs_log *log, enum bs_log_level level)
{
	return log && log->line && level >= log->least;
}

/* A line, made printable as those of errors, if somebody wants it. */
void bs_log_line(const struct bs_log *log, enum bs_log_level level, const char *format, ...)
	BS_PRINTF(3, 4);

/* The level of a line about what took so long: BS_LOG_WARNING if that is slow, else usual. */
static inline enum bs_log_level bs_log_level_of(const struct bs_log *log, uint64_t elapsed_ns,
                                                enum bs_log_level usual)
{
	return log && log->slow_ns && elapsed_ns > log->slow_ns ? BS_LOG_WARNING : usual;
}
