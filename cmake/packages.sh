# Debian packages that the project needs, and how to install the missing ones. Sourced by demo.sh and test.sh.
BUILD_PACKAGES=(g++ cmake ninja-build pkg-config libicu-dev libsimde-dev libxxhash-dev libzstd-dev libsimdjson-dev
    libstemmer-dev)
TEST_PACKAGES=(libcmocka-dev ripgrep git clang)

install_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    local sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    echo "installing: ${missing[*]}" >&2
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}
