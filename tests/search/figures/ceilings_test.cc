#include "search/figures/ceilings.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

constexpr const char* kBoth =
    "97.3 % of a copy (4053 GB/s), 62.1 % of dense bfloat16 products (614 TFLOPS)";

TEST(Ceilings, AreTheirTextAndBack) {
  const Ceilings told{
      {4.053e12, 4.053e12 / 0.973}, {614e12, 614e12 / 0.621}, "dense bfloat16 products"};
  ASSERT_EQ(text_of(told), kBoth);
  const auto read = ceilings_in(kBoth);
  ASSERT_TRUE(read);
  EXPECT_NEAR(read->bytes.reached / told.bytes.reached, 1, 1e-3);
  EXPECT_NEAR(read->bytes.most / told.bytes.most, 1, 1e-3);
  EXPECT_NEAR(read->flops.most / told.flops.most, 1, 1e-3);
  EXPECT_EQ(read->numbers, told.numbers);
}

TEST(Ceilings, OfWhichOneIsKnownHaveThatAlone) {
  const Ceilings moves{{1e12, 2e12}, {5e12, 0}, "float32 multiply-adds"};
  EXPECT_EQ(text_of(moves), "50.0 % of a copy (1000 GB/s)");
  const auto read = ceilings_in(text_of(moves));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->flops.is_known());
  const auto computes = ceilings_in("12.5 % of float32 multiply-adds (7.5 TFLOPS)");
  ASSERT_TRUE(computes);
  EXPECT_FALSE(computes->bytes.is_known());
  EXPECT_DOUBLE_EQ(computes->flops.most, 60e12);
  EXPECT_EQ(text_of({}), "");
}

TEST(Ceilings, OfOtherTextsAreNone) {
  for (const char* text : {"", "97.3 %", "97.3 % of a copy", "97.3 % of a copy (4053 GB/s",
                           "97.3 % of a copy (4053 TFLOPS)", "0.0 % of a copy (0 GB/s)",
                           "-1 % of a copy (4 GB/s)", "97.3 % of a copy (4053 GB/s), ",
                           "97.3 % of a copy (4053 GB/s) and more", "nan % of a copy (4 GB/s)"}) {
    EXPECT_FALSE(ceilings_in(text)) << text;
  }
}

}  // namespace
}  // namespace nightshift::search
