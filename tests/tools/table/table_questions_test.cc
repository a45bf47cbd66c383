#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/content_hash.h"
#include "tests/tools/table/stored_table.h"
#include "tools/table/table_measuring.h"

namespace nightshift::tools {
namespace {

using ::testing::Each;
using ::testing::SizeIs;
using Kind = StoredMeasurement::Kind;

TEST(TableQuestions, AVerdictAnswersAtALevelWhereItSaysTheSame) {
  tests::StoredTable stored;
  stored.add(Kind::kTrial, "N=64", true, 0.001);
  stored.add(Kind::kTrial, "N=128", false, 0.001);
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  ASSERT_TRUE(measuring.no_worse(0, 1, 0.001).has_value());
  const auto verdict = measuring.no_worse(0, 1, 0.01);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_TRUE(search::is_accepted(*verdict));
  EXPECT_EQ(verdict->devices.front().pairs, 8);
  EXPECT_FALSE(measuring.no_worse(0, 1, 0.0001).has_value()) << "stricter than was asked";
  EXPECT_TRUE(measuring.no_worse(1, 1, 0.0001).has_value());
  EXPECT_FALSE(measuring.no_worse(1, 1, 0.01).has_value()) << "it might be shown at this level";
}

// Of more shapes each is asked at a stricter level: what was shown clearly is not measured again.
TEST(TableQuestions, PairsThatAreThereAnswerAtAStricterLevelWhereTheyAreClear) {
  tests::StoredTable stored;
  const auto add = [&](const std::string& shape, std::vector<double> pairs,
                       std::vector<int> counts) {
    StoredMeasurement m;
    m.kind = Kind::kTrial;
    m.shape = shape;
    m.configuration = stored.key(1);
    m.accepted = true;
    m.level = 0.001;
    m.margin = stored.terms.margin;
    m.pairs = std::move(pairs);
    m.counts = std::move(counts);
    stored.store.add(m);
  };
  const std::vector<double> clear{0.22, 0.23, 0.21, 0.22, 0.22, 0.23, 0.21, 0.22};
  add("N=64", clear, {8});
  add("N=128", {0.22, 0.03, -0.1, 0.12, 0.02, 0.13, 0.01, 0.02}, {8});
  add("N=256", clear, {});
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  const auto verdict = measuring.no_worse(0, 1, 0.0001);
  ASSERT_TRUE(verdict.has_value());
  EXPECT_TRUE(search::is_accepted(*verdict));
  EXPECT_LT(verdict->p_value, 0.00005);
  EXPECT_FALSE(measuring.no_worse(1, 1, 0.0001).has_value()) << "not shown at that level";
  EXPECT_FALSE(measuring.no_worse(2, 1, 0.0001).has_value()) << "whose they are is not known";
}

TEST(TableQuestions, AnotherMarginIsAnotherQuestion) {
  tests::StoredTable stored;
  stored.add(Kind::kTrial, "N=64", true, 0.001);
  stored.terms.margin = 0.005;
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  EXPECT_FALSE(measuring.no_worse(0, 1, 0.001).has_value());
}

TEST(TableQuestions, PairsOfAHoldOutAreThoseOfOneTable) {
  tests::StoredTable stored;
  const std::string rows =
      base::content_hash("8 pairs\nN=64 " + stored.key(1) + "\nN=128 {}\nN=256 {}\n");
  stored.add(Kind::kHoldOut, "N=64", true, 0, rows);
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  measuring.begin_hold_out({1, 0, 0});
  const auto pairs = measuring.hold_out(0, 1);
  ASSERT_TRUE(pairs.has_value());
  EXPECT_THAT(*pairs, SizeIs(8));
  measuring.begin_hold_out({1, 1, 0});
  EXPECT_FALSE(measuring.hold_out(0, 1).has_value());
}

TEST(TableQuestions, ATableOfWhatIsStoredNeedsNoDevice) {
  tests::StoredTable stored;
  for (const char* shape : {"N=64", "N=128", "N=256"}) stored.add(Kind::kTrial, shape, true, 1e-4);
  std::string rows = "8 pairs\n";
  for (const char* shape : {"N=64", "N=128", "N=256"})
    rows += std::string(shape) + " " + stored.key(1) + "\n";
  for (const char* shape : {"N=64", "N=128", "N=256"}) {
    stored.add(Kind::kHoldOut, shape, true, 0, base::content_hash(rows));
  }
  TableMeasuring measuring(stored.batch, stored.candidates, stored.store, stored.devices,
                           stored.terms);
  const search::TableDecision table = search::decided_table(measuring.columns(), {}, measuring);
  EXPECT_TRUE(table.claim.accepted);
  EXPECT_THAT(table.rows, Each(1U));
}

}  // namespace
}  // namespace nightshift::tools
