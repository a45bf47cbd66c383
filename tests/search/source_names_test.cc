#include "search/source_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/source_language.h"

namespace nightshift::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const ToldNames kTold = {{"BM", std::int64_t{64}},
                         {"SHIFT", std::int64_t{-2}},
                         {"WIDE", std::int64_t{5'000'000'000}},
                         {"SCALE", 0.5},
                         {"FAST", true},
                         {"TYPE", std::string("float")}};

TEST(WithValues, ReplacesNamesAmongTemplateArgumentsOnly) {
  EXPECT_EQ(with_values("BM::gemm<BM, 2 * BM>", kTold), "BM::gemm<64, 2 * 64>");
  EXPECT_EQ(with_values("gemm", kTold), "gemm");
  EXPECT_EQ(with_values("gemm<TYPE, FAST, SCALE>", kTold), "gemm<float, 1, 0.5>");
}

TEST(WithValues, NegativeNumbersAreInParentheses) {
  EXPECT_EQ(with_values("gemm<3-SHIFT>", kTold), "gemm<3-(-2)>");
}

TEST(WithValues, LeavesWhatIsNoNameOfItsOwn) {
  EXPECT_EQ(with_values("gemm<BMX, XBM, Layout::BM, 4BM>", kTold),
            "gemm<BMX, XBM, Layout::BM, 4BM>");
}

TEST(NamesAmongArguments, AreEachThereOnce) {
  EXPECT_THAT(names_among_arguments("ns::f<BM, int, BM + K>"), ElementsAre("BM", "int", "K"));
  EXPECT_THAT(names_among_arguments("f"), IsEmpty());
}

TEST(ConstantDefinitions, HaveTheirTypesAndTextsHaveNone) {
  EXPECT_EQ(constant_definitions(kTold),
            "constexpr int BM = 64;\nconstexpr int SHIFT = -2;\n"
            "constexpr long long WIDE = 5000000000;\nconstexpr double SCALE = 0.5;\n"
            "constexpr bool FAST = 1;\n");
}

TEST(ConstantDefinitions, OfCAreEnumeratorsWhereTheyFit) {
  EXPECT_EQ(constant_definitions(kTold, ConstantsOf::kC),
            "enum { BM = 64 };\nenum { SHIFT = -2 };\n"
            "static const long long WIDE = 5000000000;\nstatic const double SCALE = 0.5;\n"
            "enum { FAST = 1 };\n");
}

TEST(SourceLanguage, IsKnownByTheEndOfTheName) {
  EXPECT_EQ(language_of_name("/a.b/kernel.c"), SourceLanguage::kC);
  EXPECT_EQ(language_of_name("kernel.C"), SourceLanguage::kCpp);
  EXPECT_EQ(language_of_name("kernel.cc"), SourceLanguage::kCpp);
  EXPECT_EQ(language_of_name("kernel.inl"), SourceLanguage::kCpp);
  EXPECT_EQ(language_of_name("kernel.F90"), SourceLanguage::kFortran);
  EXPECT_EQ(language_of_name("kernel.f"), SourceLanguage::kFortran);
  EXPECT_EQ(language_of_name("kernel.S"), SourceLanguage::kAssembler);
  EXPECT_EQ(language_of_name("kernel.rs"), SourceLanguage::kOther);
  EXPECT_EQ(language_of_name("kernel"), SourceLanguage::kCpp);
}

TEST(SourceLanguage, FortranWithFixedColumnsIsKnownByTheEndOfTheName) {
  for (const char* name : {"k.f", "k.F", "/a.f90/k.for"}) EXPECT_TRUE(is_fixed_form(name)) << name;
  for (const char* name : {"k.f90", "k.F08", "k.cc"}) EXPECT_FALSE(is_fixed_form(name)) << name;
}

}  // namespace
}  // namespace nightshift::search
