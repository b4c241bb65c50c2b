// SPDX-License-Identifier: Apache-2.0
// join_files SMALL LARGE: joins two files of lines "key TAB value", in any
// order, on their keys.  A filter of the small file's keys drops the lines of
// the large one that have no partner, before anything is kept of them.

#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tamis/filter.h"

namespace {

using Use = std::function<void(const std::string& key, std::string value)>;

tamis::Status ForEachLine(const std::string& path, const Use& use) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return tamis::Status::NotFound(path + ": cannot be read");
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    use(line.substr(0, tab),
        tab == std::string::npos ? "" : line.substr(tab + 1));
  }
  return tamis::Status::Ok();
}

tamis::Status Join(const std::string& small, const std::string& large) {
  const auto policy = tamis::MakePolicy("ribbon:7");
  if (!policy.ok()) return policy.status();
  const auto builder = policy->NewBuilder();
  tamis::Status status = ForEachLine(
      small,
      [&](const std::string& key, const std::string&) { builder->Add(key); });
  std::string bytes;
  if (status.ok()) status = builder->Finish(&bytes);
  if (!status.ok()) return status;
  const auto wanted = policy->Open(bytes);
  if (!wanted.ok()) return wanted.status();

  std::unordered_map<std::string, std::vector<std::string>> kept;
  std::uint64_t read = 0;
  std::uint64_t lines = 0;
  status = ForEachLine(large, [&](const std::string& key, std::string value) {
    ++read;
    if (!wanted->MayContain(key)) return;
    ++lines;
    kept[key].push_back(std::move(value));
  });
  if (!status.ok()) return status;
  status = ForEachLine(small, [&](const std::string& key, std::string value) {
    const auto found = kept.find(key);
    if (found == kept.end()) return;
    for (const std::string& other : found->second) {
      std::cout << key << '\t' << value << '\t' << other << '\n';
    }
  });
  std::cerr << "kept " << lines << " of " << read << " lines\n";
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: join_files SMALL LARGE\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  const tamis::Status status = Join(argv[1], argv[2]);
  if (!status.ok()) std::cerr << "join_files: " << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
