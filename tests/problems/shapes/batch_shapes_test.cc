#include "problems/shapes/batch_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/batch_file.h"
#include "tests/problems/scratch_folder.h"

namespace nightshift::problems {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

struct ShapesFolder : ScratchFolder {
  ShapesFolder() {
    write("gemm.toml", "name = \"gemm\"\n[host]\nsizes = { M = 1, N = 2, A = 3 }\n[parameters]\n");
    write("log.txt", "call M=3 N=8\ncall M=3 N=8\n");
  }
  BatchFile read(const std::string& keys) const {
    return read_batch({write("night.toml", "[[study]]\nproblem = \"gemm.toml\"\n" + keys)});
  }
  std::string mistake(const std::string& keys) const {
    try {
      read(keys);
    } catch (const ProblemFileError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(BatchShapes, EachShapeIsAStudyNamedByItsSizes) {
  const ShapesFolder folder;
  const BatchFile batch =
      folder.read("shapes = [{ M = 1, N = 4096, count = 3 }, { M = 2, N = 8 }]\n");
  ASSERT_EQ(batch.studies.size(), 2U);
  const BatchEntry& first = batch.studies[0];
  EXPECT_EQ(first.name, "gemm-M1-N4096");
  EXPECT_EQ(first.calls, 3);
  EXPECT_THAT(first.shape, ElementsAre(Pair("M", 1), Pair("N", 4096)));
  EXPECT_THAT(first.overrides,
              ElementsAre(Pair("host.sizes.M", "1"), Pair("host.sizes.N", "4096")));
}

TEST(BatchShapes, SizesStandAsInTheProblem) {
  const ShapesFolder folder;
  EXPECT_EQ(folder.read("shapes = [{ A = 1, N = 2, M = 3 }]\n").studies.front().name,
            "gemm-M3-N2-A1");
}

TEST(BatchShapes, AFileAndALogAreReadAsWell) {
  const ShapesFolder folder;
  folder.write("shapes.csv", "M,N,count\n5,6,7\n");
  EXPECT_EQ(folder.read("shapes = \"shapes.csv\"\n").studies.front().calls, 7);
  const BatchFile of_log =
      folder.read("shapes = { file = \"log.txt\", regex = 'M=(?<M>\\d+) N=(?<N>\\d+)' }\n");
  EXPECT_EQ(of_log.studies.front().name, "gemm-M3-N8");
  EXPECT_EQ(of_log.studies.front().calls, 2);
}

TEST(BatchShapes, ProductsStayAndTheirSizesAreAShapeToo) {
  const ShapesFolder folder;
  const BatchFile batch =
      folder.read("each = { host.sizes.M = [1, 2], host.compiler = [\"c++\"] }\n");
  EXPECT_THAT(batch.studies[1].shape, ElementsAre(Pair("M", 2)));
}

TEST(BatchShapes, TheFirstOnesAreExploredFullyAndFarFromEachOther) {
  const ShapesFolder folder;
  const BatchFile batch = folder.read(
      "shapes = [{ N = 1 }, { N = 2 }, { N = 4 }, { N = 8 }, { N = 16 }]\n"
      "budget = \"60s\"\nfull_shapes = 3\nrest_budget = \"20t\"\n");
  std::vector<std::string> names;
  for (const BatchEntry& study : batch.studies) names.push_back(study.name);
  EXPECT_EQ(names.front(), "gemm-N4");
  EXPECT_THAT(batch.studies[2].overrides, Not(Contains(Pair("budget.trials", "20"))));
  EXPECT_THAT(batch.studies[3].overrides, Contains(Pair("budget.trials", "20")));
}

TEST(BatchShapes, MistakesNameTheirPlace) {
  const ShapesFolder folder;
  EXPECT_THAT(folder.mistake("shapes = [{ M = 1, n = 4 }]\n"),
              HasSubstr("'n' is no size of the problem; did you mean 'N'?"));
  EXPECT_THAT(folder.mistake("shapes = [{ M = 0 }]\n"), HasSubstr("night.toml:3"));
  EXPECT_THAT(folder.mistake("shapes = \"shape.csv\"\n"), HasSubstr("no file"));
  EXPECT_THAT(folder.mistake("shapes = 3\n"), HasSubstr("must be a list of tables"));
  EXPECT_THAT(folder.mistake("shape = { M = \"x\" }\n"), HasSubstr("whole numbers"));
  folder.write("gemm.toml", "name = \"gemm\"\n[parameters]\n");
  EXPECT_THAT(folder.mistake("shapes = [{ M = 1 }]\n"), HasSubstr("has neither"));
}

}  // namespace
}  // namespace nightshift::problems
