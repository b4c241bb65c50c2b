// SPDX-License-Identifier: Apache-2.0
// bench_build: one very large filter, built in bounded memory, written to a
// file, and queried from a mapping of it.

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/clocks.h"
#include "bench/keys.h"
#include "bench/peak_memory.h"
#include "tamis/filter.h"
#include "tamis/filter_file.h"

namespace tamis::bench {
namespace {

constexpr std::uint64_t kBillion = 1'000'000'000;
constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::size_t kChunk = 16384;
constexpr std::size_t kKeysPerCall = 256;

struct Options {
  std::string policy = "ribbon:8";
  std::uint64_t keys = 0;  // 0: by --quick and --smoke
  std::size_t key_bytes = 8;
  std::uint64_t memory_mebibytes = 2048;
  unsigned threads = 2;
  std::uint64_t queries = 10'000'000;  // of present keys, and of absent ones
  std::string folder;                  // empty: a temporary one
  bool quick = false;
  bool smoke = false;
};

void AddOptions(CLI::App* app, Options* options) {
  constexpr std::uint64_t kMaxKeys = 100 * kBillion;
  app->add_option("--policy", options->policy, "What to build")
      ->capture_default_str();
  app->add_option("--keys", options->keys,
                  "How many (default: a billion; 20 million if --quick)")
      ->check(CLI::Range(std::uint64_t{1}, kMaxKeys));
  app->add_option("--key-bytes", options->key_bytes, "Their length")
      ->check(CLI::Range(KeyChunk::kFewestKeyBytes, std::size_t{1024}))
      ->capture_default_str();
  app->add_option("--memory", options->memory_mebibytes,
                  "MiB that the builder may take above the filter's own size; "
                  "0: no limit")
      ->capture_default_str();
  app->add_option("--threads", options->threads, "Threads of Finish()")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app->add_option("--queries", options->queries,
                  "How many present keys are queried, and how many absent ones")
      ->check(CLI::Range(std::uint64_t{1}, kMaxKeys))
      ->capture_default_str();
  app->add_option("--dir", options->folder,
                  "Where the filter and the builder's temporary file go "
                  "(default: a new folder in the usual place)");
  app->add_flag("--quick", options->quick, "20 million keys");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->footer(
      "Ends with 1 if a key is not found.  The filter is removed again.\n"
      "Example:\n  bench_build --keys 100000000 --threads 1 --dir /var/tmp");
}

void ApplyPresets(Options* options) {
  if (options->smoke) options->queries = 10'000;
  if (options->keys > 0) return;
  options->keys = options->smoke   ? 20'000
                  : options->quick ? 20'000'000
                                   : kBillion;
}

// A bar on a terminal, drawn again whenever it is a percent longer.
class ProgressBar {
 public:
  explicit ProgressBar(std::string_view what)
      : what_(what), shown_(::isatty(STDERR_FILENO) == 1) {
    Show(0);
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }

  void Show(double part) {
    constexpr int kBarWidth = 50;
    const int percent = static_cast<int>(std::clamp(part, 0.0, 1.0) * 100);
    if (!shown_ || percent == percent_) return;
    percent_ = percent;
    const auto full = static_cast<std::size_t>(percent * kBarWidth / 100);
    fmt::print(stderr, "\r\x1b[K{:<8} [{:<{}}] {:3} %", what_,
               std::string(full, '#'), kBarWidth, percent);
    std::fflush(stderr);
  }

 private:
  std::string_view what_;
  bool shown_;
  int percent_ = -1;
};

// A new folder, removed with its contents at the end.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }

