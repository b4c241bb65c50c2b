// SPDX-License-Identifier: Apache-2.0
// The commands of `tamis db`.

#include "command_spec.h"
#include "shared_options.h"

namespace tamis::tools {
namespace {

constexpr OperandSpec kStoreOnly[] = {kStoreOperand};
constexpr OperandSpec kStoreAndKey[] = {kStoreOperand, kKeyOperand};

constexpr OperandSpec kPutOperands[] = {
    kStoreOperand,
    kKeyOperand,
    {.name = "VALUE",
     .help = "The value, unless --value-file is given",
     .required = false}};
constexpr OptionSpec kPutOptions[] = {
    {.name = "--value-file",
     .value = "FILE",
     .help = "The value is what this file holds; '-' is standard input",
     .kind = ValueKind::kFile},
    kHexPairsOption,
    kCreateOption,
    kSyncOption,
    kFilterOption,
    kStorePolicyOption,
    kBlockFilterOption,
    kRangeFilterOption,
    kPrefixExtractorOption,
    kCompressionOption,
    kRememberOption,
};

constexpr OperandSpec kGetOperands[] = {
    kStoreOperand, {.name = "KEY", .help = "The keys", .many = true}};
constexpr OptionSpec kGetOptions[] = {
    kHexPairsOption,
    {.name = "--raw",
     .help = "The bytes of the value and nothing else, no newline"},
    {.name = "--json",
     .help = "Print a JSON object for each key",
     .excludes = "--raw"},
};

constexpr OptionSpec kDeleteOptions[] = {
    kHexPairsOption,        kSyncOption,        kFilterOption,
    kStorePolicyOption,     kBlockFilterOption, kRangeFilterOption,
    kPrefixExtractorOption, kCompressionOption, kRememberOption,
};

constexpr OptionSpec kScanOptions[] = {
    kFromOption,
    kToOption,
    kPrefixOption,
    {.name = "--limit", .value = "N", .help = "At most that many"},
    {.name = "--reverse", .help = "The same range from its end to its start"},
    {.name = "--keys-only", .help = "Print no values"},
    kHexPairsOption,
    {.name = "--binary",
     .help = "Lengths and bytes instead of lines; see load",
     .excludes = "--hex --json --keys-only"},
    {.name = "--json", .help = "Print one JSON object per pair"},
};

constexpr OptionSpec kCountOptions[] = {
    kFromOption,       kToOption,
    kPrefixOption,     {.name = "--hex", .help = "Keys are hexadecimal digits"},
    kObjectJsonOption,
};

constexpr OperandSpec kLoadOperands[] = {
    kStoreOperand,
    {.name = "FILE",
     .help = "File of pairs; '-' or nothing is standard input",
     .kind = ValueKind::kFile,
     .required = false},
};
constexpr OptionSpec kLoadOptions[] = {
    kHexPairsOption,
    {.name = "--binary",
     .help = "For each pair the lengths of key and value, 32 bits each, "
             "little-endian, then the key and the value",
     .excludes = "--hex --json-lines"},
    {.name = "--json-lines",
     .help = "One JSON object per pair, as scan --json prints them"},
    kCreateOption,
    kSyncOption,
    kFilterOption,
    kStorePolicyOption,
    kBlockFilterOption,
    kRangeFilterOption,
    kPrefixExtractorOption,
    kCompressionOption,
    kRememberOption,
    {.name = "--json",
     .help = "Print the count as JSON (of the input: --json-lines)"},
};

constexpr OptionSpec kSampleOption = {
    .name = "--sample",
    .value = "N",
    .help =
        "Look up so many absent keys, and show how often filters were wrong"};

constexpr OptionSpec kStatsOptions[] = {
    kSampleOption,
    kObjectJsonOption,
    {.name = "--prometheus",
     .help = "Print the text format of Prometheus",
     .excludes = "--json"},
};

constexpr OptionSpec kAdviseOptions[] = {
    {.name = "--memory",
     .value = "BYTES",
     .help = "Show how so much memory would be divided (16Mi, 1e6)"},
    kObjectJsonOption,
};

constexpr OptionSpec kFiltersOptions[] = {
    {.name = "--policy",
     .value = "POLICY",
     .help = "The filter that tables should have: bloom:12, ribbon:8, ... "
             "(default: as the store remembers, or bloom:10)",
     .kind = ValueKind::kPolicy},
    {.name = "--memory",
     .value = "BYTES",
     .help = "Divide so much memory over all filters (16Mi, 1e6)",
     .excludes = "--policy"},
    {.name = "--remove",
     .help = "Remove the files instead",
     .excludes = "--policy --memory"},
    {.name = "--dry-run", .help = "Say what would be done, and change nothing"},
    kObjectJsonOption,
};

constexpr OptionSpec kCompactOptions[] = {
    kFromOption,
    kToOption,
    kHexPairsOption,
    kFilterOption,
    kStorePolicyOption,
    kBlockFilterOption,
    kRangeFilterOption,
    kPrefixExtractorOption,
    kCompressionOption,
    kRememberOption,
    {.name = "--json", .help = "Print the sizes as JSON"},
};

constexpr OptionSpec kCheckOptions[] = {kGrowthOption, kObjectJsonOption};

constexpr OptionSpec kRepairOptions[] = {
    kFilterOption,
    kStorePolicyOption,
    kCompressionOption,
    kGrowthOption,
    {.name = "--dry-run", .help = "Say what would be done, and change nothing"},
    kObjectJsonOption,
};

constexpr OptionSpec kExplainOptions[] = {
    kSampleOption,
    kHexPairsOption,
    {.name = "--json", .help = "Print the steps as JSON"},
};

constexpr OperandSpec kDumpOperands[] = {
    {.name = "FILE",
     .help =
         "A table, log, manifest or filter, under the name that it has in a "
         "store, or the directory of one",
     .kind = ValueKind::kFile},
};
constexpr OptionSpec kDumpOptions[] = {
    {.name = "--limit", .value = "N", .help = "At most that many entries"},
    {.name = "--keys-only", .help = "Print no values"},
    kHexPairsOption,
    {.name = "--json", .help = "Print one JSON object per line"},
};

constexpr OptionSpec kDestroyOptions[] = {
    {.name = "--yes", .help = "Yes, remove it"},
    {.name = "--lost", .help = "Remove lost/, too: what repair has put aside"},
    {.name = "--json", .help = "Print what stayed as JSON"},
};

constexpr CommandSpec kStoreCommands[] = {
    {.name = "db put",
     .summary = "Store a value under a key",
     .operands = kPutOperands,
     .options = kPutOptions,
     .notes = "",
     .examples = "tamis db put fruit.db apple red --create\n"
                 "tamis db put photos.db me.png --value-file me.png"},
    {.name = "db get",
     .summary = "Print the value of a key",
     .operands = kGetOperands,
     .options = kGetOptions,
     .notes = "Of several keys each is printed with its value, as scan does "
              "it.  On a terminal, control characters of the value are escaped "
              "as scan does it.\n"
              "Exit code: 0 if all keys are there, 1 if one is not, 2 on "
              "errors.",
     .examples = "tamis db get fruit.db apple\n"
                 "tamis db get fruit.db apple pear plum"},
    {.name = "db delete",
     .summary = "Delete a key, whether it exists or not",
     .operands = kStoreAndKey,
     .options = kDeleteOptions,
     .notes = "",
     .examples = "tamis db delete fruit.db apple"},
    {.name = "db scan",
     .summary = "Print keys and values in order",
     .operands = kStoreOnly,
     .options = kScanOptions,
     .notes =
         "Prints the key, a tab and the value on a line.  Newlines, tabs, "
         "carriage returns and backslashes in them are written \\n \\t \\r "
         "\\\\, other control characters and bytes that are not UTF-8 \\xNN; "
         "load reads it back.",
     .examples = "tamis db scan fruit.db --from a --to b --limit 10\n"
                 "tamis db scan users.db --prefix user: --keys-only"},
    {.name = "db count",
     .summary = "Count the keys",
     .operands = kStoreOnly,
     .options = kCountOptions,
     .notes = "Reads every key of the range, and prints how many there are.",
     .examples = "tamis db count users.db --prefix user:"},
    {.name = "db load",
     .summary = "Store many pairs, as scan prints them",
     .operands = kLoadOperands,
     .options = kLoadOptions,
     .notes =
         "A line is a key, a tab and a value, with the escapes of scan.  What "
         "is no such line ends it; the pairs before are stored, and the "
         "message says how many.  With --create a store is made once the first "
         "pair has come, and none if there is no pair.",
     .examples = "tamis db scan old.db | tamis db load new.db --create"},
    {.name = "db stats",
     .summary = "Tables, filters and files of a store",
     .operands = kStoreOnly,
     .options = kStatsOptions,
     .notes = "What counts lookups and writes counts those of one opening: "
              "here it is zero, but for the lookups of --sample.  A program "
              "that has the store open gets the same texts from the library.",
     .examples = "tamis db stats fruit.db"},
    {.name = "db advise",
     .summary = "What the filters cost and save, and would with other memory",
     .operands = kStoreOnly,
     .options = kAdviseOptions,
     .notes =
         "Counts the sorted runs that a lookup of a missing key reads in vain: "
         "now, with the same bits per key for all, and with the memory divided "
         "so that they are fewest.  Reads indexes and filters only, and writes "
         "nothing.",
     .examples = "tamis db advise fruit.db --memory 16Mi"},
    {.name = "db filters",
     .summary = "Give tables better filters without rewriting them",
     .operands = kStoreOnly,
     .options = kFiltersOptions,
     .notes =
         "Tables whose filter is missing, damaged, one of LevelDB's, or of "
         "another kind or size get one in a file beside them.  LevelDB ignores "
         "these files.  Every block of such a table is read and verified; of a "
         "table that is damaged no filter is made.\n"
         "Exit code: 0 if all filters are as required, 1 if one could not be "
         "made, 2 on errors.",
     .examples = "tamis db filters fruit.db --dry-run\n"
                 "tamis db filters fruit.db --memory 16Mi"},
    {.name = "db compact",
     .summary = "Merge the tables, dropping what is overwritten or deleted",
     .operands = kStoreOnly,
     .options = kCompactOptions,
     .notes = "Tables whose filter or compression is another than requested "
              "here, or than the store remembers, are rewritten wherever they "
              "are.",
     .examples = "tamis db compact fruit.db --filter bloom:14"},
    {.name = "db check",
     .summary = "Read everything and verify it",
     .operands = kStoreOnly,
     .options = kCheckOptions,
     .notes =
         "Verifies every checksum, the order of the keys, and that no filter "
         "denies a key of its table.  Writes nothing.\n"
         "Exit code: 0 if all is well, 1 if there are problems, 2 on errors; "
         "one of these is that a file may not be read, or that there is no "
         "memory for it: then nothing is said about the store.",
     .examples = "tamis db check fruit.db"},
    {.name = "db repair",
     .summary = "Make a damaged store open again",
     .operands = kStoreOnly,
     .options = kRepairOptions,
     .notes =
         "Keeps the tables that the manifest names and that are whole, writes "
         "anew what can be read of the others and of the logs, and moves what "
         "is damaged or not needed any more to DIR/lost.  Where the manifest "
         "cannot be read, all tables are taken: keys that were deleted may "
         "come back, and this is said.  Look with --dry-run, and copy the "
         "directory, first.  A store in which nothing is damaged stays as it "
         "is.  So does one of which a file may not be read, or not be unpacked "
         "for lack of memory, and a directory in which nothing is recognised: "
         "these are errors.\n"
         "Exit code: 0 if nothing was lost, 1 if something was or may have "
         "come back, 2 on errors.",
     .examples = "tamis db repair fruit.db --dry-run"},
    {.name = "db explain",
     .summary = "Draw the read path of one lookup",
     .operands = kStoreAndKey,
     .options = kExplainOptions,
     .notes = "Shows which tables may hold the key, what their filters say, "
              "and what had to be read.\n"
              "Exit code: 0 if the key is there, 1 if it is not, 2 on errors.",
     .examples = "tamis db explain fruit.db apple"},
    {.name = "db dump",
     .summary = "Print what a file of a store holds",
     .operands = kDumpOperands,
     .options = kDumpOptions,
     .notes =
         "Of a table and a log every entry is printed: its sequence number, "
         "'put' or 'delete', the key and the value, with the escapes of scan; "
         "of a manifest every change of the set of tables.  Older versions and "
         "deletions are among them.  Of a filter beside a table: what it is, "
         "and whether it fits.  Of a directory: what each file is.  Writes "
         "nothing, and takes no lock.\n"
         "Exit code: 0 if all could be read, 1 if a part is damaged, 2 on "
         "errors.",
     .examples = "tamis db dump fruit.db/000005.ldb\n"
                 "tamis db dump fruit.db/MANIFEST-000004 --json"},
    {.name = "db destroy",
     .summary = "Remove a store and all it holds",
     .operands = kStoreOnly,
     .options = kDestroyOptions,
     .notes = "Files that are not the store's stay, and the directory with "
              "them; so does lost/, unless --lost is given.",
     .examples = "tamis db destroy fruit.db --yes"},
};

constexpr GroupSpec kGroup = {
    .name = "db",
    .summary = "Read, write, check and explain a store in LevelDB's format",
    .notes =
        "Only put and load create a store, and only with --create.  get, "
        "scan, count, stats, advise, check and explain write nothing and take "
        "no lock. "
        " "
        "A key that begins with '-' goes after '--'.  Most commands "
        "have --json; 'tamis db COMMAND --help' tells more.",
    .examples =
        "tamis db put fruit.db apple red --create\n"
        "tamis db get fruit.db apple\n"
        "tamis db explain fruit.db apple"};

}  // namespace

std::span<const CommandSpec> StoreCommands() { return kStoreCommands; }

const GroupSpec& StoreGroup() { return kGroup; }

}  // namespace tamis::tools
