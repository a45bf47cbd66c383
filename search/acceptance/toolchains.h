#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/acceptance/ranking.h"
#include "search/statistics/interval.h"

namespace nightshift::search {

// A stored winner and its baseline under several toolchains: which pieces of machine code there
// are, what was found of them, and which toolchain is better than the first. All pure.

inline constexpr std::size_t kNoCode = static_cast<std::size_t>(-1);
// With a baseline each and what was kept: kMostRanked.
inline constexpr std::size_t kMostToolchains = 12;

// What one toolchain makes of them: positions in ToolchainFacts::codes.
struct ToolchainBuild {
  bool concerned = true;  // false: it does not build problems of this kind
  std::string broken;     // why nothing can be said: it does not build, or fails on a device
  std::size_t winner = kNoCode, baseline = kNoCode;  // kNoCode: not built yet
};

struct ToolchainFacts {
  std::vector<ToolchainBuild> builds;  // of each toolchain
  std::vector<std::string> codes;      // hashes, each once, in the order of the contenders
  std::size_t kept = kNoCode;          // the winner's code that its study has kept
  bool reached = true;                 // false: the budget was used up before
  std::string undecided;               // why what was measured says nothing; empty: it does
  double margin = 0.01;                // smallest difference worth mentioning
  std::vector<RankedPair> pairs;       // of the codes; empty: nothing was measured
};

// The position of a hash in facts.codes, where it is put if it is not there.
std::size_t code_of(ToolchainFacts& facts, const std::string& hash);
// What has to be measured: some toolchain has another winner or another baseline than the first
// that works, or the winner that was kept is another one.
bool has_question(const ToolchainFacts& facts);

// One piece of machine code against another.
enum class CodeRelation : std::uint8_t { kEqual, kSame, kBetter, kWorse, kUndecided };
// kEqual: the same hash. kSame: a difference of `margin` is ruled out (95 %, all pairs together),
// or what was shown is smaller.
CodeRelation relation(const ToolchainFacts& facts, std::size_t code, std::size_t other);
// Of `code` over `other`, with the interval of the test that relation() goes by; nullopt where the two were
// not measured beside each other.
struct CodeRatio {
  double ratio = 1;
  Interval interval{1, 1};
};
std::optional<CodeRatio> ratio_of(const ToolchainFacts& facts, std::size_t code, std::size_t other);

// The toolchain that others are compared with: the first that is concerned and not broken.
std::optional<std::size_t> first_toolchain(const ToolchainFacts& facts);

// Of a winner under a toolchain, against the first one.
enum class ToolchainVerdict : std::uint8_t {
  kNotConcerned,
  kBroken,
  kLost,    // not better than its baseline under the same toolchain
  kSlower,  // worse than under the first
  kUndecided,
  kNotReached,
  kFaster,
  kSameSpeed,
  kEqualCode,
};
inline constexpr std::size_t kToolchainVerdicts = 9;
ToolchainVerdict verdict_of(const ToolchainFacts& facts, std::size_t toolchain);
std::string_view name_of(ToolchainVerdict verdict);  // "not concerned", "broken", ...

// It is broken, lost or slower.
bool wants_repair(ToolchainVerdict verdict);
// The machine code that was kept in place of the winner under a toolchain: kWins, it is shown to be
// better than the baseline under this one, or where that is broken under the first; kIsFirst, it is
// the winner's under the first, and nothing had to be measured.
enum class KeptCode : std::uint8_t { kNo, kWins, kIsFirst };
KeptCode kept_instead(const ToolchainFacts& facts, std::size_t toolchain);
// Of it over that baseline; nullopt where it was not measured.
std::optional<CodeRatio> kept_gain(const ToolchainFacts& facts, std::size_t toolchain);

// Toolchains under which the winner is not shown to be worse than under any other.
std::vector<std::size_t> best_toolchains(const ToolchainFacts& facts);
// The winner's code that was kept is shown to be better than that of every toolchain.
bool kept_is_best(const ToolchainFacts& facts);

// May all winners move from the first toolchain to this one?
enum class Upgrade : std::uint8_t {
  kYes,        // each was measured or has equal code, and none is broken, lost or slower
  kNo,         // one is
  kUndecided,  // one is undecided or was not reached
  kNoWinner,   // it concerns none
};
Upgrade may_upgrade(std::span<const ToolchainFacts> winners, std::size_t toolchain);
std::string_view name_of(Upgrade upgrade);  // "yes", "no", "undecided", "no winner"

}  // namespace nightshift::search
