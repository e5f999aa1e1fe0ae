/* log.c: see log.h. */
#include "core/system/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/bitsift/limits.h"

void bs_log_line(const struct bs_log *log, enum bs_log_level level, const char *format, ...)
{
	struct bs_error raw, line;
	va_list args;
	if (!bs_log_wants(log, level))
		return;
	va_start(args, format);
	(void)vsnprintf(raw.text, sizeof(raw.text), format, args);
	va_end(args);
	(void)bs_fail(&line, BS_OK, "%s", raw.text);
	log->line(log->context, level, line.text);
}
