// SPDX-License-Identifier: Apache-2.0
#include "pair_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/coding.h"
#include "json.h"
#include "pair_text.h"
#include "tamis/write_batch.h"
#include "text.h"

namespace tamis::tools {
namespace {

Status BadPair(const ByteSource& source, std::string_view unit,
               std::uint64_t number, std::string_view what) {
  const std::string_view name = source.name();
  return Status::InvalidArgument(fmt::format(
      "{}{}{} {}: {}", name, name.empty() ? "" : ": ", unit, number, what));
}

// A store accepts keys of 1 GiB and values of 2 GiB; a byte takes at most six
// in JSON, which is more than the escapes of AppendEscaped().
constexpr RecordLimit kLineLimit = {
    (std::size_t{3} << 30) * 6 + 1024,
    "18 GiB, the most that a line with a pair may have"};

// Reads pairs that are a line each.
class OnePairPerLine : public PairReader {
 public:
  Result<bool> Next(Pair* pair) final {
    if (at_ == lines_.records().size()) {
      at_ = 0;
      if (Status read = lines_.Next(); !read.ok()) return read;
      if (lines_.records().empty()) return false;
    }
    const std::string_view line = lines_.records()[at_++];
    ++number_;
    if (Status parsed = Parse(line, pair); !parsed.ok()) return parsed;
    const Status fits = CheckEntrySizes(pair->key.size(), pair->value.size());
    if (!fits.ok()) return BadLine(fits.message());
    return true;
  }
  std::uint64_t bytes_read() const final { return lines_.bytes_read(); }

 protected:
  explicit OnePairPerLine(ByteSource* source)
      : source_(source),
        lines_(source, KeySyntax{}, KeyReader::kBufferBytes, kLineLimit) {}

  // *pair becomes views of the line, or of what stays until the next call.
  virtual Status Parse(std::string_view line, Pair* pair) = 0;

  // What is wrong with the line that is being parsed.
  Status BadLine(const std::string& what) const {
    return BadPair(*source_, "line", number_, what);
  }

 private:
  ByteSource* source_;
  KeyReader lines_;
  std::size_t at_ = 0;  // among the records of lines_
  std::uint64_t number_ = 0;
};

class LinePairReader final : public OnePairPerLine {
 public:
  LinePairReader(ByteSource* source, bool hex)
      : OnePairPerLine(source), hex_(hex) {}

 private:
  Status Parse(std::string_view line, Pair* pair) override {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) {
      return BadLine(line.starts_with("{\"key")
                         ? "no tab between a key and a value; --json-lines "
                           "reads what scan --json writes"
                         : "no tab between a key and a value");
    }
    Status key = Decode(line.substr(0, tab), &key_, &pair->key);
    if (!key.ok()) return key;
    return Decode(line.substr(tab + 1), &value_, &pair->value);
  }

  // Sets *decoded to a view of `text` or of *buffer.
  Status Decode(std::string_view text, std::string* buffer, Slice* decoded) {
    if (!hex_ && text.find('\\') == std::string_view::npos) {
      *decoded = text;
      return Status::Ok();
    }
    buffer->clear();
    if (hex_ ? !DecodeHex(text, buffer) : !Unescape(text, buffer)) {
      return BadLine(hex_ ? HexProblem(text) : EscapeProblem(text));
    }
    *decoded = *buffer;
    return Status::Ok();
  }

  bool hex_;
  std::string key_;
  std::string value_;
};

class JsonPairReader final : public OnePairPerLine {
 public:
  explicit JsonPairReader(ByteSource* source) : OnePairPerLine(source) {}

 private:
  Status Parse(std::string_view line, Pair* pair) override {
    const std::string problem = ParseObject(line);
    if (!problem.empty()) return BadLine(problem);
    pair->key = key_;
    pair->value = value_;
    return Status::Ok();
  }

  // Returns what is wrong with the line; empty: nothing, and key_ and value_
  // are set.
  std::string ParseObject(std::string_view line) {
    std::string problem = ParseJsonObject(line, &members_);
    if (!problem.empty()) return problem;
    for (const JsonMember& member : members_) {
      if (member.name == "found" && member.is_true) continue;
      if (member.name != "key" && member.name != "key_hex" &&
          member.name != "value" && member.name != "value_hex") {
        return fmt::format("'{}' is not one of key, key_hex, value, value_hex",
                           member.name);
      }
      if (!member.is_text) return fmt::format("'{}' is no string", member.name);
    }
    problem = Take("key", &key_);
    return problem.empty() ? Take("value", &value_) : problem;
  }

