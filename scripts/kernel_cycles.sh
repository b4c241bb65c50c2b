#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# kernel_cycles.sh [--cpu NAME | --print] [--count PROGRAM] -- what the inner
# loops of src/filters/kernels/ cost on CPUs that are elsewhere.  Compiles each
# kernel set as the release build does, cuts the loops out of the assembly, and
# has llvm-mca tell the cycles per key; writes them as a table into
# docs/design/8-kernels.md, between its two comments.  Fails if a kernel gathers:
# that takes dozens of micro-operations on AMD's CPUs up to Zen 3.
#
#   --cpu NAME           only that column, printed instead of written
#   --print              prints the table instead of writing it
#   --count PROGRAM      prints another table: instructions per key of whole
#                        queries, counted by callgrind in that program
#
# llvm-mca takes all memory to be in the first-level cache, and branches to be
# guessed right; it has no clock.  The sources carry no marks: what is measured is
# the code that runs.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
page=docs/design/8-kernels.md
cpus=(znver2 znver3 znver4 skylake icelake-server sapphirerapids neoverse-n1)
mca=llvm-mca-19
print=''
count=''

# instructions CPU -- the most that it has: neon, avx2, avx512 (F, BW, VL) or
# avx512_popcnt (and DQ, VPOPCNTDQ); "" if that is not known.  llvm-mca does not
# tell: it has cycles for AVX-512 on some CPUs without it, as on haswell.
instructions() {
  case $1 in
    neoverse-*) echo neon ;;
    haswell | broadwell | skylake | alderlake | znver[123]) echo avx2 ;;
    skylake-avx512 | cascadelake | cooperlake | cannonlake) echo avx512 ;;
    icelake-* | rocketlake | tigerlake | sapphirerapids | emeraldrapids | \
      graniterapids | znver[45]) echo avx512_popcnt ;;
  esac
}

while [[ $# -gt 0 ]]; do
  case $1 in
    --cpu) cpus=("${2:?--cpu needs a name}") print=yes && shift 2 ;;
    --print) print=yes && shift ;;
    --count) count=${2:?--count needs a program} && shift 2 ;;
    *) echo "kernel_cycles.sh: unknown option $1" >&2 && exit 2 ;;
  esac
done

# collected CALLS POLICY WAY -- the instructions of a run of $count.
collected() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null \
    "$count" "$2" "$3" "$1" 2>&1 | awk '/Collected : / { print $NF }'
}

# What 40 calls of 256 keys take more than 4.
count_table() {
  local kernels policy way
  echo '| instructions per key | of 256 | of 256, hashed | one | one, hashed |'
  echo '| --- | ---: | ---: | ---: | ---: |'
  for policy in bloom:10 ribbon:8; do
    for kernels in portable avx2; do
      export TAMIS_KERNELS=$kernels
      # shellcheck disable=SC2016
      printf '| `%s`, %s |' "$policy" "$kernels"
      for way in many hashes one one-hash; do
        awk -v few="$(collected 4 "$policy" "$way")" \
          -v many="$(collected 44 "$policy" "$way")" \
          'BEGIN { printf " %.0f |", (many - few) / (40 * 256) }'
      done
      echo
    done
  done
}

if [[ -n $count ]]; then
  count_table
  exit
fi
command -v "$mca" >/dev/null ||
  { echo "kernel_cycles.sh: no $mca; see scripts/packages.txt" >&2 && exit 2; }

for cpu in "${cpus[@]}"; do
  [[ -n $(instructions "$cpu") ]] || {
    echo "kernel_cycles.sh: unknown CPU $cpu; add it to instructions() here" >&2
    exit 2
  }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# compile FILE COMPILER [FLAG...] -- to $work/FILE.s, without what is not code.
compile() {
  local file=$1 compiler=$2
  shift 2
  "$compiler" -std=c++20 -O3 -DNDEBUG -fPIC -fno-rtti -ffp-contract=off \
    -fno-asynchronous-unwind-tables -Iinclude -Isrc "$@" \
    -S "src/filters/kernels/$file.cc" -o "$work/$file.s"
  if grep -q gather "$work/$file.s"; then
    echo "kernel_cycles.sh: $file gathers" >&2
    exit 1
  fi
}

avx2=(-mavx2 -mpopcnt -mbmi -mbmi2 -fno-tree-slp-vectorize)
avx512=(-mavx512f -mavx512bw -mavx512vl "${avx2[@]}")

