/* pg_build.h: the access method's ambuild and ambuildempty, for CREATE INDEX. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_BUILD_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_BUILD_H

#include "postgres.h"

#include "access/genam.h"
#include "nodes/execnodes.h"

IndexBuildResult *bsp_build(Relation heap, Relation index, IndexInfo *info);
/* Writes the init fork of an unlogged index. */
void bsp_buildempty(Relation index);

#endif
