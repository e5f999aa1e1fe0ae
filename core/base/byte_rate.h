/* byte_rate.h: how often bytes occur in source text. Used to choose the bytes that a search looks
 * for first, and to estimate how often a part of a pattern matches. */
#pragma once

#include <stdint.h>

/* The estimated number of times that a byte occurs in 1,000 bytes of source text. A wrong estimate
 * makes a search slower, but does not change its result. */
double bs_byte_rate(uint8_t byte);
