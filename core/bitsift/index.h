/*
 * index.h: an index: building, refreshing, compacting, deleting, checking and opening it. Part of
 * the public interface; see bitsift.h.
 */
#ifndef BITSIFT_INDEX_H
#define BITSIFT_INDEX_H

#include "build.h"
#include "host.h"
#include "index_build.h"
#include "index_check.h"
#include "index_delete.h"
#include "index_locate.h"
#include "index_open.h"
#include "kernel_names.h"
#include "limits.h"
#include "skip.h"

#endif
