// SPDX-License-Identifier: Apache-2.0
// bench_ranges: the range filter over every family of keys: what it takes, how
// often it is wrong, and what building and querying it cost.

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/gnuplot.h"
#include "bench/machine.h"
#include "bench/range_trials.h"
#include "bench/text_table.h"

namespace tamis::bench {
namespace {

struct Options {
  RangePlan plan;
  std::vector<double> bits = {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  std::vector<std::string> families;  // empty: all
  bool quick = false;
  bool smoke = false;
  std::string json;  // where to; "-": standard output; empty: nowhere
  std::string plot;
};

void AddOptions(CLI::App* app, Options* options) {
  app->add_option("--keys", options->plan.keys, "Keys of each family")
      ->check(CLI::Range(1000, 100'000'000))
      ->capture_default_str();
  app->add_option("--bits", options->bits, "Bits per key")
      ->check(CLI::Range(3, 32))
      ->delimiter(',');
  app->add_option("--families", options->families, "Only these families")
      ->delimiter(',');
  app->add_option("--passes", options->plan.passes,
                  "Every time is the median of that many")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  app->add_option("--json", options->json,
                  "Write everything there as JSON; -: instead of the table");
  app->add_option("--plot", options->plot,
                  "Draw rates against bits per key into that SVG file");
  app->add_flag("--quick", options->quick, "6, 8 and 10 bits per key");
  app->add_flag("--smoke", options->smoke,
                "A tiny run that only shows that everything works");
  app->footer(
      "Ends with 1 if a filter rules a key out.\n"
      "Example:\n  bench_ranges --bits 8 --families padded,uuid");
}

void ApplyPresets(Options* options) {
  if (options->quick || options->smoke) options->bits = {6, 8, 10};
  if (!options->smoke) return;
  options->bits = {8};
  options->plan = {.keys = 2000,
                   .queries = 2000,
                   .far_bytes = 1 << 20,
                   .passes = 1,
                   .times = true};
}

using Trials = std::vector<RangeTrial>;

bool IsChosen(const Options& options, std::string_view family) {
  if (options.families.empty()) return true;
  for (const std::string& name : options.families) {
    if (name == family) return true;
  }
  return false;
}

Result<Trials> RunAll(const Options& options) {
  Trials all;
  for (const testing::KeyFamily& family : testing::KeyFamilies()) {
    if (!IsChosen(options, family.name)) continue;
    const RangeTrials trials(family, options.plan);
    for (const double bits : options.bits) {
      auto trial = trials.Run(bits);
      if (!trial.ok()) return trial.status();
      all.push_back(*std::move(trial));
    }
  }
  if (all.empty()) {
    return Status::InvalidArgument("--families leaves none; there are: " + [] {
      std::string names;
      for (const testing::KeyFamily& family : testing::KeyFamilies()) {
        names += std::string(names.empty() ? "" : ", ") + family.name;
      }
      return names;
    }());
  }
  return all;
}

std::string ToText(const Options& options, const Trials& trials) {
  std::vector<Cells> rows = {{"keys", "asked", "bits/key", "rate", "its own",
                              "build", "query", "far", "lines"}};
  for (const RangeTrial& trial : trials) {
    Cells cells = {trial.family, fmt::format("{:g}", trial.asked_bits)};
    if (!trial.refused.empty()) {
      cells.insert(cells.end(), {"refused", "", "", "", "", "", ""});
    } else {
      cells.insert(cells.end(),
                   {fmt::format("{:.2f}", trial.bits),
                    fmt::format("{:.2f} %", 100 * trial.rate),
                    fmt::format("{:.2f} %", 100 * trial.own_estimate),
                    fmt::format("{:.0f}", trial.build_ns),
                    fmt::format("{:.0f}", trial.near_ns),
                    fmt::format("{:.0f}", trial.far_ns),
                    fmt::format("{:.1f}", trial.far_lines)});
    }
    rows.push_back(std::move(cells));
  }
  return fmt::format(
             "{}\n{} keys of each family, sorted; empty ranges of up to a "
             "quarter of the mean gap\nbuild: ns per key; query, far: ns per "
             "query, one filter in the cache, many that are not; lines: far "
             "less query,\n  in fetches of a line that depend on each "
             "other\n\n",
             MachineText(ThisMachine()), options.plan.keys) +
         Aligned(rows);
}

std::string ToJson(const Options& options, const Trials& trials) {
  std::string rows;
  for (const RangeTrial& trial : trials) {
    rows += fmt::format(
        "{}\n  {{\"family\": \"{}\", \"asked_bits\": {:g}, \"refused\": {}, "
        "\"bits\": {:.4f}, \"rate\": {:.6f}, \"own_estimate\": {:.6f}, "
        "\"build_ns\": {:.2f}, \"query_ns\": {:.2f}, \"far_ns\": {:.2f}, "
        "\"far_lines\": {:.2f}}}",
        rows.empty() ? "" : ",", trial.family, trial.asked_bits,
        !trial.refused.empty(), trial.bits, trial.rate, trial.own_estimate,
        trial.build_ns, trial.near_ns, trial.far_ns, trial.far_lines);
  }
  return fmt::format(
      "{{\"machine\": \"{}\", \"keys\": {}, \"trials\": [{}\n]}}\n",
      MachineText(ThisMachine()), options.plan.keys, rows);
}

// The published bounds of others.  A trie takes 10 bits for each node, at least
// one of them per key, and each bit of a suffix halves its rate (SuRF, Zhang et
// al., SIGMOD 2018).  Hashed blocks of numbers have at most L / 2^(B - 2) for
// ranges of L numbers (Grafite, Costa et al., SIGMOD 2024).
constexpr std::string_view kPublished =
    "(x < 10 ? 1 : 2**(10-x)) with lines dt 3 lw 2 lc rgb 'black' "
    "title 'SuRF-like, at best', "
    "(2**(5-x+2) > 1 ? 1 : 2**(5-x+2)) with lines dt 4 lw 2 lc rgb '#888888' "
    "title 'Grafite-like, integers, 32 long', "
    "(2**(2-x) > 1 ? 1 : 2**(2-x)) with lines dt 2 lw 1 lc rgb '#888888' "
    "title 'Grafite-like, integers, 1 long'";

std::string PlotScript(const Options& options, const Trials& trials) {
  std::string data;
  std::string lines;
  std::string family;
  int number = 0;
  for (const RangeTrial& trial : trials) {
    if (trial.family != family) {
      if (!family.empty()) data += "END\n";
      family = trial.family;
      data += fmt::format("$d{} << END\n", number);
      lines += fmt::format(
          "$d{} using 1:2 with linespoints lw 2 pt 7 ps 0.5 title {}, ", number,
          Quoted(family));
      ++number;
    }
    if (trial.refused.empty() && trial.rate > 0) {
      data += fmt::format("{:.4f} {:.6g}\n", trial.bits, trial.rate);
    }
  }
  return data + "END\n" +
         fmt::format(
             "set terminal svg size 1000,640 font 'sans-serif,13' "
             "background rgb 'white'\n"
             "set output {}\nset title {} noenhanced\n"
             "set grid xtics ytics lt 1 lw 1 lc rgb '#cccccc'\n"
             "set key noenhanced outside right\n"
             "set xlabel 'bits per key'\n"
             "set ylabel 'empty short ranges that are \"maybe\"'\n"
             "set logscale y\nset format y '10^{{%T}}'\n"
             "set xrange [3.5:14.5]\nset yrange [1e-4:1]\n"
             "plot {}{}\nset output\n",
             Quoted(options.plot),
             Quoted(fmt::format("{} keys of each family; {}", options.plan.keys,
                                ThisMachine().cpu)),
             lines, kPublished);
}

int Fail(const Status& status, int code) {
  fmt::print(stderr, "bench_ranges: {}\n", status.message());
  return code;
}

int RunBench(const Options& options) {
  if (!options.plot.empty()) {
    if (Status there = CheckGnuplot(); !there.ok()) return Fail(there, 2);
  }
  const auto trials = RunAll(options);
  if (!trials.ok()) {
    const bool misuse = trials.status().code() == StatusCode::kInvalidArgument;
    return Fail(trials.status(), misuse ? 2 : 1);
  }
  if (options.json == "-") {
    fmt::print("{}", ToJson(options, *trials));
  } else {
    fmt::print("{}", ToText(options, *trials));
    if (!options.json.empty()) {
      std::ofstream out(options.json, std::ios::trunc);
      out << ToJson(options, *trials);
      out.close();
      if (!out) return Fail(Status::IoError("cannot write " + options.json), 1);
    }
  }
  if (options.plot.empty()) return 0;
  Status drawn = RunGnuplot(PlotScript(options, *trials), options.plot);
  return drawn.ok() ? 0 : Fail(drawn, 1);
}

}  // namespace
}  // namespace tamis::bench

int main(int argc, char** argv) {
  CLI::App app("The range filter over every family of keys", "bench_ranges");
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
