// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes under an arbitrary name: which format is it?  The input is
// the name, a line feed, and the bytes.

#include "fuzz/fuzz_support.h"
#include "tamis/formats.h"

namespace tamis::fuzz {
namespace {

// A copy in an allocation of exactly its size: the address sanitizer detects a
// read beyond it, which it would not within the input.
class Exact {
 public:
  explicit Exact(Slice bytes) : bytes_(bytes.begin(), bytes.end()) {}
  Slice slice() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

std::vector<std::string> SpecsOf(const RecognisedFormat& found) {
  std::vector<std::string> specs = found.alternatives;
  if (!found.spec.empty()) specs.push_back(found.spec);
  return specs;
}

void CheckVerdict(const RecognisedFormat& found, Slice bytes) {
  Check(!found.reason.empty(), "a verdict has a reason");
  Check((found.certainty == Certainty::kUnknown) == found.spec.empty(),
        "unknown means that nothing fits");
  Check(found.certainty == Certainty::kGuess || found.alternatives.empty(),
        "only a guess has alternatives");
  Check(found.certainty == Certainty::kUnknown ||
            (found.not_a_filter.empty() && found.holds_filters.empty()),
        "what is recognised is nothing else");
  for (const std::string& spec : SpecsOf(found)) {
    CheckOpen(*PolicyOf(spec), bytes);
  }
}

// Without a name the bytes alone decide, so a guess must be one that fits.
void CheckNameless(Slice bytes) {
  const RecognisedFormat found = RecogniseFormat("", bytes);
  CheckVerdict(found, bytes);
  if (found.certainty != Certainty::kGuess) return;
  for (const std::string& spec : SpecsOf(found)) {
    Check(PolicyOf(spec)->Open(bytes).ok(), "what a guess names can be opened");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice input = AsSlice(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const Exact name(input.substr(0, end));
  const Exact content(input.substr(std::min(end + 1, input.size())));
  CheckVerdict(RecogniseFormat(name.slice(), content.slice()), content.slice());
  CheckNameless(content.slice());
  return 0;
}

}  // namespace tamis::fuzz
