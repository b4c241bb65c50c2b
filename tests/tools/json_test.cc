// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/tools/db_store_support.h"
#include "tests/tools/in_process.h"

namespace tamis::tools {
namespace {

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

TEST(Json, EscapesEveryControlCharacterAndNothingElse) {
  for (int code = 0; code < 0x100; ++code) {
    const std::string character = LatinCharacter(code);
    const std::string value = "a" + character + "b";
    Json json;
    json["key"] = value;
    const std::string text = json.Text();
    EXPECT_TRUE(IsHarmless(text)) << text;
    EXPECT_EQ(nlohmann::json::parse(text)["key"], value) << code;
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool is_marked = code == '"' || code == '\\';
    EXPECT_EQ(Contains(text, value), !is_control && !is_marked) << code;
  }
  EXPECT_EQ(Json("\x7f\xc2\x9b\xc3\xa4").Text(), "\"\\u007f\\u009b\xc3\xa4\"");
}

TEST(Json, KeepsItsLinesAndReplacesWhatIsNotUtf8) {
  Json object;
  object["a"] = 1;
  EXPECT_EQ(object.Text(2), "{\n  \"a\": 1\n}");
  object["a"] = "\xc2\x9b";
  EXPECT_EQ(object.Text(2), "{\n  \"a\": \"\\u009b\"\n}");
  EXPECT_EQ(Json("\xff").Text(), "\"\xef\xbf\xbd\"");
}

// What a program reads must not depend on who writes it.
TEST(Json, WritesTheBytesOfALibraryThatManyPeopleUse) {
  using Library = nlohmann::ordered_json;
  Library expected = {{"text", "a\"b\\c\n\t\b\f\r\x01ä"},
                      {"none", nullptr},
                      {"yes", true},
                      {"no", false},
                      {"most", UINT64_MAX},
                      {"least", INT64_MIN},
                      {"empty", Library::array()},
                      {"nothing", Library::object()},
                      {"list", {"a", "b"}}};
  Json json;
  json["text"] = "a\"b\\c\n\t\b\f\r\x01ä";
  json["none"] = Json();
  json["yes"] = true;
  json["no"] = false;
  json["most"] = UINT64_MAX;
  json["least"] = INT64_MIN;
  json["empty"] = Json::Array();
  json["nothing"] = Json::Object();
  json["list"] = std::vector<std::string>{"a", "b"};
  expected["numbers"] = Library::array();
  for (const double number :
       {0.0, 1.0, -2.5, 0.01, 1e-5, 1e15, 1e16, 1e300, 0.1 + 0.2, 1.0 / 3}) {
    expected["numbers"].push_back(number);
    json["numbers"].Add(number);
  }
  EXPECT_EQ(json.Text(), expected.dump());
  EXPECT_EQ(json.Text(2), expected.dump(2));
}

TEST(Json, ReadsTheMembersOfAnObject) {
  std::vector<JsonMember> members;
  ASSERT_EQ(ParseJsonObject(R"({"a":"\u00e4","b":true,"c":1})", &members), "");
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0].text, "ä");
  EXPECT_TRUE(members[0].is_text);
  EXPECT_TRUE(members[1].is_true);
  EXPECT_FALSE(members[2].is_text);
  EXPECT_EQ(ParseJsonObject("[1]", &members), "not a JSON object");
  EXPECT_EQ(ParseJsonObject(R"({"a":1,"a":2})", &members),
            "'a' is there twice");
  EXPECT_EQ(ParseJsonObject("{", &members), "no JSON: wrong at byte 2");
}

TEST(Json, OfCommandsSteersNoTerminal) {
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
