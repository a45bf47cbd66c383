#include "evaluator/cuda/launch/made_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "evaluator/cuda/launch/launch_plan.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::Expression;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

search::CudaBackend problem() {
  search::CudaBackend cuda;
  cuda.compiler = search::CudaBackend::Compiler::kServed;
  cuda.cases = {{{"N", 1000}}};
  for (const char* name : {"x", "y"}) {
    search::Argument argument;
    argument.name = name;
    argument.size = Expression::parse("N");
    cuda.arguments.push_back(argument);
  }
  search::CudaLaunch launch;
  launch.kernel = "k";
  const Expression nothing = Expression::parse("0"), one = Expression::parse("1");
  launch.grid = search::left_to_compiler();
  launch.block = {Expression::parse("64"), one, one};
  launch.cluster = {one, one, one};
  launch.shared_bytes = nothing;
  launch.arguments = {0, 1};
  cuda.launches.push_back(launch);
  return cuda;
}

MadeLaunch read(const std::string& members) {
  return read_made_launches(R"({"launches": {"k": {)" + members + "}}}", problem()).at("k");
}

template <class T>
T value_of(const Literal& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(MadeLaunch, WhatIsNotSaidIsTheProblems) {
  const MadeLaunch made = read("");
  EXPECT_EQ(made.symbol, "k");
  EXPECT_FALSE(made.grid || made.block || made.cluster || made.shared_bytes || made.arguments);
}

TEST(MadeLaunch, WhatIsSaidComesFirst) {
  const MadeLaunch made =
      read(R"("symbol": "k_0d1d", "grid": [8, 4], "block": 128, "cluster": [2], "shared": 4096)");
  EXPECT_EQ(made.symbol, "k_0d1d");
  EXPECT_EQ(made.grid, (Dimensions{8, 4, 1}));
  EXPECT_EQ(made.block, (Dimensions{128, 1, 1}));
  EXPECT_EQ(made.cluster, (Dimensions{2, 1, 1}));
  EXPECT_EQ(made.shared_bytes, 4096u);
}

TEST(MadeLaunch, NumbersHaveTheirTypesBytes) {
  const MadeLaunch made = read(
      R"("arguments": ["y", {"int32": -7}, {"int64": -9223372036854775808}, {"uint64": 18446744073709551615},
          {"float32": 2.5}, {"float64": 3}, {"uint32": 4294967295}, null, {"argument": "x", "type": "float32"}])");
  ASSERT_TRUE(made.arguments);
  EXPECT_THAT(*made.arguments, ElementsAre(1u, kFirstLiteral, kFirstLiteral + 1, kFirstLiteral + 2,
                                           kFirstLiteral + 3, kFirstLiteral + 4, kFirstLiteral + 5,
                                           kFirstLiteral + 6, 0u));
  EXPECT_EQ(value_of<std::int32_t>(made.literals[0]), -7);
  EXPECT_EQ(value_of<std::int64_t>(made.literals[1]), INT64_MIN);
  EXPECT_EQ(value_of<std::uint64_t>(made.literals[2]), UINT64_MAX);
  EXPECT_EQ(value_of<float>(made.literals[3]), 2.5F);
  EXPECT_EQ(value_of<double>(made.literals[4]), 3.0);
  EXPECT_EQ(value_of<std::uint32_t>(made.literals[5]), UINT32_MAX);
  EXPECT_EQ(made.literals[6], Literal{});
}

