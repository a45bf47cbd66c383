#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "tests/problems/problem_text.h"

// What a problem leaves to the source of its kernels.
namespace nightshift::problems {
namespace {

using search::ElementType;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSource = R"cuda(
#include <stdio.h>
const int TILE = 16;
template <class T, int BM>
__global__ void scale(const T* x, float4* quads, double factor, T* y, int n) {}
int main() {}
)cuda";

std::string problem(const std::string& kernel, const std::string& quads,
                    const std::string& more = "") {
  return "name = \"scale\"\n[cuda]\nsource = \"kernels.cu\"\n" + more +
         R"toml(sizes = { n = 64 }
argument = [
  { name = "x", size = "n" },
  { name = "quads", )toml" +
         quads + R"toml(size = "n" },
  { name = "factor", value = 2 },
  { name = "y", size = "n", access = "out" },
  { name = "n", value = "n" },
]
[[cuda.launch]]
kernel = ")toml" +
         kernel + R"toml("
grid = 1
block = "THREADS"
[parameters]
THREADS = [32, 64]
BM = [1, 2]
TILE = [8, 16]
)toml";
}

class CudaSignatures : public ::testing::Test {
 protected:
  CudaSignatures() { folder_.write("kernels.cu", kSource); }
  const ProblemFolder folder_;
};

constexpr const char* kNone = "names = \"definitions\"\n";
constexpr const char* kTyped = "type = \"float32\", ";

TEST_F(CudaSignatures, TypesAndArgumentsAreThoseOfTheKernel) {
  const search::Problem read = folder_.read(problem("scale<half, BM>", kTyped, kNone));
  const auto& cuda = std::get<search::CudaBackend>(read.backend);
  std::vector<ElementType> types;
  for (const search::Argument& argument : cuda.arguments) types.push_back(argument.type);
  EXPECT_THAT(types,
              ElementsAre(ElementType::kFloat16, ElementType::kFloat32, ElementType::kFloat64,
                          ElementType::kFloat16, ElementType::kInt32));
  EXPECT_THAT(cuda.launches.at(0).arguments, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_EQ(cuda.compiler, search::CudaBackend::Compiler::kAny);
}

TEST_F(CudaSignatures, ATypeThatIsNotPlainHasToBeSaid) {
  EXPECT_THAT(
      folder_.diagnostics(problem("scale<half, BM>", "", kNone)),
      ElementsAre(HasSubstr("cuda.argument.type is missing, and the source does not tell it: "
                            "'float4 * quads' of scale (kernels.cu:5) is not plain")));
}

TEST_F(CudaSignatures, AKernelThatTheSourceHasNotTellsNothing) {
  EXPECT_THAT(folder_.diagnostics(problem("scales<half, BM>", kTyped, kNone)),
              ::testing::Contains(AllOf(HasSubstr("cuda.launch.arguments is missing"),
                                        HasSubstr("kernels.cu itself has no kernel scales"))));
}

TEST_F(CudaSignatures, APointerIsNoScalar) {
  std::string text = problem("scale<half, BM>", kTyped, kNone);
  text.replace(text.find("{ name = \"x\", size"), 18, "{ name = \"x\", value");
  EXPECT_THAT(folder_.diagnostics(text),
              ElementsAre(HasSubstr("is a pointer, and this has a 'value'")));
}

TEST_F(CudaSignatures, AMacroWithTheNameOfAParameterIsAMistakeWithItsLine) {
  std::string text = problem("scale<half, 4>", kTyped);
  text.replace(text.find("TILE ="), 4, "BM2 ");
  EXPECT_THAT(
      folder_.diagnostics(text),
      ElementsAre(
          AllOf(HasSubstr("size 'n' has the name of the argument 'n'"), HasSubstr("names = ")),
          AllOf(HasSubstr("parameter 'BM' has the name of the template parameter of "
                          "a kernel 'BM' (kernels.cu:5)"),
                HasSubstr("names = \"none\""))));
}

TEST_F(CudaSignatures, DefinitionsAreThoseOfTheSource) {
  EXPECT_THAT(folder_.diagnostics(problem("scale<half, BM>", kTyped, kNone)), IsEmpty());
  std::string text = problem("scale<half, BM>", kTyped, kNone);
  text.replace(text.find("TILE ="), 4, "TILES");
  EXPECT_THAT(folder_.diagnostics(text),
              ElementsAre(AllOf(HasSubstr("parameter 'TILES' is no constant or macro"),
                                HasSubstr("did you mean 'TILE'?"))));
}

}  // namespace
}  // namespace nightshift::problems
