// SPDX-License-Identifier: Apache-2.0
#include "store/table_filter_file.h"

#include <optional>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "policy/filter_opener.h"
#include "store/file_names.h"
#include "table/footer.h"

namespace tamis {
namespace {

// In the order of docs/formats/filter-file.md.
constexpr std::string_view kMagic("\x89TFILE\r\n", 8);
// A filter of whole keys alone, which every version reads; and one that has
// prefixes, too.
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kVersionWithPrefixes = 2;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kChecksumBytes = 4;
constexpr std::size_t kMaxNameBytes = 255;

struct Header {
  std::uint32_t version = 0;
  FilterOwner owner;
  std::uint64_t filter_bytes = 0;
  std::uint32_t name_bytes = 0;
  std::uint32_t prefixes_bytes = 0;

  std::size_t names_bytes() const noexcept {
    return std::size_t{name_bytes} + prefixes_bytes;
  }
};

// REQUIRES: kHeaderBytes bytes.  Nothing: the header is damaged.
std::optional<Header> ParseHeader(Slice bytes) noexcept {
  const char* const p = bytes.data();
  const std::size_t covered = kHeaderBytes - kChecksumBytes;
  if (LoadLittle32(p + covered) != Crc32c(bytes.substr(0, covered))) {
    return std::nullopt;
  }
  Header header;
  header.version = LoadLittle32(p + 8);
  header.owner.binding = LoadLittle32(p + 12);
  header.owner.number = LoadLittle64(p + 16);
  header.owner.bytes = LoadLittle64(p + 24);
  header.filter_bytes = LoadLittle64(p + 32);
  header.name_bytes = LoadLittle32(p + 40);
  header.owner.quick_binding = LoadLittle32(p + 44);
  header.owner.modified = LoadLittle64(p + 48);
  // Reserved in the first version.
  if (header.version == kVersionWithPrefixes) {
    header.prefixes_bytes = LoadLittle32(p + 56);
  }
  return header;
}

bool LengthsAreValid(const Header& header, std::uint64_t file_bytes) noexcept {
  return header.name_bytes > 0 && header.name_bytes <= kMaxNameBytes &&
         header.prefixes_bytes <= kMaxNameBytes && header.filter_bytes > 0 &&
         header.filter_bytes <= kMaxBlockBytes &&
         file_bytes == kHeaderBytes + header.names_bytes() +
                           header.filter_bytes + kChecksumBytes;
}

// A header, or which of the states it is in; the message does not name the
// file then.
struct HeaderLook {
  FilterFileState state = FilterFileState::kUsable;
  Status why;  // ok: usable
  Header header = {};
};

HeaderLook LookAtHeader(const ReadableFile& file) {
  std::string scratch;
  const Result<Slice> start = file.ReadAtMost(0, kHeaderBytes, &scratch);
  if (!start.ok()) return {FilterFileState::kUnread, start.status()};
  if (!start->starts_with(kMagic)) {
    return {FilterFileState::kForeign,
            Status::InvalidArgument(
                "it is not a filter of a table, in spite of its name")};
  }
  const std::optional<Header> header =
      start->size() == kHeaderBytes ? ParseHeader(*start) : std::nullopt;
  if (!header) {
    return {FilterFileState::kDamaged,
            Status::Corruption("its header is damaged")};
  }
  if (header->version > kVersionWithPrefixes) {
    return {FilterFileState::kNewer,
            Status::NotSupported("its version is newer")};
  }
  if (header->version < kVersion || !LengthsAreValid(*header, file.size())) {
    return {FilterFileState::kDamaged,
            Status::Corruption("it has a wrong length")};
  }
  return {FilterFileState::kUsable, Status::Ok(), *header};
}

class FilterFileReader {
 public:
  explicit FilterFileReader(const FilterFileQuery& query)
      : query_(query), path_(FilterFileName(query.dir, query.number)) {}

  FilterFileLook Run() {
    Result<std::unique_ptr<ReadableFile>> file =
        query_.env.OpenReadable(path_, false);
    if (file.status().code() == StatusCode::kNotFound) return {};
    if (!file.ok()) return Unread(file.status());
    file_ = *std::move(file);
    return ReadHeader();
  }

 private:
  FilterFileLook ReadHeader();
  FilterFileLook CheckOwner(const Header& header);
  FilterFileLook ReadFilter(const Header& header);
  FilterFileLook Open(Slice name, Slice prefixes, Slice filter);

  FilterFileLook Found(FilterFileState state, const std::string& why) const {
    return {.state = state, .problem = path_ + ": " + why, .filter = nullptr};
  }
  FilterFileLook Unread(const Status& why) const {
    const bool is_named = why.message().starts_with(path_);
    return {.state = FilterFileState::kUnread,
            .problem = is_named ? why.message() : path_ + ": " + why.message(),
            .filter = nullptr};
  }

