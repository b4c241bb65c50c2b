// SPDX-License-Identifier: Apache-2.0
// numbers.h -- parses numbers of the command line.

#pragma once

#include <cstdint>
#include <string_view>

#include "tamis/result.h"

namespace tamis::tools {

// A whole number of things: "1000000", "1_000_000", "1e6", "10M", "1.5k".
// k, M, G and T are powers of 1000, Ki, Mi, Gi and Ti of 1024.  Exact: what
// is not whole, negative or beyond 64 bits is InvalidArgument, never rounded.
Result<std::uint64_t> ParseCount(std::string_view text);

// A rate strictly between 0 and 1: "0.01", "1e-3", "1%".
Result<double> ParseRate(std::string_view text);

// A positive, finite number: "10", "9.6".
Result<double> ParsePositive(std::string_view text);

// Seconds that are 0 or more: "90", "90s", "10min", "1h", "7d".
Result<double> ParseSeconds(std::string_view text);

// 64 bits, decimal or with 0x hexadecimal.
Result<std::uint64_t> ParseSeed(std::string_view text);

}  // namespace tamis::tools
