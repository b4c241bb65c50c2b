// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "bench/build_once.h"
#include "bench/clocks.h"
#include "bench/erasures.h"
#include "bench/two_threads.h"

namespace tamis::bench {
namespace {

// The keys of so many queries fit into a core's own cache, beside what is
// made of them; the time of so many is long for a clock.
constexpr std::size_t kQueryChunk = 4096;

// The state of one run.
class Runner {
 public:
  Runner(const Plan& plan, const Subjects& subjects, const Progress& progress)
      : plan_(plan),
        subjects_(subjects),
        progress_(progress),
        asking_(kQueryChunk, plan.key_bytes) {
    run_.plan = plan;
    for (const auto& subject : subjects) {
      Row row;
      row.name = subject->name();
      row.is_filter = subject->is_filter();
      row.expected_rate = subject->ExpectedRate(plan.keys);
      run_.rows.push_back(std::move(row));
    }
  }

  // All builds, then all queries; each kind of work for all subjects in turn,
  // so that what is compared is close together in time.
  Status Pass(unsigned pass) {
    pass_ = pass;
    if (pass < plan_.build_passes) {
      if (Status built = BuildAll(); !built.ok()) return built;
    }
    for (const Metric metric : plan_.queries_of) {
      Status asked = ForEach([&](std::size_t i) {
        return subjects_[i]->Has(metric) ? AskFor(i, metric) : Status::Ok();
      });
      if (!asked.ok()) return asked;
    }
    return Status::Ok();
  }

  Run Take() { return std::move(run_); }

 private:
  // Each pass starts with another subject, so that none always follows the same
  // one.
  template <typename Step>
  Status ForEach(const Step& step) {
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const std::size_t turn = (i + pass_) % subjects_.size();
      progress_(plan_, pass_, run_.rows[turn].name);
      if (Status done = step(turn); !done.ok()) return done;
    }
    return Status::Ok();
  }

  Status BuildAll() {
    for (const Metric how : kBuilds) {
      Status built = ForEach([&](std::size_t i) {
        // Two threads right after one, so that both run under the same
        // conditions.
        Status one = Build(i, how);
        if (!one.ok() || how != kBuildMany) return one;
        if (Status known = Build(i, kBuildKnown); !known.ok()) return known;
        if (Status filled = Fill(i); !filled.ok()) return filled;
        return plan_.two_threads ? BuildTwo(i) : one;
      });
      if (!built.ok()) return built;
    }
    // In the order of the list: one may load what another one built.
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (Status loaded = subjects_[i]->Load(); !loaded.ok()) return loaded;
      run_.rows[i].bytes = subjects_[i]->bytes();
    }
    if (!plan_.erasures) return Status::Ok();
    return ForEach([&](std::size_t i) { return Erase(i); });
  }

  Status Build(std::size_t i, Metric how) {
    Subject* subject = subjects_[i].get();
    const bool timed = subject->Has(how);
    // A subject that is never built still needs the number of keys.
    const bool never = !subject->Has(kBuildOne) && !subject->Has(kBuildMany);
    if (never) subject->Start(plan_.keys, how);
    const bool spared = plan_.build_one_once && pass_ > 0 && how == kBuildOne &&
                        subject->Has(kBuildMany);
    if (!timed || spared) return Status::Ok();

    const auto spent = BuildOnce(subject, plan_, how);
    if (!spent.ok()) return spent.status();
    Note(i, how, spent->processor);
    if (how == kBuildMany && subject->Has(kBuildWall)) {
      Note(i, kBuildWall, spent->wall);
      Note(i, kFinishWall, spent->finish_wall);
    }
    return Status::Ok();
  }

  Status BuildTwo(std::size_t i) {
    Subject* subject = subjects_[i].get();
    if (!subject->Has(kBuildTwo)) return Status::Ok();
    if (subject->builds_with_threads()) {
      const auto spent = BuildOnce(subject, plan_, kBuildTwo);
      if (!spent.ok()) return spent.status();
      Note(i, kBuildTwo, spent->wall);
      Note(i, kFinishTwo, spent->finish_wall);
      return Status::Ok();
    }
    return Insert(i);
  }

  Status Fill(std::size_t i) {
    if (!subjects_[i]->Has(kInsertMany)) return Status::Ok();
    return NoteOr(i, kInsertMany, FillMutable(*subjects_[i]->policy(), plan_));
  }

