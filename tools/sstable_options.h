// SPDX-License-Identifier: Apache-2.0
// sstable_options.h -- the operands and options of the commands about tables of
// other engines: scan, verify, whatif, probe, watch, report and rebuild.

#pragma once

#include "command_spec.h"
#include "shared_options.h"

namespace tamis::tools {

inline constexpr OperandSpec kSstableOperands[] = {
    {.name = "PATH",
     .help = "Tables, or directories of LevelDB, RocksDB, Cassandra, ScyllaDB "
             "or Parquet data, with all that is below them",
     .kind = ValueKind::kFile,
     .many = true},
};
inline constexpr OptionSpec kScanThreadsOption = {
    .name = "--threads",
    .value = "N",
    .help = "Threads (default: as many as the machine has)"};
inline constexpr OptionSpec kJsonLinesOption = {
    .name = "--json", .help = "Print JSON, one per line"};
inline constexpr OptionSpec kCsvOption = {
    .name = "--csv",
    .help = "Print values with commas between them, one line per file",
    .excludes = "--json"};
inline constexpr OptionSpec kSstableScanOptions[] = {
    {.name = "--only",
     .value = "VERDICT",
     .help = "Print only the files of this verdict",
     .kind = ValueKind::kVerdict},
    kScanThreadsOption,
    kJsonLinesOption,
    kCsvOption,
};
inline constexpr OptionSpec kOnlyVerdictOption = {
    .name = "--only",
    .value = "VERDICT",
    .help = "Only the files of this verdict",
    .kind = ValueKind::kVerdict};
inline constexpr OptionSpec kWhatIfOptions[] = {
    {.name = "--fpr",
     .value = "RATE",
     .help = "Filters of this rate of false positives, such as 0.01 or 1%"},
    {.name = "--bits",
     .value = "BITS",
     .help = "Filters of so many bits per key",
     .excludes = "--fpr"},
    {.name = "--memory",
     .value = "BYTES",
     .help = "So many bytes for all filters, divided so that lookups read as "
             "little as possible in vain",
     .excludes = "--fpr --bits"},
    {.name = "--kind",
     .value = "KIND",
     .help = "Only filters of this kind: bloom, ribbon, classic or splitblock "
             "(default: every kind that the engine could use)"},
    kOnlyVerdictOption,
    {.name = "--count",
     .help = "Read the data of tables of which nothing else tells the number "
             "of keys"},
    kScanThreadsOption,
    kJsonLinesOption,
    kCsvOption,
};
inline constexpr OperandSpec kProbeOperands[] = {
    {.name = "PATH",
     .help = "A table, or a directory of LevelDB, RocksDB, Cassandra or "
             "ScyllaDB data",
     .kind = ValueKind::kFile},
    {.name = "KEY", .help = "Keys", .many = true},
};
inline constexpr OptionSpec kProbeOptions[] = {
    kHexKeysOption,
    kOnlyVerdictOption,
    kJsonLinesOption,
    kCsvOption,
};
inline constexpr OptionSpec kWatchOptions[] = {
    {.name = "--prom",
     .value = "FILE",
     .help = "The file to write, in the text format of Prometheus",
     .kind = ValueKind::kFile,
     .required = true},
    kOnlyVerdictOption,
    kScanThreadsOption,
    kJsonLinesOption,
};
inline constexpr OptionSpec kVerifyOptions[] = {
    kOnlyVerdictOption, kScanThreadsOption, kJsonLinesOption, kCsvOption};

inline constexpr OptionSpec kReportOptions[] = {
    kOutputOption, kScanThreadsOption, kForceOption};

inline constexpr OperandSpec kRebuildOperands[] = {
    {.name = "PATH",
     .help =
         "A directory of LevelDB, RocksDB, Cassandra or ScyllaDB data, with "
         "all that is below it, or one sstable of Cassandra",
     .kind = ValueKind::kFile},
};
inline constexpr OptionSpec kRebuildOptions[] = {
    kRateOption,
    {.name = "--bits",
     .value = "BITS",
     .help = "Bits per key",
     .excludes = "--fpr"},
    {.name = "--kind",
     .value = "KIND",
     .help = "Kind of filter, of those that the engine has: bloom; of RocksDB "
             "also ribbon; of a Tamis store any (default: as it is)"},
    {.name = "--only",
     .value = "VERDICT",
     .help = "Rebuild the filters of this verdict",
     .kind = ValueKind::kVerdict,
     .repeatable = true},
    {.name = "--in-place",
     .help = "Replace the files; the old ones are kept beside them"},
    {.name = "--out",
     .value = "DIRECTORY",
     .help = "Write the new files there instead",
     .kind = ValueKind::kDirectory,
     .excludes = "--in-place"},
    {.name = "--dry-run", .help = "Show what would be done, and do nothing"},
    {.name = "--undo",
     .help = "Bring the old files back",
     .excludes = "--fpr --bits --kind --only --in-place --out --dry-run --csv"},
    kJsonLinesOption,
    kCsvOption,
};

}  // namespace tamis::tools
