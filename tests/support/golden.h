// SPDX-License-Identifier: Apache-2.0
// support/golden.h -- vectors and files that other programs made.

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tamis::testing {

// The content of tests/golden/<file>.  If it cannot be read the running test
// fails, and the result is null.
nlohmann::json LoadGolden(std::string_view file);

// "00ff" to two bytes, and back.  Text that is not pairs of hexadecimal
// digits fails the running test, and gives an empty string.
std::string FromHex(std::string_view hex);
std::string ToHex(std::string_view bytes);

// The value of up to sixteen hexadecimal digits, most significant first.
// Other text fails the running test, and gives 0.
std::uint64_t HexNumber(std::string_view hex);

// The whole file.  If it cannot be read the running test fails, and the
// result is empty.
std::string ReadFile(const std::filesystem::path& path);

// Where `relative` lies in the corpus of real files, which is the folder that
// the environment variable TAMIS_CORPUS names, or else the one known at build
// time.  Nothing if it is not there; then skip the test:
//   const auto path = CorpusPath("leveldb");
//   if (!path) GTEST_SKIP() << kNoCorpus;
std::optional<std::filesystem::path> CorpusPath(std::string_view relative);

inline constexpr std::string_view kNoCorpus =
    "the corpus of real files is not on this machine; set TAMIS_CORPUS to "
    "its folder, or configure with -DTAMIS_CORPUS_DIR=FOLDER, to run this test";

}  // namespace tamis::testing
