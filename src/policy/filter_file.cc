#include "tamis/filter_file.h"

#include <memory>
#include <string>
#include <utility>

#include "base/atomic_file.h"
#include "base/mapped_file.h"
#include "tamis/formats.h"

namespace tamis {
namespace {

class MappedFilterFile final : public FilterFile {
 public:
  MappedFilterFile(MappedFile file, std::string spec,
                   std::unique_ptr<const FilterPolicy> policy)
      : file_(std::move(file)),
        spec_(std::move(spec)),
        policy_(std::move(policy)) {}

  // The reader points into the mapping, so it is made once that has come to
  // rest here.
  Status OpenReader() {
    auto reader = policy_->Open(file_.bytes());
    if (!reader.ok()) return reader.status();
    reader_ = *std::move(reader);
    return Status::Ok();
  }

  const FilterReader& reader() const noexcept override { return *reader_; }
  Slice bytes() const noexcept override { return file_.bytes(); }
  std::string_view spec() const noexcept override { return spec_; }

 private:
  // In the order of need: what stands below points to what stands above.
  MappedFile file_;
  std::string spec_;
  std::unique_ptr<const FilterPolicy> policy_;
  std::unique_ptr<const FilterReader> reader_;
};

std::string_view LastPart(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// The spec under which the file can be read with certainty.
Result<std::string> CertainSpec(const std::string& path, Slice bytes) {
  const RecognisedFormat found = RecogniseFormat(LastPart(path), bytes);
  if (found.certainty == Certainty::kCertain) return found.spec;
  if (found.certainty == Certainty::kUnknown) {
    return Status::InvalidArgument(path + ": not recognised as a filter (" +
                                   found.reason + ")");
  }
  std::string message = path + ": may be " + found.spec;
  for (const std::string& other : found.alternatives) message += ", " + other;
  return Status::InvalidArgument(message +
                                 ", which is a guess; name its format");
}

}  // namespace

Result<std::unique_ptr<const FilterFile>> FilterFile::Open(
    const std::string& path, std::string_view spec) {
  auto file = MappedFile::Open(path);
  if (!file.ok()) return file.status();

  std::string chosen(spec);
  if (chosen.empty()) {
    auto certain = CertainSpec(path, file->bytes());
    if (!certain.ok()) return certain.status();
    chosen = *std::move(certain);
  }
  auto policy = MakePolicy(chosen);
  if (!policy.ok()) return policy.status();

  auto opened = std::make_unique<MappedFilterFile>(
      *std::move(file), std::move(chosen), *std::move(policy));
  Status status = opened->OpenReader();
  if (!status.ok()) {
    return Status(status.code(), path + ": " + status.message());
  }
  return std::unique_ptr<const FilterFile>(std::move(opened));
}

Status WriteFilterFile(const std::string& path, Slice bytes,
                       IfExists if_exists) {
  return WriteFileAtomically(
      path, bytes,
      if_exists == IfExists::kReplace ? Overwrite::kYes : Overwrite::kNo);
}

}  // namespace tamis
