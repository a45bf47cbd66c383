#include "evaluator/host/build/missing_function.h"

#include <gtest/gtest.h>

#include "tests/evaluator/evaluator_setup.h"

namespace nightshift::evaluator {
namespace {

class MissingFunction : public ::testing::Test {
 protected:
  std::string told(const std::string& function, const std::string& complaint,
                   const std::string& text = "void scale(float* x) {}\nvoid other() {}\n") {
    const std::string file = folder_.write("kernel.cc", text);
    return missing_function({file, function, {}}, {}, folder_.path(), complaint);
  }
  TemporaryFolder folder_;
};

constexpr const char* kTold = "error: kernel.cc has no function 'scael'; it has scale and other\n";

TEST_F(MissingFunction, IsToldWithThoseThatAreThereWhateverTheCompiler) {
  for (const char* words :
       {"wrapper.cc:78:56: error: 'scael' was not declared in this scope",
        "wrapper.c:3:17: error: 'scael' undeclared (first use in this function)",
        "wrapper.cc:3:9: error: use of undeclared identifier 'scael'",
        "wrapper.c:(.text+0x5): undefined reference to `scael'"}) {
    EXPECT_EQ(told("scael", words), kTold) << words;
  }
  EXPECT_EQ(told("scael<W, 2>", "error: no template named 'scael'"), kTold);
}

TEST_F(MissingFunction, OfManyTheFirstOnesAreNamed) {
  std::string text;
  for (char c = 'a'; c <= 'k'; ++c) text += std::string("void ") + c + "() {}\n";
  EXPECT_EQ(told("z", "error: 'z' was not declared", text),
            "error: kernel.cc has no function 'z'; it has a, b, c, d, e, f, g, h and 3 more\n");
}

TEST_F(MissingFunction, IsNoneWhereItIsThereOrAnotherErrorComesFirst) {
  EXPECT_EQ(told("scale", "error: 'scale' was not declared"), "");
  EXPECT_EQ(told("scael", "kernel.cc:1: error: no\nerror: 'scael' was not declared"), "");
  EXPECT_EQ(told("scael", "error: 'helper' was not declared"), "");
}

TEST_F(MissingFunction, OfACandidateIsToldOfItsOwnFile) {
  const std::string candidate = folder_.write("c.cc", "void other() {}\n");
  const std::string own = folder_.write("own.cc", "void scale() {}\n");
  const std::string judged =
      folder_.write("judged.cc", "#if NIGHTSHIFT_CANDIDATE == 1\n#include \"" + candidate +
                                     "\"\n#else\n#include \"" + own + "\"\n#endif\n");
  EXPECT_EQ(missing_function({judged, "scale", {}}, {"-DNIGHTSHIFT_CANDIDATE=1"}, folder_.path(),
                             "error: 'scale' was not declared in this scope"),
            "error: c.cc has no function 'scale'; it has other\n");
}

TEST(MissingLibrary, IsToldByTheOptionThatBringsIt) {
  EXPECT_EQ(missing_library("k.cc:(.text+0x8b): undefined reference to "
                            "`tbb::detail::r1::initialize(tbb::detail::d1::task_group_context&)'"),
            "error: it calls TBB, as std::execution::par does, which no flag links: add \"-ltbb\" "
            "to flags\n");
  EXPECT_EQ(missing_library("ld.lld: error: undefined symbol: omp_get_max_threads"),
            "error: it calls OpenMP, which no flag links: add \"-fopenmp\" to flags\n");
  EXPECT_EQ(missing_library("undefined reference to `mine'\nundefined reference to `cblas_sgemm'"),
            "error: it calls a BLAS, which no flag links: add \"-lopenblas\" to flags\n");
  EXPECT_EQ(missing_library("undefined reference to `help'"), "");
  EXPECT_EQ(missing_library("error: cblas_sgemm was not declared"), "");
}

}  // namespace
}  // namespace nightshift::evaluator
