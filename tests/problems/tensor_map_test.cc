#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file.h"
#include "tests/problems/cuda_text.h"

// [[cuda.tensor_map]] of the problem in cuda_text.h, whose x has M * N elements.
namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kMap = R"toml([[cuda.tensor_map]]
name = "tiles"
of = "x"
extent = ["N", "M"]
box = ["UNROLL * 8", 4]
)toml";
constexpr const char* kScaleArguments = "arguments = [\"x\", \"factor\", \"y\"]\n[[cuda.launch]]";

class TensorMaps : public ::testing::Test {
 protected:
  // The problem with such maps, and launches whose first takes `arguments`.
  static std::string text(const std::string& maps,
                          const std::string& arguments = "\"tiles\", \"factor\", \"y\"") {
    std::string text = cuda_problem();
    const auto at = text.find(kScaleArguments);
    text.replace(at, std::string(kScaleArguments).size(),
                 "arguments = [" + arguments + "]\n[[cuda.launch]]");
    return text.insert(text.find("[[cuda.launch]]"), maps);
  }
  search::CudaBackend backend(const std::string& maps) const {
    return std::get<search::CudaBackend>(folder_.read(text(maps)).backend);
  }
  // The mistakes of the map with one text in place of another.
  std::vector<std::string> changed(const std::string& from, const std::string& to) const {
    std::string map = kMap;
    map.replace(map.find(from), from.size(), to);
    return folder_.diagnostics(text(map));
  }
  std::vector<std::string> with(const std::string& line) const {
    return folder_.diagnostics(text(kMap + line + "\n"));
  }

  const CudaFolder folder_;
};

TEST_F(TensorMaps, AreWhatTheFileSays) {
  const search::CudaBackend cuda = backend(
      std::string(kMap) + "pitch = [\"N + 8\"]\nswizzle = \"THREADS\"\nl2_promotion = 128\n");
  ASSERT_THAT(cuda.tensor_maps, SizeIs(1));
  const search::TensorMap& map = cuda.tensor_maps[0];
  EXPECT_EQ(map.name, "tiles");
  EXPECT_EQ(map.argument, 0U);
  ASSERT_THAT(map.extent, SizeIs(2));
  EXPECT_EQ(map.extent[0].text(), "N");
  EXPECT_EQ(map.extent[1].text(), "M");
  ASSERT_THAT(map.pitch, SizeIs(1));
  EXPECT_EQ(map.pitch[0].text(), "N + 8");
  ASSERT_THAT(map.box, SizeIs(2));
  EXPECT_EQ(map.box[0].text(), "UNROLL * 8");
  EXPECT_EQ(map.box[1].text(), "4");
  EXPECT_EQ(map.swizzle.text(), "THREADS");
  EXPECT_EQ(map.l2_promotion.text(), "128");
}

TEST_F(TensorMaps, HaveNoSwizzleAndNoPromotionUnlessTheySaySo) {
  const search::TensorMap map = backend(kMap).tensor_maps[0];
  EXPECT_THAT(map.pitch, IsEmpty());
  EXPECT_EQ(map.swizzle.text(), "0");
  EXPECT_EQ(map.l2_promotion.text(), "0");
}

TEST_F(TensorMaps, FollowTheArgumentsInALaunch) {
  EXPECT_THAT(backend(kMap).launches[0].arguments, ElementsAre(4, 1, 2));
}

TEST_F(TensorMaps, MayHaveOneDimensionAndDerivedNames) {
  std::string map = kMap;
  map.replace(map.find("extent"), std::string::npos, "extent = \"M * N\"\nbox = \"WORK\"\n");
  const search::TensorMap read = backend(map).tensor_maps[0];
  ASSERT_THAT(read.extent, SizeIs(1));
  EXPECT_EQ(read.box[0].text(), "(THREADS * UNROLL)");
}

// By its map alone an output is written, and an argument taken.
TEST_F(TensorMaps, TakeTheirArgumentAlong) {
  std::string of_output = kMap;
  of_output.replace(of_output.find("of = \"x\""), 8, "of = \"y\"");
  std::string problem = text(of_output, "\"x\", \"factor\", \"tiles\"");
  problem.replace(problem.find("[\"y\", \"counter\"]"), 16, "[\"counter\"]");
  EXPECT_THAT(folder_.diagnostics(problem), IsEmpty());
}

TEST_F(TensorMaps, AreOfAVector) {
  EXPECT_THAT(changed("of = \"x\"", "of = \"conter\""),
              ElementsAre("47:6 cuda.tensor_map.of is 'conter', which is no argument; did you mean "
                          "'counter'?"));
  EXPECT_THAT(changed("of = \"x\"", "of = \"factor\""),
              ElementsAre(HasSubstr("of is 'factor', a scalar; a tensor map is of a vector")));
  EXPECT_THAT(changed("of = \"x\"\n", ""), ElementsAre("45:1 cuda.tensor_map.of is missing"));
}

