// SPDX-License-Identifier: Apache-2.0
// key_reader.h -- reads keys from a stream of bytes, many at a time, with a
// buffer that does not grow with the stream.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "console.h"
#include "plain_value.h"
#include "tamis/filter.h"
#include "tamis/result.h"

namespace tamis::tools {

// How keys are written.  A record ends in '\n', or in '\0' if `nul`; the last
// one need not.  Every other byte belongs to the key, '\r' included, and an
// empty record is the empty key.  With `hex` a record is an even number of
// hexadecimal digits of either case; with a `type` other than bytes it is a
// number, and the key its plain encoding.
// REQUIRES: not both `hex` and such a type
struct KeySyntax {
  bool nul = false;
  bool hex = false;
  ValueType type = ValueType::kBytes;
  bool type_is_given = false;  // else a Parquet column's type is used

  char terminator() const { return nul ? '\0' : '\n'; }
  // The key is the record itself.
  bool is_verbatim() const { return !hex && type == ValueType::kBytes; }
};

// Where the bytes come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at most `size` bytes to `out`; 0: the end.  May return fewer than are
  // available.
  virtual Result<std::size_t> Read(char* out, std::size_t size) = 0;
  // The name for messages; may be empty.
  virtual std::string_view name() const { return {}; }
  // True if a signal ended the input: the last record may be incomplete.
  virtual bool was_cut() const { return false; }
};

// A descriptor.
class FileSource final : public ByteSource {
 public:
  // Reads `path`; "-" is `standard_input`, which stays open.
  // InvalidArgument: `path` is empty.
  static Result<std::unique_ptr<FileSource>> Open(const std::string& path,
                                                  int standard_input);

  Result<std::size_t> Read(char* out, std::size_t size) override;
  std::string_view name() const override { return name_; }
  bool was_cut() const override { return was_cut_; }

  // From now on `out` is flushed before Read() waits, and otherwise about every
  // tenth of a second.
  void FlushBeforeWaiting(Output* out) { flushed_ = out; }
  // Returns true if Read() would block.
  bool WouldWait() const;
  // The bytes left in a regular file; 0: unknown.
  std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  FileSource(std::string name, FileDescriptor owned, int fd);

  std::string name_;
  FileDescriptor owned_;
  int fd_;
  std::uint64_t total_bytes_ = 0;
  Output* flushed_ = nullptr;  // not owned; may be null
  bool was_cut_ = false;
};

// Bytes in memory, returned in pieces of at most `piece`.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes, std::size_t piece = SIZE_MAX)
      : bytes_(bytes), piece_(piece) {}
  Result<std::size_t> Read(char* out, std::size_t size) override;

 private:
  std::string_view bytes_;
  std::size_t piece_;
};

// Appends the bytes of the hexadecimal digits; false if they are not valid, and
// *out is then unspecified.
bool DecodeHex(std::string_view digits, std::string* out);

// Returns why DecodeHex() refuses `digits`: "'x' is not a hexadecimal digit";
// empty if it does not.
std::string HexProblem(std::string_view digits);

// Appends the key of a record; false if it is not valid, and *out is then
// unspecified.
bool DecodeKey(const KeySyntax& syntax, std::string_view record,
               std::string* out);
// Returns why DecodeKey() refuses it.
std::string KeyProblem(const KeySyntax& syntax, std::string_view record);
// InvalidArgument, for the text of a --key that DecodeKey() refuses.
Status BadListedKey(const KeySyntax& syntax, std::string_view text);

// A longer record is an error, because a record must fit into memory.
struct RecordLimit {
  std::size_t bytes = std::size_t{1} << 26;
  std::string_view words = "64 MiB, the most a key may have";
};

class KeyReader {
 public:
  // Large enough to make the cost of a system call negligible, small enough to
  // stay in the second-level cache.
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 18;

  // `source` must outlive the reader.  `buffer_bytes` is the initial size of
  // the buffer; a longer record makes it grow.  REQUIRES: buffer_bytes > 0
  KeyReader(ByteSource* source, KeySyntax syntax,
            std::size_t buffer_bytes = kBufferBytes,
            const RecordLimit& limit = {});

  // Reads the next keys, at least one, or none at the end of the stream.
  // InvalidArgument: a record is not a key; the message names the source and
  // the record's number.  All keys before it have been returned by then.
  Status Next();

  // Those keys, and the text of each.  Valid until Next().
  const std::vector<Slice>& keys() const {
    return syntax_.is_verbatim() ? records_ : keys_;
  }
  const std::vector<Slice>& records() const { return records_; }

  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  Status Fill();
  void TakeRecords();
  void DecodeRecords();
  // Returns the error for one record, with its position.
  Status BadRecord(std::uint64_t number, std::string_view what) const;
  std::size_t max_buffer_bytes() const;

  ByteSource* source_;
  KeySyntax syntax_;
  RecordLimit limit_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;     // of what is not split yet
  std::size_t end_ = 0;       // of what was read
  std::size_t searched_ = 0;  // no terminator in [begin_, searched_)
  bool at_end_ = false;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t records_before_ = 0;  // delivered by earlier calls
  std::vector<Slice> records_;
  std::vector<Slice> keys_;
  std::string decoded_;
  Status failed_;  // what Next() returns once the keys before are delivered
};

}  // namespace tamis::tools
