// SPDX-License-Identifier: Apache-2.0
// spell WORDS < text: prints the words of a text that are in no list of words,
// each once.  The list is a filter of two bytes per word.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "tamis/filter.h"

namespace {

tamis::Result<std::string> FilterOf(const std::string& path,
                                    const tamis::FilterPolicy& policy) {
  std::ifstream words(path);
  if (!words) return tamis::Status::NotFound(path + ": cannot be read");
  const auto builder = policy.NewBuilder();
  for (std::string word; std::getline(words, word);) builder->Add(word);
  std::string bytes;
  tamis::Status status = builder->Finish(&bytes);
  if (!status.ok()) return status;
  return bytes;
}

bool IsLetter(char c) {
  return c == '\'' || std::isalpha(static_cast<unsigned char>(c)) != 0;
}

// As it is, and in small letters where a sentence begins.
bool IsKnown(const tamis::FilterReader& known, std::string word) {
  if (known.MayContain(word)) return true;
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return known.MayContain(word);
}

void Check(const tamis::FilterReader& known, std::string_view line,
           std::set<std::string>* unknown) {
  while (!line.empty()) {
    const auto end = std::find_if_not(line.begin(), line.end(), IsLetter);
    std::string word(line.begin(), end);
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    const std::size_t first = word.find_first_not_of('\'');
    if (first == std::string::npos) continue;
    word = word.substr(first, word.find_last_not_of('\'') - first + 1);
    if (!IsKnown(known, word) && unknown->insert(word).second) {
      std::cout << word << '\n';
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: spell WORDS < text\n";
    return 2;
  }
  const auto policy = tamis::MakePolicy("ribbon:16");
  if (!policy.ok()) return 1;
  const auto bytes = FilterOf(argv[1], *policy.value());
  if (!bytes.ok()) {
    std::cerr << "spell: " << bytes.status().ToString() << "\n";
    return 1;
  }
  const auto known = policy->Open(*bytes);
  if (!known.ok()) return 1;
  std::set<std::string> unknown;
  for (std::string line; std::getline(std::cin, line);) {
    Check(*known.value(), line, &unknown);
  }
  std::cerr << bytes->size() << " bytes of filter\n";
}
