#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check_packages.sh [ROOT] -- fails when scripts/packages.txt and the tables
# of docs/dependencies.md do not name the same packages.
set -euo pipefail

root=${1:-$(dirname "${BASH_SOURCE[0]}")/..}
cd "$root"

listed=$(sed 's/#.*//' scripts/packages.txt | awk 'NF && $1 != "for" { print $1 }' | sort)
explained=$(sed -n 's/^| `\([^`]*\)` |.*/\1/p' docs/dependencies.md | sort)
if ! difference=$(diff <(echo "$listed") <(echo "$explained")); then
  echo "scripts/packages.txt (<) and docs/dependencies.md (>) disagree:"
  grep '^[<>]' <<<"$difference"
  exit 1
fi
echo "$(wc -l <<<"$listed") packages, each with its reason"