  // `parent` empty: $TMPDIR, or /var/tmp, which unlike /tmp is seldom memory.
  Status Make(std::string parent) {
    if (parent.empty()) {
      const char* usual = std::getenv("TMPDIR");
      parent = usual == nullptr ? "/var/tmp" : usual;
    }
    std::string pattern = parent + "/tamis-bench-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      return Status::IoError("cannot make a folder in " + parent);
    }
    path_ = pattern;
    return Status::Ok();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Figures {
  double add_seconds = 0;  // keys are made outside this time
  double finish_seconds = 0;
  double write_seconds = 0;
  std::uint64_t filter_bytes = 0;
  double peak_above = 0;  // bytes above what the process had, and the filter
  double hit = 0;         // ns of the processor, in calls of 256, from the file
  double miss = 0;
  double rate = 0;
};

// Returns the wall time of adding, in seconds.
double AddAll(const Options& options, FilterBuilder* builder) {
  KeyChunk chunk(kChunk, options.key_bytes);
  ProgressBar bar("adding");
  double spent = 0;
  for (std::uint64_t first = 0; first < options.keys; first += kChunk) {
    chunk.FillFrom(first,
                   std::min<std::uint64_t>(kChunk, options.keys - first));
    const double start = WallNanoseconds();
    builder->AddMany(chunk.keys());
    spent += WallNanoseconds() - start;
    bar.Show(static_cast<double>(first) / static_cast<double>(options.keys));
  }
  return spent / 1e9;
}

// Builds the filter, and writes it to `path`.
Status Build(const Options& options, const FilterPolicy& policy,
             const std::string& path, Figures* figures) {
  const auto before = ResidentBytes();
  if (!before.ok()) return before.status();
  std::unique_ptr<ProgressBar> bar;
  auto builder = policy.NewBuilder(
      {.memory_bytes = options.memory_mebibytes << 20,
       .temporary_folder = std::filesystem::path(path).parent_path().string(),
       .threads = options.threads,
       .progress = [&](double part) { bar->Show(part); }});
  figures->add_seconds = AddAll(options, builder.get());

  bar = std::make_unique<ProgressBar>("building");
  std::string filter;
  double start = WallNanoseconds();
  if (Status built = builder->Finish(&filter); !built.ok()) return built;
  figures->finish_seconds = (WallNanoseconds() - start) / 1e9;
  bar.reset();
  const auto peak = PeakResidentBytes();
  if (!peak.ok()) return peak.status();
  figures->filter_bytes = filter.size();
  figures->peak_above = static_cast<double>(*peak) -
                        static_cast<double>(*before) -
                        static_cast<double>(filter.size());

  start = WallNanoseconds();
  Status written = WriteFilterFile(path, filter, IfExists::kFail);
  figures->write_seconds = (WallNanoseconds() - start) / 1e9;
  return written;
}

struct Answers {
  double nanoseconds = 0;  // per key
  std::uint64_t maybes = 0;
};

// Queries present keys, or absent ones.
Answers Ask(const Options& options, const FilterReader& reader, bool in) {
  KeyChunk chunk(kChunk, options.key_bytes);
  std::array<bool, kChunk> found = {};
  ProgressBar bar(in ? "present keys" : "absent keys");
  Answers answers;
  for (std::uint64_t done = 0; done < options.queries; done += kChunk) {
    const auto count = static_cast<std::size_t>(
        std::min<std::uint64_t>(kChunk, options.queries - done));
    if (in) {
      chunk.FillBelow(options.keys, done, count);
    } else {
      chunk.FillFrom(options.keys + done, count);
    }
    const std::span<bool> out(found.data(), count);
    answers.nanoseconds += Timed([&] {
      for (std::size_t i = 0; i < count; i += kKeysPerCall) {
        const std::size_t call = std::min(kKeysPerCall, count - i);
        reader.MayContainMany(chunk.keys().subspan(i, call),
                              out.subspan(i, call));
      }
    });
    answers.maybes +=
        static_cast<std::uint64_t>(std::count(out.begin(), out.end(), true));
    bar.Show(static_cast<double>(done) / static_cast<double>(options.queries));
  }
  answers.nanoseconds /= static_cast<double>(options.queries);
  return answers;
}

Status AskFile(const Options& options, const std::string& path,
               Figures* figures) {
  const auto file = FilterFile::Open(path, {}, FileAccess::kMap);
  if (!file.ok()) return file.status();
  const Answers hits = Ask(options, file->reader(), true);
  if (hits.maybes != options.queries) {
    return Status::Corruption(std::to_string(options.queries - hits.maybes) +
                              " keys that are in were not found in the file");
  }
  const Answers misses = Ask(options, file->reader(), false);
  figures->hit = hits.nanoseconds;
  figures->miss = misses.nanoseconds;
  figures->rate =
      static_cast<double>(misses.maybes) / static_cast<double>(options.queries);
  return Status::Ok();
}

void Print(const Options& options, const FilterPolicy& policy,
           const Figures& figures) {
  const auto keys = static_cast<double>(options.keys);
  const double seconds = figures.add_seconds + figures.finish_seconds;
  fmt::print(
      "{}: {} keys of {} bytes, {} MiB of memory, {} threads\n\n"
      "  built in        {:10.1f} s   {:.1f} ns per key\n"
      "    adding        {:10.1f} s   {:.1f} ns per key\n"
      "    Finish()      {:10.1f} s   {:.1f} ns per key\n"
      "  written in      {:10.1f} s\n"
      "  filter          {:10.1f} MiB {:.3f} bits per key\n"
      "  peak above it   {:10.1f} MiB {:.2f} bytes per key\n",
      options.policy, options.keys, options.key_bytes, options.memory_mebibytes,
      options.threads, seconds, seconds * 1e9 / keys, figures.add_seconds,
      figures.add_seconds * 1e9 / keys, figures.finish_seconds,
      figures.finish_seconds * 1e9 / keys, figures.write_seconds,
      static_cast<double>(figures.filter_bytes) / kMebibyte,
      static_cast<double>(figures.filter_bytes) * 8 / keys,
      figures.peak_above / kMebibyte, figures.peak_above / keys);
  fmt::print(
      "  queried, mapped: {} keys, all found ({:.1f} ns each); of as many "
      "absent keys {:.4f} % maybe ({:.1f} ns each; expected {:.4f} %)\n",
      options.queries, figures.hit, figures.rate * 100, figures.miss,
      policy.Predict(options.keys).false_positive_rate * 100);
}

Status RunBench(const Options& options) {
  const auto policy = MakePolicy(options.policy);
  if (!policy.ok()) return policy.status();
  ScratchFolder folder;
  if (Status made = folder.Make(options.folder); !made.ok()) return made;
  const std::string path = folder.path() + "/large.tamis";
  Figures figures;
  if (Status built = Build(options, **policy, path, &figures); !built.ok()) {
    return built;
  }
  if (Status asked = AskFile(options, path, &figures); !asked.ok()) {
    return asked;
  }
  Print(options, **policy, figures);
  return Status::Ok();
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  CLI::App app(
      "A billion keys into one filter, within a bounded memory and into a file",
      "bench_build");
  tamis::bench::Options options;
  tamis::bench::AddOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  tamis::bench::ApplyPresets(&options);
  const tamis::Status done = tamis::bench::RunBench(options);
  if (done.ok()) return 0;
  fmt::print(stderr, "bench_build: {}\n", done.message());
  return done.code() == tamis::StatusCode::kInvalidArgument ? 2 : 1;
}
