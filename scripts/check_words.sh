#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_words.sh [ROOT] -- fails where sources or documents use a word that has
# another one in scripts/words.txt, or where an exception there is not needed.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

words=scripts/words.txt
mapfile -t files < <(find README.md SECURITY.md include src tools examples bench \
  fuzz docs integrations -type f \( -name '*.h' -o -name '*.cc' -o -name '*.c' -o -name '*.md' \) \
  -not -path 'docs/changes/*' 2>/dev/null | LC_ALL=C sort)
if [[ ${#files[@]} -eq 0 ]]; then
  echo "no sources under $root"
  exit 1
fi

failed=0
# is_excepted FILE EXPRESSION
is_excepted() { grep -qF "except: $1 ; $2 ; " "$words"; }

while IFS= read -r line; do
  [[ -n $line && $line != '#'* && $line != except:* ]] || continue
  expression=${line% ; *} instead=${line##* ; }
  while IFS= read -r place; do
    [[ -n $place ]] || continue
    if ! is_excepted "${place%%:*}" "$expression"; then
      echo "$place"
      echo "  write instead: $instead"
      failed=1
    fi
  done < <(grep -nHE "$expression" "${files[@]}" || true)
done <"$words"

while IFS= read -r line; do
  rest=${line#except: }
  file=${rest%% ; *} rest=${rest#* ; }
  if ! grep -qsE "${rest% ; *}" "$file"; then
    echo "$words: nothing needs the exception of $file for ${rest% ; *}"
    failed=1
  fi
done < <(grep '^except:' "$words")

[[ $failed -eq 0 ]] || exit 1
echo "the field's words in ${#files[@]} files"
