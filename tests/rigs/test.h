/* test.h: cmocka, and what nearly every test program needs of the C library. */
#pragma once

/* cmocka.h needs the first three. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
