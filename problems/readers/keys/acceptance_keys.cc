#include <utility>

#include "problems/readers/keys/study_keys.h"

namespace nightshift::problems {
namespace {

using search::AcceptanceSettings;
using search::Consensus;
using search::DuelTest;
using search::TailRule;
using Rows = std::vector<Setting<AcceptanceSettings>>;

// One word for most people; every key beside it is set after it.
enum class Confidence : std::uint8_t { kQuick, kStandard, kPublish };

void apply(Confidence confidence, AcceptanceSettings& acceptance) {
  if (confidence == Confidence::kQuick) {
    acceptance.level = 0.05;
    acceptance.max_pairs = 32;
    acceptance.self_test_pairs = 0;
    acceptance.hold_out_least = 8;
    acceptance.hold_out_most = 32;
  } else if (confidence == Confidence::kPublish) {
    acceptance.level = 0.001;
    acceptance.max_pairs = 256;
    acceptance.self_test_pairs = 32;
    acceptance.hold_out_least = 32;
    acceptance.hold_out_most = 256;
    acceptance.tail = TailRule::kReject;
  }
}

Setting<AcceptanceSettings> confidence_row() {
  const Words<Confidence> words = {{{"quick", Confidence::kQuick},
                                    {"standard", Confidence::kStandard},
                                    {"publish", Confidence::kPublish}}};
  const std::string meaning =
      "quick: 5 %, 32 pairs, no self-test; publish: 0.1 %, 256 pairs, worse tails refused";
  return elsewhere<AcceptanceSettings>(
             {"confidence", shape_of(words), default_of(words, Confidence::kStandard), meaning})
      .by([words](TableReader& table, AcceptanceSettings& acceptance) {
        auto confidence = Confidence::kStandard;
        const bool said = read(table, "confidence", words, confidence);
        apply(confidence, acceptance);
        return said;
      });
}

Rows duel_rows() {
  using Its = AcceptanceSettings;
  const Words<Consensus> consensus = {{{"consistent", Consensus::kConsistent},
                                       {"strict", Consensus::kStrict},
                                       {"majority", Consensus::kMajority},
                                       {"fleet", Consensus::kFleet}}};
  const Words<DuelTest> test = {{{"clipped", DuelTest::kClipped},
                                 {"sequential", DuelTest::kGroupSequential},
                                 {"anytime", DuelTest::kAnytime}}};
  const Words<TailRule> tail = {{{"ignore", TailRule::kIgnore},
                                 {"report", TailRule::kReport},
                                 {"reject", TailRule::kReject}}};
  return {
      confidence_row(),
      setting("level", &Its::level, Share{1e-9, 0.5},
              "one-sided error of each duel and of the claim"),
      setting("min_improvement", &Its::min_improvement, Share{0, 0.99},
              "smallest gain that is worth accepting"),
      setting("consensus", &Its::consensus, consensus,
              "mean better and no device against it; each device alone; on so many; devices as a "
              "sample"),
      setting("majority", &Its::majority, Integer{0, 100'000},
              "devices for \"majority\"; 0: more than half"),
      setting(
          "test", &Its::test, test,
          "looks after every few pairs, their outliers limited; after 8, 16, 32 ... pairs; after "
          "every pair (an e-process; not with fleet)"),
      setting("tail", &Its::tail, tail, "typical time better, p95 worse"),
      setting("duels", &Its::duels, Truth{},
              "false: nothing is confirmed, and so nothing is accepted"),
      setting("duel_margin", &Its::duel_margin, Share{0, 0.99},
              "what was explored as worse than the incumbent by less meets it in a duel too; 0.3: "
              "by 30 %"),
      setting("devices", &Its::devices, Integer{0, 100'000}, "that take part in a duel; 0: four"),
      setting("devices_least", &Its::devices_least, Integer{1, 100'000},
              "devices that must have judged the claim; fewer: none"),
      setting("max_pairs", &Its::max_pairs, Integer{8, 1'000'000}, "of a duel on all its devices"),
      setting(
          "duel_share", &Its::duel_share, Share{0, 1},
          "of the measured time while searching on time; 0: duels only at the end, 1: no limit")};
}

// What is measured beside the duels.
Rows other_rows() {
  using Its = AcceptanceSettings;
  return {
      setting("self_test_pairs", &Its::self_test_pairs,
              OrZero<Integer>{{0, 10'000}, kFewestPairs, "no self-test"},
              "baseline against itself on each device; 0: none, else from 4"),
      setting("self_test_seconds", &Its::self_test_seconds, Duration{1},
              "until the self-test is repeated"),
      setting("hold_out_most", &Its::hold_out_most,
              OrZero<Integer>{{0, 1'000'000}, kFewestPairs, "no hold-out"},
              "pairs on each device for the claim; 0: no hold-out, the duels are the claim"),
      setting("hold_out_least", &Its::hold_out_least, Integer{0, 1'000'000},
              "at least; from 4 to hold_out_most"),
      setting("finish_margin", &Its::finish_margin, Share{0, 0.5},
              "parameters go back to the baseline's values where that costs less; 0: none does"),
      setting("finish_share", &Its::finish_share, Share{0, 1},
              "of the budget of time, for that; at most"),
      setting("front_pairs", &Its::front_pairs,
              OrZero<Integer>{{0, 10'000}, 2, "the front is not measured again"},
              "of each member of a Pareto front with the baseline; 0: none"),
      setting("front_share", &Its::front_share, Share{0, 1},
              "of the budget of time, which is kept for that; at most"),
      elsewhere<Its>(table_key(
          "canary", open_table("acceptance.canary",
                               "a configuration that is known to be slower, and must turn out so",
                               Mixed{"value"}, "of the parameter NAME; else as in the baseline")))};
}

}  // namespace

const Settings<AcceptanceSettings>& acceptance_settings() {
  static const Settings<AcceptanceSettings> settings = [] {
    Rows rows = duel_rows();
    for (Setting<AcceptanceSettings>& row : other_rows()) rows.push_back(std::move(row));
    return Settings<AcceptanceSettings>(
        "acceptance",
        "what makes an improvement a claim; confidence sets several keys, those beside it win",
        std::move(rows));
  }();
  return settings;
}

}  // namespace nightshift::problems
