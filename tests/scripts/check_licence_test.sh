#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A source file without a licence line is found, whatever its language.
set -eu
source "$(dirname "${BASH_SOURCE[0]}")/scratch.sh"

check="$repository/scripts/check_licence.sh"
expect_pass "$check" "$repository"

plant src/a.cc '// SPDX-License-Identifier: Apache-2.0' 'int a;'
plant scripts/a.sh '#!/bin/bash' '# SPDX-License-Identifier: Apache-2.0'
plant build/generated.cc 'int b;'
expect_pass "$check" "$scratch"

for file in src/b.h tools/b.cc scripts/b.sh tests/golden/b.py CMakeLists.txt; do
  plant "$file" '// A comment.' '// Another.' '// A third.' \
    '// SPDX-License-Identifier: Apache-2.0'
  expect_fail "$file: its first lines" "$check" "$scratch"
  rm "$scratch/$file"
done
rm -r "$scratch"/src "$scratch"/scripts
expect_fail 'no source files' "$check" "$scratch"
