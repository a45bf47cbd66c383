#include "problems/problem_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "ipc/messages.h"
#include "problems/readers/table_reader.h"
#include "tests/problems/cuda_text.h"
#include "tests/problems/data_files.h"

namespace nightshift::problems {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// Problems without mistakes that have every table, and no key that has a fallback.
const std::string kStudy = R"([parameters]
THREADS = [32, 64]
UNROLL = { values = [1, 2, 4] }
[baseline]
UNROLL = 1
[search]
starts = [{ UNROLL = 2 }]
[acceptance]
canary = { UNROLL = 4 }
[[objective]]
weight = 1
)";
const std::string kHost = R"(name = "add"
[host]
kernel = { file = "add.cc", function = "add" }
reference = { file = "plain.cc", function = "plain" }
sizes = { N = 1024 }
[[host.argument]]
name = "a"
type = "float32"
size = "N"
[[host.argument]]
name = "b"
type = "float32"
size = "N"
access = "out"
)" + kStudy;
const std::string kCommand = R"(name = "bench"
[command]
argv = ["true", "{THREADS}", "{UNROLL}"]
[[command.figure]]
)" + kStudy;
const std::string kCuda = R"(name = "scale"
[cuda]
source = "scale.cu"
sizes = { N = 1024 }
derived = { BLOCKS = "N // THREADS" }
[cuda.reference]
source = "reference.cu"
[[cuda.reference.launch]]
kernel = "reference"
grid = 1
block = 256
arguments = ["x", "y"]
[[cuda.argument]]
name = "x"
type = "float32"
size = "N"
[[cuda.argument]]
name = "y"
type = "float32"
size = "N"
access = "out"
[[cuda.tensor_map]]
name = "x_map"
of = "x"
extent = ["N"]
box = [64]
[[cuda.launch]]
kernel = "scale"
grid = "BLOCKS"
block = "THREADS"
arguments = ["x", "y", "x_map"]
[[cuda.prepare]]
kernel = "prepare"
grid = 1
block = 32
arguments = ["x"]
)" + kStudy;

// With the sources of the problems above.
class KeyFolder : public CudaFolder {
 public:
  KeyFolder() {
    write("scale.cu", "extern \"C\" __global__ void scale(const float*, float*, CUtensorMap);");
    write("reference.cu", "extern \"C\" __global__ void reference(const float*, double*);");
  }
};

// The problem in which `table` and its `key` stand.
std::string text_for(const ProblemTable& table, const std::string& key = "") {
  const std::string& name = table.name;
  const bool on_gpus = name.starts_with("cuda") || name == "device";
  std::string text = on_gpus ? kCuda : name.starts_with("command") ? kCommand : kHost;
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  if (name == "cuda.cases" || name == "host.cases") {
    put("sizes = { N = 1024 }", "cases = [{ N = 1024 }]");
  }
  if (name == "command.cases") {
    put("argv = [\"true\", \"{THREADS}\", \"{UNROLL}\"]",
        "argv = [\"true\"]\nmode = \"server\"\nprotocol = 2\ncases = [{ name = \"a\" }]");
  }
  if (name == "host.baseline")
    put("sizes", "baseline = { file = \"add.cc\", function = \"add\" }\nsizes");
  if (key == "range" || key == "powers_of_two") put("values = [1, 2, 4]", key + " = [1, 4]");
  if (name == "judged") text += "[judged]\nsource = \"add.cc\"\n";
  if (name == "recorded") {
    return "name = \"r\"\n[recorded]\nfile = \"" + data_file("stencil.json") + "\"\n";
  }
  return text;
}

std::string index_in(const ProblemTable& table, const std::string& key) {
  const bool of_output = table.name == "cuda.argument" && key.ends_with("gate");
  return of_output ? ".1." : ".0.";
}

// A name that the problems above have.
std::string name_in(const ProblemTable& table) {
  if (table.name.ends_with("sizes") || table.name.ends_with("cases")) return "N";
  return table.name.ends_with("derived") ? "BLOCKS" : "UNROLL";
}

