// SPDX-License-Identifier: Apache-2.0
// The commands around filters in files.

#include "command_spec.h"
#include "shared_options.h"
#include "sstable_options.h"

namespace tamis::tools {
namespace {

constexpr OptionSpec kReadFormatOption = {
    .name = "--format",
    .value = "FORMAT",
    .help = "Read every FILE in this format instead of recognising it",
    .kind = ValueKind::kFormat};

constexpr OptionSpec kSizeOptions[] = {
    {.name = "--keys",
     .value = "N",
     .help = "Number of keys: 1000000, 1e6, 10M",
     .required = true},
    kPolicyOption,
    kWriteFormatOption,
    kKindOption,
    kRateOption,
    kBitsOption,
    {.name = "--memory",
     .value = "BYTES",
     .help = "Say what rate a filter of at most so many bytes has: 100M, 64Ki",
     .excludes = "--policy --fpr --bits-per-key"},
    kSizingOption,
    {.name = "--deletes", .help = "Keys will be removed"},
    {.name = "--growth", .help = "More keys may come, and the rate must hold"},
    {.name = "--expiry", .help = "Keys expire by their age"},
    {.name = "--lifetime",
     .value = "TIME",
     .help = "How long the filter is kept: 10min (the default), 1h, 7d"},
    {.name = "--queries",
     .value = "N",
     .help = "Queries per key in that time (default 10)"},
    {.name = "--json", .help = "Print JSON"},
};

constexpr OperandSpec kBuildOperands[] = {
    {.name = "KEYS",
     .help = "Files of keys; '-' or nothing is standard input",
     .kind = ValueKind::kFile,
     .required = false,
     .many = true},
};
constexpr OptionSpec kBuildOptions[] = {
    kOutputOption,
    kPolicyOption,
    kWriteFormatOption,
    kKindOption,
    kRateOption,
    kBitsOption,
    {.name = "--seed",
     .value = "N",
     .help = "Seed of the hash, or 'random' (tamis only)",
     .excludes = "--policy"},
    kSizingOption,
    {.name = "--plan-keys",
     .value = "N",
     .help = "Size the filter for that many keys, whatever comes: filters of "
             "one plan can be merged",
     .excludes = "--policy"},
    {.name = "--parts",
     .value = "N",
     .help = "Divide the keys by hash into N parts, a filter each, in the "
             "directory FILE, which tamis query takes as one filter",
     .excludes = "--part --plan-keys --seed"},
    {.name = "--part",
     .value = "I/N",
     .help = "Make only part I of N, counted from 0, as one of many workers",
     .excludes = "--plan-keys --seed"},
    kHexKeysOption,
    kNulOption,
    kTypeOption,
    {.name = "--memory",
     .value = "BYTES",
     .help = "Bytes to work in, such as 4G; more goes to a temporary file "
             "(ribbon and fuse)"},
    {.name = "--threads",
     .value = "N",
     .help = "Threads that make the filter (ribbon and fuse; default 1)"},
    {.name = "--temp-dir",
     .value = "DIR",
     .help = "Folder of that temporary file (default $TMPDIR, or /var/tmp)",
     .kind = ValueKind::kDirectory},
    kForceOption,
    kSummaryJsonOption,
};

constexpr OperandSpec kQueryOperands[] = {
    {.name = "FILE",
     .help = "The filter, a directory of parts, or a Parquet file with "
             "--column; '-' is standard input",
     .kind = ValueKind::kFile},
    {.name = "KEYS",
     .help = "Files of keys; '-' or nothing is standard input",
     .kind = ValueKind::kFile,
     .required = false,
     .many = true},
};
constexpr OptionSpec kQueryOptions[] = {
    {.name = "--key",
     .letter = 'k',
     .value = "KEY",
     .help = "A key to ask about; may be repeated",
     .repeatable = true,
     .may_be_empty = true},
    {.name = "--format",
     .value = "FORMAT",
     .help = "Read FILE in this format instead of recognising it",
     .kind = ValueKind::kFormat},
    kHexKeysOption,
    kNulOption,
    kTypeOption,
    {.name = "--column",
     .value = "NAME",
     .help = "Ask the filters of this column of a Parquet file"},
    {.name = "--row-group",
     .value = "N",
     .help = "Only that of this row group, counted from 0"},
    {.name = "--range",
     .help = "KEYS are the ends of a range, both included, or one file of "
             "ranges: the ends with a tab between them",
     .excludes = "--key --column --row-group"},
    {.name = "--prefix",
     .help = "Keys are prefixes: may any key start with them?",
     .excludes = "--range --column --row-group"},
    {.name = "--prefix-extractor",
     .value = "EXTRACTOR",
     .help = "With --prefix: the prefixes that a filter of RocksDB has, as "
             "fixed=8 or the name that its table stores"},
    {.name = "--only",
     .value = "ANSWER",
     .help = "Print only these answers",
     .kind = ValueKind::kAnswer},
    {.name = "--json", .help = "Print one JSON object per key"},
};

constexpr OperandSpec kInspectOperands[] = {
    {.name = "FILE",
     .help = "Filters, Parquet files, tables or directories of other "
             "engines; '-' is standard input",
     .kind = ValueKind::kFile,
     .many = true},
};
constexpr OptionSpec kInspectOptions[] = {
    kReadFormatOption,
    {.name = "--json", .help = "Print a JSON array"},
};

constexpr OperandSpec kMergeOperands[] = {
    {.name = "FILE",
     .help = "Filters, two or more",
     .kind = ValueKind::kFile,
     .many = true},
};
constexpr OptionSpec kMergeOptions[] = {
    kOutputOption,
    {.name = "--intersect",
     .help = "Keys of all inputs, approximately, instead of any"},
    kReadFormatOption,
    kForceOption,
    kSummaryJsonOption,
};

constexpr OperandSpec kMutableOperand = {
    .name = "FILE",
    .help = "The filter, of the tamis format",
    .kind = ValueKind::kFile};
constexpr OptionSpec kInPlaceOption = {
    .name = "--output",
    .letter = 'o',
    .value = "FILE",
    .help = "File to write instead of FILE; '-' is standard output",
    .kind = ValueKind::kFile};
constexpr OptionSpec kInPlaceForceOption = {
    .name = "--force", .letter = 'f', .help = "Overwrite what -o names"};

constexpr OperandSpec kAddOperands[] = {
    kMutableOperand,
    {.name = "KEYS",
     .help = "Files of keys; '-' or nothing is standard input",
     .kind = ValueKind::kFile,
     .required = false,
     .many = true},
};
constexpr OptionSpec kAddOptions[] = {
    {.name = "--key",
     .letter = 'k',
     .value = "KEY",
     .help = "A key; may be repeated",
     .repeatable = true,
     .may_be_empty = true},
    kHexKeysOption,
    kNulOption,
    kTypeOption,
    kInPlaceOption,
    kInPlaceForceOption,
    kSummaryJsonOption,
};

constexpr OperandSpec kRotateOperands[] = {kMutableOperand};
constexpr OptionSpec kRotateOptions[] = {kInPlaceOption, kInPlaceForceOption,
                                         kSummaryJsonOption};

constexpr OperandSpec kFoldOperands[] = {
    {.name = "FILE",
     .help = "A bloom, splitblock or classic filter of the tamis format",
     .kind = ValueKind::kFile},
};
constexpr OptionSpec kFoldOptions[] = {
    kOutputOption,
    {.name = "--divisor",
     .value = "N",
     .help = "Divide the size by this; it must divide the number of lines"},
    {.name = "--fpr",
     .value = "RATE",
     .help = "As small as this rate of false positives allows",
     .excludes = "--divisor"},
    kForceOption,
    kSummaryJsonOption,
};

constexpr OperandSpec kRedisOperands[] = {
    {.name = "ACTION",
     .help = "push, pull or query",
     .kind = ValueKind::kRedisAction},
    {.name = "WHAT",
     .help = "push: the filter's file; pull and query: its name in Redis",
     .kind = ValueKind::kFile},
    {.name = "MORE",
     .help = "push: its name in Redis (default: that of the file, without "
             ".tamis); query: files of keys, where '-' or nothing is standard "
             "input",
     .kind = ValueKind::kFile,
     .required = false,
     .many = true},
};
constexpr OptionSpec kRedisOptions[] = {
    {.name = "--server",
     .letter = 's',
     .value = "ADDRESS",
     .help = "HOST:PORT of the server, or of a node of the cluster (default "
             "127.0.0.1:6379)"},
    {.name = "--user",
     .value = "NAME",
     .help = "User to log in as; the password is in $REDISCLI_AUTH"},
    {.name = "--parts",
     .value = "N",
     .help = "push: so many parts (default: as few as have at most 64 MiB)"},
    {.name = "--replace",
     .help = "push: replace a filter that was pushed under this name"},
    {.name = "--output",
     .letter = 'o',
     .value = "FILE",
     .help = "pull: file to write (default: NAME.tamis); '-' is standard "
             "output",
     .kind = ValueKind::kFile},
    kForceOption,
    {.name = "--key",
     .letter = 'k',
     .value = "KEY",
     .help = "query: a key to ask about; may be repeated",
     .repeatable = true,
     .may_be_empty = true},
    kHexKeysOption,
    kNulOption,
    kTypeOption,
    {.name = "--only",
     .value = "ANSWER",
     .help = "query: print only these answers",
     .kind = ValueKind::kAnswer},
};

constexpr OperandSpec kDedupeOperands[] = {
    {.name = "FILE",
     .help = "Files of lines; '-' or nothing is standard input",
     .kind = ValueKind::kFile,
     .required = false,
     .many = true},
};
constexpr OptionSpec kDedupeOptions[] = {
    {.name = "--keys",
     .value = "N",
     .help = "Distinct lines to plan for (default 1,000,000)"},
    {.name = "--fpr",
     .value = "RATE",
     .help = "Share of new lines that may be lost (default 0.001)"},
    {.name = "--policy",
     .value = "POLICY",
     .help = "The filter: bloom:12, scalable:fpr=0.001, cuckoo:16, ...; one "
             "that keys can be added to",
     .kind = ValueKind::kPolicy,
     .excludes = "--fpr"},
    {.name = "--null",
     .letter = '0',
     .help = "Lines end in a NUL byte instead of a newline"},
    {.name = "--stats",
     .help = "Tell about the filter, too",
     .excludes = "--quiet"},
    {.name = "--json",
     .help = "The count at the end as JSON, on standard error"},
};

constexpr CommandSpec kFilterCommands[] = {
    {.name = "size",
     .summary = "Predict what a filter would cost, and its rate",
     .operands = {},
     .options = kSizeOptions,
     .notes = "Without --format and --kind, advice follows the table: the kind "
              "that costs least in memory and time.",
     .examples = "tamis size --keys 10M --fpr 0.1% --lifetime 7d\n"
                 "tamis size --keys 10M --memory 16Mi"},
    {.name = "build",
     .summary = "Make a filter from keys, one per line",
     .operands = kBuildOperands,
     .options = kBuildOptions,
     .notes = "A key that comes more than once counts once; the summary says "
              "how many lines and how many distinct keys there were.",
     .examples = "tamis build words.txt -o words.tamis --fpr 1%\n"
                 "tamis build *.txt -o words.tamis --policy ribbon:fpr=0.01"},
    {.name = "query",
     .summary = "Ask a filter about keys, one per line",
     .operands = kQueryOperands,
     .options = kQueryOptions,
     .notes = "Prints 'maybe' or 'no' (certainly absent), a tab and the key, "
              "which ends as the keys do.  On a terminal, control characters "
              "of the key are escaped as 'tamis db scan' does it.\n"
              "Exit code: 0 if any key is a maybe, 1 if none is, 2 on errors.",
     .examples = "tamis query words.tamis -k apple -k pear\n"
                 "tamis query table.parquet --column id -k 42\n"
                 "tamis query ids.tamis --range user:7 user:8\n"
                 "tamis query ids.tamis --prefix -k user:7:"},
    {.name = "inspect",
     .summary = "Show what filter files hold and whether they are well",
     .operands = kInspectOperands,
     .options = kInspectOptions,
     .notes =
         "Verdicts: ok, saturated, oversized, empty, damaged, unknown.\n"
         "Exit code: 1 if a file is damaged or saturated, 2 if one cannot be "
         "read or recognised.",
     .examples = "tamis inspect words.tamis"},
    {.name = "scan",
     .summary = "Show what the filters of other engines' tables are worth",
     .operands = kSstableOperands,
     .options = kSstableScanOptions,
     .notes =
         "Reads filters and metadata, and no data.  Changes nothing.\n"
         "Exit code: 0 if all is well, 1 if a filter needs attention, 2 on "
         "wrong use, 3 if something could not be read.",
     .examples = "tamis scan /var/lib/cassandra/data\n"
                 "tamis scan --only saturated db"},
    {.name = "verify",
     .summary = "Prove that no filter hides a stored key, or name the key",
     .operands = kSstableOperands,
     .options = kVerifyOptions,
     .notes =
         "Reads every key that is stored and asks its filter, verifies the "
         "checksums of all blocks on the way, and measures the rate with "
         "absent keys of the same shape.  Changes nothing.\n"
         "Exit code: 0 if no key is hidden, 1 if one is, 2 on wrong use, 3 if "
         "something could not be read.",
     .examples = "tamis verify db"},
    {.name = "whatif",
     .summary = "Show what other filters of such tables would cost and save",
     .operands = kSstableOperands,
     .options = kWhatIfOptions,
     .notes = "Without a size, several rates are shown.  Reads filters and "
              "metadata, "
              "and data only with --count.  Changes nothing.\n"
              "Exit code: as for 'tamis scan'.",
     .examples = "tamis whatif --fpr 0.1% db\n"
                 "tamis whatif --memory 64Mi db"},
    {.name = "probe",
     .summary = "Show which tables are read for a key, why, and what is there",
     .operands = kProbeOperands,
     .options = kProbeOptions,
     .notes =
         "Tables are shown in the order in which the engine comes to them.  "
         "Changes nothing.\n"
         "Exit code: 0 if all is well, 1 if a filter hides a key, 2 on wrong "
         "use, 3 if something could not be read.",
     .examples = "tamis probe db user4711\n"
                 "tamis probe --hex db 0001ff"},
    {.name = "watch",
     .summary =
         "Write what the filters of such tables are worth for Prometheus",
     .operands = kSstableOperands,
     .options = kWatchOptions,
     .notes =
         "For a cron job and the textfile collector of Prometheus.  The file "
         "is replaced as a whole.\n"
         "Exit code: as for 'tamis scan'; the file is written with 0, 1 and 3.",
     .examples = "tamis watch /var/lib/cassandra/data --prom "
                 "/var/lib/node_exporter/filters.prom"},
    {.name = "report",
     .summary = "Write a page about the filters of other engines' tables",
     .operands = kSstableOperands,
     .options = kReportOptions,
     .notes =
         "One file of HTML to open in a browser or to attach to a ticket; it "
         "loads nothing from anywhere.  Reads filters and metadata, and no "
         "data.  Changes nothing else.\n"
         "Exit code: as for 'tamis scan'; the page is written with 0, 1 and 3, "
         "unless a PATH cannot be read at all.",
     .examples = "tamis report /var/lib/cassandra/data -o report.html"},
    {.name = "rebuild",
     .summary = "Give tables new filters, without a compaction",
     .operands = kRebuildOperands,
     .options = kRebuildOptions,
     .notes =
         "The database must be closed.  Its data is not touched.  Without a "
         "size, a kind and --only, the filters that need attention are "
         "rebuilt, "
         "with the size that the engine would choose.\n"
         "New files are complete, synced and checked against every key before "
         "they replace old ones, which are then kept in the directory "
         "tamis-rebuild: remove it when all is well, or use --undo.\n"
         "Exit code: 0 if all was done, 1 if something was refused, 2 on wrong "
         "use, 3 if something could not be read or written.",
     .examples = "tamis rebuild db --dry-run\n"
                 "tamis rebuild db --in-place --only damaged\n"
                 "tamis rebuild db --in-place --fpr 0.1%\n"
                 "tamis rebuild db --undo"},
    {.name = "merge",
     .summary = "Combine filters of equal parameters into one",
     .operands = kMergeOperands,
     .options = kMergeOptions,
     .notes = "Filters can be merged if they were built for the same number of "
              "keys, at the same rate; ribbon, fuse, cuckoo, scalable and "
              "rotating filters cannot.",
     .examples = "tamis build monday.txt -o monday.tamis --plan-keys 10M\n"
                 "tamis build tuesday.txt -o tuesday.tamis --plan-keys 10M\n"
                 "tamis merge monday.tamis tuesday.tamis -o week.tamis"},
    {.name = "add",
     .summary = "Add keys to a filter that is there",
     .operands = kAddOperands,
     .options = kAddOptions,
     .notes =
         "Ribbon and fuse filters need all their keys at once and take no "
         "more.\n"
         "A key that is maybe in a bloom, splitblock or classic filter already "
         "needs no adding: it is counted apart, and not as one more key of "
         "it.\n"
         "On any error the file stays as it was.  Commands that change one "
         "file at once wait for each other.",
     .examples = "tamis add words.tamis new.txt"},
    {.name = "remove",
     .summary = "Remove keys from a filter",
     .operands = kAddOperands,
     .options = kAddOptions,
     .notes = "For counting and cuckoo filters.  Remove only what was added: a "
              "key that was never added but looks like one that was may take "
              "that one with it.\n"
              "Exit code: 1 if some keys were certainly not in (the others are "
              "removed), 2 on errors, and the file is then as it was.",
     .examples = "tamis remove words.tamis -k apple"},
    {.name = "rotate",
     .summary = "Let the oldest keys of a filter expire",
     .operands = kRotateOperands,
     .options = kRotateOptions,
     .notes = "For rotating filters: begins a new generation and drops the "
              "oldest.",
     .examples = "tamis rotate last-hours.tamis"},
    {.name = "fold",
     .summary = "Make a filter smaller, without its keys",
     .operands = kFoldOperands,
     .options = kFoldOptions,
     .notes = "No key is lost; the rate climbs.\n"
              "Exit code: 1 if no fold keeps the rate of --fpr; nothing is "
              "written.",
     .examples = "tamis fold large.tamis -o small.tamis --fpr 1%"},
    {.name = "dedupe",
     .summary = "Pass each line on at its first sighting only",
     .operands = kDedupeOperands,
     .options = kDedupeOptions,
     .notes = "A line that looks as if seen before is dropped; so are a few "
              "new ones, at the rate --fpr.",
     .examples = "tail -f urls.log | tamis dedupe --keys 10M > new-urls.txt"},
    {.name = "redis",
     .summary = "Push filters to Redis, pull them back, and ask them there",
     .operands = kRedisOperands,
     .options = kRedisOptions,
     .notes = "For a server or a cluster with the module redis_tamis.  A large "
              "filter is divided by the hash of its keys into parts NAME#0, "
              "NAME#1, ..., which a cluster has on its nodes; NAME itself says "
              "how.  push changes nothing that it did not push before.\n"
              "Exit code: 0 fine, 1 if query has no maybe, 2 on errors.",
     .examples = "tamis redis push words.tamis --server 10.0.0.7:6379\n"
                 "tamis redis query words -k apple\n"
                 "tamis redis pull words -o copy.tamis"},
};

constexpr GroupSpec kWhole = {
    .name = "",
    .summary = "Filters for storage engines: build, query and inspect them",
    .notes =
        "Exit code: 0 fine, 1 a negative answer or verdict, 2 wrong use "
        "or unreadable input.",
    .examples =
        "tamis build words.txt -o words.tamis --fpr 1%\n"
        "tamis query words.tamis -k apple\n"
        "tamis inspect words.tamis"};

}  // namespace

std::span<const CommandSpec> FilterCommands() { return kFilterCommands; }

const GroupSpec& WholeCommand() { return kWhole; }

}  // namespace tamis::tools