  // Null: the line has no member of that name.
  const std::string* TextOf(std::string_view name) const {
    for (const JsonMember& member : members_) {
      if (member.name == name) return &member.text;
    }
    return nullptr;
  }

  // Takes the bytes of the member `name`, or of `name`_hex.
  std::string Take(const std::string& name, std::string* bytes) const {
    const std::string* text = TextOf(name);
    const std::string* digits = TextOf(name + "_hex");
    if ((text == nullptr) == (digits == nullptr)) {
      return fmt::format("{} of {} and {}_hex",
                         text == nullptr ? "none" : "more than one", name,
                         name);
    }
    bytes->clear();
    if (text != nullptr) {
      *bytes = *text;
      return "";
    }
    if (DecodeHex(*digits, bytes)) return "";
    return fmt::format("{}_hex: {}", name, HexProblem(*digits));
  }

  std::vector<JsonMember> members_;
  std::string key_;
  std::string value_;
};

class BinaryPairReader final : public PairReader {
 public:
  explicit BinaryPairReader(ByteSource* source) : source_(source) {}

  Result<bool> Next(Pair* pair) override {
    begin_ = next_;
    ++number_;
    Status filled = Fill(kHeaderBytes);
    if (!filled.ok()) return filled;
    if (Held() == 0) return false;
    if (Held() < kHeaderBytes) return CutOff();
    const std::size_t key_bytes = LoadLittle32(&buffer_[begin_]);
    const std::size_t value_bytes = LoadLittle32(&buffer_[begin_ + 4]);
    // Checked before waiting for the rest.
    Status fits = CheckEntrySizes(key_bytes, value_bytes);
    if (!fits.ok()) return BadPair(*source_, "pair", number_, fits.message());
    const std::size_t all = kHeaderBytes + key_bytes + value_bytes;
    filled = Fill(all);
    if (!filled.ok()) return filled;
    if (Held() < all) return CutOff();
    const std::string_view bytes(buffer_);
    pair->key = bytes.substr(begin_ + kHeaderBytes, key_bytes);
    pair->value = bytes.substr(begin_ + kHeaderBytes + key_bytes, value_bytes);
    next_ = begin_ + all;
    return true;
  }

  std::uint64_t bytes_read() const override { return bytes_read_; }

 private:
  static constexpr std::size_t kHeaderBytes = 8;
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

  std::size_t Held() const { return buffer_.size() - begin_; }

  // Reads until that many bytes are buffered, or the source ends.  Memory grows
  // with the actual input, not with a claimed length.
  Status Fill(std::size_t bytes) {
    if (Held() >= bytes) return Status::Ok();
    buffer_.erase(0, begin_);
    begin_ = next_ = 0;
    while (buffer_.size() < bytes) {
      const std::size_t before = buffer_.size();
      buffer_.resize(before + kPieceBytes);
      Result<std::size_t> got = source_->Read(&buffer_[before], kPieceBytes);
      buffer_.resize(before + (got.ok() ? *got : 0));
      if (!got.ok()) return got.status();
      bytes_read_ += *got;
      if (*got == 0) break;
    }
    return Status::Ok();
  }

  // The source ended within a pair.
  Result<bool> CutOff() {
    if (source_->was_cut()) return false;
    return BadPair(*source_, "pair", number_,
                   fmt::format("cut off: {} bytes of it are there; is this "
                               "what scan --binary writes?",
                               Grouped(Held())));
  }

  ByteSource* source_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the pair given last
  std::size_t next_ = 0;   // of the pair after it
  std::uint64_t number_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace

std::unique_ptr<PairReader> NewLinePairReader(ByteSource* source, bool hex) {
  return std::make_unique<LinePairReader>(source, hex);
}

std::unique_ptr<PairReader> NewJsonPairReader(ByteSource* source) {
  return std::make_unique<JsonPairReader>(source);
}

std::unique_ptr<PairReader> NewBinaryPairReader(ByteSource* source) {
  return std::make_unique<BinaryPairReader>(source);
}

}  // namespace tamis::tools
