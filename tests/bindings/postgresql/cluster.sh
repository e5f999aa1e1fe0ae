# shellcheck shell=bash
# Private PostgreSQL clusters for tests, benchmarks and the demonstration; to be sourced. They use
# one folder only: the programs of PostgreSQL run from a copy of their installation that also has
# the extension, installed by "make install DESTDIR=...". Clusters listen only on a Unix socket. If
# the caller is root, they run as the user postgres.
#
#     cluster_begin FOLDER          uses FOLDER; makes an installation in FOLDER/root if necessary
#     cluster_test                  begins in a new folder, which is removed at the end
#     cluster_make NAME [LINE...]   makes and starts the cluster FOLDER/NAME, with these lines of
#                                   postgresql.conf
#     cluster_start NAME; cluster_stop NAME [MODE]; cluster_kill NAME; cluster_end
#     sql NAME [PSQL_ARGUMENT...]   psql: unaligned, only tuples, stops at the first error
#     same WANTED FOUND WHAT        ends the script unless the texts are equal
#     expect WANTED STATEMENT...    ends the script unless the cluster "one" gives this output
#
# PG_CONFIG: the pg_config of the PostgreSQL to use. EXTENSION: a folder with the built extension;
# otherwise "make install" builds it, with MAKE_ARGUMENTS. CLUSTER_ROOT: an existing installation.

cluster_source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../bindings/postgresql" && pwd -P)
PG_CONFIG=${PG_CONFIG:-pg_config}

as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- env HOME="$cluster_folder" "$@")
    else
        "$@"
    fi
}

# A server finds its libraries and extensions relative to its program. Therefore copies of the
# programs, with links to everything else, make a complete installation.
cluster_install() { # ROOT
    local root=$1 bin lib share
    bin=$("$PG_CONFIG" --bindir) lib=$("$PG_CONFIG" --pkglibdir) share=$("$PG_CONFIG" --sharedir)
    mkdir -p "$root$bin" "$root$lib" "$root$share/extension"
    cp -L "$bin"/{postgres,initdb,pg_ctl,pg_basebackup,psql,pg_isready,pg_dump,pg_restore,pgbench,pg_amcheck,pg_waldump} "$root$bin/"
    # Links suffice for the 200 libraries in this folder, because they are only read.
    ln -sfn "$lib"/* "$root$lib/"
    find "$share" -mindepth 1 -maxdepth 1 ! -name extension -exec ln -sfn {} "$root$share/" \;
    ln -sfn "$share"/extension/* "$root$share/extension/"
    rm -f "$root$lib"/{bitsift,libbitsift-json}.so "$root$share"/extension/bitsift*
    if [ -n "${EXTENSION:-}" ]; then
        cp -L "$EXTENSION/bitsift.so" "$EXTENSION/libbitsift-json.so" "$root$lib/"
        cp "$EXTENSION"/bitsift.control "$EXTENSION"/bitsift--*.sql "$root$share/extension/"
        return
    fi
    # shellcheck disable=SC2086 # several arguments
    make -s -C "$cluster_source" install PG_CONFIG="$PG_CONFIG" DESTDIR="$root" ${MAKE_ARGUMENTS:-}
}

cluster_begin() { # FOLDER
    cluster_folder=$(mkdir -p -- "$1" && cd -- "$1" && pwd -P)
    cluster_names=()
    chmod 755 "$cluster_folder"
    [ "$(id -u)" -ne 0 ] || chown postgres: "$cluster_folder"
    cluster_root=${CLUSTER_ROOT:-$cluster_folder/root}
    cluster_bin=$cluster_root$("$PG_CONFIG" --bindir)
    [ -x "$cluster_bin/postgres" ] || cluster_install "$cluster_root"
}

cluster_test() {
    cluster_begin "$(mktemp -d "${TMPDIR:-/tmp}/bitsift-test.XXXXXX")"
    trap cluster_end EXIT
}

fail() { # WHY...
    echo "${0##*/}${step:+: $step}: $*" >&2
    [ -z "${KEEP:-}" ] || echo "the cluster: $(connection one)" >&2
    exit 1
}
same() {
    [ "$1" = "$2" ] || fail "$3: '$2' instead of '$1'"
}
expect() {
    local wanted=$1 statements=()
    shift
    for statement; do statements+=(-c "$statement"); done
    same "$wanted" "$(sql one "${statements[@]}" 2>&1 || true)" "$*"
}

