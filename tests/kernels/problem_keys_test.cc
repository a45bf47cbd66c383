#include "kernels/problem_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ipc/messages.h"
#include "kernels/readers/table_reader.h"
#include "tests/kernels/cuda_text.h"
#include "tests/kernels/data_files.h"

namespace nightshift::kernels {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A problem without mistakes in which every table of the file but those of other backends can
// stand.
class Samples : public CudaFolder {
 public:
  // The one in which `table` can stand.
  static std::string text_for(const ProblemTable& table) {
    const std::string& name = table.name;
    if (name.starts_with("host")) return host_problem(kStudy);
    if (name.starts_with("command")) {
      return command_problem("argv = [\"true\"]\n[[command.figure]]\nsource = \"json\"", kStudy);
    }
    if (name.starts_with("recorded")) {
      return "name = \"r\"\n[recorded]\nfile = \"" + data_file("stencil.json") + "\"\n";
    }
    return cuda_problem(kStudy + R"(
[[cuda.tensor_map]]
name = "x_map"
of = "x"
extent = ["N", "M"]
box = [64, 1]
[[cuda.prepare]]
kernel = "prepare"
grid = 1
block = 32
arguments = ["counter"]
)");
  }

 private:
  static inline const std::string kStudy = R"([[objective]]
name = "time"
)";
};

// The key as --set names it. Of lists of tables that are there the first one is meant; what the
// user names has a name of the problems above.
std::string path_of(const ProblemTable& table, const std::string& key) {
  std::string path, part;
  for (const char c : table.name + ".") {
    if (c != '.') {
      part += c;
      continue;
    }
    if (part == "NAME") part = "UNROLL";
    path += part + ".";
    const auto& tables = problem_tables();
    const auto of_part = std::ranges::find_if(tables, [&](const ProblemTable* known) {
      return known->name + "." == path && known->repeated;
    });
    if (of_part != tables.end()) path += "0.";
    part.clear();
  }
  if (table.name.empty()) path.clear();
  if (key != "NAME" && key != "TYPE") return path + key;
  return path + (key == "TYPE" ? "bfloat16" : "UNROLL");
}

bool is_table(const ProblemKey& key) {
  return std::holds_alternative<Table>(key.kind) || std::holds_alternative<Tables>(key.kind);
}

// Tables that no problem above has: what stands in them is checked together with them.
bool is_absent(const ProblemTable& table) {
  static const std::set<std::string> absent = {"cuda.cases", "search.starts"};
  return absent.contains(table.name);
}

// Calls `check(table, key)` for every key that is no table itself.
template <class Check>
void for_each_key(const Check& check) {
  for (const ProblemTable* table : problem_tables()) {
    if (is_absent(*table)) continue;
    for (const ProblemKey& key : table->keys) {
      if (!is_table(key)) check(*table, key);
    }
  }
}

std::string message_for(const ProblemKey& key) {
  struct Message {
    std::string operator()(const Text&) const { return "must be a text, not a date"; }
    std::string operator()(const Texts&) const { return "must be a list of texts, not a date"; }
    std::string operator()(const Truth&) const { return "must be true or false, not a date"; }
    std::string operator()(const Integer&) const { return "must be an integer"; }
    std::string operator()(const Number&) const { return "must be a number"; }
    std::string operator()(const Duration&) const { return "must be a time: seconds, or a text"; }
    std::string operator()(const Bytes&) const { return "must be a size: bytes, or a text"; }
    std::string operator()(const Choice&) const { return "must be "; }
    std::string operator()(const Table&) const { return "must be a table"; }
    std::string operator()(const Tables&) const { return "must be a list of tables"; }
    std::string operator()(const Mixed&) const { return ""; }
  };
  return std::visit(Message{}, key.kind);
}

// A date is what no key may be: who reads the key says so, in the words of the type.
TEST(ProblemKeys, AreReadAsWhatTheyAreDeclaredToBe) {
  const Samples samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    const std::string path = path_of(table, key.name);
    const auto diagnostics = samples.diagnostics(Samples::text_for(table), {{path, "1979-05-27"}});
    const std::string place = "--set " + path + "=";
    EXPECT_THAT(diagnostics,
                Contains(::testing::AllOf(StartsWith(place), HasSubstr(message_for(key)),
                                          Not(HasSubstr("unknown key")))))
        << path;
  });
}

