#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# package.sh -- Debian's packages of the committed tree: builds them in a minimal
# Debian 12 that has what debian/control asks for and no network, looks at them
# with lintian, and installs, tries (debian/tests) and purges them in another
# one.  They land in build/packages.
#
# Needs root, mmdebstrap and the network.  It works in a temporary folder (3 GB,
# in TMPDIR), and keeps what it downloads in build/packages/cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/lib.sh
packages=$PWD/build/packages
cache=$packages/cache

fail() {
  echo "package: $*" >&2
  exit 1
}

# --- systems ----------------------------------------------------------------

# The minimal system, as a tar file that both others start from.
make_base() {
  [[ ! -s $cache/base.tar ]] || return 0
  local mirror=${DEBIAN_MIRROR:-}
  if [[ -z $mirror && -e /etc/apt/sources.list.d/debian.sources ]]; then
    mirror=/etc/apt/sources.list.d/debian.sources
  fi
  say "making a minimal Debian 12"
  mmdebstrap --quiet --variant=apt --mode=root --format=tar bookworm "$cache/base.new" \
    ${mirror:+"$mirror"}
  mv "$cache/base.new" "$cache/base.tar"
}

# new_system FOLDER -- unpacks a minimal system, which reaches the network as
# this machine does, and in which no package starts a service.
new_system() {
  local root=$1
  mkdir "$root"
  tar -C "$root" --numeric-owner -xf "$cache/base.tar"
  cp /etc/resolv.conf /etc/hosts "$root/etc/"
  apt-config dump | grep -E '^Acquire::(https?::|Check-Valid-Until)' \
    >"$root/etc/apt/apt.conf.d/10host" || true
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  # The mounts end with the namespace that this script runs in.
  mount -t proc proc "$root/proc"
  mkdir -p "$cache/archives"
  mount --bind "$cache/archives" "$root/var/cache/apt/archives"
  inside "$root" apt-get -qq update
}

# inside FOLDER COMMAND... -- runs it in that system, with nothing of this
# machine's environment.
inside() {
  chroot "$1" env -i HOME=/tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "${@:2}" </dev/null
}

# install FOLDER PACKAGE...
install() {
  logged "$logs/packages-install.log" inside "$1" apt-get install -y \
    --no-install-recommends -o Dpkg::Use-Pty=0 "${@:2}"
}

# --- building ---------------------------------------------------------------

# export_tree FOLDER -- what is committed; of a folder without git, all of it
# but its builds.
export_tree() {
  mkdir -p "$1"
  if git rev-parse --git-dir >/dev/null 2>&1; then
    [[ -z $(git status --porcelain) ]] ||
      say "what is not committed is left out"
    git archive HEAD | tar -C "$1" -xf -
  else
    tar --exclude=./build -cf - . | tar -C "$1" -xf -
  fi
}

