// SPDX-License-Identifier: Apache-2.0
// What a C program cannot look at: tests/install/c_consumer/ has the rest.
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tamis/c.h"
#include "tests/support/failing_new.h"

namespace tamis {
namespace {

// The members of StoreOptions, as the header declares them.
std::set<std::string> StoreOptionMembers() {
  std::ifstream in(std::string(TAMIS_SOURCE_DIR) +
                   "/include/tamis/store_options.h");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t start = text.find("struct StoreOptions {");
  text = text.substr(start, text.find("\n};", start) - start);
  std::set<std::string> members;
  const std::regex member(R"(\n  [A-Za-z][\w:<>, *]* \*?(\w+) =)");
  for (std::sregex_iterator i(text.begin(), text.end(), member), end; i != end;
       ++i) {
    members.insert((*i)[1]);
  }
  // It begins on a line of its own after `=`, or the type names `const`.
  return members;
}

std::string Message(char* message) {
  const std::string text = message == nullptr ? "" : message;
  tamis_free(message);
  return text;
}

// What the message of an unknown option lists.
std::set<std::string> StoreOptionNames() {
  tamis_options* options = tamis_options_create();
  tamis_options_set(options, "no_such_option", "", 0, nullptr);
  tamis_store* store = nullptr;
  char* message = nullptr;
  EXPECT_EQ(tamis_store_open("/nonexistent", options, &store, &message),
            TAMIS_INVALID_ARGUMENT);
  tamis_options_destroy(options);
  const std::string text = Message(message);
  const std::string list = text.substr(text.find("there are: ") + 11);
  std::set<std::string> names;
  const std::regex name(R"(\w+)");
  for (std::sregex_iterator i(list.begin(), list.end(), name), end; i != end;
       ++i) {
    names.insert(i->str());
  }
  return names;
}

TEST(CInterface, TakesEveryOptionOfAStore) {
  std::set<std::string> members = StoreOptionMembers();
  ASSERT_GT(members.size(), 30u);
  // These are objects.
  for (const char* object :
       {"block_cache", "comparator", "custom_prefix_extractor", "env",
        "filter_policy", "info_log", "leveldb_filter_policy"}) {
    EXPECT_EQ(members.erase(object), 1u) << object;
  }
  EXPECT_EQ(StoreOptionNames(), members);
}

TEST(CInterface, RefusesTextThatTheOptionCannotBe) {
  const std::pair<const char*, const char*> kWrong[] = {
      {"create_if_missing", "yes"}, {"create_if_missing", ""},
      {"table_bytes", "64MiB"},     {"table_bytes", "-1"},
      {"table_bytes", " 1"},        {"restart_interval", "4294967296"},
      {"zstd_level", "2147483648"}, {"filter_use", "maybe"},
      {"filter_memory_bytes", ""},  {"compression", "Snappy"},
      {"filter_seed", "0"},         {"filter_loading", "later"},
  };
  for (const auto& [name, text] : kWrong) {
    tamis_options* options = tamis_options_create();
    tamis_options_set(options, name, text, std::string(text).size(), nullptr);
    tamis_store* store = nullptr;
    char* message = nullptr;
    EXPECT_EQ(tamis_store_open("/nonexistent", options, &store, &message),
              TAMIS_INVALID_ARGUMENT);
    const std::string said = Message(message);
    EXPECT_NE(said.find(name), std::string::npos) << said;
    EXPECT_NE(said.find('\'' + std::string(text) + '\''), std::string::npos)
        << said;
    tamis_options_destroy(options);
  }
}

// Builds a filter, opens it and describes it; each step fails for lack of
// memory, or all succeed.
int BuildAndAsk() {
  tamis_options* options = tamis_options_create();
  if (options == nullptr) return TAMIS_RESOURCE_EXHAUSTED;
  tamis_policy* policy = nullptr;
  tamis_builder* builder = nullptr;
  tamis_filter* filter = nullptr;
  char* bytes = nullptr;
  char* json = nullptr;
  std::size_t length = 0;
  std::size_t json_length = 0;
  int code = tamis_options_set(options, "threads", "1", 1, nullptr);
  if (code == TAMIS_OK)
    code = tamis_policy_create("ribbon:8", &policy, nullptr);
  if (code == TAMIS_OK) {
    code = tamis_builder_create(policy, options, &builder, nullptr);
  }
  for (int i = 0; code == TAMIS_OK && i < 1000; ++i) {
    tamis_builder_add(builder, reinterpret_cast<const char*>(&i), sizeof(i));
  }
  if (code == TAMIS_OK) {
    code = tamis_builder_finish(builder, &bytes, &length, nullptr);
  }
  if (code == TAMIS_OK) {
    code = tamis_filter_open(nullptr, bytes, length, &filter, nullptr);
  }
  if (code == TAMIS_OK) {
    code = tamis_filter_describe(filter, &json, &json_length, nullptr);
  }
  for (int i = 0; code == TAMIS_OK && i < 1000; ++i) {
    EXPECT_EQ(tamis_filter_may_contain(
                  filter, reinterpret_cast<const char*>(&i), sizeof(i)),
              1);
  }
  tamis_free(json);
  tamis_filter_destroy(filter);
  tamis_free(bytes);
  tamis_builder_destroy(builder);
  tamis_policy_destroy(policy);
  tamis_options_destroy(options);
  return code;
}

TEST(CInterface, LackOfMemoryIsACodeAndHidesNoKey) {
  int failures = 0;
  for (int after = 0; after < 10000; ++after) {
    testing::FailAllocations(after, 1);
    const testing::FaultScope scope;
    const int code = BuildAndAsk();
    if (testing::FailedAllocations() == 0) break;  // there were fewer
    EXPECT_TRUE(code == TAMIS_RESOURCE_EXHAUSTED || code == TAMIS_OK) << code;
    if (code == TAMIS_RESOURCE_EXHAUSTED) ++failures;
  }
  EXPECT_GT(failures, 10);
}

}  // namespace
}  // namespace tamis
