// SPDX-License-Identifier: Apache-2.0
#include "bench/cold_disk.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

namespace tamis::bench {
namespace {

namespace fs = std::filesystem;

// Some file systems keep a page or two, such as the one that is being written.
constexpr std::uint64_t kAllowedShare = 100;
constexpr std::uint64_t kAllowedBytes = 64 * 1024;
constexpr std::uint64_t kSectorBytes = 512;  // whatever the disk's own are

class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  int get() const { return file_; }

 private:
  int file_;
};

std::vector<fs::path> FilesBelow(const std::string& dir) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(dir, error), end;
       !error && at != end; at.increment(error)) {
    if (at->is_regular_file(error) && !error) files.push_back(at->path());
  }
  return files;
}

// Only pages that are written already can be dropped.
void DropFile(const fs::path& path) {
  const OpenFile file(path);
  if (file.get() < 0) return;
  ::fdatasync(file.get());
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

bool DropMachine() {
  ::sync();
  std::ofstream out("/proc/sys/vm/drop_caches");
  out << "3" << std::flush;  // pages, and entries of directories
  return static_cast<bool>(out);
}

// How much of a file the page cache holds; all of it, if the kernel does not
// say.
std::uint64_t CachedBytes(const fs::path& path) {
  const OpenFile file(path);
  struct ::stat status = {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return 0;
  void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (map == MAP_FAILED) return size;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((size + page - 1) / page);
  const bool told = ::mincore(map, size, pages.data()) == 0;
  ::munmap(map, size);
  if (!told) return size;
  const auto held = std::count_if(pages.begin(), pages.end(),
                                  [](unsigned char in) { return in & 1; });
  return static_cast<std::uint64_t>(held) * page;
}

struct Cached {
  std::uint64_t cached = 0;
  std::uint64_t bytes = 0;
};

Cached CachedOf(const std::vector<fs::path>& files) {
  Cached sum;
  for (const fs::path& path : files) {
    std::error_code gone;
    const std::uintmax_t size = fs::file_size(path, gone);
    if (gone) continue;
    sum.bytes += size;
    sum.cached += CachedBytes(path);
  }
  return sum;
}

Status CheckCold(const std::vector<fs::path>& files) {
  const auto [cached, bytes] = CachedOf(files);
  if (cached <= std::max(kAllowedBytes, bytes / kAllowedShare)) {
    return Status::Ok();
  }
  return Status::NotSupported(fmt::format(
      "the page cache cannot be dropped here: {} of {} KiB are still in "
      "memory, so nothing cold can be measured; --dir names another place",
      cached / 1024, bytes / 1024));
}

// Returns the device that is mounted as `device`, where that number is one
// that the file system made up.  0: it is on no disk.
dev_t MountedFrom(dev_t device) {
  const std::string number =
      fmt::format("{}:{}", ::major(device), ::minor(device));
  std::ifstream in("/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string mount, parent, id;
    words >> mount >> parent >> id;
    const std::size_t dash = line.find(" - ");
    if (id != number || dash == std::string::npos) continue;
    std::istringstream rest(line.substr(dash + 3));
    std::string type, source;
    rest >> type >> source;
    struct ::stat status = {};
    if (::stat(source.c_str(), &status) == 0 && S_ISBLK(status.st_mode)) {
      return status.st_rdev;
    }
  }
  return 0;
}

std::string PathOf(dev_t device) {
  return fmt::format("/sys/dev/block/{}:{}", ::major(device), ::minor(device));
}

}  // namespace

Result<Drop> DropPageCache(const std::string& dir, Drop drop) {
  const std::vector<fs::path> files = FilesBelow(dir);
  if (drop == Drop::kMachine && !DropMachine()) drop = Drop::kFiles;
  if (drop == Drop::kFiles) {
    for (const fs::path& path : files) DropFile(path);
  }
  if (Status cold = CheckCold(files); !cold.ok()) return cold;
  return drop;
}

double CachedShare(const std::string& dir) {
  const auto [cached, bytes] = CachedOf(FilesBelow(dir));
  return bytes == 0 ? 0
                    : static_cast<double>(cached) / static_cast<double>(bytes);
}

Result<std::uint64_t> BytesReadByProcess() {
  constexpr std::string_view kName = "read_bytes: ";
  std::ifstream in("/proc/self/io");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kName)) return std::stoull(line.substr(kName.size()));
  }
  return Status::NotSupported("/proc/self/io does not count bytes read");
}

Disk Disk::Of(const std::string& dir) {
  Disk disk;
  struct ::stat status = {};
  if (::stat(dir.c_str(), &status) != 0) return disk;
  std::error_code error;
  dev_t device = status.st_dev;
  if (!fs::exists(PathOf(device), error)) device = MountedFrom(device);
  if (device == 0 || !fs::exists(PathOf(device), error)) return disk;
  disk.path_ = PathOf(device);
  disk.name_ = fs::read_symlink(disk.path_, error).filename().string();
  return disk;
}

// A partition has no queue of its own, but that of the disk above it.
std::optional<std::uint64_t> Disk::ReadAheadKibibytes() const {
  for (const char* queue : {"/queue/", "/../queue/"}) {
    std::ifstream in(path_ + queue + "read_ahead_kb");
    std::uint64_t kibibytes = 0;
    if (!path_.empty() && in >> kibibytes) return kibibytes;
  }
  return {};
}

std::optional<Disk::Counters> Disk::Read() const {
  if (path_.empty()) return {};
  std::ifstream in(path_ + "/stat");
  std::uint64_t reads = 0;
  std::uint64_t merged = 0;
  std::uint64_t sectors = 0;
  if (!(in >> reads >> merged >> sectors)) return {};
  return Counters{.reads = reads, .bytes = sectors * kSectorBytes};
}

}  // namespace tamis::bench
