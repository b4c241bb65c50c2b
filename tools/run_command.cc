// SPDX-License-Identifier: Apache-2.0
#include "run_command.h"

#include <cassert>

#include "commands.h"
#include "db_commands.h"

namespace tamis::tools {
namespace {

FilterArgs FilterArgsFrom(const Arguments& given) {
  return {.policy = given.Text("--policy"),
          .format = given.Text("--format"),
          .kind = given.Text("--kind"),
          .fpr = given.Text("--fpr"),
          .bits_per_key = given.Text("--bits-per-key"),
          .seed = given.Text("--seed"),
          .sizing = given.Text("--sizing")};
}

KeySyntax KeySyntaxFrom(const Arguments& given) {
  KeySyntax syntax;
  syntax.nul = given.Has("--null");
  syntax.hex = given.Has("--hex");
  syntax.type_is_given = given.Has("--type");
  syntax.type =
      ValueTypeNamed(given.Text("--type")).value_or(ValueType::kBytes);
  return syntax;
}

NewTableArgs NewTableArgsFrom(const Arguments& given) {
  return {.filter = given.Text("--filter", given.Text("--policy")),
          .block_filter = given.Text("--block-filter"),
          .range_filter = given.Text("--range-filter"),
          .prefix_extractor = given.Text("--prefix-extractor"),
          .compression = given.Text("--compression"),
          .remember = given.Has("--remember")};
}

DbWriteArgs DbWriteArgsFrom(const Arguments& given, bool may_create) {
  return {.tables = NewTableArgsFrom(given),
          .may_create = may_create,
          .create = given.Has("--create"),
          .sync = given.Has("--sync")};
}

RangeArgs RangeArgsFrom(const Arguments& given) {
  return {.from = given.TextIfGiven("--from"),
          .to = given.TextIfGiven("--to"),
          .prefix = given.TextIfGiven("--prefix")};
}

int Size(const Arguments& given, const Console& console) {
  SizeArgs args;
  args.keys = given.Text("--keys");
  args.filter = FilterArgsFrom(given);
  args.memory = given.Text("--memory");
  args.deletes = given.Has("--deletes");
  args.growth = given.Has("--growth");
  args.expiry = given.Has("--expiry");
  args.lifetime = given.Text("--lifetime");
  args.queries = given.Text("--queries");
  args.json = given.Has("--json");
  return RunSize(args, console);
}

int Build(const Arguments& given, const Console& console) {
  BuildArgs args;
  args.key_files = given.OperandsFrom(0);
  args.output = given.Text("--output");
  args.filter = FilterArgsFrom(given);
  args.plan_keys = given.Text("--plan-keys");
  args.parts = given.Text("--parts");
  args.part = given.Text("--part");
  args.syntax = KeySyntaxFrom(given);
  args.memory = given.Text("--memory");
  args.threads = given.Text("--threads");
  args.temporary_folder = given.Text("--temp-dir");
  args.force = given.Has("--force");
  args.json = given.Has("--json");
  return RunBuild(args, console);
}

int Query(const Arguments& given, const Console& console) {
  QueryArgs args;
  args.file = given.Operand(0);
  args.key_files = given.OperandsFrom(1);
  args.listed_keys = given.Texts("--key");
  args.format = given.Text("--format");
  args.syntax = KeySyntaxFrom(given);
  args.only = given.Text("--only");
  args.column = given.Text("--column");
  args.row_group = given.Text("--row-group");
  args.ranges = given.Has("--range");
  args.prefixes = given.Has("--prefix");
  args.prefix_extractor = given.Text("--prefix-extractor");
  args.json = given.Has("--json");
  return RunQuery(args, console);
}

int Inspect(const Arguments& given, const Console& console) {
  InspectArgs args;
  args.files = given.OperandsFrom(0);
  args.format = given.Text("--format");
  args.json = given.Has("--json");
  return RunInspect(args, console);
}

int Scan(const Arguments& given, const Console& console) {
  ScanArgs args;
  args.paths = given.OperandsFrom(0);
  args.only = given.Text("--only");
  args.threads = given.Text("--threads");
  args.json = given.Has("--json");
  args.csv = given.Has("--csv");
  return RunScan(args, console);
}

int Verify(const Arguments& given, const Console& console) {
  VerifyArgs args;
  args.paths = given.OperandsFrom(0);
  args.only = given.Text("--only");
  args.threads = given.Text("--threads");
  args.json = given.Has("--json");
  args.csv = given.Has("--csv");
  return RunVerify(args, console);
}

int WhatIf(const Arguments& given, const Console& console) {
  WhatIfArgs args;
  args.paths = given.OperandsFrom(0);
  args.fpr = given.Text("--fpr");
  args.bits = given.Text("--bits");
  args.memory = given.Text("--memory");
  args.kind = given.Text("--kind");
  args.only = given.Text("--only");
  args.threads = given.Text("--threads");
  args.count = given.Has("--count");
  args.json = given.Has("--json");
  args.csv = given.Has("--csv");
  return RunWhatIf(args, console);
}

int Probe(const Arguments& given, const Console& console) {
  ProbeArgs args;
  args.path = given.Operand(0);
  args.keys = given.OperandsFrom(1);
  args.only = given.Text("--only");
  args.hex = given.Has("--hex");
  args.json = given.Has("--json");
  args.csv = given.Has("--csv");
  return RunProbe(args, console);
}

int Watch(const Arguments& given, const Console& console) {
  WatchArgs args;
  args.paths = given.OperandsFrom(0);
  args.prom = given.Text("--prom");
  args.only = given.Text("--only");
  args.threads = given.Text("--threads");
  args.json = given.Has("--json");
  return RunWatch(args, console);
}

int Report(const Arguments& given, const Console& console) {
  ReportArgs args;
  args.paths = given.OperandsFrom(0);
  args.output = given.Text("--output");
  args.threads = given.Text("--threads");
  args.force = given.Has("--force");
  return RunReport(args, console);
}

int Rebuild(const Arguments& given, const Console& console) {
  RebuildArgs args;
  args.path = given.Operand(0);
  args.fpr = given.Text("--fpr");
  args.bits = given.Text("--bits");
  args.kind = given.Text("--kind");
  args.only = given.Texts("--only");
  args.out = given.Text("--out");
  args.in_place = given.Has("--in-place");
  args.dry_run = given.Has("--dry-run");
  args.undo = given.Has("--undo");
  args.csv = given.Has("--csv");
  args.json = given.Has("--json");
  return RunRebuild(args, console);
}

int Merge(const Arguments& given, const Console& console) {
  MergeArgs args;
  args.files = given.OperandsFrom(0);
  args.output = given.Text("--output");
  args.format = given.Text("--format");
  args.intersect = given.Has("--intersect");
  args.force = given.Has("--force");
  args.json = given.Has("--json");
  return RunMerge(args, console);
}

MutableArgs MutableArgsFrom(const Arguments& given) {
  MutableArgs args;
  args.file = given.Operand(0);
  args.key_files = given.OperandsFrom(1);
  args.listed_keys = given.Texts("--key");
  args.output = given.Text("--output");
  args.syntax = KeySyntaxFrom(given);
  args.force = given.Has("--force");
  args.json = given.Has("--json");
  return args;
}

int Add(const Arguments& given, const Console& console) {
  return RunAdd(MutableArgsFrom(given), console);
}

int Remove(const Arguments& given, const Console& console) {
  return RunRemove(MutableArgsFrom(given), console);
}

int Rotate(const Arguments& given, const Console& console) {
  return RunRotate(MutableArgsFrom(given), console);
}

int Fold(const Arguments& given, const Console& console) {
  FoldArgs args;
  args.file = given.Operand(0);
  args.output = given.Text("--output");
  args.divisor = given.Text("--divisor");
  args.fpr = given.Text("--fpr");
  args.force = given.Has("--force");
  args.json = given.Has("--json");
  return RunFold(args, console);
}

int Dedupe(const Arguments& given, const Console& console) {
  DedupeArgs args;
  args.files = given.OperandsFrom(0);
  args.keys = given.Text("--keys", args.keys);
  args.fpr = given.Text("--fpr", args.fpr);
  args.policy = given.Text("--policy");
  args.nul = given.Has("--null");
  args.stats = given.Has("--stats");
  args.json = given.Has("--json");
  return RunDedupe(args, console);
}

int DbPut(const Arguments& given, const Console& console) {
  DbPutArgs args;
  args.dir = given.Operand(0);
  args.key = given.Operand(1);
  if (!given.OperandsFrom(2).empty()) args.value = given.Operand(2);
  args.value_file = given.Text("--value-file");
  args.hex = given.Has("--hex");
  args.write = DbWriteArgsFrom(given, true);
  return RunDbPut(args, console);
}

int DbGet(const Arguments& given, const Console& console) {
  DbGetArgs args;
  args.dir = given.Operand(0);
  args.keys = given.OperandsFrom(1);
  args.hex = given.Has("--hex");
  args.raw = given.Has("--raw");
  args.json = given.Has("--json");
  return RunDbGet(args, console);
}

int Redis(const Arguments& given, const Console& console) {
  RedisArgs args;
  args.action = given.Operand(0);
  args.what = given.Operand(1);
  args.operands = given.OperandsFrom(2);
  args.server = given.Text("--server");
  args.user = given.Text("--user");
  args.parts = given.Text("--parts");
  args.replace = given.Has("--replace");
  args.output = given.Text("--output");
  args.force = given.Has("--force");
  args.listed_keys = given.Texts("--key");
  args.syntax = KeySyntaxFrom(given);
  args.only = given.Text("--only");
  return RunRedis(args, console);
}

int DbDelete(const Arguments& given, const Console& console) {
  DbDeleteArgs args;
  args.dir = given.Operand(0);
  args.key = given.Operand(1);
  args.hex = given.Has("--hex");
  args.write = DbWriteArgsFrom(given, false);
  return RunDbDelete(args, console);
}

int DbScan(const Arguments& given, const Console& console) {
  DbScanArgs args;
  args.dir = given.Operand(0);
  args.range = RangeArgsFrom(given);
  args.limit = given.Text("--limit");
  args.reverse = given.Has("--reverse");
  args.keys_only = given.Has("--keys-only");
  args.hex = given.Has("--hex");
  args.binary = given.Has("--binary");
  args.json = given.Has("--json");
  return RunDbScan(args, console);
}

int DbCount(const Arguments& given, const Console& console) {
  DbCountArgs args;
  args.dir = given.Operand(0);
  args.range = RangeArgsFrom(given);
  args.hex = given.Has("--hex");
  args.json = given.Has("--json");
  return RunDbCount(args, console);
}

int DbLoad(const Arguments& given, const Console& console) {
  DbLoadArgs args;
  args.dir = given.Operand(0);
  if (!given.OperandsFrom(1).empty()) args.file = given.Operand(1);
  args.hex = given.Has("--hex");
  args.binary = given.Has("--binary");
  args.json_lines = given.Has("--json-lines");
  args.json = given.Has("--json");
  args.write = DbWriteArgsFrom(given, true);
  return RunDbLoad(args, console);
}

int DbStats(const Arguments& given, const Console& console) {
  DbStatsArgs args;
  args.dir = given.Operand(0);
  args.sample = given.Text("--sample");
  args.json = given.Has("--json");
  args.prometheus = given.Has("--prometheus");
  return RunDbStats(args, console);
}

int DbAdvise(const Arguments& given, const Console& console) {
  DbAdviseArgs args;
  args.dir = given.Operand(0);
  args.memory = given.Text("--memory");
  args.json = given.Has("--json");
  return RunDbAdvise(args, console);
}

int DbCompact(const Arguments& given, const Console& console) {
  DbCompactArgs args;
  args.dir = given.Operand(0);
  args.range = RangeArgsFrom(given);
  args.hex = given.Has("--hex");
  args.json = given.Has("--json");
  args.tables = NewTableArgsFrom(given);
  return RunDbCompact(args, console);
}

int DbFilters(const Arguments& given, const Console& console) {
  DbFiltersArgs args;
  args.dir = given.Operand(0);
  args.policy = given.Text("--policy");
  args.memory = given.Text("--memory");
  args.dry_run = given.Has("--dry-run");
  args.remove = given.Has("--remove");
  args.json = given.Has("--json");
  return RunDbFilters(args, console);
}

int DbCheck(const Arguments& given, const Console& console) {
  DbCheckArgs args;
  args.dir = given.Operand(0);
  args.max_block_growth = given.Text("--max-block-growth");
  args.json = given.Has("--json");
  return RunDbCheck(args, console);
}

int DbRepair(const Arguments& given, const Console& console) {
  DbRepairArgs args;
  args.dir = given.Operand(0);
  args.max_block_growth = given.Text("--max-block-growth");
  args.dry_run = given.Has("--dry-run");
  args.json = given.Has("--json");
  args.tables = NewTableArgsFrom(given);
  return RunDbRepair(args, console);
}

int DbExplain(const Arguments& given, const Console& console) {
  DbExplainArgs args;
  args.dir = given.Operand(0);
  args.key = given.Operand(1);
  args.sample = given.Text("--sample");
  args.hex = given.Has("--hex");
  args.json = given.Has("--json");
  return RunDbExplain(args, console);
}

int DbDump(const Arguments& given, const Console& console) {
  DbDumpArgs args;
  args.file = given.Operand(0);
  args.limit = given.Text("--limit");
  args.keys_only = given.Has("--keys-only");
  args.hex = given.Has("--hex");
  args.json = given.Has("--json");
  return RunDbDump(args, console);
}

int DbDestroy(const Arguments& given, const Console& console) {
  DbDestroyArgs args;
  args.dir = given.Operand(0);
  args.yes = given.Has("--yes");
  args.lost = given.Has("--lost");
  args.json = given.Has("--json");
  return RunDbDestroy(args, console);
}

struct NamedRun {
  std::string_view name;
  int (*run)(const Arguments& given, const Console& console);
};

constexpr NamedRun kRuns[] = {
    {"size", Size},
    {"build", Build},
    {"query", Query},
    {"inspect", Inspect},
    {"scan", Scan},
    {"verify", Verify},
    {"whatif", WhatIf},
    {"probe", Probe},
    {"watch", Watch},
    {"report", Report},
    {"rebuild", Rebuild},
    {"merge", Merge},
    {"add", Add},
    {"remove", Remove},
    {"rotate", Rotate},
    {"fold", Fold},
    {"dedupe", Dedupe},
    {"redis", Redis},
    {"db put", DbPut},
    {"db get", DbGet},
    {"db delete", DbDelete},
    {"db scan", DbScan},
    {"db count", DbCount},
    {"db load", DbLoad},
    {"db stats", DbStats},
    {"db advise", DbAdvise},
    {"db filters", DbFilters},
    {"db compact", DbCompact},
    {"db check", DbCheck},
    {"db repair", DbRepair},
    {"db explain", DbExplain},
    {"db dump", DbDump},
    {"db destroy", DbDestroy},
};

const NamedRun* RunNamed(std::string_view name) {
  for (const NamedRun& row : kRuns) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

bool CanRun(std::string_view name) { return RunNamed(name) != nullptr; }

int RunCommand(std::string_view name, const Arguments& arguments,
               const Console& console) {
  const NamedRun* found = RunNamed(name);
  assert(found != nullptr);
  Console told = console;
  told.quiet = arguments.Has("--quiet");
  return found->run(arguments, told);
}

}  // namespace tamis::tools
