// SPDX-License-Identifier: Apache-2.0
// console.h -- where a command reads and writes.  A command uses only this, so
// that a test can pass strings where main() passes the terminal.

#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace tamis::tools {

enum ExitCode : int {
  kExitOk = 0,
  kExitNegative = 1,  // the answer or the verdict is "no"
  kExitError = 2,     // wrong use, or input that cannot be read
  kExitSignal = 128,  // plus the number of the signal that ended it
};

// Buffered output to a descriptor or a string; owns neither.  The first error
// is kept: later writes are dropped, and error() returns it.
class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  explicit Output(std::string* sink) : sink_(sink) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { Flush(); }

  void Write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBufferBytes) Flush();
    if (buffer_.empty()) oldest_ = Clock::now();
    buffer_ += bytes;
  }
  void Write(char byte) { Write(std::string_view(&byte, 1)); }

  // The columns of the terminal; 0 if it is not a terminal, or unknown.
  int columns() const;

  // False after an error, including an earlier one.
  bool Flush();
  // Flushes if something has been buffered for a tenth of a second.
  void FlushOld() {
    if (!buffer_.empty() && Clock::now() - oldest_ >= kMaxAge) Flush();
  }
  int error() const { return error_; }  // errno, or 0

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kBufferBytes = std::size_t{1} << 16;
  static constexpr std::chrono::milliseconds kMaxAge{100};

  int fd_ = -1;
  std::string* sink_ = nullptr;
  std::string buffer_;
  Clock::time_point oldest_;  // when the buffer was last empty
  int error_ = 0;
};

struct Console {
  int in = 0;  // a descriptor
  Output* out = nullptr;
  Output* err = nullptr;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour = false;   // of what goes to `out`
  int columns = 0;       // of the terminal `err`; 0: query it
  int out_columns = 80;  // of the terminal `out`; 80 if it is not one
  bool quiet = false;    // without Note() and progress
};

// One line "tamis COMMAND: MESSAGE" on `err`, with control characters shown
// as \xNN: a file's name must not control the terminal.  Returns kExitError.
int Fail(const Console& console, std::string_view command,
         std::string_view message);

// The same line, for a result that is worse than requested but not an error.
void Warn(const Console& console, std::string_view command,
          std::string_view message);

// The same line, for information; nothing if the console is quiet.
void Note(const Console& console, std::string_view command,
          std::string_view message);

// Flushes `out`.  Unless `code` is already an error, a failed write makes it
// one and says so.
int Finish(const Console& console, std::string_view command, int code);

enum class Colour { kGreen, kRed, kYellow, kDim, kBold };

// Returns `text`, wrapped in the codes of `colour` if the console has colours.
std::string Painted(const Console& console, Colour colour,
                    std::string_view text);

}  // namespace tamis::tools
