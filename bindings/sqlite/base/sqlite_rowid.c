/* sqlite_rowid.c: see sqlite_rowid.h. */
#include "bindings/sqlite/base/sqlite_rowid.h"

#include <stdint.h>
#include <string.h>

size_t bsql_id_write(sqlite3_int64 id, char text[BSQL_ID_BYTES])
{
	uint64_t value = id < 0 ? 0 - (uint64_t)id : (uint64_t)id;
	char digits[BSQL_ID_BYTES], *at = digits + sizeof(digits);
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	if (id < 0)
		*--at = '-';
	size_t n_bytes = (size_t)(digits + sizeof(digits) - at);
	memcpy(text, at, n_bytes);
	return n_bytes;
}

bool bsql_id_read(const char *text, size_t text_bytes, sqlite3_int64 *id_out)
{
	bool is_negative = text_bytes > 0 && text[0] == '-';
	uint64_t value = 0, most = (uint64_t)INT64_MAX + is_negative;
	if (text_bytes == is_negative || text_bytes > BSQL_ID_BYTES)
		return false;
	for (size_t i = is_negative; i < text_bytes; i++) {
		unsigned digit = (unsigned char)text[i] - (unsigned)'0';
		if (digit > 9 || value > (most - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*id_out = (sqlite3_int64)(is_negative ? 0 - value : value);
	return true;
}
