// SPDX-License-Identifier: Apache-2.0
// The demonstration that `./run demo` shows: a million keys into every
// format, what each costs, its rate of false positives, and some answers.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "subjects.h"

namespace {

using tamis::demo::Subject;

constexpr std::uint64_t kKeys = 1'000'000;
constexpr std::uint64_t kStrangers = 1'000'000;

std::string KeyOf(std::uint64_t i) { return fmt::format("user:{:07}", i); }

struct Row {
  std::string name;
  tamis::demo::Cost cost;
  double measured = 0;
  std::uint64_t lost = 0;  // keys that were added and denied: must be none
  double seconds = 0;
};

Row Run(Subject* subject) {
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kKeys; ++i) subject->Add(KeyOf(i));
  subject->Finish();
  Row row;
  row.name = subject->name();
  row.cost = subject->cost();
  std::uint64_t hits = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    if (!subject->MayContain(KeyOf(i))) ++row.lost;
  }
  for (std::uint64_t i = 0; i < kStrangers; ++i) {
    if (subject->MayContain(KeyOf(kKeys + i))) ++hits;
  }
  row.measured = static_cast<double>(hits) / kStrangers;
  row.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return row;
}

void PrintCosts(const std::vector<Row>& rows) {
  fmt::print("\n{:<22} {:>11} {:>9} {:>3} {:>10} {:>10} {:>6}\n", "format",
             "bytes", "bits/key", "k", "expected", "measured", "lost");
  for (const Row& row : rows) {
    fmt::print("{:<22} {:>11} {:>9.2f} {:>3} {:>8.3f} % {:>8.3f} % {:>6}\n",
               row.name, row.cost.bytes,
               8.0 * static_cast<double>(row.cost.bytes) / kKeys,
               row.cost.probes, 100 * row.cost.expected_rate,
               100 * row.measured, row.lost);
  }
}

void PrintAnswers(const std::vector<std::unique_ptr<Subject>>& subjects) {
  const std::vector<std::string> asked = {KeyOf(0),       KeyOf(424'242),
                                          KeyOf(999'999), KeyOf(1'000'000),
                                          "user:alice",   ""};
  fmt::print(
      "\nanswers (the first three keys were added, the rest were not)\n");
  fmt::print("{:<22}", "format");
  for (const std::string& key : asked) {
    fmt::print(" {:>12}", key.empty() ? "(empty key)" : key);
  }
  fmt::print("\n");
  for (const auto& subject : subjects) {
    fmt::print("{:<22}", subject->name());
    for (const std::string& key : asked) {
      fmt::print(" {:>12}", subject->MayContain(key) ? "maybe" : "absent");
    }
    fmt::print("\n");
  }
}

}  // namespace

int main() {
  fmt::print(
      "Tamis: a filter answers \"certainly absent\" or \"maybe\" from a few "
      "bits per key.\n{} keys at 10 bits per key into every format; then {} "
      "keys that are in none.\n\n",
      kKeys, kStrangers);
  std::vector<std::unique_ptr<Subject>> subjects = tamis::demo::AllSubjects();
  std::vector<Row> rows;
  std::uint64_t lost = 0;
  for (const auto& subject : subjects) {
    fmt::print("  {:<22} ", subject->name());
    std::fflush(stdout);
    rows.push_back(Run(subject.get()));
    fmt::print("{:.1f} s\n", rows.back().seconds);
    lost += rows.back().lost;
  }
  PrintCosts(rows);
  PrintAnswers(subjects);
  fmt::print(
      "\n\"absent\" is certain; \"maybe\" costs the engine a read.  "
      "\"expected\" is each format's formula.\n{} keys were lost.  Try next: "
      "build/release/bin/tamis --help\n",
      lost);
  return lost == 0 ? 0 : 1;
}
