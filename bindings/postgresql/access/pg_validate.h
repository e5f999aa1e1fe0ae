/* pg_validate.h: the access method's amvalidate, which checks operator classes. */
#ifndef BINDINGS_POSTGRESQL_ACCESS_PG_VALIDATE_H
#define BINDINGS_POSTGRESQL_ACCESS_PG_VALIDATE_H

#include "postgres.h"

/* False if the access method cannot use the operator class; reports the reason at level INFO. */
bool bsp_validate(Oid opclass);

#endif
