#include "scheduler/journal/batch_terms_text.h"

#include <gtest/gtest.h>

#include <exception>

namespace nightshift::scheduler {
namespace {

TEST(BatchTermsText, IsReadAsItWasWritten) {
  BatchStudyTerms terms;
  terms.name = "gemm-512";
  terms.overrides = {{"search.seed", "3"}};
  terms.after = {"norm"};
  terms.deadline_seconds = 90;
  terms.shape = {{"N", 512}};
  const BatchStudyTerms read = terms_from_json(terms_to_json(terms));
  EXPECT_EQ(read.name, terms.name);
  EXPECT_EQ(read.overrides, terms.overrides);
  EXPECT_EQ(read.after, terms.after);
  EXPECT_EQ(read.deadline_seconds, terms.deadline_seconds);
  EXPECT_EQ(read.shape, terms.shape);
  EXPECT_THROW(terms_from_json("{"), std::exception);
}

TEST(BatchTermsText, AShortageIsReadAsItWasWritten) {
  const auto read = shortage_from_json(shortage_to_json({7200, 18000, {"a", "b"}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->whole_seconds, 18000);
  EXPECT_EQ(read->left.size(), 2U);
  EXPECT_FALSE(shortage_from_json("[]"));
}

TEST(BatchTermsText, HowFarAClockWasSetIsReadAsItWasWritten) {
  for (const double seconds : {0.0, 7200.25, -7200.25}) {
    EXPECT_EQ(shift_from_text(shift_to_text(seconds)), seconds);
  }
  for (const char* text : {"", "two hours", "null", "1e999", "[1]"}) {
    EXPECT_EQ(shift_from_text(text), 0) << text;
  }
}

}  // namespace
}  // namespace nightshift::scheduler
