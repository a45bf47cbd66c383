#include "tools/kernels/kernel_file.h"

#include <gtest/gtest.h>

#include <string>

#include "packaging/include/nightshift/kernel_file_reader.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using evaluator::KernelPlan;

// Two configurations of one machine code, and a tensor map.
KernelFile example() {
  KernelPlan plan;
  plan.cubin = std::string("\0cubin\n\n", 8);
  plan.arguments = {{"x", "float32", "in", false, "$M", ""},
                    {"epsilon", "float32", "in", true, "1e-05", ""},
                    {"counter", "uint32", "work", false, "1", std::string(4, '\0')}};
  plan.maps = {{0, 7, "128", "0", {"$M", "4"}, {"$M,4,*"}, {"32", "1"}}};
  KernelPlan::Launch launch;
  launch.symbol = "_Z5scalePfS_";
  launch.grid = {"$M,255,+,256,//", "1", "1"};
  launch.block = {"256", "1", "1"};
  launch.cluster = {"1", "1", "1"};
  launch.shared_bytes = launch.programmatic = "0";
  launch.when = "1";
  using Kind = KernelPlan::Taken::Kind;
  launch.takes = {{Kind::kMap, 0}, {Kind::kArgument, 1}, {Kind::kLiteral, 0xfff0000000000001}};
  plan.launches = {launch};
  KernelFile file;
  file.problem = "scale";
  file.notes = {{"claim", "time 3 % lower\nand a second line"}};
  file.architecture = 90;
  file.sizes = {"M"};
  file.variants = {
      {plan, search::Configuration({{"BLOCK", search::Value(std::int64_t{256})}}), "best"},
      {plan, {}, "default"}};
  file.rows = {{{1000}, 0}};
  file.otherwise = "$M,2000,<,1,-1,if";
  return file;
}

TEST(KernelFile, LoadersReadWhatIsWritten) {
  const KernelFile file = example();
  const auto read = KernelFileReader::parse(kernel_file_bytes(file));
  EXPECT_EQ(read->problem, "scale");
  EXPECT_EQ(read->major, 9);
  EXPECT_EQ(read->minor, 0);
  EXPECT_TRUE(read->exact);
  EXPECT_EQ(read->sizes, file.sizes);
  ASSERT_EQ(read->arguments.size(), 3U);
  EXPECT_TRUE(read->arguments[1].scalar);
  EXPECT_EQ(read->arguments[2].access, "work");
  EXPECT_EQ(read->arguments[2].fill, "00000000");
  ASSERT_EQ(read->codes.size(), 1U) << "equal machine code is there once";
  EXPECT_EQ(read->codes[0], file.variants[0].plan.cubin);
  ASSERT_EQ(read->variants.size(), 2U);
  EXPECT_EQ(read->variants[1].role, "default");
  const nightshift::KernelVariant& variant = read->variants[0];
  EXPECT_EQ(variant.extents, (std::vector<std::string>{"$M", "1e-05", "1"}));
  ASSERT_EQ(variant.maps.size(), 1U);
  EXPECT_EQ(variant.maps[0].pitch, (std::vector<std::string>{"$M,4,*"}));
  EXPECT_EQ(variant.maps[0].box, (std::vector<std::string>{"32", "1"}));
  ASSERT_EQ(variant.launches.size(), 1U);
  EXPECT_EQ(variant.launches[0].symbol, "_Z5scalePfS_");
  EXPECT_EQ(variant.launches[0].grid[0], "$M,255,+,256,//");
  EXPECT_EQ(variant.launches[0].takes, (std::vector<std::string>{"m0", "a1", "xfff0000000000001"}));
}

TEST(KernelFile, LoadersChooseBySizes) {
  const auto read = KernelFileReader::parse(kernel_file_bytes(example()));
  EXPECT_EQ(read->choose({{"M", 1000}}), 0U);
  EXPECT_EQ(read->choose({{"M", 1001}}), 1U);
  EXPECT_THROW(read->choose({{"M", 2000}}), KernelError);
  EXPECT_THROW(read->choose({{"N", 1000}}), KernelError);
}

TEST(KernelFile, WhatIsNotWholeIsRefused) {
  const std::string bytes = kernel_file_bytes(example());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_THROW(KernelFileReader::parse(bytes.substr(0, length)), KernelError) << length;
  }
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = bytes;
    changed.replace(changed.find(from), from.size(), to);
    return changed;
  };
  for (const std::string& wrong :
       {with("kernels 1", "kernels 2"), with("variant 0 best", "variant 9 best"),
        with("row 0 1000", "row 7 1000"), with("takes m0 a1", "takes m3 a1"),
        with("takes m0 a1", "takes m0 a7"), with("extent $M", "extent\t\t"), with("map 0", "map 9"),
        with("problem", "peoblem")}) {
    EXPECT_THROW(KernelFileReader::parse(wrong), KernelError) << wrong.substr(0, 600);
  }
}

TEST(KernelFile, NamesHaveNoBlanks) {
  KernelFile file = example();
  file.variants[0].plan.arguments[0].name = "an x";
  EXPECT_THROW(kernel_file_bytes(file), UsageError);
}

}  // namespace
}  // namespace nightshift::tools
