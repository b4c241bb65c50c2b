// SPDX-License-Identifier: Apache-2.0
// db_commands.h -- the arguments of each subcommand of `tamis db`, and the
// function that runs it.  As in commands.h, Run...() returns the exit code.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "console.h"
#include "db_store.h"

namespace tamis::tools {

struct DbPutArgs {
  std::string dir;
  std::string key;
  // One of these two is given.
  std::optional<std::string> value;
  std::string value_file;  // "-": standard input
  bool hex = false;
  DbWriteArgs write;
};
int RunDbPut(const DbPutArgs& args, const Console& console);

struct DbGetArgs {
  std::string dir;
  std::vector<std::string> keys;
  bool hex = false;
  bool raw = false;
  bool json = false;
};
// kExitNegative if there is no such key, or not all of them.
int RunDbGet(const DbGetArgs& args, const Console& console);

struct DbDeleteArgs {
  std::string dir;
  std::string key;
  bool hex = false;
  DbWriteArgs write;
};
int RunDbDelete(const DbDeleteArgs& args, const Console& console);

struct DbScanArgs {
  std::string dir;
  RangeArgs range;
  std::string limit;  // as ParseCount() takes it; empty: none
  bool reverse = false;
  bool keys_only = false;
  bool hex = false;
  bool binary = false;
  bool json = false;
};
int RunDbScan(const DbScanArgs& args, const Console& console);

struct DbCountArgs {
  std::string dir;
  RangeArgs range;
  bool hex = false;
  bool json = false;
};
int RunDbCount(const DbCountArgs& args, const Console& console);

struct DbLoadArgs {
  std::string dir;
  std::string file = "-";
  bool hex = false;
  bool binary = false;
  bool json_lines = false;  // of the input
  bool json = false;        // of the report
  DbWriteArgs write;
};
// 128 + N if signal N ended the input.
int RunDbLoad(const DbLoadArgs& args, const Console& console);

struct DbStatsArgs {
  std::string dir;
  std::string sample;  // keys, as ParseCount() takes them; empty: none
  bool json = false;
  bool prometheus = false;
};
int RunDbStats(const DbStatsArgs& args, const Console& console);

struct DbAdviseArgs {
  std::string dir;
  std::string memory;  // bytes, as ParseCount() takes them; empty: not given
  bool json = false;
};
int RunDbAdvise(const DbAdviseArgs& args, const Console& console);

struct DbFiltersArgs {
  std::string dir;
  std::string policy;  // as MakePolicy() takes it; empty: not given
  std::string memory;  // bytes, as ParseCount() takes them; empty: not given
  bool dry_run = false;
  bool remove = false;
  bool json = false;
};
// kExitNegative if a filter could not be made.
int RunDbFilters(const DbFiltersArgs& args, const Console& console);

struct DbCompactArgs {
  std::string dir;
  RangeArgs range;
  bool hex = false;
  bool json = false;
  NewTableArgs tables;
};
int RunDbCompact(const DbCompactArgs& args, const Console& console);

struct DbCheckArgs {
  std::string dir;
  std::string max_block_growth;  // as ParseCount() takes it; empty: the default
  bool json = false;
};
// kExitNegative if there are problems.
int RunDbCheck(const DbCheckArgs& args, const Console& console);

struct DbRepairArgs {
  std::string dir;
  std::string max_block_growth;  // as above
  bool dry_run = false;
  bool json = false;
  NewTableArgs tables;
};
// kExitNegative if something could not be saved, or keys may have come back;
// or, in a dry run, if a repair would have that result.
int RunDbRepair(const DbRepairArgs& args, const Console& console);

struct DbExplainArgs {
  std::string dir;
  std::string key;
  std::string sample;  // as above
  bool hex = false;
  bool json = false;
};
// kExitNegative if there is no such key.
int RunDbExplain(const DbExplainArgs& args, const Console& console);

struct DbDumpArgs {
  std::string file;
  std::string limit;  // as ParseCount() takes it; empty: none
  bool keys_only = false;
  bool hex = false;
  bool json = false;
};
// kExitNegative if something in the file could not be read.
int RunDbDump(const DbDumpArgs& args, const Console& console);

struct DbDestroyArgs {
  std::string dir;
  bool yes = false;
  bool lost = false;  // lost/, too
  bool json = false;
};
int RunDbDestroy(const DbDestroyArgs& args, const Console& console);

}  // namespace tamis::tools
