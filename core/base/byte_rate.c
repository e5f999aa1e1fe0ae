/* byte_rate.c: see byte_rate.h. */
#include "core/base/byte_rate.h"

#include <string.h>

double bs_byte_rate(uint8_t byte)
{
	static const char by_rate[] = "etrisnoad_c0lfumpgh1byv2kw34568x79jqz";
	static const char marks[] = ",;()*->./=\"";
	const char *found;
	if (byte == ' ')
		return 150;
	if (byte == '\t')
		return 45;
	if (byte == '\n')
		return 35;
	if (byte && byte < 0x80 && (found = strchr(by_rate, byte)))
		return 50.0 / (1.0 + 0.3 * (double)(found - by_rate));
	if (byte >= 'A' && byte <= 'Z')
		return 4;
	if (byte && byte < 0x80 && strchr(marks, byte))
		return 10;
	return byte > ' ' && byte < 0x7f ? 2 : 0.1;
}
