// SPDX-License-Identifier: Apache-2.0
// The shortest use: keys in, bytes out, queries answered from the bytes.

#include <cstdio>
#include <string>

#include "tamis/filter.h"

int main() {
  const auto policy = tamis::MakePolicy("fpr:0.01");  // one error in a hundred
  if (!policy.ok()) return 1;
  const auto builder = policy->NewBuilder();
  for (const char* fruit : {"apple", "banana", "cherry"}) builder->Add(fruit);
  std::string bytes;  // store them wherever you like
  if (!builder->Finish(&bytes).ok()) return 1;

  const auto filter = policy->Open(bytes);
  if (!filter.ok()) return 1;  // damaged: read as if there were no filter
  for (const char* fruit : {"banana", "dragonfruit"}) {
    std::printf("%s: %s\n", fruit, filter->MayContain(fruit) ? "maybe" : "no");
  }
  return filter->MayContain("banana") ? 0 : 1;
}
