#include "json_text.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

using Json = nlohmann::ordered_json;

// No byte of it is an order to a terminal, but for the ends of lines.
bool IsHarmless(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) return false;
    if (byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0) {
      return false;
    }
  }
  return true;
}

// As UTF-8.
std::string LatinCharacter(int code) {
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xc0 | code >> 6),
          static_cast<char>(0x80 | (code & 0x3f))};
}

TEST(JsonText, EscapesEveryControlCharacterAndNothingElse) {
  for (int code = 0; code < 0x100; ++code) {
    const std::string character = LatinCharacter(code);
    const Json json = {{"key", "a" + character + "b"}};
    const std::string text = JsonText(json);
    EXPECT_TRUE(IsHarmless(text)) << text;
    EXPECT_EQ(Json::parse(text), json) << code;
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool is_marked = code == '"' || code == '\\';
    EXPECT_EQ(Contains(text, "a" + character + "b"), !is_control && !is_marked)
        << code;
  }
  EXPECT_EQ(JsonText("\x7f\xc2\x9b\xc3\xa4"), "\"\\u007f\\u009b\xc3\xa4\"");
}

TEST(JsonText, KeepsItsLinesAndReplacesWhatIsNotUtf8) {
  EXPECT_EQ(JsonText({{"a", 1}}, 2), "{\n  \"a\": 1\n}");
  EXPECT_EQ(JsonText({{"a", "\xc2\x9b"}}, 2), "{\n  \"a\": \"\\u009b\"\n}");
  EXPECT_EQ(JsonText("\xff"), "\"\xef\xbf\xbd\"");
}

TEST(JsonText, OfCommandsSteersNoTerminal) {
  TempDir dir;
  const std::string db = dir.File("db");
  const std::string order =
      "\xc2\x9b"
      "31m\x7f";
  const std::string filter = dir.File("f.tamis");
  ASSERT_EQ(Tamis({"db", "put", db, order, order, "--create"}).code, kExitOk);
  ASSERT_EQ(Tamis({"build", "-o", filter}, {.input = order + "\n"}).code,
            kExitOk);
  const std::string named = dir.File("f" + order + ".tamis");
  ASSERT_EQ(Tamis({"build", "-o", named}, {.input = "x\n"}).code, kExitOk);
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{
           {"db", "scan", db, "--json"},
           {"db", "get", db, order, "--json"},
           {"db", "explain", db, order, "--json"},
           {"query", filter, "-k", order, "--json"},
           {"add", named, "-k", order, "--json"},
           {"inspect", named, "--json"}}) {
    const RunResult run = Tamis(args, {.terminal = true});
    EXPECT_EQ(run.code, kExitOk) << run.err;
    EXPECT_TRUE(Contains(run.out, "\\u009b31m\\u007f")) << run.out;
    EXPECT_TRUE(IsHarmless(run.out)) << args[0] << args[1];
  }
}

}  // namespace
}  // namespace tamis::tools