TEST_F(TensorMaps, HaveANameOfTheirOwn) {
  EXPECT_THAT(folder_.diagnostics(text(std::string(kMap) + kMap)),
              ElementsAre("50:1 tensor map 'tiles' is taken by no [[cuda.launch]]",
                          "51:8 cuda.tensor_map.name is 'tiles', which an earlier tensor map has"));
  std::string map = kMap;
  map.replace(map.find("tiles"), 5, "x");
  EXPECT_THAT(folder_.diagnostics(text(map, "\"x\", \"factor\", \"y\"")),
              ElementsAre("45:1 tensor map 'x' is taken by no [[cuda.launch]]",
                          "46:8 cuda.tensor_map.name is 'x', which an earlier argument has"));
  EXPECT_THAT(changed("name = \"tiles\"", "name = \"ti les\""),
              ElementsAre(HasSubstr("must be of letters, digits and underscores"),
                          HasSubstr("cuda.launch.arguments has 'tiles', which is no argument")));
}

TEST_F(TensorMaps, HaveOneToFiveDimensions) {
  const std::string two = "extent = [\"N\", \"M\"]";
  EXPECT_THAT(changed(two, "extent = []"),
              ElementsAre("48:10 cuda.tensor_map.extent must have one to five expressions, the "
                          "innermost dimension first"));
  EXPECT_THAT(changed(two, "extent = [4, 4, 4, 4, 4, 4]"),
              ElementsAre(HasSubstr("must have one to five expressions")));
  EXPECT_THAT(changed(two + "\n", ""), ElementsAre("45:1 cuda.tensor_map.extent is missing"));
  EXPECT_THAT(changed("box = [\"UNROLL * 8\", 4]", "box = 16"),
              ElementsAre("49:7 cuda.tensor_map.box must have as many expressions as 'extent', 2"));
  EXPECT_THAT(changed("box = [\"UNROLL * 8\", 4]\n", ""),
              ElementsAre("45:1 cuda.tensor_map.box is missing"));
  EXPECT_THAT(with("pitch = [\"N\", \"N * M\"]"),
              ElementsAre("50:9 cuda.tensor_map.pitch must have an expression for each dimension "
                          "but the innermost, 1"));
}

TEST_F(TensorMaps, HaveExpressionsOverKnownNames) {
  EXPECT_THAT(changed("UNROLL * 8", "UNROL * 8"),
              ElementsAre(HasSubstr("box 'UNROL * 8': unknown name 'UNROL'; did you mean "
                                    "'UNROLL'?")));
  EXPECT_THAT(with("swizzle = \"THREADZ\""), ElementsAre(HasSubstr("unknown name 'THREADZ'")));
  EXPECT_THAT(with("l2_promotion = true"),
              ElementsAre(HasSubstr("cuda.tensor_map.l2_promotion must be a text, not true")));
  EXPECT_THAT(with("pitch = [true]"),
              ElementsAre(HasSubstr("cuda.tensor_map.pitch must list expressions; here is true")));
  EXPECT_THAT(with("swizle = 32"),
              ElementsAre(HasSubstr("unknown key 'swizle' in [cuda.tensor_map]; did you mean "
                                    "'swizzle'?")));
}

TEST_F(TensorMaps, ComeOutAsNumbersForTheBaseline) {
  EXPECT_THAT(changed("UNROLL * 8", "UNROLL - 1"),
              ElementsAre("45:1 the box of tensor map 'tiles', 'UNROLL - 1', is 0 for the "
                          "baseline, which is no number of elements"));
  EXPECT_THAT(with("swizzle = \"-THREADS\""),
              ElementsAre(HasSubstr("the swizzle of tensor map 'tiles', '-THREADS', is -64")));
  // Not those of a launch that the baseline leaves out.
  std::string problem = text(kMap, "\"x\", \"factor\", \"y\"");
  problem.replace(problem.find("[\"y\", \"counter\"]"), 16, "[\"tiles\", \"y\", \"counter\"]");
  problem.replace(problem.find("UNROLL * 8"), 10, "UNROLL - 1");
  EXPECT_THAT(folder_.diagnostics(problem), IsEmpty());
}

TEST_F(TensorMaps, AreTakenByALaunchOfTheKernelAlone) {
  EXPECT_THAT(folder_.diagnostics(text(kMap, "\"x\", \"factor\", \"y\"")),
              ElementsAre("45:1 tensor map 'tiles' is taken by no [[cuda.launch]]"));
  std::string problem = text(kMap);
  problem.replace(problem.find("[\"x\", \"factor\", \"y\"]"), 20, "[\"tiles\", \"factor\", \"y\"]");
  EXPECT_THAT(folder_.diagnostics(problem),
              ElementsAre("23:14 cuda.reference.launch.arguments has 'tiles', a tensor map, which "
                          "only a [[cuda.launch]] may take"));
  problem = text(kMap);
  problem.insert(problem.find("[parameters]"),
                 "[[cuda.prepare]]\nkernel = \"make\"\ngrid = 1\nblock = 1\narguments = "
                 "[\"tiles\"]\n");
  EXPECT_THAT(folder_.diagnostics(problem),
              ElementsAre(HasSubstr("cuda.prepare.arguments has 'tiles', a tensor map, which")));
}

}  // namespace
}  // namespace nightshift::problems
