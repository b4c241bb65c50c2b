// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as the file of a store's settings: as they are, and with the
// first line and the checksum that hardly any input has by itself.  And as the
// properties of a table, which are lines of the same kind.

#include "base/named_lines.h"
#include "fuzz/fuzz_support.h"
#include "store/settings_file.h"

namespace tamis::fuzz {
namespace {

std::string TextOf(const std::vector<NamedLine>& lines) {
  std::string text;
  for (const NamedLine& line : lines) {
    AppendNamedLine(&text, line.name, line.value);
  }
  return text;
}

void CheckFile(Slice file) {
  const auto lines = ParseSettings(file);
  if (!lines.ok()) {
    const StatusCode code = lines.status().code();
    Check((code == StatusCode::kCorruption ||
           code == StatusCode::kNotSupported) &&
              !lines.status().message().empty(),
          "a refusal has a reason");
    return;
  }
  Check(SettingsToText(*lines) == file, "a file is written as it was read");
  const StoreSettings settings = SettingsOf(*lines);
  StoreOptions options;
  settings.ApplyTo(&options);
  Check(options.block_bytes > 0 && options.restart_interval > 0 &&
            options.table_bytes > 0 &&
            (options.filter.empty() || MakePolicy(options.filter).ok()),
        "what is remembered can be used");
  // Remembering what is remembered already drops nothing.
  std::vector<NamedLine> again = *lines;
  SetSettings(settings, &again);
  Check(again.size() == lines->size(), "no line is invented or lost");
  if (const auto asked = AskedIn(*lines)) {
    SetAsked(*asked, &again);
    const auto counts = AskedIn(again);
    Check(counts && counts->lookups == asked->lookups &&
              counts->levels.back().held == asked->levels.back().held,
          "counts are written as they are read");
  }
  const auto reread = ParseSettings(SettingsToText(again));
  Check(reread.ok() && TextOf(*reread) == TextOf(again),
        "settings that are written are read as they were");
}

void CheckLines(Slice text) {
  const auto lines = ParseNamedLines(text);
  if (lines)
    Check(TextOf(*lines) == text, "lines are written as they are read");
  std::string line;
  AppendNamedLine(&line, "name", FitForALine(text));
  Check(ParseNamedLines(line).has_value(), "what is made fit for a line fits");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckFile(bytes);
  CheckLines(bytes);
  if (const auto lines = ParseNamedLines(bytes)) {
    CheckFile(SettingsToText(*lines));
  }
  return 0;
}

}  // namespace tamis::fuzz
