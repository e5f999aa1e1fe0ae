# shellcheck shell=bash
# Private clusters of PostgreSQL for tests, benchmarks and the demonstration: sourced. Nothing outside of one folder is touched:
# the programs of PostgreSQL run from a copy of their installation in which the extension is installed too, by
# "make install DESTDIR=...", and clusters listen on a Unix socket alone. Root runs them as the user postgres.
#
#     cluster_begin FOLDER          an installation in FOLDER/root, unless it is there; everything else goes to FOLDER
#     cluster_make NAME [LINE...]   a new cluster FOLDER/NAME with these lines of postgresql.conf, started
#     cluster_start NAME; cluster_stop NAME [MODE]; cluster_kill NAME; cluster_end
#     sql NAME [PSQL_ARGUMENT...]   psql, unaligned, tuples only, stops at the first error
#
# PG_CONFIG names another version's pg_config. EXTENSION is a folder that has the extension built, instead of "make install", to which
# MAKE_ARGUMENTS go. CLUSTER_ROOT is an installation that is there already.

cluster_source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../bindings/postgresql" && pwd -P)
PG_CONFIG=${PG_CONFIG:-pg_config}

as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- env HOME="$cluster_folder" "$@")
    else
        "$@"
    fi
}

# A server finds its libraries and extensions relative to its own program, so a copy of that, beside links to all else, is a whole installation.
cluster_install() { # ROOT
    local root=$1 bin lib share
    bin=$("$PG_CONFIG" --bindir) lib=$("$PG_CONFIG" --pkglibdir) share=$("$PG_CONFIG" --sharedir)
    mkdir -p "$root$bin" "$root$lib" "$root$share/extension"
    cp -L "$bin"/{postgres,initdb,pg_ctl,pg_basebackup,psql,pg_isready,pg_dump,pg_restore,pgbench,pg_amcheck,pg_waldump} "$root$bin/"
    # Beside each other lie 200 libraries that are only read.
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

# Fast rather than safe against a failure of the machine: none of what is tested here depends on fsync.
cluster_settings() { # NAME
    cat <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$cluster_folder'
port = $(cluster_port "$1")
fsync = off
max_connections = 40
logging_collector = off
log_line_prefix = '%m [%p] '
SETTINGS
}

# Ports are but names here: sockets lie in a folder of their own.
cluster_port() { # NAME
    local sum
    sum=$(printf %s "$1" | cksum)
    echo $((20000 + ${sum%% *} % 20000))
}

cluster_make() { # NAME [LINE...]
    local name=$1 data=$cluster_folder/$1
    shift
    as_postgres "$cluster_bin/initdb" -D "$data" -A trust -U postgres -E "${CLUSTER_ENCODING:-UTF8}" --locale="${CLUSTER_LOCALE:-C.UTF-8}" \
        --no-instructions --no-sync >/dev/null
    { cluster_settings "$name" && printf '%s\n' "$@"; } | as_postgres tee -a "$data/postgresql.conf" >/dev/null
    cluster_start "$name"
}

# cluster_replica NAME OF: a copy of cluster OF that follows it.
cluster_replica() {
    as_postgres "$cluster_bin/pg_basebackup" -h "$cluster_folder" -p "$(cluster_port "$2")" -U postgres -D "$cluster_folder/$1" -R -c fast --no-sync
    printf '%s\n' "port = $(cluster_port "$1")" "hot_standby_feedback = on" "max_standby_streaming_delay = -1" |
        as_postgres tee -a "$cluster_folder/$1/postgresql.conf" >/dev/null
    cluster_start "$1"
}

cluster_start() { # NAME
    cluster_names+=("$1")
    as_postgres "$cluster_bin/pg_ctl" -D "$cluster_folder/$1" -l "$cluster_folder/$1.log" -w -t 120 -s start ||
        { tail -n 20 "$cluster_folder/$1.log" >&2 && return 1; }
}

cluster_stop() { # NAME [MODE]
    as_postgres "$cluster_bin/pg_ctl" -D "$cluster_folder/$1" -m "${2:-fast}" -w -t 120 -s stop
}

cluster_pid() { # NAME: of the server, nothing if there is none
    head -n 1 "$cluster_folder/$1/postmaster.pid" 2>/dev/null || true
}

# The server dies without a word; its processes notice, and a new one may start as soon as they are gone.
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

cluster_end() { # all of them, and their files, but for the installation if that is elsewhere
    local name
    for name in "${cluster_names[@]:-}"; do
        if [ -n "$name" ] && [ -e "$cluster_folder/$name/postmaster.pid" ]; then cluster_stop "$name" immediate || true; fi
    done
    [ -n "${KEEP:-}" ] || rm -rf -- "${cluster_folder:?}"
}

connection() { # NAME [DATABASE]: as libpq has it
    echo "host=$cluster_folder port=$(cluster_port "$1") user=postgres dbname=${2:-postgres}"
}

sql() { # NAME [PSQL_ARGUMENT...]
    local name=$1
    shift
    PGOPTIONS="-c client_min_messages=warning ${PGOPTIONS:-}" "$cluster_bin/psql" -h "$cluster_folder" -p "$(cluster_port "$name")" -U postgres -X -q -A -t -v ON_ERROR_STOP=1 "$@" postgres
}
