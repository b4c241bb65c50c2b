// SPDX-License-Identifier: Apache-2.0
#include "store/dump_filter_file.h"

#include <memory>
#include <optional>
#include <utility>

#include "store/check_files.h"
#include "store/dump_items.h"
#include "store/file_names.h"
#include "store/table_filter_file.h"
#include "table/table_reader.h"

namespace tamis {
namespace {

std::string NameOnly(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The table that the filter is beside.
struct TableBeside {
  Status status;  // NotFound: there is none
  std::string path;
  std::uint64_t bytes = 0;
  std::unique_ptr<Table> table = nullptr;
};

TableBeside OpenTableBeside(Env& env, const std::string& dir,
                            std::uint64_t number,
                            const TableReadContext& context) {
  TableBeside beside;
  auto file = OpenTableFile(env, dir, number, &beside.path);
  beside.status = file.status();
  if (!file.ok()) return beside;
  beside.bytes = file->size();
  auto table = Table::Open(context, *std::move(file), beside.path);
  beside.status = table.status();
  if (table.ok()) beside.table = *std::move(table);
  return beside;
}

// False: stop.
bool TellHeader(const FilterFileHeader& header, const DumpVisitor& visit) {
  return visit(AboutItem("filter file",
                         std::to_string(header.file_bytes) + " bytes")) &&
         visit(AboutItem("of table",
                         NameOnly(TableFileName("", header.owner.number)) +
                             ", " + std::to_string(header.owner.bytes) +
                             " bytes, binding " +
                             std::to_string(header.owner.binding))) &&
         (header.policy.empty() || visit(AboutItem("policy", header.policy)));
}

}  // namespace

Status DumpFilterFile(Env& env, const std::string& dir, std::uint64_t number,
                      const StoreOptions& options, const DumpVisitor& visit) {
  const std::string path = FilterFileName(dir, number);
  const Result<FilterFileHeader> header = ReadFilterFileHeader(env, path);
  const StatusCode code = header.status().code();
  if (code == StatusCode::kCorruption || code == StatusCode::kNotSupported) {
    visit(ProblemItem(header.status().message()));
    return Status::Ok();
  }
  if (!header.ok()) return header.status();
  if (!TellHeader(*header, visit)) return Status::Ok();
  TableReadContext context;
  context.unpack = UnpackLimitsOf(options);
  const TableBeside beside = OpenTableBeside(env, dir, number, context);
  if (beside.status.code() == StatusCode::kResourceExhausted) {
    return beside.status;
  }
  const bool is_alone = beside.status.code() == StatusCode::kNotFound;
  const FilterFileLook look = ReadFilterFile(
      {.env = env,
       .dir = dir,
       .number = number,
       .table_bytes = is_alone ? header->owner.bytes : beside.bytes,
       .binding = [&](BoundBlocks blocks) -> Result<std::uint32_t> {
         if (is_alone) return header->owner.binding;
         if (!beside.status.ok()) return beside.status;
         return beside.table->ReadBinding(blocks);
       },
       .read = context});
  if (look.filter == nullptr) {
    visit(ProblemItem(look.problem));
    return Status::Ok();
  }
  if (visit(AboutItem("filter", FilterText(*look.filter)))) {
    visit(AboutItem("fits", is_alone ? "not known: its table is not there"
                                     : NameOnly(beside.path)));
  }
  return Status::Ok();
}

}  // namespace tamis
