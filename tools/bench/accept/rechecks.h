#pragma once

#include <array>
#include <cstdint>

#include "search/acceptance/recheck.h"
#include "tools/bench/accept/noise.h"

namespace nightshift::bench {

// A recheck of many stored winners on one simulated device, by the comparison and the verdicts of
// `nightshift recheck`. A winner is 5 to 60 % better than its baseline, and its claim is what a
// hold-out of `claim_pairs` pairs said on a device with the same noise.
struct RecheckCase {
  const NoiseModel* model = nullptr;
  int equal_code = 30, same_speed = 15, slower = 3, broken = 2;
  double slower_by = 0.03;
  double level = 0.01, margin = 0.01;
  int max_pairs = 128, claim_pairs = 24;
};
enum class RecheckKind : std::uint8_t { kEqualCode, kSameSpeed, kSlower, kBroken };
inline constexpr std::size_t kRecheckKinds = 4;

struct RecheckTally {
  // By kind and verdict, of winners.
  std::array<std::array<int, search::kRecheckVerdicts>, kRecheckKinds> verdicts{};
  int evaluations = 0;
  bool false_alarm = false;  // any winner that is as it was is called worse, faster or broken
  void add(const RecheckTally& other);
};
// Decided, and not what it is. Slower winners may be called regressed alone.
bool is_wrong(RecheckKind kind, search::RecheckVerdict verdict);
bool is_open(search::RecheckVerdict verdict);  // undecided or not reached

RecheckTally rechecked(const RecheckCase& c, std::uint64_t seed);

// What `nightshift verify` says of a claim of which `share` is true: 1 a true one, 0 of a winner
// that is no better than the baseline. The true gain is 20 %, but for share 0.
struct VerifyCase {
  const NoiseModel* model = nullptr;
  double claimed_gain = 0.2;
  double share = 1;
  double level = 0.01;
  int max_pairs = 128, claim_pairs = 24;
};
search::ClaimVerdict verified(const VerifyCase& c, std::uint64_t seed);

}  // namespace nightshift::bench
