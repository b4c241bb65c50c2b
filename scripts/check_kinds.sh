#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_kinds.sh [ROOT] -- fails where a kind of the .tamis container is named
# outside its own files and its two rows, so that a new kind touches nothing
# else.  A place is TamisKind::kSomething, or a string that has a kind's name as
# a word; comments may name what they like.  Free to name a kind:
#   formats/tamis/container.h       its code
#   formats/tamis/kinds.cc          its row there: how it is made and opened
#   policy/kinds.cc                 its row there: how a text sizes it, what it
#                                   costs
#   formats/tamis/NAME.h and .cc    its own files
# Every other place stands in scripts/kinds.txt with its reason.  An enumerator
# without both rows, and an exception that nothing needs, fail as well.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

codes=src/formats/tamis/container.h
rows=(src/formats/tamis/kinds.cc src/policy/kinds.cc)
exceptions=scripts/kinds.txt
failed=0

complain() {
  echo "$*"
  failed=1
}

kinds=$(sed -n '/^enum class TamisKind/,/^};/s/^ *\(k[A-Za-z0-9]*\) = .*/\1/p' \
  "$codes")
if [[ -z $kinds ]]; then
  echo "$codes: no kinds found"
  exit 1
fi
for kind in $kinds; do
  for file in "${rows[@]}"; do
    count=$(grep -c "\.kind = TamisKind::$kind," "$file" || true)
    if [[ $count != 1 ]]; then
      complain "$file: TamisKind::$kind has $count rows, not one"
    fi
  done
done

# "kEnumerator name" for each row.
names=$(sed -n 's/.*\.kind = TamisKind::\(k[A-Za-z0-9]*\),.*/\1/p
                s/^ *\.name = "\([a-z]*\)",.*/\1/p' "${rows[0]}" | paste -d' ' - -)

# FILE:LINE: NAME, one for each place.
places=$(find src include tools -name '*.h' -o -name '*.cc' | sort |
  xargs awk -v names="$names" '
    BEGIN {
      count = split(names, pairs, "\n")
      for (i = 1; i <= count; ++i) {
        split(pairs[i], pair, " ")
        enumerator[i] = "TamisKind::" pair[1] "[^A-Za-z0-9]"
        word[i] = "(^|[^A-Za-z0-9_-])" pair[2] "[0-9]*([^A-Za-z0-9_]|$)"
        name[i] = pair[2]
      }
    }
    # The text between the quotes of a line, and the line without it; comments
    # are dropped.
    {
      code = $0
      gsub(/\\"/, "", code)
      if (code ~ /^#include/) next
      strings = ""
      rest = ""
      while (match(code, /"[^"]*"|\/\//)) {
        rest = rest substr(code, 1, RSTART - 1) " "
        if (substr(code, RSTART, 2) == "//") { code = ""; break }
        strings = strings " \n " substr(code, RSTART + 1, RLENGTH - 2)
        code = substr(code, RSTART + RLENGTH)
      }
      rest = rest code " "
      for (i = 1; i <= count; ++i) {
        if (rest ~ enumerator[i] || strings ~ word[i]) {
          print FILENAME ":" FNR ": " name[i]
        }
      }
    }')

# Is NAME free to stand in FILE?
is_free() {
  local file=$1 name=$2
  [[ $file == "$codes" || " ${rows[*]} " == *" $file "* ]] ||
    [[ $file == "src/formats/tamis/$name.h" ||
      $file == "src/formats/tamis/$name.cc" ]]
}

# "FILE NAME" for each exception.
allowed=$(awk -F' *; *' '
  /^#/ || /^$/ { next }
  NF != 3 || $3 == "" {
    print "exceptions have a file, names and a reason: " $0 >"/dev/stderr"
    exit 1
  }
  { n = split($2, list, / *, */); for (i = 1; i <= n; ++i) print $1, list[i] }
  ' "$exceptions")

used=""
while IFS=' ' read -r place name; do
  file=${place%%:*}
  if is_free "$file" "$name"; then continue; fi
  if grep -qxF "$file $name" <<<"$allowed"; then
    used+="$file $name"$'\n'
  else
    complain "$place names the kind $name; give it a column in its row, or an" \
      "exception with a reason in $exceptions"
  fi
done <<<"$places"

while read -r exception; do
  if [[ -n $exception ]] && ! grep -qxF "$exception" <<<"$used"; then
    complain "$exceptions: $exception: nothing needs this exception"
  fi
done <<<"$allowed"

if ((failed)); then exit 1; fi
echo "kinds are named in their own files, their rows and where a reason is given"
