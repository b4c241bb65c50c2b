// bench_filters: size, error rate and speed of every filter of ours beside
// LevelDB's own, measured in one run.

#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "bench/subjects.h"

namespace tamis::bench {
namespace {

constexpr unsigned kBitsPerKey = 10;
constexpr std::uint64_t kMostKeys = std::numeric_limits<int>::max();
constexpr std::size_t kMostKeyBytes = 1024;

struct Options {
  std::vector<std::uint64_t> keys = {1'000'000, 10'000'000};
  std::vector<std::size_t> key_bytes = {16};
  std::vector<std::string> policies = {"bloom:10", "leveldb:10",
                                       "cassandra:oa,10", "lab:10", "md5:10"};
  std::uint64_t queries = 1'000'000;
  unsigned passes = 5;
  bool quick = false;
  bool smoke = false;
  bool json = false;
};

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--keys", options->keys, "Numbers of keys")
      ->check(CLI::Range(std::uint64_t{1}, kMostKeys))
      ->capture_default_str();
  app->add_option("--key-bytes", options->key_bytes, "Lengths of keys")
      ->check(CLI::Range(KeySet::kFewestKeyBytes, kMostKeyBytes))
      ->capture_default_str();
  app->add_option("--policies", options->policies,
                  "What to set beside LevelDB's own policy")
      ->capture_default_str();
  app->add_option("--queries", options->queries, "Queries of each sort")
      ->check(CLI::Range(std::uint64_t{1}, kMostKeys))
      ->capture_default_str();
  app->add_option("--passes", options->passes,
                  "Every figure is the median of that many")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app->add_flag("--quick", options->quick, "One million keys only");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->add_flag("--json", options->json, "Print JSON");
  app->footer(
      "Ends with 1 if a filter does not find a key that is in it.\n"
      "Example:\n  bench_filters --keys 1000000 --key-bytes 8 16");
}

void ApplyPresets(Options* options) {
  if (options->quick) options->keys = {1'000'000};
  if (!options->smoke) return;
  options->keys = {1000, 2000};
  options->key_bytes = {8, 16};
  options->queries = 1000;
  options->passes = 2;
}

Result<std::vector<std::unique_ptr<Subject>>> MakeSubjects(
    const Options& options) {
  std::vector<std::unique_ptr<Subject>> subjects;
  subjects.push_back(NewLevelDbSubject(kBitsPerKey));
  for (const std::string& spec : options.policies) {
    auto subject = NewTamisSubject(spec);
    if (!subject.ok()) return subject.status();
    subjects.push_back(*std::move(subject));
  }
  subjects.push_back(NewFloorSubject(Loads::kIndependent, kBitsPerKey));
  subjects.push_back(NewFloorSubject(Loads::kChained, kBitsPerKey));
  return subjects;
}

// One line on a terminal, which the next one covers.
void ShowProgress(const Plan& plan, unsigned pass, const std::string& subject) {
  if (::isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\x1b[K{} keys, pass {} of {}: {}", plan.keys, pass + 1,
             plan.passes, subject);
}

void ClearProgress() {
  if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\x1b[K");
}

int Fail(const Status& status, int code) {
  ClearProgress();
  fmt::print(stderr, "bench_filters: {}\n", status.message());
  return code;
}

int RunBench(const Options& options) {
  auto subjects = MakeSubjects(options);
  if (!subjects.ok()) return Fail(subjects.status(), 2);
  std::vector<Run> runs;
  for (const std::size_t key_bytes : options.key_bytes) {
    for (const std::uint64_t keys : options.keys) {
      const Plan plan{.keys = keys,
                      .key_bytes = key_bytes,
                      .queries = options.queries,
                      .passes = options.passes};
      auto run = Measure(plan, *subjects, ShowProgress);
      if (!run.ok()) return Fail(run.status(), 1);
      runs.push_back(*std::move(run));
    }
  }
  ClearProgress();
  fmt::print("{}", options.json ? ToJson(runs) : ToText(runs));
  return 0;
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  CLI::App app(
      "Sizes, error rates and speed of filters, beside LevelDB's own policy",
      "bench_filters");
  tamis::bench::Options options;
  tamis::bench::AddOptions(&app, &options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  tamis::bench::ApplyPresets(&options);
  return tamis::bench::RunBench(options);
}
