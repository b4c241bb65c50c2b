// commands.h -- the subcommands: what each was told, and the function that
// does it.  Run...() returns the exit code; Add...() declares the options and
// arranges that parsing them runs the command.

#pragma once

#include <string>
#include <vector>

#include "console.h"
#include "filter_args.h"
#include "key_reader.h"

namespace CLI {
class App;
}

namespace tamis::tools {

struct SizeArgs {
  std::string keys;  // a number as ParseCount() takes it
  FilterArgs filter;
  // What the filter is for; see FilterNeed.
  bool deletes = false;
  bool growth = false;
  bool expiry = false;
  std::string lifetime;  // as ParseSeconds() takes it; empty: the usual
  std::string queries;   // per key
  bool json = false;
};
int RunSize(const SizeArgs& args, const Console& console);
void AddSize(CLI::App* app, const Console& console, int* exit_code);

struct BuildArgs {
  std::string keys = "-";
  std::string output;
  FilterArgs filter;
  std::string plan_keys;  // as ParseCount() takes it; empty: as many as come
  KeySyntax syntax;
  // See BuildOptions; empty: not given.
  std::string memory;
  std::string threads;
  std::string temporary_folder;
  bool force = false;
  bool json = false;
};
int RunBuild(const BuildArgs& args, const Console& console);
void AddBuild(CLI::App* app, const Console& console, int* exit_code);

struct QueryArgs {
  std::string file;
  std::string keys;  // empty: standard input, unless there are listed_keys
  std::vector<std::string> listed_keys;
  std::string format;
  KeySyntax syntax;
  std::string only;  // "maybe", "no", or empty: both
  // Of a Parquet file; empty: not given.
  std::string column;
  std::string row_group;
  bool json = false;
};
// kExitNegative if no key was answered with "maybe".
int RunQuery(const QueryArgs& args, const Console& console);
void AddQuery(CLI::App* app, const Console& console, int* exit_code);

struct InspectArgs {
  std::vector<std::string> files;
  std::string format;
  bool json = false;
};
// kExitNegative if a file is damaged or saturated.
int RunInspect(const InspectArgs& args, const Console& console);
void AddInspect(CLI::App* app, const Console& console, int* exit_code);

struct MergeArgs {
  std::vector<std::string> files;
  std::string output;
  std::string format;
  bool intersect = false;
  bool force = false;
  bool json = false;
};
int RunMerge(const MergeArgs& args, const Console& console);
void AddMerge(CLI::App* app, const Console& console, int* exit_code);

// For add, remove and rotate.
struct LivingArgs {
  std::string file;
  std::string keys;  // empty: standard input, unless there are listed_keys
  std::vector<std::string> listed_keys;
  std::string output;  // empty: `file` itself
  KeySyntax syntax;
  bool force = false;
  bool json = false;
};
int RunAdd(const LivingArgs& args, const Console& console);
// kExitNegative if some keys were certainly strangers; the others are gone.
int RunRemove(const LivingArgs& args, const Console& console);
int RunRotate(const LivingArgs& args, const Console& console);
void AddAdd(CLI::App* app, const Console& console, int* exit_code);
void AddRemove(CLI::App* app, const Console& console, int* exit_code);
void AddRotate(CLI::App* app, const Console& console, int* exit_code);

struct FoldArgs {
  std::string file;
  std::string output;
  std::string divisor;  // one of these two is given
  std::string fpr;
  bool force = false;
  bool json = false;
};
// kExitNegative if no fold keeps the rate asked for; nothing is written then.
int RunFold(const FoldArgs& args, const Console& console);
void AddFold(CLI::App* app, const Console& console, int* exit_code);

struct DedupeArgs {
  std::vector<std::string> files;  // none: standard input
  std::string keys = "1000000";
  std::string fpr = "0.001";
  bool nul = false;
  bool quiet = false;
  bool stats = false;
  bool json = false;
};
// 128 + N if signal N ended the input.
int RunDedupe(const DedupeArgs& args, const Console& console);
void AddDedupe(CLI::App* app, const Console& console, int* exit_code);

// Those of db_commands.h, below one name.
void AddDb(CLI::App* app, const Console& console, int* exit_code);

}  // namespace tamis::tools
