// SPDX-License-Identifier: Apache-2.0
// Any files as a store's directory whose tables and settings are listed, and
// which is then removed.  fuzz/store_files.h says what an input is.

#include <string>
#include <tuple>

#include "fuzz/fuzz_support.h"
#include "fuzz/store_files.h"
#include "tamis/store.h"
#include "tamis/store_settings.h"
#include "tamis/store_tables.h"

namespace tamis::fuzz {
namespace {

constexpr int kLevels = 7;

void CheckTable(const StoreTable& table) {
  Check(table.level >= 0 && table.level < kLevels,
        "a level is one of a store's");
  Check(table.filter_rate >= 0 && table.filter_rate <= 1,
        "a rate is from 0 to 1");
  Check(!table.filter.empty() || table.filter_rate == 1,
        "no filter rules nothing out");
}

// Lists the tables.  What opens can be listed.
void CheckList(const StoreOptions& options) {
  const Result<std::vector<StoreTable>> tables =
      ListStoreTables(kStoreDir, options);
  ExpectReason(tables.status());
  if (!tables.ok()) {
    StoreOptions strict = options;
    strict.read_only = true;
    Check(tables.status().code() == StatusCode::kResourceExhausted ||
              !Store::Open(kStoreDir, strict).ok(),
          "the tables of what opens can be listed");
    return;
  }
  std::tuple<int, std::uint64_t> last(-1, 0);
  for (const StoreTable& table : *tables) {
    CheckTable(table);
    const std::tuple<int, std::uint64_t> place(table.level, table.file_number);
    Check(last < place, "tables come by level, and within one by number");
    last = place;
  }
}

void CheckSettings(testing::MemoryEnv* env) {
  const Result<StoreSettings> settings = ReadStoreSettings(kStoreDir, env);
  ExpectReason(settings.status());
  if (!settings.ok()) return;
  StoreOptions options;
  settings->ApplyTo(&options);
}

void CheckDestroy(const StoreOptions& options) {
  const Result<DestroyReport> report = DestroyStore(kStoreDir, options, {});
  ExpectReason(report.status());
  if (!report.ok()) return;
  const Status gone = ListStoreTables(kStoreDir, options).status();
  Check(gone.code() == StatusCode::kNotFound, "what was removed is gone");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size == 0 || size > (std::size_t{128} << 10)) return 0;
  const StoreSwitches switches(data[0]);
  testing::MemoryEnv env({.can_map = switches.can_map});
  PutFiles(AsSlice(data + 1, size - 1), switches, &env);
  StoreOptions options;
  options.env = &env;
  CheckList(options);
  CheckSettings(&env);
  CheckDestroy(options);
  return 0;
}

}  // namespace tamis::fuzz
