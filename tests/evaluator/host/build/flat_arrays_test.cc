// Of its words; what compilers make of arrays is in host_builder_test.cc.
#include "evaluator/host/build/flat_arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::evaluator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOfGcc =
    "wrapper.c:10:7: error: passing argument 1 of 'nightshift_function' from incompatible pointer "
    "type [-Werror=incompatible-pointer-types]\n"
    "   10 |       (float*)nightshift_arguments[0],\n";
constexpr const char* kOfClang =
    "wrapper.c:10:7: error: incompatible pointer types passing 'float *' to parameter of type "
    "'float (*)[64]' [-Werror,-Wincompatible-pointer-types]\n"
    "      (float*)nightshift_arguments[0],\n";

TEST(PointerClash, SaysWhatFormsAreTold) {
  for (const char* complaint : {kOfGcc, kOfClang}) {
    EXPECT_THAT(pointer_clash("f", complaint), HasSubstr("Let a function of that form call f"));
  }
}

TEST(PointerClash, IsNoneOfTheSourcesOwnMistakes) {
  const std::string own =
      "f.c:3:10: error: passing argument 1 of 'helped' from incompatible pointer type\n"
      "    3 |   helped(x);\n";
  EXPECT_THAT(pointer_clash("f", own), IsEmpty());
  EXPECT_THAT(pointer_clash("f", own + kOfGcc), IsEmpty());
  EXPECT_THAT(pointer_clash("f", "f.c:1:1: error: unknown type name\n" + std::string(kOfGcc)),
              IsEmpty());
}

}  // namespace
}  // namespace nightshift::evaluator
