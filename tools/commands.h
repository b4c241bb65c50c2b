// SPDX-License-Identifier: Apache-2.0
// commands.h -- the arguments of each subcommand, and the function that runs it
// and returns the exit code.

#pragma once

#include <string>
#include <vector>

#include "console.h"
#include "filter_args.h"
#include "key_reader.h"

namespace tamis::tools {

struct SizeArgs {
  std::string keys;  // a number as ParseCount() takes it
  FilterArgs filter;
  std::string memory;  // as ParseCount() takes it; empty: not given
  // What the filter is for; see FilterNeed.
  bool deletes = false;
  bool growth = false;
  bool expiry = false;
  std::string lifetime;  // for ParseSeconds(); empty: the default
  std::string queries;   // per key
  bool json = false;
};
int RunSize(const SizeArgs& args, const Console& console);

struct BuildArgs {
  std::vector<std::string> key_files;  // none: standard input
  std::string output;
  FilterArgs filter;
  std::string plan_keys;  // for ParseCount(); empty: the actual number
  // `output` is a folder of parts (tamis/key_parts.h); empty: it is a file.
  std::string parts;  // all of so many
  std::string part;   // one, as "3/16"
  KeySyntax syntax;
  // See BuildOptions; empty: not given.
  std::string memory;
  std::string threads;
  std::string temporary_folder;
  bool force = false;
  bool json = false;
};
int RunBuild(const BuildArgs& args, const Console& console);

struct QueryArgs {
  std::string file;
  // None: standard input, unless there are listed_keys.
  std::vector<std::string> key_files;
  std::vector<std::string> listed_keys;
  std::string format;
  KeySyntax syntax;
  std::string only;  // "maybe", "no", or empty: both
  // Of a Parquet file; empty: not given.
  std::string column;
  std::string row_group;
  // key_files are the ends of a range, or one file of such.
  bool ranges = false;
  // Keys are prefixes: does any key start with each?
  bool prefixes = false;
  // Of a filter of RocksDB, which does not say; empty: not given.
  std::string prefix_extractor;
  bool json = false;
};
// kExitNegative if no key was answered with "maybe".
int RunQuery(const QueryArgs& args, const Console& console);

struct InspectArgs {
  std::vector<std::string> files;
  std::string format;
  bool json = false;
};
// kExitNegative if a file is damaged or saturated.
int RunInspect(const InspectArgs& args, const Console& console);

struct ScanArgs {
  std::vector<std::string> paths;
  std::string only;     // as NameOfVerdict(); empty: all
  std::string threads;  // empty: as many as the machine has
  bool json = false;
  bool csv = false;
};
// kExitNegative if a filter needs attention; 3 if something cannot be read.
int RunScan(const ScanArgs& args, const Console& console);

struct VerifyArgs {
  std::vector<std::string> paths;
  std::string only;     // as for ScanArgs
  std::string threads;  // as for ScanArgs
  bool json = false;
  bool csv = false;
};
// kExitNegative if a key is hidden; 3 if something cannot be read.
int RunVerify(const VerifyArgs& args, const Console& console);

struct WhatIfArgs {
  std::vector<std::string> paths;
  // At most one of these three is given; none: several rates are asked about.
  std::string fpr;
  std::string bits;
  std::string memory;
  std::string kind;     // as SstableFilterKind::name; empty: all
  std::string only;     // as for ScanArgs
  std::string threads;  // likewise
  bool count = false;   // reads data where nothing else tells the keys
  bool json = false;
  bool csv = false;
};
// As for RunScan().
int RunWhatIf(const WhatIfArgs& args, const Console& console);

struct ProbeArgs {
  std::string path;
  std::vector<std::string> keys;
  std::string only;  // as for ScanArgs
  bool hex = false;
  bool json = false;
  bool csv = false;
};
// kExitNegative if a key is hidden; 3 if something cannot be read.
int RunProbe(const ProbeArgs& args, const Console& console);

struct WatchArgs {
  std::vector<std::string> paths;
  std::string prom;     // the file to write
  std::string only;     // as for ScanArgs
  std::string threads;  // likewise
  bool json = false;
};
// As for RunScan().
int RunWatch(const WatchArgs& args, const Console& console);

struct ReportArgs {
  std::vector<std::string> paths;
  std::string output;
  std::string threads;  // as for ScanArgs
  bool force = false;
};
// As RunScan().
int RunReport(const ReportArgs& args, const Console& console);

struct RebuildArgs {
  std::string path;
  std::string fpr;   // empty: not given; so for the next two
  std::string bits;  // per key
  std::string kind;
  std::vector<std::string> only;  // as NameOfVerdict()
  std::string out;                // a directory; empty: not given
  bool in_place = false;
  bool dry_run = false;
  bool undo = false;
  bool json = false;
  bool csv = false;
};
// kExitNegative if something was refused; 3 if something cannot be read.
int RunRebuild(const RebuildArgs& args, const Console& console);

struct MergeArgs {
  std::vector<std::string> files;
  std::string output;
  std::string format;
  bool intersect = false;
  bool force = false;
  bool json = false;
};
int RunMerge(const MergeArgs& args, const Console& console);

// For add, remove and rotate.
struct MutableArgs {
  std::string file;
  // None: standard input, unless there are listed_keys.
  std::vector<std::string> key_files;
  std::vector<std::string> listed_keys;
  std::string output;  // empty: `file` itself
  KeySyntax syntax;
  bool force = false;
  bool json = false;
};
int RunAdd(const MutableArgs& args, const Console& console);
// kExitNegative if some keys were certainly never added; the others are gone.
int RunRemove(const MutableArgs& args, const Console& console);
int RunRotate(const MutableArgs& args, const Console& console);

struct FoldArgs {
  std::string file;
  std::string output;
  std::string divisor;  // one of these two is given
  std::string fpr;
  bool force = false;
  bool json = false;
};
// kExitNegative if no fold keeps the requested rate; nothing is written then.
int RunFold(const FoldArgs& args, const Console& console);

struct DedupeArgs {
  std::vector<std::string> files;  // none: standard input
  std::string keys = "1000000";
  std::string fpr = "0.001";
  std::string policy;  // in place of `fpr`; empty: not given
  bool nul = false;
  bool stats = false;
  bool json = false;
};
// 128 + N if signal N ended the input.
int RunDedupe(const DedupeArgs& args, const Console& console);

struct RedisArgs {
  std::string action;  // push, pull or query
  std::string what;    // push: the file; else the filter's name in Redis
  // push: its name there, or nothing; query: files of keys.
  std::vector<std::string> operands;
  std::string server;  // HOST:PORT; empty: the usual one
  std::string user;
  std::string parts;  // empty: as few as are small enough
  bool replace = false;
  std::string output;  // of pull; empty: the name and .tamis
  bool force = false;
  std::vector<std::string> listed_keys;
  KeySyntax syntax;
  std::string only;  // as in QueryArgs
};
// kExitNegative if no key was answered with "maybe".
int RunRedis(const RedisArgs& args, const Console& console);

}  // namespace tamis::tools