const ProblemTable* parent_of(const ProblemTable& table) {
  for (const ProblemTable* parent : problem_tables()) {
    for (const ProblemKey& key : parent->keys) {
      if (key.table == &table) return parent;
    }
  }
  return nullptr;
}

// The key as --set names it, in the problem that has its table.
std::string path_of(const ProblemTable& table, std::string key) {
  if (key == "NAME") key = name_in(table);
  if (key == "TYPE") key = "float32";
  if (table.name.empty()) return key;
  const std::string own = table.name.substr(table.name.rfind('.') + 1);
  const std::string path = path_of(*parent_of(table), own);
  return path + (table.repeated ? index_in(table, key) : ".") + key;
}

bool is_table(const ProblemKey& key) {
  return std::holds_alternative<Table>(key.kind) || std::holds_alternative<Tables>(key.kind);
}

// Calls `check(table, key)` for every key that is no table itself.
template <class Check>
void for_each_key(const Check& check) {
  for (const ProblemTable* table : problem_tables()) {
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
    std::string operator()(const Share&) const { return "or a percentage such as"; }
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
  const KeyFolder samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    const std::string path = path_of(table, key.name);
    const auto diagnostics = samples.diagnostics(text_for(table, key.name), {{path, "1979-05-27"}});
    const std::string place = "--set " + path + "=";
    EXPECT_THAT(diagnostics, Contains(AllOf(StartsWith(place), HasSubstr(message_for(key)),
                                            Not(HasSubstr("unknown key")))))
        << path;
  });
}

TEST(ProblemKeys, OfTablesAreRead) {
  const KeyFolder samples;
  for (const ProblemTable* table : problem_tables()) {
    for (const ProblemKey& key : table->keys) {
      if (!is_table(key)) continue;
      const std::string path = path_of(*table, key.name);
      EXPECT_THAT(samples.diagnostics(text_for(*key.table), {{path, "1979-05-27"}}),
                  Contains(AllOf(StartsWith("--set " + path), HasSubstr("must be"))))
          << path;
    }
  }
}

TEST(ProblemKeys, ChoicesAreTheWordsThatAreKnown) {
  const KeyFolder samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    const Choice* choice = std::get_if<Choice>(&key.kind);
    if (choice == nullptr) return;
    const std::string path = path_of(table, key.name);
    const auto diagnostics = samples.diagnostics(text_for(table), {{path, "nonesuch"}});
    for (std::size_t i = 0; i < std::min<std::size_t>(choice->words.size(), 3); ++i) {
      EXPECT_THAT(diagnostics, Contains(HasSubstr("'" + choice->words[i] + "'"))) << path;
    }
  });
}

TEST(ProblemKeys, BoundsAreThoseOfTheReader) {
  const KeyFolder samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    const Integer* integer = std::get_if<Integer>(&key.kind);
    if (integer == nullptr || integer->least < 0) return;
    const std::string path = path_of(table, key.name);
    const std::string below = std::to_string(integer->least - 1);
    EXPECT_THAT(samples.diagnostics(text_for(table), {{path, below}}),
                Contains(HasSubstr("must be an integer")))
        << path;
  });
}

std::vector<std::byte> bytes_of(const search::Problem& problem) {
  ipc::ConfigureRequest request;
  request.problem = problem;
  return ipc::encode(request);
}

TEST(ProblemKeys, StandInProblemsWithoutMistakes) {
  const KeyFolder samples;
  for (const ProblemTable* table : problem_tables()) {
    EXPECT_THAT(samples.diagnostics(text_for(*table)), IsEmpty()) << table->name;
  }
}

// What a fallback says is what an absent key means.
TEST(ProblemKeys, FallbacksChangeNothing) {
  const KeyFolder samples;
  for_each_key([&](const ProblemTable& table, const ProblemKey& key) {
    if (key.fallback.empty()) return;
    const std::string path = path_of(table, key.name), text = text_for(table);
    const std::vector<Override> set = {{path, key.fallback}};
    EXPECT_TRUE(bytes_of(samples.read(text)) == bytes_of(samples.read(text, set))) << path;
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
}  // namespace nightshift::problems
