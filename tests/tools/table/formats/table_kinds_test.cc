// One table for several kinds of device. That its header compiles and its module runs, and both answer
// as each table does, is held by tests/e2e/table_kinds_test.py.
#include "tools/table/formats/table_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/tools/table/formats/told_table.h"
#include "tools/table/formats/table_formats.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBig = "A big GPU, compute capability 90";
constexpr const char* kSmall = "A small GPU, compute capability 80";

TableDocument table_of(const std::string& kind) {
  TableDocument d = tests::told_table();
  d.kinds = {kind};
  return d;
}

// The second kind has its own second configuration in the first place, and one that the first has not.
KindsDocument two_kinds() {
  TableDocument other = table_of(kSmall);
  std::swap(other.rule.configurations[1], other.rule.configurations[2]);
  other.rule.configurations[2] =
      search::Configuration({{"TILE", std::int64_t{32}}, {"FAST", true}});
  return joined_kinds({table_of(kBig), other}, {"big.json", "small.json"});
}

std::string refusal(std::vector<TableDocument> tables) {
  try {
    joined_kinds(std::move(tables), {"a.json", "b.json"});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(TableKinds, AnswersStayWhatTheyWereUnderCommonConfigurations) {
  const KindsDocument before = two_kinds();
  const KindsDocument after = with_common_configurations(before);
  ASSERT_EQ(after.tables.size(), 2U);
  EXPECT_EQ(after.tables[0].table.rule.configurations.size(), 4U);
  EXPECT_EQ(after.tables[0].table.rule.configurations, after.tables[1].table.rule.configurations);
  for (std::size_t i = 0; i < 2; ++i) {
    const search::TableRule &old = before.tables[i].table.rule, &now = after.tables[i].table.rule;
    for (const std::int64_t m : {64, 128, 1024, 4096}) {
      for (const std::int64_t n : {64, 96, 4096}) {
        const search::Sizes sizes{{"M", m}, {"for", n}};
        EXPECT_EQ(old.configurations[search::look_up(old, sizes).choice],
                  now.configurations[search::look_up(now, sizes).choice])
            << i << " " << m << " " << n;
      }
    }
  }
}

TEST(TableKinds, WhatIsWrittenIsReadBack) {
  const KindsDocument document = two_kinds();
  const std::string text = kinds_json(document).dump();
  EXPECT_TRUE(is_kinds_document(text));
  EXPECT_FALSE(is_kinds_document(table_json(tests::told_table()).dump()));
  EXPECT_FALSE(is_kinds_document("{"));
  const KindsDocument read = read_kinds_document(text, "kinds.json");
  EXPECT_EQ(kinds_json(read), kinds_json(document));
  for (const char* bad : {"", "[]", "{}", R"({"format": "nightshift-table-kinds/1"})",
                          R"({"format": "nightshift-table-kinds/1", "tables": [1]})",
                          R"({"format": "nightshift-table-kinds/1", "tables": [{"table": {}}]})"}) {
    EXPECT_THROW(read_kinds_document(bad, "kinds.json"), UsageError) << bad;
  }
}

TEST(TableKinds, TablesThatDoNotBelongTogetherAreRefused) {
  TableDocument other = table_of(kSmall);
  other.problem = "conv";
  EXPECT_THAT(refusal({table_of(kBig), other}), HasSubstr("b.json and a.json are tables of two"));
  EXPECT_THAT(refusal({table_of(kBig), table_of(kBig)}),
              HasSubstr("b.json and a.json are both of A big GPU, compute capability 90"));
  other = table_of(kSmall);
  other.rule.names = {"M", "N"};
  EXPECT_THAT(refusal({table_of(kBig), other}), HasSubstr("have different sizes: M and N, and M"));
  other = table_of(kSmall);
  other.default_values = {};
  EXPECT_THAT(refusal({table_of(kBig), other}), HasSubstr("have different defaults"));
  other = table_of(kSmall);
  other.kinds.emplace_back(kBig);
  EXPECT_THAT(refusal({other}), HasSubstr("make a table of each kind with --kinds"));
  other.kinds.clear();
  other.devices.clear();
  EXPECT_THAT(refusal({other}), HasSubstr("does not say which kind of device"));
}

TEST(TableKinds, ATableOfBeforeIsOfTheKindThatItsDevicesAreCalled) {
  EXPECT_EQ(kind_of(tests::told_table(), "a.json"), "A CPU");
}

TEST(TableKinds, TheHeaderAsksForTheKind) {
  const std::string text = kinds_header(two_kinds());
  EXPECT_THAT(text, HasSubstr("constexpr int choose(int kind, long long M, long long for_)"));
  EXPECT_THAT(text, HasSubstr("\"A small GPU, compute capability 80\",\n};"));
  EXPECT_THAT(text, HasSubstr("if (kind == 1) return kind_1::choose(M, for_);"));
  EXPECT_THAT(text, HasSubstr("inline constexpr int kConfigurationCount = 4;"));
}

TEST(TableKinds, ThePythonModuleAsksForTheKind) {
  const std::string text = kinds_python(two_kinds());
  EXPECT_THAT(text, HasSubstr("\"A big GPU, compute capability 90\": _choose_0,"));
  EXPECT_THAT(text, HasSubstr("def choose(kind, M, for_):"));
}

TEST(TableKinds, EachFormButMachineCodeIsOfAllKinds) {
  for (const TableFormat& format : table_formats()) {
    EXPECT_EQ(format.written == nullptr, format.written_of_kinds == nullptr) << format.name;
  }
  KindsDocument document = two_kinds();
  document.tables[1].table.devices = {"node8/gpu (A small GPU)"};
  for (const TableFormat& format : table_formats()) {
    if (format.name != "wisdom") continue;
    const std::string text = format.written_of_kinds(document).front().text;
    EXPECT_THAT(text, HasSubstr("A CPU"));
    EXPECT_THAT(text, HasSubstr("A small GPU"));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);  // one that names, three rows of each
  }
}

}  // namespace
}  // namespace nightshift::tools
