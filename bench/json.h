// SPDX-License-Identifier: Apache-2.0
// bench/json.h -- the lines of JSON by which a benchmark communicates with the
// processes of its stores, and what one report has that another lacks.
//
// json.cc has all JSON of the benchmarks, the reports included, because the
// library behind it takes longer to compile than the rest of them together.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/store_phases.h"
#include "tamis/result.h"

namespace tamis::bench {

// A question and an answer are one line each, without its newline:
//   {"phase": "missing", "round": 0}
//   {"figures": {"missing": [61.2, 61.0]}}  or  {"code": 2, "message": "..."}

struct Question {
  std::string phase;
  unsigned round = 0;
};
std::string QuestionLine(std::string_view phase, unsigned round);
// Nothing: the line is not a question.
std::optional<Question> ParseQuestion(const std::string& line);

std::string AnswerLine(const Result<Figures>& figures);
// Returns the figures, or the error that the line carries.  IoError: the line
// is not an answer.
Result<Figures> ParseAnswer(const std::string& line);

// Returns the first store with figures, or row of filters, that the report
// `before` has and `after` lacks: "RocksDB", or "Boost fast64:12 with 1000000
// keys of 8 bytes".  Empty: there is none, or `before` is not a report.
std::string WhatIsMissing(std::string_view before, std::string_view after);

}  // namespace tamis::bench
