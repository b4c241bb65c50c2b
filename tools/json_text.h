// json_text.h -- JSON as the commands print it.

#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tamis::tools {

// On one line, or with an `indent` on many; no newline at the end.  What steers
// a terminal is escaped, DEL and U+0080 to U+009F too, which JSON would let
// pass; what is not UTF-8 is replaced.
std::string JsonText(const nlohmann::ordered_json& json, int indent = -1);

}  // namespace tamis::tools
