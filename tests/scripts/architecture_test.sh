#!/bin/bash
# The files that docs/architecture.md names are there, and so are the functions
# that it names with their file: `Function` (`folder/file.cc`).
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

page=$(tr '\n' ' ' <docs/architecture.md | tr -s ' ')
failed=0

# place NAME -- the file that a name stands for: a path, a path below src/, or
# the one file of that name below src/.
place() {
  if [[ $1 == */* ]]; then
    ls "$1" "src/$1" 2>/dev/null | head -n 1
  else
    find src -name "$1" | head -n 1
  fi
}

files=0
for name in $(grep -oE '`[a-z_/]+\.(cc|h)`' <<<"$page" | tr -d '`' | sort -u); do
  files=$((files + 1))
  if [[ -z $(place "$name") ]]; then
    echo "docs/architecture.md names $name, and there is no such file"
    failed=1
  fi
done

functions=0
while read -r function file; do
  functions=$((functions + 1))
  # The last part of the name: a method's class may be defined elsewhere.
  if ! grep -qE "\b${function##*::}\(" "$(place "$file")" 2>/dev/null; then
    echo "docs/architecture.md names $function in $file, which is not there"
    failed=1
  fi
done < <(grep -oE '`[A-Za-z:]+` \(`[a-z_/]+\.(cc|h)`\)' <<<"$page" |
  sed -E 's/`([^`]*)` \(`([^`]*)`\)/\1 \2/')

if [[ $files -lt 20 || $functions -lt 6 ]]; then
  echo "only $files files and $functions functions were found"
  failed=1
fi
[[ $failed -eq 0 ]]
echo "$files files and $functions functions are where docs/architecture.md says"
