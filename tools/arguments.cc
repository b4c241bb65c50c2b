// SPDX-License-Identifier: Apache-2.0
#include "arguments.h"

#include <algorithm>

#include <fmt/core.h>

namespace tamis::tools {
namespace {

// Returns how many letters must be changed, added, removed or swapped with
// their neighbour to turn `b` into `a`.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Rows of the usual table: of the letter before last, the last, and this one.
  std::vector<std::size_t> older(b.size() + 1);
  std::vector<std::size_t> old(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older.swap(old);
    old.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = old[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, old[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], older[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string Listed(std::span<const std::string_view> values) {
  std::string list;
  for (const std::string_view value : values) {
    list += list.empty() ? "" : ", ";
    list += value;
  }
  return list;
}

Status Wrong(std::string message) {
  return Status::InvalidArgument(std::move(message));
}

}  // namespace

std::string DidYouMean(std::string_view word,
                       std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string_view candidate : known) {
    // A prefix of a name counts like one wrong letter.
    constexpr std::size_t kMinBeginning = 3;
    const bool begins =
        word.size() >= kMinBeginning && candidate.starts_with(word);
    const std::size_t distance = begins ? 1 : EditDistance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best = candidate;
    best_distance = distance;
  }
  return best.empty() ? "" : fmt::format(" (did you mean '{}'?)", best);
}

// One pass over the words.
class ArgumentParser {
 public:
  ArgumentParser(const CommandSpec& command, std::span<const std::string> words)
      : command_(command), words_(words) {}

  Result<Arguments> Parse() {
    while (at_ < words_.size()) {
      Status taken = TakeWord(words_[at_++]);
      if (!taken.ok()) return taken;
      if (parsed_.wants_help()) return parsed_;
    }
    Status complete = CheckOptions();
    if (complete.ok()) complete = CheckOperands();
    if (!complete.ok()) return complete;
    return parsed_;
  }

 private:
  Status TakeWord(const std::string& word) {
    if (only_operands_ || word == "-" || !word.starts_with('-')) {
      parsed_.operands_.push_back(word);
      return Status::Ok();
    }
    if (word == "--") {
      only_operands_ = true;
      return Status::Ok();
    }
    return word.starts_with("--") ? TakeLong(word) : TakeLetters(word);
  }

  Status TakeLong(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const OptionSpec* option =
        Find([&name](const OptionSpec& known) { return known.name == name; });
    if (option == nullptr) return UnknownOption(name);
    if (equals == std::string::npos) return Take(*option, std::nullopt);
    return Take(*option, word.substr(equals + 1));
  }

  Status TakeLetters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const OptionSpec* option = Find([&word, i](const OptionSpec& known) {
        return known.letter == word[i];
      });
      if (option == nullptr) return UnknownOption(word);
      const bool is_last = i + 1 == word.size();
      if (!option->value.empty()) {
        return is_last ? Take(*option, std::nullopt)
                       : Take(*option, word.substr(i + 1));
      }
      Status taken = Take(*option, std::nullopt);
      if (!taken.ok()) return taken;
    }
    return Status::Ok();
  }

  // Takes `value`, or the next word if there is none.
  Status Take(const OptionSpec& option, std::optional<std::string> value) {
    const bool is_flag = option.value.empty();
    if (is_flag && value) {
      return Wrong(fmt::format("{} takes no value", option.name));
    }
    auto& values = parsed_.options_[std::string(option.name)];
    if (is_flag) return Status::Ok();
    if (!value && at_ == words_.size()) {
      return Wrong(fmt::format("{} needs a value: {}", option.name,
                               OptionTitle(option)));
    }
    if (!value) value = words_[at_++];
    if (!values.empty() && !option.repeatable) {
      return Wrong(fmt::format("{} is given twice", option.name));
    }
    values.push_back(*std::move(value));
    return CheckValue(option.name, option.kind, values.back(),
                      option.may_be_empty);
  }

  static Status CheckValue(std::string_view name, ValueKind kind,
                           const std::string& value, bool may_be_empty) {
    if (value.empty() && !may_be_empty) {
      return Wrong(fmt::format("{}: no value is given", name));
    }
    if (!TakesOnlyListedValues(kind)) return Status::Ok();
    const std::vector<std::string_view> values = ValuesOf(kind);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      return Status::Ok();
    }
    return Wrong(fmt::format("{}: unknown value '{}'{}; known: {}", name, value,
                             DidYouMean(value, values), Listed(values)));
  }

  Status CheckOptions() const {
    for (const OptionSpec& option : command_.options) {
      if (option.required && !parsed_.Has(option.name)) {
        return Wrong(fmt::format("{} is required", OptionTitle(option)));
      }
      if (!parsed_.Has(option.name)) continue;
      std::string_view rest = option.excludes;
      while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view other = rest.substr(0, end);
        if (parsed_.Has(other)) {
          return Wrong(fmt::format("{} and {} exclude each other; give one",
                                   other, option.name));
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
    return Status::Ok();
  }

  Status CheckOperands() const {
    const std::size_t given = parsed_.operands_.size();
    for (std::size_t i = 0; i < command_.operands.size(); ++i) {
      const OperandSpec& operand = command_.operands[i];
      if (i >= given) {
        if (!operand.required) return Status::Ok();
        return Wrong(fmt::format("{} is required", operand.name));
      }
      if (operand.kind == ValueKind::kDirectory &&
          parsed_.operands_[i].empty()) {
        return Wrong(fmt::format("{}: no directory", operand.name));
      }
      if (operand.many) return Status::Ok();
    }
    if (given <= command_.operands.size()) return Status::Ok();
    return Wrong(fmt::format("unexpected argument '{}'",
                             parsed_.operands_[command_.operands.size()]));
  }

  template <typename Matches>
  const OptionSpec* Find(Matches matches) const {
    for (const auto& options : {command_.options, CommonOptions()}) {
      for (const OptionSpec& option : options) {
        if (matches(option)) return &option;
      }
    }
    return nullptr;
  }

  Status UnknownOption(const std::string& word) const {
    std::vector<std::string_view> names;
    for (const auto& options : {command_.options, CommonOptions()}) {
      for (const OptionSpec& option : options) names.push_back(option.name);
    }
    std::string hint = DidYouMean(word, names);
    if (hint.empty() && !command_.operands.empty()) {
      hint = " (an argument that begins with '-' goes after '--')";
    }
    return Wrong(fmt::format("unknown option '{}'{}", word, hint));
  }

  const CommandSpec& command_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;  // of the next word
  bool only_operands_ = false;
  Arguments parsed_;
};

Result<Arguments> Arguments::Parse(const CommandSpec& command,
                                   std::span<const std::string> words) {
  return ArgumentParser(command, words).Parse();
}

std::string Arguments::Text(std::string_view option,
                            std::string_view otherwise) const {
  return TextIfGiven(option).value_or(std::string(otherwise));
}

std::optional<std::string> Arguments::TextIfGiven(
    std::string_view option) const {
  const auto found = options_.find(option);
  if (found == options_.end()) return std::nullopt;
  return found->second.front();
}

std::vector<std::string> Arguments::Texts(std::string_view option) const {
  const auto found = options_.find(option);
  return found == options_.end() ? std::vector<std::string>() : found->second;
}

std::string Arguments::Operand(std::size_t index) const {
  return index < operands_.size() ? operands_[index] : std::string();
}

std::vector<std::string> Arguments::OperandsFrom(std::size_t index) const {
  if (index >= operands_.size()) return {};
  return {operands_.begin() + static_cast<std::ptrdiff_t>(index),
          operands_.end()};
}

}  // namespace tamis::tools
