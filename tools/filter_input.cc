// SPDX-License-Identifier: Apache-2.0
#include "filter_input.h"

#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "db_store.h"
#include "filter_args.h"

namespace tamis::tools {
namespace {

std::string_view LastPart(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Returns what to do with a file that is not a filter: "; do this", or nothing.
std::string AdviceFor(std::string_view what) {
  if (what == "text") return "; build a filter from it with 'tamis build'";
  for (const char* packed : {"gzip", "zstd", "xz", "LZ4", "a zip"}) {
    if (what.starts_with(packed)) return "; unpack it first";
  }
  if (what.find("LevelDB") != std::string_view::npos) {
    return "; use 'tamis db' on the directory of the store that it is from";
  }
  if (what.ends_with("of a store")) return "; use 'tamis db' on its directory";
  if (what.find("RocksDB") != std::string_view::npos) {
    return "; this command cannot look inside it yet";
  }
  return "";
}

Status RefuseHolder(const std::string& name, const RecognisedFormat& found) {
  return Status::InvalidArgument(
      fmt::format("{}: is {}, not a bare filter; 'tamis inspect' lists the "
                  "filters in it, and 'tamis query --column' asks them",
                  name, found.holds_filters));
}

// Returns ok unless the contents alone show that the given format is wrong:
// answers from such bytes would hide keys.
Status CheckGiven(const std::string& name, const std::string& format,
                  Slice bytes) {
  const RecognisedFormat found = RecogniseFormat("", bytes);
  if (!found.holds_filters.empty()) return RefuseHolder(name, found);
  if (!found.not_a_filter.empty()) {
    return Status::InvalidArgument(fmt::format("{}: is {}, not a bare filter{}",
                                               name, found.not_a_filter,
                                               AdviceFor(found.not_a_filter)));
  }
  if (found.certainty == Certainty::kCertain && found.spec != format) {
    return Status::InvalidArgument(
        fmt::format("{}: is {} by {}, not {}; leave --format out", name,
                    found.spec, found.reason, format));
  }
  return Status::Ok();
}

// Returns ok if the recognised format is sufficiently certain.
Status CheckRecognised(const std::string& name, Guesses guesses,
                       const RecognisedFormat& recognised) {
  if (recognised.certainty == Certainty::kCertain) return Status::Ok();
  if (!recognised.store_file.empty()) {
    return Status::InvalidArgument(fmt::format(
        "{}: by its name this is {}, not a filter; use 'tamis db' on its "
        "directory, or give --format if it is one all the same",
        name, recognised.store_file));
  }
  if (recognised.certainty == Certainty::kUnknown) {
    return Status::InvalidArgument(fmt::format(
        "{}: not recognised as a filter: {}", name, recognised.reason));
  }
  if (guesses == Guesses::kAccept) return Status::Ok();
  std::string choices = recognised.spec;
  for (const std::string& other : recognised.alternatives) {
    choices += ", " + other;
  }
  return Status::InvalidArgument(
      fmt::format("{}: its format can only be guessed; say which with "
                  "--format (possible: {})",
                  name, choices));
}

Result<MappedFile> OpenBytes(const FilterInputArgs& args) {
  if (args.path.empty()) return Status::InvalidArgument("no file name");
  if (args.path == "-") {
    return MappedFile::Open(fmt::format("/dev/fd/{}", args.standard_input),
                            InputName(args.path));
  }
  if (HasStore(args.path)) {
    return Status::InvalidArgument(
        args.path + ": is a store, not a filter; use 'tamis db' on it");
  }
  return MappedFile::Open(args.path);
}

Status ChooseFormat(const FilterInputArgs& args, Slice bytes,
                    RecognisedFormat* recognised) {
  const std::string name = InputName(args.path);
  if (args.format.empty()) {
    *recognised = RecogniseFormat(LastPart(args.path), bytes);
    if (!recognised->not_a_filter.empty() ||
        !recognised->holds_filters.empty()) {
      return CheckGiven(name, "", bytes);
    }
    return CheckRecognised(name, args.guesses, *recognised);
  }
  *recognised = {Certainty::kCertain, args.format, "--format", {}, "", ""};
  return CheckGiven(name, args.format, bytes);
}

Status MapFile(const FilterInputArgs& args, FilterInput* out) {
  auto file = OpenBytes(args);
  if (!file.ok()) return file.status();
  out->file.emplace(*std::move(file));
  return Status::Ok();
}

Status OpenMapped(const FilterInputArgs& args, FilterInput* out) {
  const Slice bytes = out->file->bytes();
  Status status = ChooseFormat(args, bytes, &out->recognised);
  if (!status.ok()) return status;

  auto policy = MakePolicy(out->recognised.spec);
  if (!policy.ok()) return policy.status();
  out->policy = *std::move(policy);
  auto reader = out->policy->Open(bytes);
  if (!reader.ok()) {
    const Status& why = reader.status();
    if (why.code() == StatusCode::kCorruption) out->damage = why;
    return why.WithMessage(InputName(args.path) + ": " + why.message());
  }
  out->reader = *std::move(reader);
  return Status::Ok();
}

}  // namespace

std::string InputName(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

namespace {

// Replaces the format by one to read with.
Status SortFormat(FilterInputArgs* args) {
  if (args->format.empty()) return Status::Ok();
  auto format = FormatToRead(args->format);
  if (format.ok()) args->format = *format;
  return format.status();
}

}  // namespace

Status OpenFilterInput(const FilterInputArgs& given, FilterInput* out) {
  FilterInputArgs args = given;
  Status status = SortFormat(&args);
  if (status.ok()) status = MapFile(args, out);
  if (!status.ok()) return status;
  status = OpenMapped(args, out);
  // A file that cannot be read is neither damaged nor of another format.
  if (Status read = out->file->status(); !read.ok()) return read;
  return status;
}

Status OpenColumnInput(const FilterInputArgs& given, const ColumnChoice& choice,
                       ColumnInput* out) {
  FilterInputArgs args = given;
  FilterInput input;
  Status status = SortFormat(&args);
  if (status.ok()) status = MapFile(args, &input);
  if (!status.ok()) return status;
  out->file = std::move(input.file);
  const Slice bytes = out->file->bytes();
  const std::string name = InputName(args.path);
  if (!HoldsFilters(args, bytes)) {
    return Status::InvalidArgument(fmt::format(
        "{}: --column and --row-group go with a Parquet file, which this is "
        "not",
        name));
  }
  auto filter = ColumnFilter::Open(bytes, choice);
  if (Status read = out->file->status(); !read.ok()) return read;
  if (!filter.ok()) {
    return Status(filter.status().code(),
                  name + ": " + filter.status().message());
  }
  out->filter = *std::move(filter);
  return Status::Ok();
}

bool HoldsFilters(const FilterInputArgs& args, Slice bytes) {
  return (args.format.empty() || args.format == "parquet") &&
         !RecogniseFormat("", bytes).holds_filters.empty();
}

}  // namespace tamis::tools