# cut_loop FILE FUNCTION PATTERN [TIMES] -- prints the instructions of the
# innermost loop of that function which has an instruction like PATTERN, so many
# times if that is given, and no call; of several, the longest.  The function is
# part of a mangled name.
cut_loop() {
  awk -v function_name="$2" -v pattern="$3" -v times="${4-}" '
    # Whether the lines have the pattern, and neither a call nor, before the
    # last one, a jump back.
    function fits(from, to,    i, found) {
      for (i = from; i <= to; ++i) {
        if (line[i] ~ /^(call|blr?)[ \t]/) return 0
        if (i < to && is_back[i] >= from) return 0
        if (line[i] ~ pattern) ++found
      }
      return times == "" ? found > 0 : found == times
    }
    /^_Z/ && index($0, function_name) { inside = 1; next }
    inside && /^[ \t]*\.size/ { exit }
    !inside { next }
    /^\.L[0-9]+:/ { sub(/:.*/, ""); place[$0] = lines + 1; next }
    /^[ \t]*(\.|#|\/\/)/ { next }
    {
      sub(/^[ \t]+/, "")
      line[++lines] = $0
      is_back[lines] = 0
      if ($1 ~ /^(j|b|cbn?z|tbn?z)/ && ($NF in place)) {
        is_back[lines] = place[$NF]
        if (fits(place[$NF], lines) && lines - place[$NF] > longest) {
          first = place[$NF]
          last = lines
          longest = last - first
        }
      }
    }
    END {
      if (longest > 0) for (i = first; i <= last; ++i) print line[i]
    }' "$work/$1.s"
}

# runs CPU FILE -- "yes" if the CPU has the instructions, "no" if it lacks some,
# "" if they are of another architecture.
runs() {
  case $(instructions "$1")/$2 in
    neon/neon) echo yes ;;
    neon/* | */neon) ;;
    avx2/avx512* | avx512/avx512_popcnt) echo no ;;
    *) echo yes ;;
  esac
}

# cycles CPU -- of the loop in $work/loop.s, one turn.
cycles() {
  local target=x86_64
  if [[ $(instructions "$1") == neon ]]; then target=aarch64; fi
  "$mca" -mtriple="$target" -mcpu="$1" -iterations=1000 "$work/loop.s" |
    awk '/^Total Cycles:/ { print $3 / 1000 }'
}

# row WHAT KEYS FILE FUNCTION PATTERN [TIMES] -- prints a row of the table:
# instructions and cycles per key, with KEYS keys in a turn of the loop.
row() {
  local what=$1 keys=$2 file=$3 cpu
  shift 2
  cut_loop "$@" >"$work/loop.s"
  if [[ ! -s $work/loop.s ]]; then
    echo "kernel_cycles.sh: no such loop: $what" >&2
    exit 1
  fi
  printf '| %s | %s |' "$what" \
    "$(wc -l <"$work/loop.s" | awk -v keys="$keys" '{ printf "%.1f", $1 / keys }')"
  for cpu in "${cpus[@]}"; do
    case $(runs "$cpu" "$file") in
      yes) cycles "$cpu" | awk -v keys="$keys" '{ printf " %.1f |", $1 / keys }' ;;
      no) printf ' – |' ;;
      *) printf ' |' ;;
    esac
  done
  echo
}

rows_for_x86() {
  compile portable g++
  compile avx2 g++ "${avx2[@]}"
  compile avx2_windows g++ "${avx2[@]}"
  compile avx2_one_window g++ "${avx2[@]}"
  compile avx512 g++ "${avx512[@]}"
  compile avx512_popcnt g++ "${avx512[@]}" -mavx512dq -mavx512vpopcntdq
  row 'check lines, 6 probes, portable' 1 portable CheckLines '^imul' 6
  row 'check lines, to 8 probes, avx2' 1 avx2 LinesHaveAll vpermd
  row 'check lines, to 8 probes, avx512' 1 avx512 LinesHaveAll 'vptest[ \t]'
  row 'check split blocks, avx2' 1 avx2 BlocksHaveAll vptest
  row 'find windows, avx2' 4 avx2_windows FindWindows vpmuludq
  row 'find windows, avx512popcnt' 8 avx512_popcnt FindWindows vpmuludq
  row 'check windows, 8 columns, avx2' 4 avx2_windows CheckWindowsAsILj8E vpsadbw
  row 'check windows, 8 columns, avx512popcnt' 1 \
    avx512_popcnt CheckWindows vpopcntq
}

rows_for_arm() {
  compile neon aarch64-linux-gnu-g++
  row 'check lines, to 8 probes, neon' 1 neon LinesHaveEight '^tbl' 2
  row 'check split blocks, neon' 1 neon BlocksHaveAll umaxv
}

table() {
  local cpu x86='' arm=''
  printf '| loop, per key | instructions |'
  printf ' %s |' "${cpus[@]}"
  printf '\n| --- | ---: |'
  for cpu in "${cpus[@]}"; do
    printf ' ---: |'
    if [[ $(instructions "$cpu") == neon ]]; then arm=yes; else x86=yes; fi
  done
  echo
  if [[ -n $x86 ]]; then rows_for_x86; fi
  if [[ -n $arm ]]; then rows_for_arm; fi
}

if [[ -n $print ]]; then
  table
  exit
fi
table >"$work/table"
awk -v table="$work/table" '
  /^<!-- end of the table -->$/ { inside = 0 }
  !inside { print }
  /^<!-- the table of kernel_cycles.sh -->$/ {
    inside = 1
    while ((getline row < table) > 0) print row
  }' "$page" >"$work/page"
cp "$work/page" "$page"
echo "wrote the table of $page, with $("$mca" --version | grep -o 'LLVM version.*')"
