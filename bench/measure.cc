#include "bench/measure.h"

#include <time.h>
#include <algorithm>

namespace tamis::bench {
namespace {

struct KeySets {
  explicit KeySets(const Plan& plan)
      : in(NumbersFrom(0, plan.keys), plan.key_bytes),
        hits(NumbersBelow(plan.keys, plan.queries), plan.key_bytes),
        misses(NumbersFrom(plan.keys, plan.queries), plan.key_bytes) {}

  KeySet in;
  KeySet hits;
  KeySet misses;
};

// The processor time of this thread: what others take of the machine
// meanwhile does not count, though they still compete for its caches.
double NanosecondsUsed() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 +
         static_cast<double>(now.tv_nsec);
}

// Runs `work` and notes its time, shared out over so many keys.
template <typename Work>
auto Timed(std::vector<double>* passes, std::uint64_t keys, const Work& work) {
  const double start = NanosecondsUsed();
  auto result = work();
  passes->push_back((NanosecondsUsed() - start) / static_cast<double>(keys));
  return result;
}

Status CheckCounts(const Row& row, std::uint64_t hits, std::uint64_t all) {
  if (!row.is_filter || hits == all) return Status::Ok();
  return Status::Corruption(row.name + ": " + std::to_string(all - hits) +
                            " keys that are in were not found");
}

Status AskMany(const Subject& subject, const KeySets& sets, Row* row) {
  if (!subject.has_batches()) return Status::Ok();
  Timed(&row->passes[kMissMany], sets.misses.size(),
        [&] { return subject.CountMaybeMany(sets.misses); });
  const std::uint64_t hits =
      Timed(&row->passes[kHitMany], sets.hits.size(),
            [&] { return subject.CountMaybeMany(sets.hits); });
  return CheckCounts(*row, hits, sets.hits.size());
}

// One pass of one subject.
Status RunPass(Subject* subject, const KeySets& sets, Row* row) {
  subject->Prepare(sets.in);
  Status built = Timed(&row->passes[kBuild], sets.in.size(),
                       [&] { return subject->Build(); });
  if (!built.ok()) return built;
  // What a store does once per file is not part of what a query costs.
  if (Status opened = subject->Open(); !opened.ok()) return opened;
  row->bytes = subject->bytes();

  const std::uint64_t maybe =
      Timed(&row->passes[kMiss], sets.misses.size(),
            [&] { return subject->CountMaybe(sets.misses); });
  row->measured_rate =
      static_cast<double>(maybe) / static_cast<double>(sets.misses.size());
  const std::uint64_t hits = Timed(&row->passes[kHit], sets.hits.size(), [&] {
    return subject->CountMaybe(sets.hits);
  });
  if (Status all = CheckCounts(*row, hits, sets.hits.size()); !all.ok()) {
    return all;
  }
  return AskMany(*subject, sets, row);
}

}  // namespace

Result<Run> Measure(const Plan& plan,
                    std::span<const std::unique_ptr<Subject>> subjects,
                    const Progress& progress) {
  Run run{.plan = plan, .rows = {}};
  for (const auto& subject : subjects) {
    Row row;
    row.name = subject->name();
    row.is_filter = subject->is_filter();
    row.expected_rate = subject->ExpectedRate(plan.keys);
    run.rows.push_back(std::move(row));
  }
  const KeySets sets(plan);
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      // Each pass starts with another one: none is always after the same.
      const std::size_t turn = (i + pass) % subjects.size();
      progress(plan, pass, run.rows[turn].name);
      Status passed = RunPass(subjects[turn].get(), sets, &run.rows[turn]);
      if (!passed.ok()) return passed;
    }
  }
  for (Row& row : run.rows) {
    if (!row.is_filter) row.passes[kBuild].clear();  // nothing was built
  }
  return run;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

double RatioTo(const Row& reference, const Row& row, Metric metric) {
  Metric against = metric;
  if (reference.passes[metric].empty()) {
    against = metric == kMissMany ? kMiss : kHit;
  }
  const std::vector<double>& base = reference.passes[against];
  const std::vector<double>& mine = row.passes[metric];
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(base.size(), mine.size()); ++i) {
    ratios.push_back(mine[i] / base[i]);
  }
  return ratios.empty() ? 0 : Median(std::move(ratios));
}

}  // namespace tamis::bench