# build_packages SCRATCH
build_packages() {
  local root=$1/builder
  new_system "$root"
  export_tree "$root/srv/build/tamis"
  install "$root" dpkg-dev fakeroot lintian
  logged "$logs/packages-install.log" inside "$root" apt-get build-dep -y \
    --no-install-recommends -o Dpkg::Use-Pty=0 /srv/build/tamis
  inside "$root" useradd builder
  inside "$root" chown -R builder /srv/build
  say "building the packages, without a network"
  logged "$logs/packages-build.log" unshare --net \
    chroot --userspec=builder "$root" \
    env -i HOME=/tmp PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
    DEB_BUILD_OPTIONS="parallel=$jobs ${DEB_BUILD_OPTIONS-noautodbgsym}" \
    sh -c 'cd /srv/build/tamis && dpkg-buildpackage -us -uc'
  rm -f "$packages"/*.deb "$packages"/tamis_*  # of an earlier time
  find "$root/srv/build" -maxdepth 1 -type f -exec cp -t "$packages" {} +
  say "lintian"
  chroot --userspec=builder "$root" env -i HOME=/tmp PATH=/usr/bin:/bin \
    LC_ALL=C.UTF-8 sh -c 'lintian --info --fail-on error,warning \
      /srv/build/*.changes' </dev/null || fail "lintian has something to say"
}

# --- trying -----------------------------------------------------------------

# Prints "NAME PACKAGE..." for each test.
tests_and_packages() {
  awk '/^Tests: / { name = $2 }
    /^Depends: / { sub(/^Depends: /, ""); gsub(/,/, ""); print name, $0 }' \
    debian/tests/control
}

# The files and folders of a system, without what any installation leaves: logs,
# caches, and the lists of dpkg and apt.
files_of() {
  (cd "$1" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./srv \
    -o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt \
    -o -path ./var/lib/dpkg \) -prune -o -print) | LC_ALL=C sort
}

# try_packages SCRATCH -- installs all, runs each test, and purges all again.
try_packages() {
  local root=$1/user ours=() foreign=() name needed each
  new_system "$root"
  for each in "$packages"/*.deb; do
    [[ $each == *-dbgsym_* ]] || ours+=("$(basename "$each")")
  done
  [[ ${#ours[@]} -gt 0 ]] || fail "there are no packages in $packages"
  while read -r name needed; do
    for each in $needed; do
      compgen -G "$packages/${each}_*.deb" >/dev/null || foreign+=("$each")
    done
  done < <(tests_and_packages)
  # These come first, and stay, so that only ours come and go.
  say "installing what the tests need: ${foreign[*]}"
  install "$root" "${foreign[@]}" redis-server
  inside "$root" useradd --create-home --home-dir /srv/user user
  files_of "$root" >"$1/before"

  mkdir -p "$root/srv/packages"
  cp -t "$root/srv/packages" "${ours[@]/#/$packages/}"
  export_tree "$root/srv/tree"
  say "installing ${ours[*]}"
  install "$root" "${ours[@]/#//srv/packages/}"
  while read -r name needed; do
    try "$root" "$name"
  done < <(tests_and_packages)

  say "purging them"
  local names=("${ours[@]%%_*}")
  logged "$logs/packages-install.log" inside "$root" apt-get purge -y \
    --auto-remove -o Dpkg::Use-Pty=0 "${names[@]}"
  files_of "$root" >"$1/after"
  diff "$1/before" "$1/after" || fail "the packages left files (>) behind"
  inside "$root" dpkg-query -W | grep tamis && fail "dpkg still knows of those"
  say "nothing is left of ${names[*]}"
}

# try FOLDER TEST -- runs a test of debian/tests as a user.
try() {
  say "test: $2"
  mkdir -p "$1/srv/user/$2"
  inside "$1" chown -R user /srv/user
  # shellcheck disable=SC2016
  logged "$logs/packages-tests.log" chroot --userspec=user "$1" env -i \
    HOME=/srv/user PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
    AUTOPKGTEST_TMP="/srv/user/$2" \
    sh -c 'cd /srv/tree && exec timeout 300 "debian/tests/$1"' try "$2"
}

# --- all of it --------------------------------------------------------------

debian_packages() {
  [[ $(id -u) -eq 0 ]] || fail "needs root, for systems of their own;" \
    "dpkg-buildpackage -us -uc -b builds here without it"
  # Mounts and processes end with this script, however it ends.
  [[ -n ${TAMIS_PACKAGE_INSIDE-} ]] ||
    TAMIS_PACKAGE_INSIDE=1 exec unshare --mount --pid --fork --kill-child \
      --mount-proc scripts/package.sh
  mkdir -p "$cache"
  local scratch
  scratch=$(mktemp -d)
  # shellcheck disable=SC2064
  trap "leave '$scratch'" EXIT
  make_base
  build_packages "$scratch"
  try_packages "$scratch"
  say "the packages are in build/packages"
}

# leave SCRATCH -- never deletes through what is mounted below it.
leave() {
  local place
  while read -r place; do
    umount "$place" || return 0
  done < <(findmnt --list --noheadings --output TARGET | grep "^$1/" | sort -r)
  rm -rf --one-file-system "$1"
}

[[ $# -eq 0 ]] || fail "takes nothing"
debian_packages
