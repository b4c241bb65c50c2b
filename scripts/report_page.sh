#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# report_page.sh build -- builds the page of `tamis report` from its sources in
# tools/report_page/, into tools/report_page/dist/.
# report_page.sh check FOLDER -- fails if what is there is not what they make.
# report_page.sh browse FOLDER PROGRAMS -- tests the page in Chromium; PROGRAMS
# is where `tamis` and `report_page_sample` are.
#
# Works in FOLDER (default build/report_page), on a copy, so that npm's packages
# are not among the sources.  Status 77: node, npm, Chromium or the packages are
# not to be had here, and the output says which.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source=$PWD/tools/report_page
tests=$PWD/tests/report_page

skip() {
  echo "skipped: $*"
  exit 77
}

# Copies the sources to the folder, and gets the packages of the lock file if
# they are not there yet.
prepare() {
  local program
  for program in node npm; do
    command -v "$program" >/dev/null || skip "no $program here"
  done
  mkdir -p "$folder"
  exec 9>"$folder/.lock"
  flock 9
  rm -rf "$folder/src" "$folder/dist"
  cp -R "$source"/{src,build.mjs,package.json,package-lock.json,tsconfig.json,.npmrc} \
    "$tests"/*.mjs "$folder/"
  if [[ -d $source/dist ]]; then cp -R "$source/dist" "$folder/"; fi
  cd "$folder"
  if ! cmp -s package-lock.json .installed; then
    rm -f .installed
    fetch
    cp package-lock.json .installed
  fi
}

# A package that cannot be fetched is the network's fault; anything else is ours.
fetch() {
  local unreachable='E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|403|404|5[0-9][0-9])|ERR_SOCKET|ENOTCACHED|CERT'
  local authorities=/etc/ssl/certs/ca-certificates.crt
  # Node has authorities of its own; a proxy may need the machine's.
  if [[ -e $authorities ]]; then
    export NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$authorities}
  fi
  npm ci --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 \
    >npm.log 2>&1 && return
  tail -n 20 npm.log
  if grep -qE "$unreachable" npm.log; then
    skip "npm cannot fetch the packages of package-lock.json"
  fi
  echo "FAILED: npm ci"
  exit 1
}

browse() {
  local programs=$1 chromium
  chromium=$(command -v chromium) || skip "no chromium here"
  rm -rf pages
  mkdir pages
  "$programs/report_page_sample" pages/made_up.html 400
  "$programs/report_page_sample" pages/large.html 2000
  seq -f 'a%05.0f	one' 20000 |
    "$programs/tamis" db load pages/store --create --quiet --filter bloom:10
  # What was loaded is in the log yet, and not in a table.
  "$programs/tamis" db compact pages/store --quiet --filter bloom:10
  "$programs/tamis" report pages/store -o pages/store.html --quiet
  node browser_test.mjs pages/{made_up,large,store}.html "$chromium"
}

mode=${1-} folder=${2:-build/report_page}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
case $mode in
  build)
    prepare
    npm run --silent build
    mkdir -p "$source/dist"
    cp dist/report.html "$source/dist/"
    ;;
  check)
    prepare
    npm run --silent check
    ;;
  browse)
    programs=$(cd "${3:?browse wants the folder of the programs}" && pwd)
    prepare
    browse "$programs"
    ;;
  *)
    sed -n '3,11s/^# \?//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
