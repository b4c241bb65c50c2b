# SPDX-License-Identifier: Apache-2.0
# Sourced by ./run and its helpers, with the repository as working folder:
# messages, packages, builds.
# shellcheck shell=bash

jobs=${TAMIS_JOBS:-$(nproc)}
logs=build/logs

say() { printf '%s\n' "== $*"; }

# --- packages ---------------------------------------------------------------

# wanted_packages [PURPOSE] -- the packages this architecture needs for that
# purpose (build or test), or for all of them, one per line.
wanted_packages() {
  sed 's/#.*//' scripts/packages.txt |
    awk -v arch="[$(dpkg --print-architecture)]" -v purpose="${1-}" '
      $1 == "for" { current = $2; sub(/:$/, "", current); next }
      purpose != "" && current != purpose { next }
      NF == 1 || $2 == arch { print $1 }'
}

# missing_packages [PURPOSE] -- what an installed package of the list provides
# is not missing: another Node.js than Debian's brings its own npm.
missing_packages() {
  local wanted
  wanted=$(wanted_packages "$@")
  # dpkg-query fails for names it has never seen; those are missing as well.
  # shellcheck disable=SC2086,SC2016
  { dpkg-query -W -f '${Package} ${db:Status-Status} ${Provides}\n' $wanted \
    2>/dev/null || true; } |
    awk -v wanted="$wanted" '
      $2 == "installed" {
        have[$1] = 1
        # "npm, nodejs-abi (= 108)"
        for (i = 3; i <= NF; ++i) { sub(/,$/, "", $i); have[$i] = 1 }
      }
      END {
        n = split(wanted, names)
        for (i = 1; i <= n; ++i) if (!(names[i] in have)) print names[i]
      }'
}

# ensure_packages [PURPOSE] -- installs what is missing; asks the network only
# then.  Without the right to install, prints the line that would and leaves
# with status 2.
ensure_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "no dpkg here: cannot tell whether scripts/packages.txt is installed"
    return 0
  fi
  local missing
  missing=$(missing_packages "$@")
  [[ -n $missing ]] || return 0
  missing=${missing//$'\n'/ }
  if [[ $(id -u) -ne 0 ]]; then
    echo "run: packages are missing; as root, run this and try again:" >&2
    echo "apt-get update && apt-get install -y --no-install-recommends $missing" >&2
    exit 2
  fi
  say "installing $missing"
  export DEBIAN_FRONTEND=noninteractive
  logged "$logs/packages.log" apt-get update
  # shellcheck disable=SC2086
  logged "$logs/packages.log" \
    apt-get install -y --no-install-recommends $missing
}

# --- long commands ----------------------------------------------------------

# logged LOG COMMAND... -- appends the output to LOG and shows progress.  If
# the command fails, shows the end of the log and leaves with status 1.
logged() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" </dev/null 2>&1 | tee -a "$log" | progress; then
    echo "-- failed: $*"
    echo "-- the end of its log:"
    tail -n 40 "$log"
    echo "-- the whole log: $log"
    exit 1
  fi
}

# Shows that something moves: on a terminal the current line, in place; in a
# pipe one line every 20 seconds.
progress() {
  local line last=$SECONDS
  if [[ -t 1 ]]; then
    local width
    width=$(tput cols 2>/dev/null || echo 80)
    while IFS= read -r line; do
      printf '\r\033[K%s' "${line:0:width-1}"
    done
    printf '\r\033[K'
  else
    while IFS= read -r line; do
      if ((SECONDS - last >= 20)); then
        last=$SECONDS
        printf '   %s\n' "${line:0:120}"
      fi
    done
  fi
}

# --- builds -----------------------------------------------------------------

is_preset() {
  case $1 in
    dev | release | release-clang | asan-ubsan | tsan | aarch64 | s390x) true ;;
    *) false ;;
  esac
}

# configure PRESET [-DNAME=ON...] -- once, and again when the presets changed or
# an option is not yet as given.  Whatever else changes, the build notices by
# itself.
configure() {
  local preset=$1 option needed= stamp=build/$1/.configured
  shift
  if [[ ! -e $stamp || CMakePresets.json -nt $stamp ]]; then needed=yes; fi
  for option in "$@"; do
    option=${option#-D}
    grep -qs "^${option%%=*}:[A-Z]*=${option#*=}$" \
      "build/$preset/CMakeCache.txt" || needed=yes
  done
  if [[ -n $needed ]]; then
    logged "$logs/$preset-build.log" cmake --preset "$preset" "$@"
    touch "$stamp"
  fi
}

# build PRESET [-DNAME=ON...] [TARGET...]
build() {
  local preset=$1 started=$SECONDS options=() targets=()
  shift
  while [[ ${1-} == -D* ]]; do
    options+=("$1")
    shift
  done
  if [[ $# -gt 0 ]]; then targets=(--target "$@"); fi
  mkdir -p "$logs"
  : >"$logs/$preset-build.log"
  say "building $preset${*:+: $*}"
  configure "$preset" "${options[@]}"
  logged "$logs/$preset-build.log" \
    cmake --build --preset "$preset" --parallel "$jobs" "${targets[@]}"
  say "built $preset in $((SECONDS - started)) s"
}
