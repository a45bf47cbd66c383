#include "tools/table/table_kernels.h"

#include <gtest/gtest.h>

#include "packaging/include/nightshift/size_program.h"
#include "tests/tools/table/formats/told_table.h"
#include "tools/usage_error.h"

// That a table's file is loaded and launched is held by tests/e2e/kernels_test.py.
namespace nightshift::tools {
namespace {

TEST(TableKernels, TheProgramAnswersAsTheTableDoes) {
  const TableDocument d = tests::told_table();
  const std::string program = unseen_program(d, {"10", "11", "12"});
  std::size_t others = 0;
  for (const std::int64_t m : {1, 63, 64, 96, 100, 128, 500, 2048, 4092, 4096, 5000}) {
    for (const std::int64_t n : {64, 65, 96, 128, 1000, 1024, 4000, 4096, 9000}) {
      const search::Sizes sizes{{"M", m}, {"for", n}};
      const search::UnseenAnswer answer = search::answer_of(d.rule.unseen, sizes);
      const double got = SizeProgram::run(
          program, {{"M", static_cast<double>(m)}, {"for", static_cast<double>(n)}});
      EXPECT_EQ(got, 10.0 + static_cast<double>(answer.choice)) << m << " " << n;
      others += answer.choice != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(others, 5U);
}

TEST(TableKernels, ADefaultThatIsNotThereIsNoVariant) {
  const std::string program = unseen_program(tests::told_table(), {"-1", "0", "1"});
  EXPECT_EQ(SizeProgram::run(program, {{"M", 1}, {"for", 64}}), -1);
}

TEST(TableKernels, OfCudaAlone) {
  TableBatch batch;
  batch.name = "night";
  batch.studies.emplace_back();  // of a host kernel
  EXPECT_THROW(table_kernels(tests::told_table(), batch, 90), UsageError);
}

TEST(TableKernels, TheProgramAsksTheConstraints) {
  TableDocument d = tests::told_table();
  d.rule.unseen.conditions = {{}, {{"M % TILE == 0", "M % 48 == 0"}}, {{"M in TILES", ""}}};
  const std::string program = unseen_program(d, {"10", "11", "12"});
  std::size_t others = 0;
  for (const std::int64_t m : {64, 96, 128, 144, 192, 2048, 4092}) {
    for (const std::int64_t n : {64, 96, 128, 1024, 4096}) {
      const search::UnseenAnswer answer = search::answer_of(d.rule.unseen, {{"M", m}, {"for", n}});
      const double got = SizeProgram::run(
          program, {{"M", static_cast<double>(m)}, {"for", static_cast<double>(n)}});
      EXPECT_EQ(got, 10.0 + static_cast<double>(answer.choice)) << m << " " << n;
      EXPECT_TRUE(answer.choice == 0 || m % 48 == 0) << m << " " << n;
      others += answer.choice != 0 ? 1 : 0;
    }
  }
  EXPECT_GT(others, 0U);
}

}  // namespace
}  // namespace nightshift::tools