TEST(MadeLaunch, SaysWhatIsWrongWhere) {
  const std::pair<const char*, const char*> kWrong[] = {
      {R"("symbol": 7)", "k.symbol must be text"},
      {R"("symbol": "")", "k.symbol is no name"},
      {R"("symbol": "a\nb")", "k.symbol is no name"},
      {R"("grid": 0)", "k.grid must be a whole number from 1 to 2147483647"},
      {R"("grid": [1, 1, 1, 1])", "k.grid must have one to three numbers"},
      {R"("grid": [])", "k.grid must have one to three numbers"},
      {R"("block": 1025)", "k.block must be a whole number from 1 to 1024"},
      {R"("block": 1.5)", "k.block must be"},
      {R"("cluster": 17)", "k.cluster must be"},
      {R"("shared": -1)", "k.shared must be"},
      {R"("shared": 18446744073709551615)", "k.shared must be"},
      {R"("arguments": "x")", "k.arguments must be a list"},
      {R"("arguments": ["z"])", "k.arguments[0] is 'z', which is no argument of the problem"},
      {R"("arguments": [{"int32": 2147483648}])", "k.arguments[0] is no number of its type"},
      {R"("arguments": [{"uint32": -1}])", "k.arguments[0] is no number of its type"},
      {R"("arguments": [{"argument": "x", "type": "bfloat16"}])",
       "k.arguments[0] is 'x', which is bfloat16 in the kernel and float32 in the problem"},
      {R"("arguments": [{"argument": "x"}])", "must be {"},
      {R"("programmatic": 1)", "k.programmatic must be true or false"},
      {R"("arguments": [{"argument": "q", "type": "float32"}])", "which is no argument"},
      {R"("arguments": [{"int8": 1}])", "k.arguments[0] must be an argument's name"},
      {R"("arguments": [{"int32": 1, "x": 2}])", "k.arguments[0] must be an argument's name"},
  };
  for (const auto& [members, words] : kWrong) {
    try {
      read(members);
      ADD_FAILURE() << members;
    } catch (const std::runtime_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(words)) << members;
    }
  }
  for (const char* text : {"", "[]", "{}", R"({"launches": []})", R"({"launches": {}})",
                           R"({"launches": {"k": 1}})"}) {
    EXPECT_THROW(read_made_launches(text, problem()), std::runtime_error) << text;
  }
}

TEST(MadeLaunch, APlanTakesIt) {
  const auto cuda = problem();
  EXPECT_THROW(plan_case(cuda, 0, {}, {"GPU", 90, 132}), std::runtime_error);  // no grid is known
  const auto with = [&](const std::string& members) {
    return plan_case(
        cuda, 0, {}, {"GPU", 90, 132},
        read_made_launches(R"({"launches": {"k": {"grid": 16)" + members + "}}}", cuda));
  };
  const CasePlan plan = with(R"(, "arguments": ["x", {"int32": 7}])");
  ASSERT_EQ(plan.launches.size(), 1u);
  EXPECT_EQ(plan.launches[0].grid, (Dimensions{16, 1, 1}));
  EXPECT_EQ(plan.launches[0].block, (Dimensions{64, 1, 1}));
  EXPECT_THAT(plan.launches[0].arguments, ElementsAre(0u, kFirstLiteral));
  EXPECT_THAT(with("").launches[0].arguments, ElementsAre(0u, 1u));
  // Two that pass other numbers are not the same.
  EXPECT_NE(text_of(plan), text_of(with(R"(, "arguments": ["x", {"int32": 8}])")));
}

// Figures are computed from these: equal machine code with others has other figures.
TEST(MadeLaunch, BytesAndOperationsThatAConfigurationChangesTellPlansApart) {
  auto cuda = problem();
  const auto text = [&](std::int64_t tile) {
    const search::Configuration configuration({{"TILE", search::Value(tile)}});
    return text_of(plan_case(cuda, 0, configuration, {"GPU", 90, 132},
                             read_made_launches(R"({"launches": {"k": {"grid": 16}}})", cuda)));
  };
  EXPECT_EQ(text(1), text(2));
  const std::string plain = text(1);
  cuda.bytes = search::Expression::parse("4096");
  EXPECT_EQ(text(1), plain);  // what nothing changes is no part of it
  for (auto* amount : {&cuda.bytes, &cuda.flops}) {
    *amount = search::Expression::parse("64 * TILE");
    EXPECT_NE(text(1), text(2));
    *amount = std::nullopt;
  }
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
