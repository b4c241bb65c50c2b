// SPDX-License-Identifier: Apache-2.0
// Stores that the command makes in these tests, in this process or in one of
// its own, draw no seed: what a filter answers is then the same each time.

#include <cstdlib>

namespace tamis::tools {
namespace {

[[maybe_unused]] const int kIsSet =
    ::setenv("TAMIS_FILTER_SEED", "fixed", /*replace=*/1);

}  // namespace
}  // namespace tamis::tools
