#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_links.sh [ROOT] -- fails when a document has a relative link to a file
# or a heading that is not there, when it names a source file in `code` that is
# not there, or when docs/README.md leads to some page of docs/ neither itself
# nor through other pages.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

# Prints, for each document:
#   heading FILE ANCHOR        as GitHub makes anchors of headings
#   link FILE LINE TARGET      every link that names no other site
# Fenced code has neither headings nor links; `code` in a line has no links.
scan() {
  LC_ALL=C.UTF-8 awk '
    function anchor_of(text,    anchor) {
      # Of a link in a heading the text counts.
      while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        link = substr(text, RSTART, RLENGTH)
        label = substr(link, 2, index(link, "](") - 2)
        text = substr(text, 1, RSTART - 1) label substr(text, RSTART + RLENGTH)
      }
      anchor = tolower(text)
      gsub(/[^[:alnum:] _-]/, "", anchor)
      gsub(/ /, "-", anchor)
      return anchor
    }
    FNR == 1 { fenced = 0; delete seen }
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    /^#+ / {
      sub(/^#+ +/, ""); sub(/ +#* *$/, "")
      anchor = anchor_of($0)
      count = seen[anchor]++
      print "heading", FILENAME, anchor (count ? "-" count : "")
    }
    {
      line = $0
      gsub(/`[^`]*`/, "", line)
      while (match(line, /\]\([^)]*\)/)) {
        target = substr(line, RSTART + 2, RLENGTH - 3)
        line = substr(line, RSTART + RLENGTH)
        if (target !~ /^[a-z]+:/) print "link", FILENAME, FNR, target
      }
    }
  ' "$@"
}

# Reads what scan() printed; prints "FROM TO" for each link to another document
# and "!MESSAGE" for each that leads nowhere.
resolve() {
  local kind file line target path anchor
  declare -A headings
  local found=() each
  while read -r kind file line target; do
    case $kind in
      heading) headings[$file#$line]=1 ;;
      link) found+=("$file $line $target") ;;
    esac
  done
  for each in "${found[@]}"; do
    read -r file line target <<<"$each"
    path=${target%%#*} anchor=
    [[ $target != *#* ]] || anchor=${target#*#}
    if [[ -z $path ]]; then
      path=$file
    else
      path=$(realpath -m --relative-to=. "$(dirname "$file")/$path")
    fi
    if [[ ! -e $path || $path == ..* ]]; then
      echo "!$file:$line: $target: there is no $path"
    elif [[ -n $anchor && -z ${headings[$path#$anchor]-} ]]; then
      echo "!$file:$line: $target: $path has no heading #$anchor"
    elif [[ -d $path ]]; then
      echo "$file $path/README.md"
    else
      echo "$file $path"
    fi
  done
}

# missing_files DOCUMENT... -- prints each source file that a document names and
# that is not in the tree: `store/get.cc` may stand for src/store/get.cc, and
# `get.cc` for a file of that name anywhere.
missing_files() {
  find . -name build -prune -o -name .git -prune -o -type f -print |
    awk '
      FILENAME == "-" {
        for (path = substr($0, 3); ; path = substr(path, slash + 1)) {
          known[path] = 1
          slash = index(path, "/")
          if (!slash) next
        }
      }
      FNR == 1 { fenced = 0 }
      /^ *```/ { fenced = !fenced; next }
      fenced { next }
      {
        line = $0
        while (match(line, /`[a-z0-9_\/.-]+\.(cc|h|sh|py|cmake)`/)) {
          name = substr(line, RSTART + 1, RLENGTH - 2)
          line = substr(line, RSTART + RLENGTH)
          if (!(name in known)) print FILENAME ":" FNR ": there is no " name
        }
      }
    ' - "$@"
}

# unreachable LINKS -- the pages of docs/ that docs/README.md does not lead to.
unreachable() {
  awk '
    { targets[$1] = targets[$1] " " $2 }
    END {
      reached["docs/README.md"] = 1
      queue[last = 1] = "docs/README.md"
      for (i = 1; i <= last; ++i) {
        n = split(targets[queue[i]], next_pages)
        for (j = 1; j <= n; ++j) {
          if (next_pages[j] in reached) continue
          reached[next_pages[j]] = 1
          queue[++last] = next_pages[j]
        }
      }
      while (("find docs -name \"*.md\" | LC_ALL=C sort" | getline page) > 0) {
        if (!(page in reached)) print page
      }
    }' <<<"$1"
}

mapfile -t documents < <(find . -name build -prune -o -name .git -prune -o \
  -name corpus -prune -o -name '*.md' -print | sed 's|^\./||' | LC_ALL=C sort)
if [[ ${#documents[@]} -eq 0 ]]; then
  echo "check_links: no documents under $root" >&2
  exit 1
fi
links=$(scan "${documents[@]}" | resolve)
failed=0
if broken=$(grep '^!' <<<"$links"); then
  sed 's/^!//' <<<"$broken"
  failed=1
fi
# What changed in some version may be about files that are gone since.
mapfile -t present < <(printf '%s\n' "${documents[@]}" |
  grep -vE '^(CHANGELOG\.md|docs/changes/.*)$')
gone=$(missing_files "${present[@]}")
if [[ -n $gone ]]; then
  echo "$gone"
  failed=1
fi
if [[ -d docs ]]; then
  lonely=$(unreachable "$(grep -v '^!' <<<"$links" || true)")
  if [[ -n $lonely ]]; then
    sed 's|$|: docs/README.md does not lead here|' <<<"$lonely"
    failed=1
  fi
fi
[[ $failed -eq 0 ]]
echo "$(grep -c . <<<"$links") links of ${#documents[@]} documents lead somewhere"
