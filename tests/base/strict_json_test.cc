#include "base/strict_json.h"

#include <gtest/gtest.h>

namespace nightshift::base {
namespace {

TEST(StrictJson, HasNullForNumbersThatAreNone) {
  EXPECT_EQ(strict_json(R"({"a": NaN, "b": [Infinity, -Infinity, -1]})"),
            R"({"a": null, "b": [null, null, -1]})");
}

TEST(StrictJson, LeavesStringsAsTheyAre) {
  for (const char* text : {R"({"NaN": "Infinity"})", R"(["\"NaN", "\\", "-Infinity"])", "",
                           R"("open NaN)", R"("open NaN\)"}) {
    EXPECT_EQ(strict_json(text), text);
  }
  EXPECT_EQ(strict_json(R"(["\\", NaN])"), R"(["\\", null])");
}

}  // namespace
}  // namespace nightshift::base
