#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fresh_machine.sh FOLDER [COMMAND] -- shows that scripts/packages.txt is
# complete: makes a minimal Debian 12 in FOLDER (outside the repository), puts
# a copy of this tree into it and runs `./run COMMAND` there (default: build).
# A FOLDER that already holds such a system is used again, with a new copy.
# Needs root, debootstrap and the network.  Delete FOLDER afterwards.
set -euo pipefail

[[ $# -ge 1 && $# -le 2 ]] || { sed -n '3,7s/^# //p' "$0" >&2; exit 2; }
machine=$1 command=${2:-build}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $(id -u) -eq 0 ]] || { echo "fresh_machine: needs root" >&2; exit 2; }

if [[ ! -e $machine/etc/debian_version ]]; then
  # Without DEBIAN_MIRROR, from debootstrap's own default.
  debootstrap --variant=minbase bookworm "$machine" \
    ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
fi
machine=$(cd "$machine" && pwd)

# The host's way to the network and to its mirror.
cp /etc/resolv.conf /etc/hosts "$machine/etc/"
if [[ -e /etc/apt/sources.list.d/debian.sources ]]; then
  rm -f "$machine/etc/apt/sources.list"
  cp /etc/apt/sources.list.d/debian.sources "$machine/etc/apt/sources.list.d/"
fi
cp -R /etc/apt/apt.conf.d/. "$machine/etc/apt/apt.conf.d/"

mkdir -p "$machine/srv/tamis"
tar --exclude=./build --exclude=./.git -cf - . | tar -xf - -C "$machine/srv/tamis"

# Compilers and sanitizers look into /proc; a test wants a terminal.
mkdir -p "$machine/dev/pts"
mount -t proc proc "$machine/proc"
trap 'umount "$machine/proc"' EXIT
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$machine/dev/pts"
trap 'umount "$machine/proc" "$machine/dev/pts"' EXIT
chroot "$machine" env -i HOME=/ PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
  /srv/tamis/run "$command" </dev/null
