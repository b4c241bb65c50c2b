// SPDX-License-Identifier: Apache-2.0
// fuzz/sealed_filter.h -- filters of the .tamis container that were changed and
// then sealed: their checksums are right, whatever else is wrong with them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/tamis/container.h"
#include "fuzz/fuzz_support.h"

namespace tamis::fuzz {

// Returns a filter that was built, with some of its bytes changed and perhaps
// its end cut off or lengthened, as `input` says.
inline std::string SealedChanges(Slice built, Input* input) {
  const Result<TamisContents> contents = ParseTamis(built);
  Check(contents.ok(), "what was built is a container");
  TamisHeader header = contents->header;
  std::string whole(built);
  const std::size_t payload = contents->payload.size();
  for (unsigned i = input->TakeByte() % 4; i > 0; --i) {
    const std::uint8_t where = input->TakeByte();
    const std::uint64_t change = input->TakeNumber(where / 8 % 4 + 1);
    switch (where % 8) {
      case 0:
        header.size_parameter ^= change;
        break;
      case 1:
        header.parameter_a ^= static_cast<std::uint32_t>(change);
        break;
      case 2:
        header.parameter_b ^= static_cast<std::uint32_t>(change);
        break;
      case 3:
        header.keys ^= change;
        break;
      case 4:
        whole.resize(kTamisHeaderBytes + change % (payload + 16));
        break;
      default:
        if (whole.size() == kTamisHeaderBytes) break;
        // The front of a payload often says how to read the rest.
        const std::uint64_t at =
            where % 8 == 5 ? change % 32 : input->TakeNumber(2);
        char& byte =
            whole[kTamisHeaderBytes + at % (whole.size() - kTamisHeaderBytes)];
        byte = static_cast<char>(byte ^ static_cast<char>(change >> 5));
    }
  }
  SealTamis(whole, header);
  return whole;
}

}  // namespace tamis::fuzz
