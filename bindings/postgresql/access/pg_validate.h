/* pg_validate.h: checks of operator classes: the access method's amvalidate. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_VALIDATE_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_VALIDATE_H

#include "postgres.h"

/* False, after messages of level INFO, if the access method cannot use the operator class. */
bool bsp_validate(Oid opclass);

#endif
