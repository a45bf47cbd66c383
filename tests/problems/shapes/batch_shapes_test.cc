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
  // A is one for all, unless `keys` say something else of it.
  BatchFile read(const std::string& keys) const {
    return read_as_it_stands(keys + "set = { host.sizes.A = 3 }\n");
  }
  BatchFile read_as_it_stands(const std::string& keys) const {
    return read_batch({write("night.toml", "[[study]]\nproblem = \"gemm.toml\"\n" + keys)});
  }
  std::string mistake(const std::string& keys) const {
    try {
      read_as_it_stands(keys);
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
  EXPECT_THAT(first.overrides, ElementsAre(Pair("host.sizes.A", "3"), Pair("host.sizes.M", "1"),
                                           Pair("host.sizes.N", "4096")));
}

TEST(BatchShapes, SizesStandAsInTheProblem) {
  const ShapesFolder folder;
  EXPECT_EQ(folder.read_as_it_stands("shapes = [{ A = 1, N = 2, M = 3 }]\n").studies.front().name,
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
  const BatchFile batch = folder.read(
      "each = { host.sizes.N = [1, 2], host.sizes.M = [4], host.compiler = [\"c++\"] }\n");
  EXPECT_THAT(batch.studies[1].shape, ElementsAre(Pair("N", 2), Pair("M", 4)));
  EXPECT_EQ(batch.studies[1].name, "gemm-compilerc__-M4-N2") << "a name stays as it was";
  const BatchFile both =
      folder.read_as_it_stands("shapes = [{ M = 5, N = 6 }]\neach = { host.sizes.A = [7, 8] }\n");
  EXPECT_THAT(both.studies[1].shape, ElementsAre(Pair("M", 5), Pair("N", 6), Pair("A", 8)));
}

// A label beside sizes of the problem would be measured at the file's own.
TEST(BatchShapes, TheShapeOfOneStudySetsItsSizes) {
  const ShapesFolder folder;
  const BatchEntry study = folder.read("shape = { N = 64, M = 8 }\ncalls = 3\n").studies.front();
  EXPECT_EQ(study.name, "gemm");
  EXPECT_EQ(study.calls, 3);
  EXPECT_THAT(study.shape, ElementsAre(Pair("N", 64), Pair("M", 8))) << "as it is written";
  EXPECT_THAT(study.overrides, ElementsAre(Pair("host.sizes.A", "3"), Pair("host.sizes.N", "64"),
                                           Pair("host.sizes.M", "8")));
  EXPECT_THAT(folder.mistake("shape = { M = 8, n = 64, A = 1 }\n"),
              HasSubstr("'n' is no size of the problem; did you mean 'N'?"));
  EXPECT_THAT(
      folder.mistake("shape = { M = 8, N = 64 }\n"),
      HasSubstr("shape has no size A; where it is one for all, write set = { host.sizes.A"));
  EXPECT_THAT(folder.mistake("shape = { M = 8, N = 64, A = 1 }\nset = { host.sizes.A = 1 }\n"),
              HasSubstr("the size A is given by `set` or `each` as well"));
}

TEST(BatchShapes, WhereTheProblemHasNoSizesTheShapeIsANameOfWhatIsSet) {
  const ShapesFolder folder;
  folder.write("gemm.toml", "name = \"gemm\"\n[command]\n[parameters]\n");
  const std::string one = "shape = { N = 64, M = 8 }\nset = { command.environment.N = \"64\" }\n";
  const BatchEntry study = folder.read_as_it_stands(one).studies.front();
  EXPECT_THAT(study.shape, ElementsAre(Pair("N", 64), Pair("M", 8)));
  EXPECT_THAT(study.overrides, ElementsAre(Pair("command.environment.N", "'64'")));
  const std::string other =
      "[[study]]\nproblem = \"gemm.toml\"\nname = \"b\"\nshape = { N = 9, M = 8 }\n";
  EXPECT_THAT(
      folder.mistake(one + other + "set = { command.environment.N = \"64\" }\nbudget = \"3t\"\n"),
      HasSubstr("'gemm' and 'b' have different shapes and measure the same"));
  EXPECT_EQ(folder.mistake(one + other + "set = { command.environment.N = \"9\" }\n"), "");
}

TEST(BatchShapes, AStudysOwnShapesStandInPlaceOfTheDefaultOnes) {
  const ShapesFolder folder;
  const std::string path = folder.write("night.toml",
                                        "[defaults]\nshape = { M = 1, N = 2, A = 3 }\n"
                                        "[[study]]\nproblem = \"gemm.toml\"\n"
                                        "shapes = [{ M = 4, N = 5, A = 6 }]\n"
                                        "[[study]]\nproblem = \"gemm.toml\"\nname = \"b\"\n"
                                        "[[study]]\nproblem = \"gemm.toml\"\nname = \"c\"\n"
                                        "shape = { A = 7, N = 8, M = 9 }\n");
  const BatchFile batch = read_batch({path});
  ASSERT_EQ(batch.studies.size(), 3U);
  EXPECT_THAT(batch.studies[0].shape, ElementsAre(Pair("M", 4), Pair("N", 5), Pair("A", 6)));
  EXPECT_THAT(batch.studies[1].shape, ElementsAre(Pair("M", 1), Pair("N", 2), Pair("A", 3)));
  EXPECT_THAT(batch.studies[2].shape, ElementsAre(Pair("A", 7), Pair("N", 8), Pair("M", 9)));
  EXPECT_THAT(folder.mistake("shape = { M = 1 }\nshapes = [{ M = 1 }]\n"),
              HasSubstr("shape and shapes: expected one of them"));
}

TEST(BatchShapes, ASizeIsGivenOnce) {
  const ShapesFolder folder;
  const std::string twice = "the size M is given by `set` or `each` as well";
  EXPECT_THAT(
      folder.mistake("shapes = [{ M = 1, N = 1, A = 1 }]\neach = { host.sizes.M = [1, 2] }\n"),
      HasSubstr(twice));
  folder.write("shapes.csv", "M,N,A\n5,6,7\n");
  EXPECT_THAT(folder.mistake("shapes = \"shapes.csv\"\nset = { host.sizes.M = 1 }\n"),
              HasSubstr(twice));
  folder.write("shapes.json", "[{\"M\": 5, \"N\": 6, \"A\": 7}]");
  EXPECT_THAT(folder.mistake("shapes = \"shapes.json\"\nset = { host.sizes.M = 1 }\n"),
              HasSubstr(twice));
}

TEST(BatchShapes, ASizeThatNoColumnGivesIsAMistake) {
  const ShapesFolder folder;
  folder.write("shapes.csv", "M,n\n5,6\n5,7\n");
  EXPECT_THAT(folder.mistake("shapes = \"shapes.csv\"\nset = { host.sizes.A = 1 }\n"),
              HasSubstr("shapes.csv:1: no column gives the size N; did you mean 'n'?"));
  EXPECT_THAT(folder.mistake("shapes = [{ M = 1 }]\n"), HasSubstr("has no size N"));
}

TEST(BatchShapes, TheFirstOnesAreExploredFullyAndFarFromEachOther) {
  const ShapesFolder folder;
  const BatchFile batch = folder.read(
      "shapes = [{ M = 1, N = 1 }, { M = 1, N = 2 }, { M = 1, N = 4 }, { M = 1, N = 8 }, { M = 1, "
      "N = 16 }]\n"
      "budget = \"60s\"\nfull_shapes = 3\nrest_budget = \"20t\"\n");
  std::vector<std::string> names;
  for (const BatchEntry& study : batch.studies) names.push_back(study.name);
  EXPECT_EQ(names.front(), "gemm-M1-N4");
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
  EXPECT_THAT(folder.mistake("shapes = [{ M = 1 }]\n"), HasSubstr("has neither; write"));
  folder.write("gemm.toml", "name = \"gemm\"\n[parameters]\n[[command.cases]]\nname = \"a\"\n");
  EXPECT_THAT(folder.mistake("shapes = [{ M = 1 }]\n"),
              HasSubstr("has neither: its [[command.cases]] are measured together and make one "
                        "figure, so that no table can choose by them; write a [[study]]"));
}

TEST(BatchShapes, ShapesTimesValuesAreCountedBeforeTheyAreMade) {
  const ShapesFolder folder;
  std::string list;
  for (int i = 1; i <= 5001; ++i) list += "{ M = 1, N = " + std::to_string(i) + " }, ";
  const std::string shapes = "shapes = [" + list + "]\n";
  EXPECT_EQ(folder.read(shapes).studies.size(), 5001U);
  EXPECT_THAT(folder.mistake(shapes + "each = { host.sizes.A = [3, 4] }\n"),
              HasSubstr("'gemm' would become 10002 studies, and a batch has at most 10000"));
}

}  // namespace
}  // namespace nightshift::problems
