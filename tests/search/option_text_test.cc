#include "search/option_text.h"

#include <gtest/gtest.h>

namespace nightshift::search {
namespace {

TEST(OptionText, EveryHoleIsFilledOnce) {
  EXPECT_EQ(option_text({"OPT", "-O{} -DLEVEL={}"}, std::int64_t{3}), "-O3 -DLEVEL=3");
  EXPECT_EQ(option_text({"OPT", "-fast"}, std::int64_t{3}), "-fast");
  EXPECT_EQ(option_text({"OPT", "a{}b"}, std::string("{}")), "a{}b");
}

TEST(OptionText, AnEmptyValueIsNoOption) {
  EXPECT_EQ(option_text({"OPT", "-O{}"}, std::string()), "");
}

}  // namespace
}  // namespace nightshift::search
