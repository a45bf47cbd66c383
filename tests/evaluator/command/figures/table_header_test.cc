#include "evaluator/command/figures/table_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nightshift::evaluator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TableHeader header_of(const std::vector<std::string_view>& lines) {
  TableHeader header;
  for (const std::string_view line : lines) header.pass(line);
  return header;
}

// What stands above `number` of the row.
std::vector<std::string_view> above(const std::vector<std::string_view>& lines,
                                    std::string_view row, std::string_view number) {
  return TableRow(header_of(lines), row).cells_above(row.data() + row.find(number));
}

TEST(TableHeader, IsTheLastLinesWithoutANumber) {
  EXPECT_THAT(header_of({"log", "", "name,qps"}).lines(), ElementsAre("name,qps"));
  EXPECT_THAT(header_of({"name,qps", "foo,200", "bar,300"}).lines(), ElementsAre("name,qps"));
  EXPECT_THAT(header_of({"foo,200", "p50,p99"}).lines(), ElementsAre("p50,p99"));
  EXPECT_THAT(header_of({"one", "two"}).lines(), ElementsAre("one", "two"));
  EXPECT_THAT(header_of({"one", "two", "three", "four"}).lines(),
              ElementsAre("two", "three", "four"));
  EXPECT_THAT(header_of({"name qps", "----|:---:", "=====", "\r"}).lines(),
              ElementsAre("name qps"));
  EXPECT_THAT(header_of({"5 runs", "t=3", "+-1,x"}).lines(), IsEmpty());
}

TEST(TableRow, HasTheHeadsOfItsColumns) {
  EXPECT_THAT(above({"name,qps,us"}, "foo,200,5", "200"), ElementsAre("qps"));
  EXPECT_THAT(above({"| name | `t/s` |"}, "| foo | 200 |", "200"), ElementsAre("t/s"));
  EXPECT_THAT(above({"name\tt/s"}, "foo\t200", "200"), ElementsAre("t/s"));
  EXPECT_THAT(above({"\"name\";\"t/s\""}, "\"foo\";\"200\"", "200"), ElementsAre("t/s"));
  EXPECT_THAT(above({"Name  Best Rate  Avg time"}, "a 3 (1.0) 5", "5"), ElementsAre("Avg time"));
  EXPECT_THAT(above({"name rate time"}, "a 3 5", "3"), ElementsAre("rate"));
  EXPECT_THAT(above({"Function Best Rate MB/s Avg time"}, "Copy: 12000 0.01", "12000"),
              ElementsAre("Best Rate MB/s"));
}

TEST(TableRow, HasNoColumnUnderTheMarkOfAComment) {
  EXPECT_THAT(above({"# name time[us]"}, "foo 900", "900"), ElementsAre("time[us]"));
  EXPECT_THAT(above({"#name,time"}, "foo,900", "900"), ElementsAre("time"));
  EXPECT_THAT(above({"// name  mean time"}, "foo 900", "900"), ElementsAre("mean time"));
}

TEST(TableRow, MayBeginBeforeAnIndentedHeader) {
  EXPECT_THAT(above({"      sign   sign/s"}, "rsa 2048 bits 3 1632", "1632"),
              ElementsAre("sign/s"));
  EXPECT_THAT(above({"   KiB/s  %  MIPS"}, "Tot: 28000", "28000"), ElementsAre("MIPS"));
  EXPECT_THAT(above({"sign/s verify/s"}, "rsa 2048 bits: 1632 55300", "1632"),
              ElementsAre("sign/s"))
      << "as many as numbers at the end";
}

TEST(TableRow, HasHeadsOfSeveralWordsThatEndOrBeginWithTheirNumbers) {
  const std::vector<std::string_view> ends = {"test    lock wait (us) read delay (ms)"};
  EXPECT_THAT(above(ends, "foo                3.5           950.5", "3.5"),
              ElementsAre("lock wait (us)"));
  EXPECT_THAT(above(ends, "foo                3.5           950.5", "950.5"),
              ElementsAre("read delay (ms)"));
  EXPECT_THAT(above(ends, "foo     3.5            950.5", "3.5"), ElementsAre("lock wait (us)"));
  EXPECT_THAT(above(ends, "foo     3.5            950.5", "950.5"), ElementsAre("read delay (ms)"));
  EXPECT_THAT(above(ends, "foo       3.5       950.5", "3.5"), Not(ElementsAre("lock wait (us)")))
      << "below neither edge";
}

TEST(TableRow, HasACornerThatIsAboveTheFirstColumn) {
  const auto corner = [](std::string_view head, std::string_view row, std::string_view number) {
    return TableRow(header_of({head}), row).corner_above(row.data() + row.find(number));
  };
  EXPECT_EQ(corner("Name (time in us)  Min  Max", "foo  3 (1.0)  5 (2.0)", "5"),
            "Name (time in us)");
  EXPECT_EQ(corner("name,qps", "foo,200", "200"), "name");
  EXPECT_EQ(corner("time (us),n", "900,5", "900"), "") << "the number stands under it";
  EXPECT_EQ(corner("name,qps", "foo,bar,200", "200"), "");
}

TEST(TableRow, HasNoneWhereColumnsDoNotGoTogether) {
  EXPECT_THAT(above({"name,qps"}, "foo,bar,200", "200"), IsEmpty());
  EXPECT_THAT(above({"some words of a log"}, "foo 200", "200"), IsEmpty());
  EXPECT_THAT(above({"throughput"}, "200", "200"), IsEmpty()) << "a heading";
  EXPECT_THAT(above({}, "foo 200", "200"), IsEmpty());
}

TEST(TableRow, MayStandUnderTwoLines) {
  EXPECT_THAT(above({"cpu  bogo ops/s", "     (real time)"}, "cpu 200", "200"),
              ElementsAre("bogo ops/s"));
  EXPECT_THAT(above({"name,rate", "text,(1/s)"}, "foo,200", "200"), ElementsAre("rate", "(1/s)"));
}

}  // namespace
}  // namespace nightshift::evaluator