TEST(ProblemKeys, OfTablesAreRead) {
  const Samples samples;
  for (const ProblemTable* table : problem_tables()) {
    for (const ProblemKey& key : table->keys) {
      if (!is_table(key) || is_absent(*table)) continue;
      const std::string path = path_of(*table, key.name);
      EXPECT_THAT(samples.diagnostics(Samples::text_for(*key.table), {{path, "1979-05-27"}}),
                  Contains(::testing::AllOf(StartsWith("--set " + path), HasSubstr("must be"))))
          << path;
    }
  }
}

TEST(ProblemKeys, ChoicesAreTheWordsThatAreKnown) {
  const Samples samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    const Choice* choice = std::get_if<Choice>(&key.kind);
    if (choice == nullptr) return;
    const std::string path = path_of(table, key.name);
    const auto diagnostics = samples.diagnostics(Samples::text_for(table), {{path, "nonesuch"}});
    for (std::size_t i = 0; i < std::min<std::size_t>(choice->words.size(), 3); ++i) {
      EXPECT_THAT(diagnostics, Contains(HasSubstr("'" + choice->words[i] + "'"))) << path;
    }
  });
}

TEST(ProblemKeys, BoundsAreThoseOfTheReader) {
  const Samples samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    const Integer* integer = std::get_if<Integer>(&key.kind);
    if (integer == nullptr || integer->least < 0) return;
    const std::string path = path_of(table, key.name);
    const std::string below = std::to_string(integer->least - 1);
    EXPECT_THAT(samples.diagnostics(Samples::text_for(table), {{path, below}}),
                Contains(HasSubstr("must be an integer")))
        << path;
  });
}

std::vector<std::byte> bytes_of(const search::Problem& problem) {
  ipc::ConfigureRequest request;
  request.problem = problem;
  return ipc::encode(request);
}

// What a fallback says is what an absent key means.
TEST(ProblemKeys, FallbacksChangeNothing) {
  const Samples samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    if (key.fallback.empty()) return;
    const std::string path = path_of(table, key.name);
    const std::string text = Samples::text_for(table);
    const std::vector<Override> set = {{path, key.fallback}};
    // Where the problem above says something else itself, the key is known at least.
    if (std::string_view(path).ends_with("0.access") ||
        std::string_view(path).ends_with("0.fill") || path == "constraints") {
      EXPECT_THAT(samples.diagnostics(text, set), IsEmpty()) << path;
      return;
    }
    EXPECT_EQ(bytes_of(samples.read(text)), bytes_of(samples.read(text, set))) << path;
  });
}

TEST(ProblemKeys, AreNamedOnceAndExplained) {
  std::set<std::string> names;
  for (const ProblemTable* table : problem_tables()) {
    EXPECT_TRUE(names.insert(table->name).second) << table->name;
    EXPECT_FALSE(table->meaning.empty()) << table->name;
    std::set<std::string> keys;
    for (const ProblemKey& key : table->keys) {
      EXPECT_TRUE(keys.insert(key.name).second) << table->name << "." << key.name;
      EXPECT_FALSE(key.meaning.empty()) << table->name << "." << key.name;
      EXPECT_EQ(key.meaning.find('\n'), std::string::npos) << table->name << "." << key.name;
    }
  }
}

// As a program that reads what it did not declare ends: at once, whatever the file holds.
TEST(ProblemKeysDeathTest, WhatIsNotDeclaredIsNotRead) {
  const toml::table empty;
  Diagnostics diagnostics("x.toml");
  TableReader reader(empty, problem_file_keys(), "", diagnostics);
  std::string text;
  EXPECT_DEATH(reader.string("nmae", text), "");
  bool flag = false;
  EXPECT_DEATH(reader.boolean("constraints", flag), "");
}

}  // namespace
}  // namespace nightshift::kernels
