// SPDX-License-Identifier: Apache-2.0
// crawl FILTER < urls: prints each URL that was not seen before, in this run or
// an earlier one.  The filter in the file FILTER remembers them, a few bytes
// each, and grows with their number.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "tamis/filter_file.h"
#include "tamis/mutable_filter.h"

namespace {

constexpr std::uint64_t kSaveEvery = 100'000;  // new URLs

tamis::Result<std::unique_ptr<tamis::MutableFilter>> Remembered(
    const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (file) {
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return tamis::LoadMutable(bytes.str());
  }
  const auto policy = tamis::MakePolicy("scalable:fpr=0.0001");
  if (!policy.ok()) return policy.status();
  return policy->NewMutable(100'000);
}

// First what was printed, then that it was: after a crash a URL may come twice,
// and none is lost.  The file is the old or the new one.
tamis::Status Save(const std::string& path, const tamis::MutableFilter& seen) {
  std::cout.flush();
  std::string bytes;
  tamis::Status status = seen.Save(&bytes);
  if (!status.ok()) return status;
  return tamis::WriteFilterFile(path, bytes, tamis::IfExists::kReplace);
}

tamis::Status Crawl(const std::string& path) {
  const auto seen = Remembered(path);
  if (!seen.ok()) return seen.status();
  std::uint64_t added = 0;
  std::uint64_t repeated = 0;
  for (std::string url; std::getline(std::cin, url);) {
    if (seen->MayContain(url)) {
      ++repeated;
      continue;
    }
    std::cout << url << '\n';
    tamis::Status status = seen->Insert(url);
    if (status.ok() && ++added % kSaveEvery == 0) {
      status = Save(path, *seen.value());
    }
    if (!status.ok()) return status;
  }
  std::cerr << added << " new, " << repeated << " seen before\n";
  return Save(path, *seen.value());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: crawl FILTER < urls\n";
    return 2;
  }
  std::ios::sync_with_stdio(false);
  const tamis::Status status = Crawl(argv[1]);
  if (!status.ok()) std::cerr << "crawl: " << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
