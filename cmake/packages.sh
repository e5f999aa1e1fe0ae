# shellcheck shell=bash
# Debian packages that the project needs, a function that installs the missing ones, and one that
# fetches ripgrep for the tests. Sourced by demo.sh and test.sh.
# shellcheck disable=SC2034 # used by those who source this
BUILD_PACKAGES=(g++ cmake make ninja-build pkg-config libicu-dev libsimde-dev libpcre2-dev libxxhash-dev libzstd-dev
    libsimdjson-dev libstemmer-dev zlib1g-dev libbz2-dev liblzma-dev liblz4-dev libbrotli-dev libre2-dev)
# Debian has libhyperscan-dev only for x86-64. It conflicts with libvectorscan-dev, which bitsift
# does not use; if that is installed, it stays, and grep has no line filter.
[[ $(uname -m) != x86_64 ]] || dpkg-query -W libvectorscan-dev &>/dev/null || BUILD_PACKAGES+=(libhyperscan-dev)
# shellcheck disable=SC2034
TEST_PACKAGES=(libcmocka-dev libpcre2-dev git clang clang-format libsqlite3-dev sqlite3 libxapian-dev libroaring-dev
    dpkg-dev file mmdebstrap strace bzip2 xz-utils lz4 zstd brotli python3 python3-dev python3-pip python3-pytest python3-numpy
    postgresql postgresql-server-dev-all libpq-dev)

# install_packages PACKAGE...: installs the missing ones and prints their names. Prints the output
# of apt-get only if it fails.
install_packages() {
    local missing=() sudo=() package log
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "missing packages, and neither root nor sudo to install them: ${missing[*]}" >&2
            return 1
        fi
        sudo=(sudo)
    fi
    echo "installing ${missing[*]} ..." >&2
    log=$(mktemp)
    if ! {
        "${sudo[@]}" apt-get update -q &&
            "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
                -o DPkg::Lock::Timeout=300 "${missing[@]}"
    } >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        rm -f -- "$log"
        return 1
    fi
    rm -f -- "$log"
}

# fetch_ripgrep FOLDER: makes FOLDER/rg ripgrep 15.0.0 with PCRE2, a static program from an npm
# package. Status 1, with a message on stderr, if that fails.
fetch_ripgrep() {
    local machine temporary
    ! is_ripgrep_15 "$1/rg" || return 0
    case $(uname -m) in
    x86_64) machine=x64 ;;
    aarch64) machine=arm64 ;;
    *) echo "no ripgrep 15 for $(uname -m): tests that compare with it are skipped" >&2 && return 1 ;;
    esac
    command -v npm >/dev/null || install_packages npm || return 1
    echo "fetching ripgrep 15 ..." >&2
    temporary=$(mktemp -d)
    if (cd -- "$temporary" && npm pack --silent --fetch-retries=0 "@vscode/ripgrep-linux-$machine@1.18.0" && tar -xzf ./*.tgz) >"$temporary/log" 2>&1 &&
        is_ripgrep_15 "$temporary/package/bin/rg"; then
        mkdir -p -- "$1" && mv -- "$temporary/package/bin/rg" "$1/rg"
    else
        echo "ripgrep 15 was not fetched, so tests that compare with it are skipped: $(tail -n 1 "$temporary/log")" >&2
    fi
    rm -rf -- "$temporary"
    is_ripgrep_15 "$1/rg"
}

is_ripgrep_15() {
    [[ $("$1" --version 2>/dev/null) == 'ripgrep 15.0.0 '* ]]
}
