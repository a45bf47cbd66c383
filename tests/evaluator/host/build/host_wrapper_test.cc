// Of its text; what compilers make of it is in host_builder_test.cc.
#include "evaluator/host/build/host_wrapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nightshift::evaluator {
namespace {

using search::Argument;
using search::ElementType;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Argument vector_of(const char* name, ElementType type, Argument::Access access) {
  Argument argument;
  argument.name = name;
  argument.type = type;
  argument.access = access;
  return argument;
}

std::vector<Argument> arguments() {
  Argument count = vector_of("n", ElementType::kInt32, Argument::Access::kIn);
  count.scalar = true;
  return {vector_of("x", ElementType::kFloat32, Argument::Access::kIn),
          vector_of("y", ElementType::kFloat32, Argument::Access::kOut), count};
}

TEST(HostWrapper, NeedsNoHeaderAndNoNameOfItsOwn) {
  const std::string text = wrapper_source("scale", arguments(), false);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("#include")), HasSubstr(kEntrySymbol),
                          HasSubstr("static_cast<nightshift_list::pointer>(&scale)")));
}

TEST(HostWrapper, TellsOverloadsApartByTheListedTypes) {
  const auto exact = [](const std::string& types) {
    return HasSubstr("nightshift_signature(void (*)(" + types + "));");
  };
  EXPECT_THAT(wrapper_source("scale", arguments(), false),
              AllOf(exact("const float*, float*, int"), exact("float*, float*, int")));
  EXPECT_THAT(wrapper_source("scale", arguments(), true),
              AllOf(exact("const double*, double*, int"), exact("double*, double*, int")));
}

TEST(HostWrapper, InCTheSourceOrTheWrapperDeclaresTheFunction) {
  const std::string prototype = "void scale(float*, float*, int);\n";
  EXPECT_THAT(c_wrapper_source("scale", arguments(), false, Declared::kByWrapper),
              HasSubstr(prototype));
  EXPECT_THAT(c_wrapper_source("scale", arguments(), false, Declared::kBySource),
              Not(HasSubstr(prototype)));
}

}  // namespace
}  // namespace nightshift::evaluator
