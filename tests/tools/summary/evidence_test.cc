#include "tools/summary/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/tools/told_study.h"
#include "tools/document/document_writers.h"
#include "tools/summary/confirmation_text.h"
#include "tools/summary/gain_json.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

std::string text_of(const search::Verdict& verdict) { return to_text(evidence_of(verdict, {}), 4); }

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// With a single blank where there are several.
std::string squeezed(const std::string& text) {
  std::string out;
  for (const char c : folded(text, {})) {
    const char blank = c == '\n' ? ' ' : c;
    if (blank != ' ' || (!out.empty() && out.back() != ' ')) out += blank;
  }
  return out;
}

search::Verdict told_verdict() { return tests::ToldStudy().history().verdicts.front().verdict; }

TEST(Evidence, NamesTheEstimateEveryLookAndEveryDevice) {
  EXPECT_THAT(
      squeezed(text_of(told_verdict())),
      AllOf(HasSubstr("Estimate: time 50.00 % lower (2.00 times as good) [45.00 %, 55.00 %], p = "),
            HasSubstr("after 8 pairs time 50.34 % lower"), HasSubstr("+- 25.00 %"),
            HasSubstr("after 16 pairs"), HasSubstr("on node/cpu:1 8 pairs"),
            HasSubstr("on node/cpu:2 8 pairs"), HasSubstr("1 void pair"),
            HasSubstr("How much depends on the device (Cochran's Q: p = "),
            HasSubstr("Shape: better but wider: p95 is 4.1 % worse.")));
}

TEST(Evidence, SaysWhatToExpectElsewhere) {
  search::Verdict verdict = told_verdict();
  EXPECT_THAT(squeezed(text_of(verdict)),
              HasSubstr("on another device of the kind expect time 39.35 % lower"));
  verdict.heterogeneity = {};
  EXPECT_THAT(squeezed(text_of(verdict)),
              AllOf(HasSubstr("The devices agree ("), Not(HasSubstr("on another device"))));
  verdict.devices.resize(1);
  EXPECT_THAT(text_of(verdict), Not(HasSubstr("The devices agree")))
      << "one device agrees with itself";
}

TEST(Evidence, AnErrorMayBeUnknown) {
  search::Verdict verdict = told_verdict();
  verdict.looks[0].standard_error = std::numeric_limits<double>::infinity();
  EXPECT_THAT(squeezed(text_of(verdict)), HasSubstr("+- unknown"));
}

TEST(Evidence, OfDifferencesIsInTheUnitOfTheFigure) {
  search::Objective gain{"gain", "dB", search::Direction::kMaximise};
  gain.difference_scale = 9;
  const std::string text = squeezed(to_text(evidence_of(told_verdict(), gain), 4));
  EXPECT_THAT(text, AllOf(HasSubstr("+- "), HasSubstr(" dB"), Not(HasSubstr(" % p ="))));
}

TEST(GainJson, OfADifferenceHasNoRatio) {
  search::Objective gain{"gain", "dB", search::Direction::kMaximise};
  const auto of_ratio = gain_json(gain, 0.5, {0.4, 0.6});
  EXPECT_EQ(of_ratio["ratio"], 0.5);
  EXPECT_FALSE(of_ratio.contains("difference"));
  gain.difference_scale = 9;
  const auto json = gain_json(gain, std::exp(-1), {std::exp(-2), 1});
  EXPECT_TRUE(json["ratio"].is_null() && json["interval"].is_null());
  EXPECT_DOUBLE_EQ(json["difference"].get<double>(), 9);
  EXPECT_DOUBLE_EQ(json["difference_interval"][0].get<double>(), 0);
  EXPECT_DOUBLE_EQ(json["difference_interval"][1].get<double>(), 18);
  EXPECT_EQ(json["unit"], "dB");
}

TEST(Evidence, WithoutPairsThereIsNone) { EXPECT_EQ(text_of({}), ""); }

TEST(ConfirmationText, ListsItsPairsAndItsVerdict) {
  tests::ToldStudy study;
  const scheduler::ConfirmationSetup& setup = study.history().confirmations.front();
  EXPECT_EQ(confirmation_title(setup), "Confirmation 1, a duel of trial 2 with the baseline");
  EXPECT_THAT(
      squeezed(confirmation_text(study.history(), tests::told_problem(), setup)),
      AllOf(HasSubstr("round device candidate baseline"),
            HasSubstr("1 node/cpu:1 5.000 ms not begun"),
            HasSubstr("Verdict: accept, because all devices agree."), HasSubstr("Estimate: ")));
  study.history().verdicts.clear();
  EXPECT_THAT(confirmation_text(study.history(), tests::told_problem(), setup),
              HasSubstr("There is no verdict yet."));
}

}  // namespace
}  // namespace nightshift::tools
