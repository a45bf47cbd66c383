#include "problems/shapes/shape_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problems/problem_file_error.h"

namespace nightshift::problems {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;

const ShapeReading kReading{"calls.csv", {"M", "N"}, ""};

std::vector<std::string> mistakes_of(std::string_view text, const ShapeReading& how = kReading) {
  std::vector<std::string> told;
  try {
    read_shapes(text, how);
  } catch (const ProblemFileError& error) {
    for (const Diagnostic& d : error.diagnostics()) {
      told.push_back(std::to_string(d.line) + " " + d.message);
    }
  }
  return told;
}

TEST(ShapeList, ACsvHasAHeaderAndOtherColumnsArePassedOver) {
  const auto shapes = read_shapes(
      "\xef\xbb\xbf# written by a "
      "program\nM,dtype,N,count\r\n1,\"bf,16\",4096,3\r\n\r\n2,half,8,1\n",
      kReading);
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_THAT(shapes[0].sizes, ElementsAre(Pair("M", 1), Pair("N", 4096)));
  EXPECT_EQ(shapes[0].calls, 3);
  EXPECT_THAT(shapes[1].sizes, ElementsAre(Pair("M", 2), Pair("N", 8)));
}

// Spreadsheets write lists so, by country.
TEST(ShapeList, ColumnsArePartedBySemicolonsOrTabsToo) {
  for (const std::string text :
       {"\xef\xbb\xbfsep=;\r\n M ;dtype; \"N\" ;count\r\n1;\"bf;16\";4096;3\r\n",
        "M\tdtype\tN\tcount\n1\tbf, 16\t4096\t3\n"}) {
    const auto shapes = read_shapes(text, kReading);
    ASSERT_THAT(shapes, SizeIs(1));
    EXPECT_THAT(shapes[0].sizes, ElementsAre(Pair("M", 1), Pair("N", 4096)));
    EXPECT_EQ(shapes[0].calls, 3);
  }
  EXPECT_THAT(read_shapes("\xef\xbb\xbf[{\"M\": 1, \"N\": 2}]", kReading), SizeIs(1));
}

TEST(ShapeList, NumbersOfOtherCountriesAreRefusedInWords) {
  EXPECT_THAT(
      mistakes_of("M;N;count\n1;2;1,5\n"),
      ElementsAre("2 count must be a number above 0, not '1,5'; write numbers without marks "
                  "between thousands, and a decimal with a point"));
  EXPECT_THAT(mistakes_of("M;N;count\n1;2;1.000\n"),
              ElementsAre(HasSubstr("without marks between thousands")));
  EXPECT_THAT(mistakes_of("M,N,count\n1,2,1.000\n"), ElementsAre()) << "one, with a point";
  EXPECT_THAT(mistakes_of("M;N\n4.096;2\n"),
              ElementsAre(HasSubstr("not '4.096'; write numbers without marks")));
  EXPECT_THAT(mistakes_of("M,N\n\"4,096\",2\n"),
              ElementsAre(HasSubstr("not '4,096'; write numbers without marks")));
}

TEST(ShapeList, AListOfAnotherFormIsTold) {
  EXPECT_THAT(
      mistakes_of("M;Nn\n1;2\n"),
      ElementsAre(HasSubstr("1 no column gives the size N; there is M and Nn; where it is one")));
  EXPECT_THAT(mistakes_of("M;n\n1;2\n"), ElementsAre(HasSubstr("did you mean 'n'?")));
  EXPECT_THAT(mistakes_of("M N\n1 2\n"),
              ::testing::Contains(HasSubstr("1 the header has one column, 'M N'; columns are "
                                            "parted by ',', ';' or tabs")));
  EXPECT_THAT(mistakes_of("\xff\xfeM"), ElementsAre("0 is written in UTF-16; save it as UTF-8"));
}

TEST(ShapeList, EqualShapesAreOneAndTheirCallsAddUp) {
  const auto shapes = read_shapes("N,M,weight\n8,1,2\n8,1,0.5\n", kReading);
  ASSERT_THAT(shapes, SizeIs(1));
  EXPECT_EQ(shapes[0].calls, 2.5);
}

TEST(ShapeList, JsonIsAListOrAnObjectALine) {
  const auto list =
      read_shapes(R"([{"M": 1, "N": 2, "layout": "tn"}, {"N": 3, "M": 4}])", kReading);
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_THAT(list[1].sizes, ElementsAre(Pair("M", 4), Pair("N", 3)));
  EXPECT_THAT(read_shapes("{\"M\": 1, \"N\": \"2\"}\n{\"M\": 1, \"N\": 3}\n", kReading), SizeIs(2));
}

TEST(ShapeList, ALogIsReadByNamedGroupsAndLinesAreCounted) {
  const ShapeReading log{"server.log", {"M", "N"}, R"(gemm(_(\w+))? m=(?<M>\d+)[(] n=(?P<N>\d+))"};
  const auto shapes = read_shapes("start\ngemm m=1( n=2\nx gemm_tn m=1( n=2\ngemm m=4( n=2\n", log);
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_EQ(shapes[0].calls, 2);
  EXPECT_THAT(shapes[1].sizes, ElementsAre(Pair("M", 4), Pair("N", 2)));
}

TEST(ShapeList, TunableOpsLinesAreSuchALog) {
  const ShapeReading log{"untuned.csv", {"M", "N", "K"}, R"(tn_(?<M>\d+)_(?<N>\d+)_(?<K>\d+)_)"};
  const auto shapes =
      read_shapes("GemmTunableOp_Half_TN,tn_32768_65536_384_ld_384_384_32768\n", log);
  ASSERT_THAT(shapes, SizeIs(1));
  EXPECT_THAT(shapes[0].sizes, ElementsAre(Pair("M", 32768), Pair("N", 65536), Pair("K", 384)));
}

TEST(ShapeList, EveryMistakeHasItsLine) {
  EXPECT_THAT(mistakes_of("M,N\n1,2\n0,2\n1\nx,3\n"),
              ElementsAre("3 M must be a whole number from 1 to 2^53, not '0'",
                          "4 has 1 columns, the header has 2",
                          "5 M must be a whole number from 1 to 2^53, not 'x'"));
  EXPECT_THAT(mistakes_of("M,N,count\n1,2,-1\n"),
              ElementsAre("2 count must be a number above 0, not '-1'"));
  EXPECT_THAT(mistakes_of("M,M\n1,2\n"), ElementsAre("1 there are two columns 'M'"));
  EXPECT_THAT(mistakes_of("M,N\n\"1,2\n"), ElementsAre("2 a quote is not closed in this line"));
  EXPECT_THAT(mistakes_of(""), ElementsAre("0 has no shape"));
  EXPECT_THAT(mistakes_of("[1]"), ElementsAre(HasSubstr("0 shape 1: expected an object")));
  EXPECT_THAT(mistakes_of("[{\"M\": [1], \"N\": 1}]"), ElementsAre(HasSubstr("not 'array'")));
  EXPECT_THAT(mistakes_of("x", {"log", {"M"}, "(?<M>["}),
              ElementsAre(HasSubstr("0 regex is no regular expression")));
}

// Else shapes that differ in that size would be one.
TEST(ShapeList, ASizeThatNothingGivesIsAMistake) {
  EXPECT_THAT(
      mistakes_of("M,n,K\n1,2,3\n"),
      ElementsAre("1 no column gives the size N; did you mean 'n'?; where it is one for all, "
                  "write set = { host.sizes.N = ... }"));
  EXPECT_THAT(mistakes_of("m,n\n1,2\n"), SizeIs(2));
  EXPECT_THAT(mistakes_of("[{\"M\": 1, \"N\": 1}, {\"N\": 1}]"),
              ElementsAre(HasSubstr("0 shape 2: has no size M; where it is one for all")));
  EXPECT_THAT(mistakes_of("{\"M\": 1}\n"), ElementsAre(HasSubstr("1 has no size N")));
  EXPECT_THAT(mistakes_of("M=1 N=2\n", {"log", {"M", "N"}, R"(M=(?<M>\d+) N=(\d+))"}),
              ElementsAre(HasSubstr("0 no group of the regex gives the size N")));
  EXPECT_THAT(mistakes_of("M=1 N=2\nM=1\n", {"log", {"M", "N"}, R"(M=(?<M>\d+)( N=(?<N>\d+))?)"}),
              ElementsAre(HasSubstr("2 has no size N")));
}

TEST(ShapeList, ASizeThatIsSetElsewhereIsNoColumn) {
  ShapeReading reading{"calls.csv", {"M"}, ""};
  reading.given = {"N"};
  EXPECT_THAT(mistakes_of("M,N\n1,2\n", reading),
              ElementsAre("1 the size N is given by `set` or `each` as well"));
  EXPECT_THAT(read_shapes("M,K\n1,2\n", reading).front().sizes, ElementsAre(Pair("M", 1)));
}

TEST(ShapeList, ALogsLinesMayBeLongAndItsExpressionMayNotTakeForEver) {
  const ShapeReading log{"server.log", {"M"}, R"(M=(?<M>\d+))"};
  const auto shapes = read_shapes(std::string(100'000, 'x') + " M=7\nM=8\n", log);
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_THAT(shapes[0].sizes, ElementsAre(Pair("M", 7)));
  const ShapeReading endless{"server.log", {"M"}, R"((x+x+)+y(?<M>\d+))"};
  EXPECT_THAT(mistakes_of("M=7\n" + std::string(300, 'x') + "\n", endless),
              ElementsAre(HasSubstr("2 regex takes too long")));
  ShapeReading slow = log;
  double now = 0;
  slow.seconds = [&now] { return now += 25; };
  EXPECT_THAT(mistakes_of("M=1\nM=2\nM=3\n", slow),
              ElementsAre(HasSubstr("3 regex takes more than 60 s on this log")));
}

TEST(ShapeList, AnExpressionWithoutNamesIsToldSo) {
  EXPECT_THAT(mistakes_of("x", {"log", {"M"}, "M=(\\d+)"}),
              ElementsAre(HasSubstr("0 regex has no named group; write (?<M>[0-9]+)")));
}

TEST(ShapeList, ComplaintsAndShapesAreBounded) {
  std::string bad = "M,N\n", many = "M,N\n";
  for (int i = 0; i < 1000; ++i) bad += "x,y\n";
  EXPECT_THAT(mistakes_of(bad), SizeIs(20));
  for (std::size_t i = 0; i <= kMostShapes; ++i) many += std::to_string(i + 1) + ",1\n";
  EXPECT_THAT(mistakes_of(many), ElementsAre(HasSubstr("more than 10000 different shapes")));
}

TEST(ShapeList, FarthestFirstCoversTheRangeBeforeItFillsIt) {
  std::vector<NamedShape> shapes;
  for (const std::int64_t n : {1, 2, 4, 16, 32, 64, 256}) shapes.push_back({{{"N", n}}, 1});
  const std::vector<std::size_t> order = farthest_first(shapes);
  ASSERT_THAT(order, SizeIs(7));
  EXPECT_EQ(order[0], 3U);  // 16 is in the middle
  EXPECT_THAT((std::vector<std::size_t>{order[1], order[2]}),
              ::testing::UnorderedElementsAre(0U, 6U));
  EXPECT_THAT(farthest_first({}), ::testing::IsEmpty());
}

}  // namespace
}  // namespace nightshift::problems
