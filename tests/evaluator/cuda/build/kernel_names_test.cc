#include "evaluator/cuda/build/kernel_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/cuda/build/build_errors.h"

namespace nightshift::evaluator::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<CubinKernel> kernels() {
  return {{"plain", "plain", {{}}},
          {"_Z5scalePfi", "scale(float*, int)", {{8, 4}}},
          {"_ZN1n5innerEv", "n::inner()", {{}}},
          {"_Z4tmplILi4EEvPf", "void tmpl<4>(float*)", {{8}}},
          {"_ZN31_GLOBAL__N__3ee93124_5_u2_cu_ec4anonEPf",
           "_GLOBAL__N__3ee93124_5_u2_cu_ec::anon(float*)",
           {{8}}},
          {"_Z17nightshift_kernelILi0E..",
           "void nightshift_kernel<0, void (*)(float*), "
           "&(void tmpl<4>(float*))>()",
           {{}}},
          {"_Z17nightshift_kernelILi1E..",
           "void nightshift_kernel<1, void (*)(), &(plain())>()",
           {{}}}};
}

TEST(KernelNames, AreThoseOfSymbolsOrOfTheOnlyFunctionOfThatName) {
  EXPECT_EQ(symbol_of(kernels(), "plain"), "plain");
  EXPECT_EQ(symbol_of(kernels(), "scale"), "_Z5scalePfi");
  EXPECT_EQ(symbol_of(kernels(), "inner"), "_ZN1n5innerEv");
  EXPECT_EQ(symbol_of(kernels(), "anon"), "_ZN31_GLOBAL__N__3ee93124_5_u2_cu_ec4anonEPf");
  EXPECT_EQ(symbol_of(kernels(), "other"), std::nullopt);
  std::vector<CubinKernel> twice = kernels();
  twice.push_back({"_Z5scalePd", "scale(double*)", {{8}}});
  EXPECT_EQ(symbol_of(twice, "scale"), std::nullopt);
}

TEST(KernelNames, OfInstancesAreThoseOfTheirMarks) {
  EXPECT_EQ(marked_symbol(kernels(), 0), "_Z4tmplILi4EEvPf");
  EXPECT_EQ(marked_symbol(kernels(), 1), "plain");
  EXPECT_EQ(marked_symbol(kernels(), 2), std::nullopt);
}

TEST(KernelNames, AMarkThatDoesNotCompileIsKnownByItsLine) {
  EXPECT_THAT(marks_of({"a<4>", "b"}), HasSubstr("decltype(&b), &b>();"));
  EXPECT_EQ(wrong_mark("nightshift_kernels(3): error: identifier \"b\" is undefined", 2), 1u);
  EXPECT_EQ(wrong_mark("k.cu(3): error: identifier \"b\" is undefined", 2), std::nullopt);
  EXPECT_EQ(wrong_mark("nightshift_kernels(9): error: identifier", 2), std::nullopt);
}

TEST(KernelNames, OneThatIsNotThereIsAnsweredWithThoseThatAre) {
  const std::string source =
      "template <class T> __global__ void a(T*) {}\n__global__ void b(int n) {}\n";
  EXPECT_EQ(no_such_kernel("c", source, "k.cu"),
            "error: there is no kernel c in k.cu; it has a<class T>(T *), b(int n)");
  EXPECT_THAT(no_such_kernel("a", source, "k.cu"),
              AllOf(HasSubstr("k.cu:1 has a<class T>(T *)"), HasSubstr("a<...>")));
  EXPECT_THAT(no_such_kernel("b<4>", source, "k.cu"), HasSubstr("which is no template"));
  EXPECT_THAT(no_such_kernel("c", "int i;", "k.cu"), HasSubstr("nor another __global__ function"));
}

TEST(KernelNames, WhatALaunchGivesIsHeldAgainstTheKernel) {
  const std::vector<std::string> functions = {"scale"}, symbols = {"_Z5scalePfi"};
  PlannedLaunch launch;
  launch.kernel = "scale";
  launch.arguments = {0, 1};
  const auto check = [&](const std::vector<std::uint32_t>& bytes) {
    check_parameters(kernels(), {functions, symbols}, {launch}, bytes);
  };
  EXPECT_NO_THROW(check({8, 4}));
  EXPECT_THAT(
      [&] {
        check({8, 8});
      },
      ThrowsMessage<WrongKernel>(AllOf(HasSubstr("scale(float*, int)"),
                                       HasSubstr("takes 2 parameters of 8, 4 bytes"),
                                       HasSubstr("gives it 2 parameters of 8, 8 bytes"))));
  launch.arguments = {0};
  EXPECT_THAT(
      [&] {
        check({8, 4});
      },
      ThrowsMessage<WrongKernel>(HasSubstr("gives it 1 parameter of 8 bytes")));
}

}  // namespace
}  // namespace nightshift::evaluator::cuda
