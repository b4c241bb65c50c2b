// SPDX-License-Identifier: Apache-2.0
#include "store/dump_store.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "store/dump_filter_file.h"
#include "store/dump_items.h"
#include "store/file_names.h"
#include "store/settings_file.h"

namespace tamis {
namespace {

const char* NameOf(FileType type) {
  switch (type) {
    case FileType::kLog:
      return "log";
    case FileType::kTable:
      return "table";
    case FileType::kManifest:
      return "manifest";
    case FileType::kTemporary:
      return "left by a crash";
    case FileType::kCurrent:
      return "names the manifest";
    case FileType::kLock:
      return "lock";
    case FileType::kInfoLog:
      break;
  }
  return "what the store did";
}

// Appends the length, if it can be found out.
std::string WithLength(Env& env, const std::string& path, std::string text) {
  const Result<std::uint64_t> bytes = env.FileSize(path);
  return bytes.ok() ? std::move(text) + ", " + std::to_string(*bytes) + " bytes"
                    : text;
}

// In one line.  False: stop.
Result<bool> TellFilterFile(Env& env, const std::string& dir,
                            const std::string& name, std::uint64_t number,
                            const StoreOptions& options,
                            const DumpVisitor& visit) {
  std::string text = "filter";
  std::string problem;
  const Status status =
      DumpFilterFile(env, dir, number, options, [&](const DumpItem& item) {
        if (item.kind == DumpItem::Kind::kProblem) problem = item.text;
        if (item.name == "of table") {
          text += " of " + item.text.substr(0, item.text.find(','));
        }
        if (item.name == "filter") text += ": " + item.text;
        return true;
      });
  if (status.code() == StatusCode::kInvalidArgument) {
    return visit(AboutItem(name, "not the store's"));
  }
  if (status.code() == StatusCode::kResourceExhausted) return status;
  if (!status.ok()) problem = status.message();
  return visit(AboutItem(name, text)) &&
         (problem.empty() || visit(ProblemItem(problem)));
}

}  // namespace

Status DumpStoreDirectory(Env& env, const std::string& dir,
                          const StoreOptions& options,
                          const DumpVisitor& visit) {
  Result<std::vector<std::string>> names = env.List(dir);
  if (!names.ok()) return names.status();
  std::sort(names->begin(), names->end());
  for (const std::string& name : *names) {
    if (const auto number = ParseFilterFileName(name)) {
      const Result<bool> goes_on =
          TellFilterFile(env, dir, name, *number, options, visit);
      if (!goes_on.ok()) return goes_on.status();
      if (!*goes_on) return Status::Ok();
      continue;
    }
    const auto parsed = ParseFileName(name);
    const bool is_settings = IsSettingsFileName(name);
    std::string text = "not the store's";
    if (parsed) text = NameOf(parsed->type);
    if (is_settings) text = "settings";
    if (parsed || is_settings) text = WithLength(env, dir + "/" + name, text);
    if (!visit(AboutItem(name, text))) return Status::Ok();
  }
  return Status::Ok();
}

}  // namespace tamis