  // A filter for many threads: from one thread, and from two.
  Status Insert(std::size_t i) {
    const Subject& subject = *subjects_[i];
    Status one =
        NoteOr(i, kInsertWall, FillFromThreads(*subject.policy(), plan_, 1));
    if (!one.ok()) return one;
    return NoteOr(i, kBuildTwo, FillFromThreads(*subject.policy(), plan_, 2));
  }

  Status Erase(std::size_t i) {
    if (!subjects_[i]->Has(kErase)) return Status::Ok();
    return NoteOr(i, kErase, TimeErasures(subjects_[i]->loaded_bytes(), plan_));
  }

  // Uses other keys in every pass and for every kind of query, but the same for
  // all subjects.
  void FillToAsk(Metric metric, std::uint64_t done, std::uint64_t left) {
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(kQueryChunk, left));
    const std::uint64_t first =
        (pass_ * std::uint64_t{kMetricCount} + metric) * plan_.queries + done;
    if (AsksForHits(metric)) {
      asking_.FillBelow(plan_.keys, first, count);
    } else {
      asking_.FillFrom(plan_.keys + first, count);
    }
  }

  Status AskFor(std::size_t i, Metric metric) {
    Subject* subject = subjects_[i].get();
    const std::uint64_t queries =
        subject->slow() ? (plan_.queries + 3) / 4 : plan_.queries;
    std::array<bool, kQueryChunk> answers = {};
    double spent = 0;
    std::uint64_t maybes = 0;
    for (std::uint64_t done = 0; done < queries; done += kQueryChunk) {
      FillToAsk(metric, done, queries - done);
      if (IsInline(metric)) {
        subject->PrepareInline(asking_);
      } else {
        subject->Prepare(asking_);
      }
      const std::span<bool> out(answers.data(), asking_.keys().size());
      Status asked;
      spent += Timed([&] {
        if (IsInline(metric)) {
          asked = subject->AskInline(metric, out);
        } else {
          subject->Ask(KeysPerCall(metric), out);
        }
      });
      if (!asked.ok()) return asked;
      maybes +=
          static_cast<std::uint64_t>(std::count(out.begin(), out.end(), true));
    }
    Note(i, metric, spent / static_cast<double>(queries));
    Row* row = &run_.rows[i];
    if (!row->is_filter) return Status::Ok();
    if (AsksForHits(metric)) return CheckHits(*row, maybes, queries);
    row->absent_queries += queries;
    row->maybes += maybes;
    return Status::Ok();
  }

  static Status CheckHits(const Row& row, std::uint64_t found,
                          std::uint64_t queries) {
    if (found == queries) return Status::Ok();
    return Status::Corruption(row.name + ": " +
                              std::to_string(queries - found) +
                              " keys that are in were not found");
  }

  void Note(std::size_t i, Metric metric, double nanoseconds) {
    run_.rows[i].passes[metric].push_back(nanoseconds);
  }
  Status NoteOr(std::size_t i, Metric metric, const Result<double>& spent) {
    if (spent.ok()) {
      Note(i, metric, *spent);
      return Status::Ok();
    }
    return Status(spent.status().code(),
                  run_.rows[i].name + ": " + spent.status().message());
  }

  const Plan& plan_;
  const Subjects& subjects_;
  const Progress& progress_;
  KeyChunk asking_;
  unsigned pass_ = 0;
  Run run_;
};

}  // namespace

const Row* Run::Find(std::string_view name) const {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

Result<Run> Measure(const Plan& plan, const Subjects& subjects,
                    const Progress& progress) {
  Runner runner(plan, subjects, progress);
  for (unsigned pass = 0; pass < plan.passes; ++pass) {
    if (Status passed = runner.Pass(pass); !passed.ok()) return passed;
  }
  return runner.Take();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2;
}

double RatioOf(const Figure& mine, const Figure& theirs) {
  if (!mine.measured() || !theirs.measured()) return 0;
  const std::size_t passes =
      std::min(mine.passes().size(), theirs.passes().size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < passes; ++i) {
    if (theirs.passes()[i] > 0) {
      ratios.push_back(mine.passes()[i] / theirs.passes()[i]);
    }
  }
  return ratios.empty() ? 0 : Median(std::move(ratios));
}

}  // namespace tamis::bench
