#include "filter_input.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "filter_args.h"

namespace tamis::tools {
namespace {

std::string_view LastPart(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Ok if what was recognised will do.
Status CheckRecognised(const std::string& path, Guesses guesses,
                       const RecognisedFormat& recognised) {
  if (recognised.certainty == Certainty::kCertain) return Status::Ok();
  if (!recognised.not_a_filter.empty()) {
    return Status::InvalidArgument(fmt::format("{}: is {}, not a bare filter",
                                               path, recognised.not_a_filter));
  }
  if (recognised.certainty == Certainty::kUnknown) {
    return Status::InvalidArgument(
        fmt::format("{}: not recognised as a filter; if it is one, name its "
                    "format with --format ({})",
                    path, FormatNames()));
  }
  if (guesses == Guesses::kAccept) return Status::Ok();
  std::string choices = recognised.spec;
  for (const std::string& other : recognised.alternatives) {
    choices += ", " + other;
  }
  return Status::InvalidArgument(
      fmt::format("{}: its format can only be guessed; say which with "
                  "--format (possible: {})",
                  path, choices));
}

}  // namespace

Status OpenFilterInput(const std::string& path, const std::string& format,
                       Guesses guesses, FilterInput* out) {
  auto file = MappedFile::Open(path);
  if (!file.ok()) return file.status();
  out->file.emplace(*std::move(file));
  const Slice bytes = out->file->bytes();

  if (!format.empty()) {
    out->recognised.certainty = Certainty::kCertain;
    out->recognised.spec = format;
    out->recognised.reason = "--format";
  } else {
    out->recognised = RecogniseFormat(LastPart(path), bytes);
    Status status = CheckRecognised(path, guesses, out->recognised);
    if (!status.ok()) return status;
  }

  auto policy = MakePolicy(out->recognised.spec);
  if (!policy.ok()) return policy.status();
  out->policy = *std::move(policy);
  auto reader = out->policy->Open(bytes);
  if (!reader.ok()) {
    return Status(reader.status().code(),
                  path + ": " + reader.status().message());
  }
  out->reader = *std::move(reader);
  return Status::Ok();
}

}  // namespace tamis::tools
