#!/usr/bin/env bash
# check.sh SOURCE [TEST...]: runs PostgreSQL's own regression tests ("make installcheck") in a
# server that loads the extension's library at its start and again in each session. SOURCE is the
# source tree of the server's version (Debian: apt-get source postgresql-15). With another minor
# version than the server's, some tests fail in any case; PRELOAD= (empty) runs them without the
# library, to compare. CREATED=yes: the database also has the extension; then the tests that list
# all objects of a database (psql, its \dA) differ by the objects of the extension.
set -euo pipefail
. "$(dirname -- "${BASH_SOURCE[0]}")/cluster.sh"
source=$(realpath -- "$1")/src/test/regress
shift
cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-check.XXXXXX")"
trap cluster_end EXIT
CLUSTER_LOCALE=C cluster_make one "shared_preload_libraries = '${PRELOAD-bitsift}'" "session_preload_libraries = '${PRELOAD-bitsift}'" "shared_buffers = 128MB"
[ "${CREATED:-no}" = no ] || "$cluster_bin/psql" -h "$cluster_folder" -p "$(cluster_port one)" -U postgres -X -q -c 'CREATE EXTENSION bitsift' template1

work=$cluster_folder/regress
mkdir "$work" "$work/out"
cp -r "$source" "$work/in"
cc -shared -fPIC -O1 -w -I"$("$PG_CONFIG" --includedir-server)" "$source/regress.c" -o "$work/regress.so"
[ "$(id -u)" -ne 0 ] || chown -R postgres: "$work"
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(--schedule="$work/in/parallel_schedule" --max-connections=20)
status=0
as_postgres env PGUSER=postgres "$("$PG_CONFIG" --pkglibdir)/pgxs/src/test/regress/pg_regress" --host="$cluster_folder" --port="$(cluster_port one)" \
    --user=postgres --inputdir="$work/in" --outputdir="$work/out" --dlpath="$work" --bindir="$cluster_bin" --dbname=regression \
    "${tests[@]}" >"$work/said" 2>&1 || status=$?
grep -E 'FAILED|failed|passed' "$work/said" || tail -n 20 "$work/said"
[ "$status" -eq 0 ] || head -n "${LINES_SHOWN:-60}" "$work/out/regression.diffs" || true
exit "$status"
