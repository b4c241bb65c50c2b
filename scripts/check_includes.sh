#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_includes.sh [ROOT] -- fails when a folder includes against the order.
#
# Below src/ a folder may include folders of a lower number, its own files and
# tamis/...; never upwards, never a folder of its own number.  include/tamis/
# stands alone: tamis/... and the standard library; but headers called
# leveldb_filter_policy... are for those who have LevelDB, and include its own;
# c.h is for C, and includes C's <stddef.h> and <stdint.h>.
# tools/ may include tamis/..., base/... and its own files.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

# Ends with 1 after naming every wrong line.
check() {
  awk '
    BEGIN {
      level["base"] = 0; level["hash"] = 1; level["math"] = 1
      level["sort"] = 2; level["filters"] = 3; level["formats"] = 4
      level["policy"] = 5; level["table"] = 6; level["store"] = 7
      level["sstable"] = 8; level["c"] = 9
    }
    function wrong(why) {
      printf "%s:%d: %s: %s\n", FILENAME, FNR, what, why
      failed = 1
    }
    function check_public() {
      if (quoted && target != "tamis") {
        wrong("a public header includes only tamis/... and the standard library")
      } else if (target == "leveldb" && !quoted &&
                 parts[3] ~ /^leveldb_filter_policy/) {
        return
      } else if (FILENAME ~ /\/c\.h$/ && what ~ /^std(def|int)\.h$/) {
        return
      } else if (!quoted && what ~ /[.\/]/) {
        wrong("a public header takes no third-party or system header")
      }
    }
    function check_tools() {
      if (target in level && target != "base") {
        wrong("tools/ includes tamis/, base/ and its own files only")
      }
    }
    function check_source(    folder) {
      folder = parts[2]
      if (!(folder in level)) {
        wrong("src/" folder "/ has no place in the order yet")
      } else if (quoted && target == "") {
        wrong("name the folder: \"" folder "/" what "\"")
      } else if (target == folder || target == "tamis") {
        return
      } else if (target in level) {
        if (level[target] >= level[folder]) {
          wrong(folder "/ must not include " target "/")
        }
      } else if (quoted) {
        wrong("no such folder in the order")
      }
    }
    /^[ \t]*#[ \t]*include[ \t]*[<"]/ {
      what = $0
      sub(/^[^<"]*/, "", what)
      quoted = substr(what, 1, 1) == "\""
      what = substr(what, 2)
      sub(/[>"].*/, "", what)
      target = what ~ /\// ? substr(what, 1, index(what, "/") - 1) : ""
      split(FILENAME, parts, "/")
      if (parts[1] == "include") check_public()
      else if (parts[1] == "tools") check_tools()
      else check_source()
    }
    END { exit failed }
  ' "$@"
}

mapfile -t files < <(find include src tools -name '*.h' -o -name '*.cc' |
  LC_ALL=C sort)
if [[ ${#files[@]} -eq 0 ]]; then
  echo "check_includes: no sources under $root" >&2
  exit 1
fi
check "${files[@]}"
# A quoted include looks beside the including file first, so that in formats/
# "tamis/x.h" would be formats/tamis/x.h.
for file in src/formats/tamis/*.h; do
  if [[ -e include/tamis/${file##*/} ]]; then
    echo "$file hides the public header tamis/${file##*/}"
    exit 1
  fi
done
echo "includes of ${#files[@]} files follow the order"
