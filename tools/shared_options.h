// SPDX-License-Identifier: Apache-2.0
// shared_options.h -- options that several commands share.

#pragma once

#include "command_spec.h"

namespace tamis::tools {

inline constexpr OptionSpec kOutputOption = {
    .name = "--output",
    .letter = 'o',
    .value = "FILE",
    .help = "File to write; '-' is standard output",
    .kind = ValueKind::kFile,
    .required = true,
    .may_be_empty = true};

inline constexpr OptionSpec kForceOption = {
    .name = "--force", .letter = 'f', .help = "Overwrite an existing file"};

inline constexpr OptionSpec kSummaryJsonOption = {
    .name = "--json", .help = "Print the summary as JSON"};
inline constexpr OptionSpec kObjectJsonOption = {.name = "--json",
                                                 .help = "Print a JSON object"};

inline constexpr OptionSpec kWriteFormatOption = {
    .name = "--format",
    .value = "FORMAT",
    .help =
        "Format: tamis (the default), leveldb, rocksdb, rocksdb-legacy, "
        "rocksdb-ribbon, cassandra, cassandra:VERSION, parquet, lab or md5; a "
        "size may follow, as in leveldb:10",
    .kind = ValueKind::kFormat};
inline constexpr OptionSpec kPolicyOption = {
    .name = "--policy",
    .value = "POLICY",
    .help =
        "All about the filter as one text: bloom:10, ribbon:fpr=0.01, "
        "leveldb:10, ...",
    .kind = ValueKind::kPolicy,
    .excludes = "--format --kind --fpr --bits-per-key --sizing"};
inline constexpr OptionSpec kKindOption = {
    .name = "--kind",
    .value = "KIND",
    .help = "Algorithm of the tamis format (default bloom)",
    .kind = ValueKind::kFilterKind};
inline constexpr OptionSpec kRateOption = {
    .name = "--fpr",
    .value = "RATE",
    .help = "Rate of false positives, such as 0.01 or 1%"};
inline constexpr OptionSpec kBitsOption = {
    .name = "--bits-per-key",
    .value = "BITS",
    .help = "Bits per key (default 10; some kinds have their own)",
    .excludes = "--fpr"};
inline constexpr OptionSpec kSizingOption = {
    .name = "--sizing",
    .value = "RULE",
    .help = "Sizing rule (cassandra only)",
    .kind = ValueKind::kSizingRule};

// How keys are written.
inline constexpr OptionSpec kHexKeysOption = {
    .name = "--hex", .help = "Keys are written in hexadecimal digits"};
inline constexpr OptionSpec kNulOption = {
    .name = "--null",
    .letter = '0',
    .help = "Keys end in a NUL byte instead of a newline"};
inline constexpr OptionSpec kTypeOption = {
    .name = "--type",
    .value = "TYPE",
    .help = "Keys are values of this type, in Parquet's plain encoding",
    .kind = ValueKind::kKeyType,
    .excludes = "--hex"};

// Of `tamis db`.
inline constexpr OperandSpec kStoreOperand = {
    .name = "DIR",
    .help = "The directory of the store",
    .kind = ValueKind::kDirectory};
inline constexpr OperandSpec kKeyOperand = {.name = "KEY", .help = "The key"};

inline constexpr OptionSpec kHexPairsOption = {
    .name = "--hex", .help = "Keys and values are hexadecimal digits"};
inline constexpr OptionSpec kCreateOption = {
    .name = "--create", .help = "Create the store if there is none"};
inline constexpr OptionSpec kSyncOption = {
    .name = "--sync", .help = "Wait until what is written is durable"};
inline constexpr OptionSpec kFilterOption = {
    .name = "--filter",
    .value = "POLICY",
    .help =
        "Filter of the tables written now: bloom:12, splitblock:10, none, "
        "... (default: as the store remembers, or bloom:10)",
    .kind = ValueKind::kPolicy};
// Another name of the same.
inline constexpr OptionSpec kStorePolicyOption = {
    .name = "--policy",
    .value = "POLICY",
    .help = "The same as --filter",
    .kind = ValueKind::kPolicy,
    .excludes = "--filter"};
inline constexpr OptionSpec kBlockFilterOption = {
    .name = "--block-filter",
    .value = "BITS",
    .help =
        "Bits per key of a second filter, for each data block (default: as the "
        "store remembers, or 0: none)"};
inline constexpr OptionSpec kRangeFilterOption = {
    .name = "--range-filter",
    .value = "BITS",
    .help =
        "Bits per key of a filter for scans (default: as the store remembers, "
        "or 0: none)"};

inline constexpr OptionSpec kPrefixExtractorOption = {
    .name = "--prefix-extractor",
    .value = "EXTRACTOR",
    .help =
        "Prefixes that the filters of the tables written now have, too: "
        "fixed=8, delimiter=:,count=2, none (default: as the store remembers, "
        "or none)"};
inline constexpr OptionSpec kCompressionOption = {
    .name = "--compression",
    .value = "CODEC",
    .help =
        "Of the tables written now (default: as the store remembers, or "
        "snappy)",
    .kind = ValueKind::kCompression};
inline constexpr OptionSpec kRememberOption = {
    .name = "--remember",
    .help = "The store remembers these options for later"};
inline constexpr OptionSpec kFromOption = {
    .name = "--from",
    .value = "KEY",
    .help = "The first key (default: the store's first)",
    .may_be_empty = true};
inline constexpr OptionSpec kToOption = {
    .name = "--to",
    .value = "KEY",
    .help = "The key to stop before (default: after the store's last)",
    .may_be_empty = true};
inline constexpr OptionSpec kPrefixOption = {.name = "--prefix",
                                             .value = "TEXT",
                                             .help = "Only keys that begin so",
                                             .may_be_empty = true,
                                             .excludes = "--from --to"};
inline constexpr OptionSpec kGrowthOption = {
    .name = "--max-block-growth",
    .value = "N",
    .help =
        "Unpack blocks that are larger than 32 MiB to that many times "
        "their stored size at most (default 64)"};

}  // namespace tamis::tools
