// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes as a log; then the records found in them, and pieces of the
// input as records, written and read again.

#include <utility>

#include "fuzz/fuzz_support.h"
#include "store/log_reader.h"
#include "store/log_writer.h"

namespace tamis::fuzz {
namespace {

// A file in memory.
class StringFile final : public WritableFile {
 public:
  explicit StringFile(std::string* bytes) : bytes_(bytes) {}
  Status Append(Slice bytes) override {
    bytes_->append(bytes);
    return Status::Ok();
  }
  Status Flush() override { return Status::Ok(); }
  Status Sync() override { return Status::Ok(); }
  Status Close() override { return Status::Ok(); }

 private:
  std::string* bytes_;
};

void CheckWritten(const std::vector<std::string>& records, Slice before,
                  const std::vector<std::size_t>& cuts = {}) {
  std::string log(before);
  LogWriter writer(std::make_unique<StringFile>(&log), log.size());
  for (const std::string& record : records) {
    Check(writer.Add(record, cuts).ok(), "a record can be written");
  }
  Check(writer.bytes() == log.size(), "a writer knows how much it wrote");
  LogReader reader(log);
  Slice found;
  // The existing contents come first; they are whole records.
  while (reader.end_of_record() < before.size()) {
    Check(reader.Next(&found), "what was there remains");
  }
  for (const std::string& record : records) {
    Check(reader.Next(&found) && found == record,
          "a record that was written is read");
  }
  Check(!reader.Next(&found), "nothing else is read");
  Check(reader.damage().empty() && reader.ended_clean(),
        "what was written is not damaged");
  Check(reader.end_of_record() == log.size(),
        "a log ends with its last record");
}

std::vector<std::string> CheckAnyLog(Slice bytes) {
  LogReader reader(bytes);
  std::vector<std::string> records;
  std::size_t total = 0;
  std::uint64_t end = 0;
  for (Slice record; reader.Next(&record);) {
    records.emplace_back(record);
    total += record.size() + 7;
    Check(reader.end_of_record() > end, "records follow each other");
    end = reader.end_of_record();
  }
  Check(total <= bytes.size() && end <= bytes.size(),
        "no byte is given twice, and none that is not there");
  Check(!reader.damage().empty() || reader.damaged_bytes() == 0,
        "what is passed over is told of");
  Slice none;
  Check(!reader.Next(&none), "the end stays the end");
  Check(reader.work() <= 8 * bytes.size() + 64,
        "reading takes time in proportion to the log");
  if (reader.ended_clean()) {
    const auto kept = static_cast<std::size_t>(reader.end_of_record());
    CheckWritten({"a", std::string(5000, 'b')}, bytes.substr(0, kept));
  }
  return records;
}

// Records of up to more than a block, by three bytes of the input each.
std::vector<std::string> RecordsFrom(Slice bytes) {
  constexpr std::size_t kMaxRecords = 8;
  constexpr std::size_t kLongestRecord = 40'000;
  std::vector<std::string> records;
  for (Input input(bytes); !input.empty() && records.size() < kMaxRecords;) {
    const char filler = static_cast<char>(input.TakeByte());
    const auto size = static_cast<std::size_t>(input.TakeNumber(2));
    records.emplace_back(size % kLongestRecord, filler);
  }
  return records;
}

// Places in records, in order.
std::vector<std::size_t> CutsFrom(Slice bytes) {
  std::vector<std::size_t> cuts = {0};
  for (const char c : bytes.substr(0, 64)) {
    cuts.push_back(cuts.back() + static_cast<unsigned char>(c));
  }
  return cuts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const Slice bytes = AsSlice(data, size);
  CheckWritten(CheckAnyLog(bytes), {});
  CheckWritten(RecordsFrom(bytes), {});
  CheckWritten(RecordsFrom(bytes), {}, CutsFrom(bytes));
  return 0;
}

}  // namespace tamis::fuzz
