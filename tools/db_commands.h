// db_commands.h -- the subcommands of `tamis db`: what each was told, and the
// function that does it.  As in commands.h, Run...() returns the exit code.

#pragma once

#include <string>

#include "console.h"
#include "db_store.h"

namespace CLI {
class App;
}

namespace tamis::tools {

struct DbPutArgs {
  std::string dir;
  std::string key;
  std::string value;
  bool hex = false;
  DbWriteArgs write;
};
int RunDbPut(const DbPutArgs& args, const Console& console);
void AddDbPut(CLI::App* db, const Console& console, int* exit_code);

struct DbGetArgs {
  std::string dir;
  std::string key;
  bool hex = false;
  bool raw = false;
  bool json = false;
};
// kExitNegative if there is no such key.
int RunDbGet(const DbGetArgs& args, const Console& console);
void AddDbGet(CLI::App* db, const Console& console, int* exit_code);

struct DbDeleteArgs {
  std::string dir;
  std::string key;
  bool hex = false;
  DbWriteArgs write;
};
int RunDbDelete(const DbDeleteArgs& args, const Console& console);
void AddDbDelete(CLI::App* db, const Console& console, int* exit_code);

struct DbScanArgs {
  std::string dir;
  RangeArgs range;
  std::string limit;  // as ParseCount() takes it; empty: none
  bool reverse = false;
  bool hex = false;
  bool binary = false;
  bool json = false;
};
int RunDbScan(const DbScanArgs& args, const Console& console);
void AddDbScan(CLI::App* db, const Console& console, int* exit_code);

struct DbLoadArgs {
  std::string dir;
  std::string file = "-";
  bool hex = false;
  bool binary = false;
  bool json_lines = false;  // of the input
  bool quiet = false;
  bool json = false;  // of the report
  DbWriteArgs write;
};
// 128 + N if signal N ended the input.
int RunDbLoad(const DbLoadArgs& args, const Console& console);
void AddDbLoad(CLI::App* db, const Console& console, int* exit_code);

struct DbStatsArgs {
  std::string dir;
  bool json = false;
  bool prometheus = false;
};
int RunDbStats(const DbStatsArgs& args, const Console& console);
void AddDbStats(CLI::App* db, const Console& console, int* exit_code);

struct DbCompactArgs {
  std::string dir;
  RangeArgs range;
  bool hex = false;
  bool json = false;
  NewTableArgs tables;
};
int RunDbCompact(const DbCompactArgs& args, const Console& console);
void AddDbCompact(CLI::App* db, const Console& console, int* exit_code);

struct DbCheckArgs {
  std::string dir;
  std::string max_block_growth;  // as ParseCount() takes it; empty: the default
  bool json = false;
};
// kExitNegative if there are problems.
int RunDbCheck(const DbCheckArgs& args, const Console& console);
void AddDbCheck(CLI::App* db, const Console& console, int* exit_code);

struct DbRepairArgs {
  std::string dir;
  std::string max_block_growth;  // as above
  bool dry_run = false;
  bool json = false;
  NewTableArgs tables;
};
// kExitNegative if something could not be saved, or keys may have come back;
// or, in a dry run, if that would be.
int RunDbRepair(const DbRepairArgs& args, const Console& console);
void AddDbRepair(CLI::App* db, const Console& console, int* exit_code);

struct DbExplainArgs {
  std::string dir;
  std::string key;
  bool hex = false;
  bool json = false;
};
// kExitNegative if there is no such key.
int RunDbExplain(const DbExplainArgs& args, const Console& console);
void AddDbExplain(CLI::App* db, const Console& console, int* exit_code);

struct DbDestroyArgs {
  std::string dir;
  bool yes = false;
  bool lost = false;  // lost/, too
  bool json = false;
};
int RunDbDestroy(const DbDestroyArgs& args, const Console& console);
void AddDbDestroy(CLI::App* db, const Console& console, int* exit_code);

}  // namespace tamis::tools
