// SPDX-License-Identifier: Apache-2.0
#include "console.h"

#include <sys/ioctl.h>
#include <cerrno>
#include <system_error>

#include <fmt/core.h>

#include "base/atomic_file.h"
#include "text.h"

namespace tamis::tools {

bool Output::Flush() {
  if (error_ == 0 && sink_ != nullptr) *sink_ += buffer_;
  if (error_ == 0 && sink_ == nullptr) error_ = WriteFully(fd_, buffer_);
  buffer_.clear();
  return error_ == 0;
}

int Output::columns() const {
  winsize size = {};
  if (fd_ < 0 || ::ioctl(fd_, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

int Fail(const Console& console, std::string_view command,
         std::string_view message) {
  Warn(console, command, message);
  return kExitError;
}

void Note(const Console& console, std::string_view command,
          std::string_view message) {
  if (!console.quiet) Warn(console, command, message);
}

void Warn(const Console& console, std::string_view command,
          std::string_view message) {
  console.err->Write(fmt::format("tamis{}{}: {}\n", command.empty() ? "" : " ",
                                 command, Printable(message)));
  console.err->Flush();
}

int Finish(const Console& console, std::string_view command, int code) {
  if (console.out->Flush() || code == kExitError) return code;
  // The reader is gone: exits as quietly as by SIGPIPE.
  if (console.out->error() == EPIPE) return kExitError;
  return Fail(console, command,
              "cannot write the output: " +
                  std::generic_category().message(console.out->error()));
}

std::string Painted(const Console& console, Colour colour,
                    std::string_view text) {
  if (!console.colour) return std::string(text);
  const char* code = "0";
  switch (colour) {
    case Colour::kGreen:
      code = "32";
      break;
    case Colour::kRed:
      code = "31";
      break;
    case Colour::kYellow:
      code = "33";
      break;
    case Colour::kDim:
      code = "2";
      break;
    case Colour::kBold:
      code = "1";
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace tamis::tools
