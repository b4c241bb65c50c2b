// SPDX-License-Identifier: Apache-2.0
#include "bench/kept.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench/json.h"
#include "filters/kernels/kernels.h"

namespace tamis::bench {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// "Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz" -> "intel-xeon-gold-6330".
std::string PlainName(std::string_view cpu) {
  const std::string_view head = cpu.substr(0, cpu.find('@'));
  std::string words;  // each with a '-' before it
  std::string word;
  const auto end_word = [&] {
    const bool says_nothing = word.empty() || word == "r" || word == "tm" ||
                              word == "cpu" || word == "processor";
    if (!says_nothing) words += "-" + word;
    word.clear();
  };
  for (const char c : head) {
    const char lower = Lower(c);
    if (IsDigit(lower) || (lower >= 'a' && lower <= 'z')) {
      word += lower;
    } else {
      end_word();
    }
  }
  end_word();
  return words.empty() ? "unknown" : words.substr(1);
}

// Returns the file's text; empty: there is none.
std::string TextOf(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A run that is interrupted leaves the file of the run before.
Status ReplaceFile(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path fresh = path;
  fresh += ".new";
  std::ofstream out(fresh, std::ios::trunc);
  out << text;
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(fresh, path, error);
  if (!out || error) return Status::IoError("cannot write " + path.string());
  return Status::Ok();
}

}  // namespace

std::string MachineFolder(const Machine& machine, std::string_view kernels) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  std::string name = PlainName(machine.cpu);
  if (std::none_of(name.begin(), name.end(), IsDigit)) {
    name += fmt::format("-{}-{}", machine.family, machine.model);
  }
  name += fmt::format("-{}-cores", machine.cores);
  if (machine.caches.l3 != 0) {
    name += fmt::format("-l3-{}-mib", machine.caches.l3 / kMebibyte);
  }
  return name + "-" + std::string(kernels);
}

std::string WhatMakesItAnother(const CLI::App& app,
                               std::span<const std::string_view> harmless) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool fine =
        std::find(harmless.begin(), harmless.end(), name) != harmless.end();
    if (option->count() > 0 && !fine) return name;
  }
  return "";
}

Status KeepResults(const Keeping& keeping, const Machine& machine,
                   const std::string& name, const std::string& json) {
  if (keeping.folder.empty()) return Status::Ok();
  if (!keeping.another.empty()) {
    fmt::print(stderr,
               "not kept in {}: {} makes it another run than those there\n",
               keeping.folder, keeping.another);
    return Status::Ok();
  }
  const std::filesystem::path folder =
      std::filesystem::path(keeping.folder) /
      MachineFolder(machine, ActiveKernels().name);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Status::IoError(folder.string() + ": " + error.message());
  const std::filesystem::path path = folder / name;
  const std::string missing = WhatIsMissing(TextOf(path), json);
  if (!missing.empty()) {
    fmt::print(stderr,
               "not kept: {} has {}, which this run lacks; remove the file to "
               "keep the next run\n",
               path.string(), missing);
    return Status::Ok();
  }
  if (Status written = ReplaceFile(path, json); !written.ok()) return written;
  fmt::print(stderr, "kept in {}\n", path.string());
  return Status::Ok();
}

}  // namespace tamis::bench
