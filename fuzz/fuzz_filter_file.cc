// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a filter file under an arbitrary name, mapped and loaded.
// The input is the name, a line feed, and the bytes.

#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "fuzz/fuzz_support.h"
#include "tamis/filter_file.h"
#include "tamis/formats.h"

namespace tamis::fuzz {
namespace {

namespace fs = std::filesystem;

// A folder of this process, which goes with it.
class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "fuzz-XXXXXX").string();
    Check(::mkdtemp(path.data()) != nullptr, "a folder can be made");
    path_ = path;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string File(const std::string& name) const {
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

// Returns the plain characters of `bytes`, which a format may be recognised by.
std::string NameFrom(Slice bytes) {
  constexpr std::size_t kMaxName = 60;
  std::string name;
  for (const char c : bytes.substr(0, kMaxName)) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
                          c == '_';
    if (is_plain) name += c;
  }
  const bool is_free = !name.empty() && name != "." && name != "..";
  return is_free ? name : "filter";
}

void CheckOpened(const FilterFile& file, Slice bytes) {
  Check(file.status().ok(), "a file that nobody touches can be read");
  Check(file.bytes() == bytes, "a filter file has the bytes of the file");
  const auto policy = PolicyOf(file.spec());
  const auto reader = policy->Open(bytes);
  Check(reader.ok(), "what opens as a file opens as bytes");
  const std::vector<Slice> keys = QuestionsFrom(bytes.substr(0, 2000));
  Check(CheckReader(file.reader(), keys) == AnswersOf(**reader, keys),
        "a file answers as its bytes");
}

void CheckFile(const std::string& path, const std::string& name, Slice bytes) {
  const RecognisedFormat found = RecogniseFormat(name, bytes);
  bool opened_before = false;
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kLoad}) {
    const auto file = FilterFile::Open(path, {}, access);
    Check(access == FileAccess::kMap || file.ok() == opened_before,
          "a file opens the same way mapped and loaded");
    opened_before = file.ok();
    if (!file.ok()) {
      Check(file.status().message().find(path) != std::string::npos,
            "an error names the file");
      continue;
    }
    Check(found.certainty == Certainty::kCertain, "a guess does not open");
    CheckOpened(**file, bytes);
  }
  // Under a format that the caller names a guess will do.
  for (const std::string& spec : found.alternatives) {
    const auto file = FilterFile::Open(path, spec);
    if (file.ok()) CheckOpened(**file, bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const Folder folder;
  const Slice input = AsSlice(data, size);
  const std::size_t end = std::min(input.find('\n'), input.size());
  const std::string name = NameFrom(input.substr(0, end));
  const Slice bytes = input.substr(std::min(end + 1, input.size()));
  const std::string path = folder.File(name);
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  Check(!out.fail(), "a file can be written");
  CheckFile(path, name, bytes);
  ::unlink(path.c_str());
  return 0;
}

}  // namespace tamis::fuzz
