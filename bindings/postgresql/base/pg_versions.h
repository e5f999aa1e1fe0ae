/* pg_versions.h: names that differ between PostgreSQL 15, 16 and 17. Include after postgres.h. */
#ifndef BINDINGS_POSTGRESQL_BASE_PG_VERSIONS_H
#define BINDINGS_POSTGRESQL_BASE_PG_VERSIONS_H

#include "postgres.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#define BSP_LOCATOR(relation)           ((relation)->rd_locator)
#define BSP_FILENUMBER(relation)        ((relation)->rd_locator.relNumber)
#define BSP_OWNS_RELATION(relid, owner) object_ownercheck(RelationRelationId, relid, owner)
#else
#define BSP_LOCATOR(relation)           ((relation)->rd_node)
#define BSP_FILENUMBER(relation)        ((relation)->rd_node.relNode)
#define BSP_OWNS_RELATION(relid, owner) pg_class_ownercheck(relid, owner)
#endif

/* The expression without the marks of outer joins that may make its columns NULL. Requires
 * optimizer/optimizer.h and rewrite/rewriteManip.h. */
#if PG_VERSION_NUM >= 160000
#define BSP_WITHOUT_OUTER_JOINS(node) remove_nulling_relids(node, pull_varnos(NULL, node), NULL)
#else
#define BSP_WITHOUT_OUTER_JOINS(node) (node)
#endif

#if PG_VERSION_NUM >= 170000
#define BSP_LOCAL_TRANSACTION(process) ((process)->vxid.lxid)
#else
#define BSP_LOCAL_TRANSACTION(process) ((process)->lxid)
#endif

/* True if old_snapshot_threshold is active. Then vacuum may remove rows that a snapshot still
 * needs, and only a visit of their page reports "snapshot too old". */
#if PG_VERSION_NUM >= 170000
#define BSP_MAY_BE_TOO_OLD() false
#else
#define BSP_MAY_BE_TOO_OLD() OldSnapshotThresholdActive()
#endif

#endif