  const FilterFileQuery& query_;
  const std::string path_;
  std::unique_ptr<ReadableFile> file_;
  std::string body_;
};

FilterFileLook FilterFileReader::ReadHeader() {
  const HeaderLook look = LookAtHeader(*file_);
  if (look.why.ok()) return CheckOwner(look.header);
  if (look.state == FilterFileState::kUnread) return Unread(look.why);
  return Found(look.state, look.why.message());
}

FilterFileLook FilterFileReader::CheckOwner(const Header& header) {
  constexpr const char* kUnfit = "it is the filter of another table";
  if (header.owner.number != query_.number ||
      header.owner.bytes != query_.table_bytes) {
    return Found(FilterFileState::kUnfit, kUnfit);
  }
  // A table that was replaced may agree with the one before in some blocks.
  const bool is_unchanged = header.owner.modified != 0 &&
                            header.owner.modified == query_.table_modified;
  const Result<std::uint32_t> binding =
      query_.binding(is_unchanged ? BoundBlocks::kSome : BoundBlocks::kAll);
  if (!binding.ok()) return Unread(binding.status());
  if (*binding !=
      (is_unchanged ? header.owner.quick_binding : header.owner.binding)) {
    return Found(FilterFileState::kUnfit, kUnfit);
  }
  return ReadFilter(header);
}

FilterFileLook FilterFileReader::ReadFilter(const Header& header) {
  const auto length = static_cast<std::size_t>(file_->size() - kHeaderBytes);
  const Result<Slice> body = file_->Read(kHeaderBytes, length, &body_);
  if (!body.ok()) return Unread(body.status());
  const Slice covered = body->substr(0, length - kChecksumBytes);
  if (LoadLittle32(covered.data() + covered.size()) != Crc32c(covered)) {
    return Found(FilterFileState::kDamaged, "its checksum does not match");
  }
  return Open(covered.substr(0, header.name_bytes),
              covered.substr(header.name_bytes, header.prefixes_bytes),
              covered.substr(header.names_bytes()));
}

FilterFileLook FilterFileReader::Open(Slice name, Slice prefixes,
                                      Slice filter) {
  const FilterPolicy* const preferred = query_.read.filter;
  const std::optional<FilterOpener> opener =
      preferred != nullptr && preferred->name() == name
          ? FilterOpener(*preferred)
          : FilterOpener::ForName(name);
  if (!opener) {
    return Found(FilterFileState::kNewer, "its policy is not known");
  }
  FilterFileLook look;
  // It is in one piece.
  const unsigned divisor = query_.divisor == TableFilter::kAtFirst
                               ? TableFilter::kWholly
                               : query_.divisor;
  look.filter =
      TableFilter::OpenWhole(filter, *opener, query_.read.room, divisor);
  const Status& damage = look.filter->damage();
  if (damage.code() == StatusCode::kResourceExhausted) return Unread(damage);
  if (!damage.ok()) {
    return Found(FilterFileState::kDamaged, damage.message());
  }
  // Of a kind that is not known, it would answer "maybe" to everything.
  if (look.filter->stored().rate >= 1.0) {
    return Found(FilterFileState::kNewer, "it rules no key out");
  }
  look.state = FilterFileState::kUsable;
  look.filter = TableFilter::WithPrefixes(std::move(look.filter), prefixes,
                                          query_.read.prefixes);
  return look;
}

}  // namespace

std::string FilterFileBytes(const FilterOwner& owner, Slice policy,
                            Slice filter, Slice prefixes) {
  std::string bytes(kMagic);
  bytes.reserve(kHeaderBytes + policy.size() + prefixes.size() + filter.size() +
                kChecksumBytes);
  AppendFixed32(&bytes, prefixes.empty() ? kVersion : kVersionWithPrefixes);
  AppendFixed32(&bytes, owner.binding);
  AppendFixed64(&bytes, owner.number);
  AppendFixed64(&bytes, owner.bytes);
  AppendFixed64(&bytes, filter.size());
  AppendFixed32(&bytes, static_cast<std::uint32_t>(policy.size()));
  AppendFixed32(&bytes, owner.quick_binding);
  AppendFixed64(&bytes, owner.modified);
  AppendFixed32(&bytes, static_cast<std::uint32_t>(prefixes.size()));
  AppendFixed32(&bytes, Crc32c(bytes));
  bytes.append(policy);
  bytes.append(prefixes);
  bytes.append(filter);
  AppendFixed32(&bytes, Crc32c(Slice(bytes).substr(kHeaderBytes)));
  return bytes;
}

FilterFileLook ReadFilterFile(const FilterFileQuery& query) {
  return FilterFileReader(query).Run();
}

Result<FilterFileHeader> ReadFilterFileHeader(Env& env,
                                              const std::string& path) {
  Result<std::unique_ptr<ReadableFile>> file = env.OpenReadable(path, false);
  if (!file.ok()) return file.status();
  const HeaderLook look = LookAtHeader(**file);
  if (look.state == FilterFileState::kUnread) return look.why;
  if (!look.why.ok()) {
    return look.why.WithMessage(path + ": " + look.why.message());
  }
  std::string scratch;
  const Result<Slice> name =
      file->Read(kHeaderBytes, look.header.name_bytes, &scratch);
  if (!name.ok()) return name.status();
  return FilterFileHeader{file->size(), look.header.owner, std::string(*name)};
}

bool IsOurFilterFile(Env& env, const std::string& path) {
  const Result<std::unique_ptr<ReadableFile>> file =
      env.OpenReadable(path, false);
  if (!file.ok()) return false;
  std::string scratch;
  const Result<Slice> start = file->ReadAtMost(0, kMagic.size(), &scratch);
  return start.ok() && *start == kMagic;
}

Status RemoveFilterFile(Env& env, const std::string& dir,
                        std::uint64_t number) {
  const std::string path = FilterFileName(dir, number);
  if (!IsOurFilterFile(env, path)) {
    return Status::NotFound(path + ": it is not there, or not ours");
  }
  return env.Remove(path);
}

}  // namespace tamis
