#include "search/acceptance/devices_needed.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/acceptance/duel.h"
#include "search/statistics/e_process.h"

namespace nightshift::search {
namespace {

AcceptanceSettings by(Consensus consensus, int majority = 0, int least = 1) {
  AcceptanceSettings settings;
  settings.consensus = consensus;
  settings.majority = majority;
  settings.devices_least = least;
  return settings;
}

TEST(DevicesNeeded, OneIsEnoughUnlessASettingAsksForMore) {
  EXPECT_EQ(why_never(1, {}), "");
  EXPECT_EQ(why_never(1, by(Consensus::kStrict)), "");
  EXPECT_EQ(why_never(1, by(Consensus::kMajority)), "") << "more than half of those that there are";
  EXPECT_EQ(devices_needed(by(Consensus::kFleet)).count, 2);
  EXPECT_EQ(devices_needed(by(Consensus::kMajority, 3)).count, 3);
  EXPECT_EQ(devices_needed(by(Consensus::kMajority, 3, 5)).count, 5);
}

TEST(DevicesNeeded, TheSettingIsNamedWithWhatItNeedsAndWhatIsThere) {
  EXPECT_EQ(why_never(1, by(Consensus::kFleet)),
            "nothing can be accepted: acceptance.consensus = \"fleet\" needs 2 devices, not 1; let "
            "more take part, or ask for fewer");
  EXPECT_NE(why_never(2, by(Consensus::kMajority, 3)).find("acceptance.majority = 3 needs 3"),
            std::string::npos);
  EXPECT_NE(why_never(2, by(Consensus::kStrict, 0, 3)).find("acceptance.devices_least = 3 needs 3"),
            std::string::npos);
  EXPECT_EQ(why_never(3, by(Consensus::kMajority, 3, 3)), "");
}

// What is said of a setting is what the verdicts make of it: no gain is large enough.
TEST(DevicesNeeded, NoGainIsAcceptedOnFewer) {
  const auto hold_out = [](std::size_t devices, const AcceptanceSettings& settings) {
    std::vector<DevicePairs> pairs(devices);
    for (std::size_t d = 0; d < devices; ++d) {
      pairs[d].device = std::to_string(d);
      for (int i = 0; i < 12; ++i) pairs[d].effects.push_back(3 + 0.001 * i);
      pairs[d].tails = pairs[d].effects;
    }
    return is_accepted(judge_hold_out(pairs, 0.01, settings));
  };
  for (const AcceptanceSettings& settings :
       {by(Consensus::kFleet), by(Consensus::kMajority, 3), by(Consensus::kConsistent, 0, 2)}) {
    const auto needed = static_cast<std::size_t>(devices_needed(settings).count);
    EXPECT_FALSE(hold_out(needed - 1, settings)) << devices_needed(settings).setting;
    EXPECT_TRUE(hold_out(needed + 1, settings)) << devices_needed(settings).setting;
  }
}

TEST(DevicesNeeded, TheAnytimeTestNeedsPairsForItsLevel) {
  for (const double level : {0.05, 0.01, 0.001}) {
    const auto evidence = [](int pairs) {
      TanhEProcess process;
      for (int i = 0; i < pairs; ++i) process.add(1e6);
      return process.log_e();
    };
    const int fewest = fewest_anytime_pairs(level);
    EXPECT_LT(evidence(fewest - 1), -std::log(level));
    EXPECT_GE(evidence(fewest), -std::log(level));
  }
}

}  // namespace
}  // namespace nightshift::search