# Ports are only names here: the sockets are in a private folder.
cluster_port() { # NAME
    local sum
    sum=$(printf %s "$1" | cksum)
    echo $((20000 + ${sum%% *} % 20000))
}

# The settings are for speed. Without fsync a failure of the machine could damage the data; no test
# depends on it.
cluster_make() { # NAME [LINE...]
    local name=$1 data=$cluster_folder/$1
    shift
    as_postgres "$cluster_bin/initdb" -D "$data" -A trust -U postgres -E "${CLUSTER_ENCODING:-UTF8}" --locale="${CLUSTER_LOCALE:-C.UTF-8}" \
        --no-instructions --no-sync >/dev/null
    printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$cluster_folder'" "port = $(cluster_port "$name")" "fsync = off" "max_connections = 40" \
        "logging_collector = off" "log_line_prefix = '%m [%p] '" "$@" | as_postgres tee -a "$data/postgresql.conf" >/dev/null
    cluster_start "$name"
}

# cluster_replica NAME OF: makes and starts the cluster NAME, a replica of the cluster OF.
cluster_replica() {
    as_postgres "$cluster_bin/pg_basebackup" -h "$cluster_folder" -p "$(cluster_port "$2")" -U postgres -D "$cluster_folder/$1" -R -c fast --no-sync
    printf '%s\n' "port = $(cluster_port "$1")" "hot_standby_feedback = on" "max_standby_streaming_delay = -1" |
        as_postgres tee -a "$cluster_folder/$1/postgresql.conf" >/dev/null
    cluster_start "$1"
}

# cluster_follow NAME OF: waits until the replica NAME has replayed everything of OF.
cluster_follow() {
    local wanted
    wanted=$(sql "$2" -c 'SELECT pg_current_wal_insert_lsn()')
    for _ in $(seq 1800); do
        [ "$(sql "$1" -c "SELECT pg_last_wal_replay_lsn() >= '$wanted'")" != t ] || return 0
        sleep 0.1
    done
    fail "the replica $1 does not follow: $(tail -n 5 "$cluster_folder/$1.log")"
}

cluster_start() { # NAME
    cluster_names+=("$1")
    as_postgres "$cluster_bin/pg_ctl" -D "$cluster_folder/$1" -l "$cluster_folder/$1.log" -w -t 120 -s start ||
        { tail -n 20 "$cluster_folder/$1.log" >&2 && return 1; }
}

cluster_stop() { # NAME [MODE]
    as_postgres "$cluster_bin/pg_ctl" -D "$cluster_folder/$1" -m "${2:-fast}" -w -t 120 -s stop
}

cluster_pid() { # NAME: prints the server's process id, or nothing
    head -n 1 "$cluster_folder/$1/postmaster.pid" 2>/dev/null || true
}

# Kills the server. Its processes notice, and a new server can start as soon as they have ended.
cluster_kill() { # NAME
    local pid children
    pid=$(cluster_pid "$1")
    children=$(pgrep -P "$pid" | tr '\n' ' ' || true)
    kill -9 "$pid"
    for child in $children; do
        while kill -0 "$child" 2>/dev/null; do sleep 0.02; done
    done
    rm -f -- "$cluster_folder/$1/postmaster.pid"
}

cluster_end() { # stops all clusters; without KEEP, removes cluster_folder
    local name
    for name in "${cluster_names[@]:-}"; do
        if [ -n "$name" ] && [ -e "$cluster_folder/$name/postmaster.pid" ]; then cluster_stop "$name" immediate || true; fi
    done
    [ -n "${KEEP:-}" ] || rm -rf -- "${cluster_folder:?}"
}

connection() { # NAME [DATABASE]: prints a libpq connection string
    echo "host=$cluster_folder port=$(cluster_port "$1") user=postgres dbname=${2:-postgres}"
}

sql() { # NAME [PSQL_ARGUMENT...]
    local name=$1
    shift
    PGOPTIONS="-c client_min_messages=warning ${PGOPTIONS:-}" "$cluster_bin/psql" -h "$cluster_folder" -p "$(cluster_port "$name")" -U postgres -X -q -A -t -v ON_ERROR_STOP=1 "$@" postgres
}
