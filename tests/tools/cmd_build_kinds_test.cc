// SPDX-License-Identifier: Apache-2.0
// tamis build: what differs between the kinds of the tamis format.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

TEST(BuildKinds, APlanOfAKindIsThatOfItsKeys) {
  for (const std::string kind :
       {"bloom", "counting", "cuckoo", "scalable", "rotating"}) {
    std::vector<std::string> args = {"build", "-o", "-",      "--kind", kind,
                                     "--fpr", "2%", "--seed", "3"};
    const RunResult free = Tamis(args, {.input = Lines("key", 3000)});
    args.insert(args.end(), {"--plan-keys", "3k"});
    const RunResult planned = Tamis(args, {.input = Lines("key", 3000)});
    EXPECT_EQ(planned.code, kExitOk) << planned.err;
    EXPECT_TRUE(free.out == planned.out) << kind;
    const RunResult few = Tamis(args, {.input = Lines("key", 10)});
    EXPECT_EQ(few.out.size(), planned.out.size()) << kind;
  }
}

TEST(BuildKinds, MemoryThreadsAndTemporaryFolderDoNotChangeTheBytes) {
  TempDir dir;
  const std::string lines = Lines("key", 100'000);
  for (const std::string kind : {"ribbon", "fuse8", "bloom"}) {
    const std::vector<std::string> plain = {"build", "-o", "-", "--kind", kind};
    std::vector<std::string> args = plain;
    args.insert(args.end(), {"--memory", "64Mi", "--threads", "3", "--temp-dir",
                             dir.path()});
    const RunResult run = Tamis(args, {.input = lines});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(run.out == Tamis(plain, {.input = lines}).out) << kind;
  }
  EXPECT_EQ(dir.Count(), 0u);
}

TEST(BuildKinds, ABarShowsHowFarTheMakingIs) {
  TempDir dir;
  const RunResult run =
      Tamis({"build", "-o", dir.File("f"), "--kind", "ribbon"},
            {.input = Lines("key", 200'000), .terminal = true});
  EXPECT_EQ(run.code, kExitOk);
  EXPECT_TRUE(Contains(run.err, "making the filter")) << run.err;
}

TEST(BuildKinds, AFilterWithoutRoomIsNoMatterOfMemory) {
  const RunResult run =
      Tamis({"build", "-o", "-", "--kind", "cuckoo", "--plan-keys", "100"},
            {.input = Lines("key", 1000)});
  EXPECT_EQ(run.code, kExitError);
  EXPECT_TRUE(Contains(run.err, "do not fit")) << run.err;
  EXPECT_FALSE(Contains(run.err, "memory")) << run.err;
}

}  // namespace
}  // namespace tamis::tools
