// SPDX-License-Identifier: Apache-2.0
// The parsers of the command: keys, pairs, numbers and the options for a
// filter.
// The first byte selects the syntax of keys and the size of the pieces in which
// they arrive; the rest is the contents.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "filter_args.h"
#include "key_reader.h"
#include "numbers.h"
#include "pair_reader.h"
#include "pair_text.h"
#include "plain_value.h"
#include "tamis/filter.h"
#include "text.h"

namespace {

using tamis::tools::KeySyntax;

void Check(bool holds) {
  if (!holds) std::abort();
}

struct AllKeys {
  std::vector<std::string> keys;
  std::vector<std::string> records;
  bool ok = true;
};

AllKeys ReadAll(std::string_view bytes, KeySyntax syntax, std::size_t piece,
                std::size_t buffer_bytes) {
  tamis::tools::MemorySource source(bytes, piece);
  tamis::tools::KeyReader reader(&source, syntax, buffer_bytes);
  AllKeys all;
  for (;;) {
    all.ok = reader.Next().ok();
    if (!all.ok || reader.keys().empty()) return all;
    Check(reader.keys().size() == reader.records().size());
    for (const auto key : reader.keys()) all.keys.emplace_back(key);
    for (const auto record : reader.records()) all.records.emplace_back(record);
  }
}

void CheckKeys(std::string_view bytes, KeySyntax syntax, std::size_t piece) {
  const AllKeys whole = ReadAll(bytes, syntax, SIZE_MAX, bytes.size() + 1);
  const AllKeys pieces = ReadAll(bytes, syntax, piece, 1 + piece / 2);
  Check(whole.ok == pieces.ok);
  Check(whole.keys == pieces.keys);
  Check(whole.records == pieces.records);

  // The records are the text: joined they give the same bytes.
  std::string joined;
  for (std::size_t i = 0; i < whole.records.size(); ++i) {
    Check(whole.records[i].find(syntax.terminator()) == std::string::npos);
    joined += whole.records[i] + syntax.terminator();
    std::string again;
    Check(!syntax.hex ||
          tamis::tools::DecodeHex(tamis::tools::ToHex(whole.keys[i]), &again));
    Check(!syntax.hex || again == whole.keys[i]);
    Check(!syntax.hex || whole.records[i].size() == 2 * whole.keys[i].size());
  }
  Check(!syntax.hex || whole.ok || joined.size() <= bytes.size());
  if (!whole.ok) return;
  if (!bytes.empty() && bytes.back() != syntax.terminator()) joined.pop_back();
  Check(joined == bytes);
}

// A value of a type has as many bytes as the type, wherever it is cut.
void CheckTyped(std::string_view bytes, std::size_t piece) {
  using tamis::tools::ValueType;
  for (const auto& name : tamis::tools::ValueTypeNames()) {
    const ValueType type = *tamis::tools::ValueTypeNamed(name);
    const KeySyntax syntax = {.type = type};
    const AllKeys whole = ReadAll(bytes, syntax, SIZE_MAX, bytes.size() + 1);
    const AllKeys pieces = ReadAll(bytes, syntax, piece, 1 + piece / 2);
    Check(whole.ok == pieces.ok);
    Check(whole.keys == pieces.keys);
    const bool is_wide =
        type == ValueType::kInt64 || type == ValueType::kDouble;
    for (const std::string& key : whole.keys) {
      Check(type == ValueType::kBytes || key.size() == (is_wide ? 8 : 4));
    }
    Check(!tamis::tools::PlainProblem(type, bytes).empty());
  }
}

void CheckNumbers(const std::string& text) {
  const auto count = tamis::tools::ParseCount(text);
  if (count.ok()) {
    const auto again = tamis::tools::ParseCount(std::to_string(*count));
    Check(again.ok() && *again == *count);
  }
  const auto rate = tamis::tools::ParseRate(text);
  Check(!rate.ok() || (*rate > 0 && *rate < 1));
  const auto positive = tamis::tools::ParsePositive(text);
  Check(!positive.ok() || (*positive > 0 && std::isfinite(*positive)));
  const auto seed = tamis::tools::ParseSeed(text);
  if (seed.ok()) {
    const auto again = tamis::tools::ParseSeed(std::to_string(*seed));
    Check(again.ok() && *again == *seed);
  }
}

// For any options the result is settings or an error.
void CheckFilterArgs(std::string_view text) {
  std::string fields[6];
  std::size_t field = 0;
  for (const char c : text) {
    if (c == '\n' && field + 1 < std::size(fields)) {
      ++field;
    } else {
      fields[field] += c;
    }
  }
  tamis::tools::FilterArgs args;
  args.format = fields[0];
  args.fpr = fields[1];
  args.bits_per_key = fields[2];
  args.seed = fields[3];
  args.sizing = fields[4];
  args.kind = fields[5];
  const auto sorted = tamis::tools::Sorted(args);
  if (!sorted.ok()) {
    Check(!sorted.status().message().empty());
    return;
  }
  args = *sorted;
  const auto settings = tamis::tools::SettingsFrom(args);
  if (!settings.ok()) {
    Check(!settings.status().message().empty());
    return;
  }
  const auto policy = tamis::MakePolicy(*settings);
  if (!policy.ok()) {
    Check(!policy.status().message().empty());
    return;
  }
  // Whatever can be built can be built in a fixed size.
  const tamis::Estimate size = policy->Predict(1000);
  if (!size.status.ok()) return;
  const auto fixed_settings = tamis::tools::FixedSettings(args, size);
  Check(fixed_settings.ok() ==
        (args.policy.empty() && args.format != "rocksdb-ribbon"));
  if (!fixed_settings.ok()) return;
  const auto fixed = tamis::MakePolicy(*fixed_settings);
  Check(fixed.ok());
  Check(fixed->Predict(7).bits == size.bits);
  Check(fixed->Predict(7).probes == size.probes);
}

// The text of any bytes is one line of UTF-8 that decodes to them.
void CheckEscapes(const std::string& bytes) {
  const std::string text = tamis::tools::Escaped(bytes);
  Check(text.find_first_of("\n\t\r") == std::string::npos);
  Check(tamis::tools::IsUtf8(text));
  std::string again;
  Check(tamis::tools::Unescape(text, &again));
  Check(again == bytes);
  std::string decoded;
  Check(tamis::tools::EscapeProblem(bytes).empty() ==
        tamis::tools::Unescape(bytes, &decoded));
}

// Returns all pairs as text, followed by "!" if they end in an error.
std::string PairsOf(tamis::tools::PairReader* reader) {
  std::string all;
  for (;;) {
    tamis::tools::Pair pair;
    const auto got = reader->Next(&pair);
    if (!got.ok()) return all + "!" + got.status().message();
    if (!*got) return all;
    all += tamis::tools::Escaped(pair.key) + "\t";
    all += tamis::tools::Escaped(pair.value) + "\n";
  }
}

void CheckPairs(std::string_view bytes, std::size_t piece) {
  using tamis::tools::MemorySource;
  for (const bool hex : {false, true}) {
    MemorySource whole(bytes);
    MemorySource pieces(bytes, piece);
    const std::string pairs =
        PairsOf(tamis::tools::NewLinePairReader(&whole, hex).get());
    Check(pairs ==
          PairsOf(tamis::tools::NewLinePairReader(&pieces, hex).get()));
    // Writing and reading again gives the same.
    const std::string lines = pairs.substr(0, pairs.rfind('\n') + 1);
    MemorySource again(lines);
    Check(lines ==
          PairsOf(tamis::tools::NewLinePairReader(&again, false).get()));
  }
  MemorySource whole(bytes);
  MemorySource pieces(bytes, piece);
  Check(PairsOf(tamis::tools::NewBinaryPairReader(&whole).get()) ==
        PairsOf(tamis::tools::NewBinaryPairReader(&pieces).get()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0) return 0;
  const unsigned option = data[0];
  const std::string content(data + 1, data + size);
  const KeySyntax syntax = {.nul = (option & 1) != 0, .hex = (option & 2) != 0};
  CheckKeys(content, syntax, 1 + (option >> 2));
  CheckTyped(content, 1 + (option >> 2));
  CheckEscapes(content);
  CheckPairs(content, 1 + (option >> 2));
  CheckNumbers(content);
  CheckFilterArgs(content);
  Check(tamis::tools::IsUtf8(content) || !content.empty());
  Check(tamis::tools::Printable(content).size() >= content.size());
  std::string decoded;
  Check(tamis::tools::HexProblem(content).empty() ==
        tamis::tools::DecodeHex(content, &decoded));
  return 0;
}
