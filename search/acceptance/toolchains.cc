#include "search/acceptance/toolchains.h"

#include <algorithm>
#include <array>

namespace nightshift::search {
namespace {

bool works(const ToolchainBuild& build) {
  return build.concerned && build.broken.empty() && build.winner != kNoCode;
}

const RankedPair* pair_of(const ToolchainFacts& facts, std::size_t code, std::size_t other) {
  const std::size_t first = std::min(code, other), second = std::max(code, other);
  for (const RankedPair& pair : facts.pairs) {
    if (pair.first == first && pair.second == second) return &pair;
  }
  return nullptr;
}

// The two are shown to be equal: by less than the margin, whichever is better.
bool is_within_margin(const ToolchainFacts& facts, const RankedPair& pair) {
  return pair.joint.low > 1 - facts.margin && pair.joint.high < 1 / (1 - facts.margin);
}

std::size_t baseline_for(const ToolchainFacts& facts, std::size_t toolchain) {
  if (works(facts.builds[toolchain])) return facts.builds[toolchain].baseline;
  const auto first = first_toolchain(facts);
  return first ? facts.builds[*first].baseline : kNoCode;
}

}  // namespace

std::size_t code_of(ToolchainFacts& facts, const std::string& hash) {
  const auto known = std::ranges::find(facts.codes, hash);
  if (known == facts.codes.end()) {
    facts.codes.push_back(hash);
    return facts.codes.size() - 1;
  }
  return static_cast<std::size_t>(known - facts.codes.begin());
}

bool has_question(const ToolchainFacts& facts) {
  const auto first = first_toolchain(facts);
  if (!first) return false;
  const ToolchainBuild& base = facts.builds[*first];
  if (facts.kept != kNoCode && facts.kept != base.winner) return true;
  return std::ranges::any_of(facts.builds, [&](const ToolchainBuild& build) {
    return works(build) && (build.winner != base.winner || build.baseline != base.baseline);
  });
}

CodeRelation relation(const ToolchainFacts& facts, std::size_t code, std::size_t other) {
  if (code == other) return CodeRelation::kEqual;
  const RankedPair* pair = pair_of(facts, code, other);
  if (!facts.undecided.empty() || pair == nullptr || !pair->verdict) {
    return CodeRelation::kUndecided;
  }
  if (told_apart(*pair, facts.margin)) {
    const bool second_is_better = pair->verdict->ratio < 1;
    return (code == pair->second) == second_is_better ? CodeRelation::kBetter
                                                      : CodeRelation::kWorse;
  }
  return is_within_margin(facts, *pair) || is_accepted(*pair->verdict) ? CodeRelation::kSame
                                                                       : CodeRelation::kUndecided;
}

std::optional<CodeRatio> ratio_of(const ToolchainFacts& facts, std::size_t code,
                                  std::size_t other) {
  const RankedPair* pair = pair_of(facts, code, other);
  if (pair == nullptr || !pair->verdict) return std::nullopt;
  const bool are_equal = !is_accepted(*pair->verdict) && is_within_margin(facts, *pair);
  const Interval& its = are_equal ? pair->joint : pair->verdict->interval;
  if (code == pair->second) return CodeRatio{pair->verdict->ratio, its};
  return CodeRatio{1 / pair->verdict->ratio, {1 / its.high, 1 / its.low, its.confidence}};
}

std::optional<std::size_t> first_toolchain(const ToolchainFacts& facts) {
  for (std::size_t i = 0; i < facts.builds.size(); ++i) {
    if (works(facts.builds[i])) return i;
  }
  return std::nullopt;
}

ToolchainVerdict verdict_of(const ToolchainFacts& facts, std::size_t toolchain) {
  const ToolchainBuild& build = facts.builds[toolchain];
  if (!build.concerned) return ToolchainVerdict::kNotConcerned;
  if (!build.broken.empty()) return ToolchainVerdict::kBroken;
  if (!works(build)) return ToolchainVerdict::kNotReached;
  const ToolchainBuild& base = facts.builds[*first_toolchain(facts)];
  const bool is_base_code = build.winner == base.winner;
  if (!has_question(facts)) return ToolchainVerdict::kEqualCode;
  if (!facts.reached) {
    return is_base_code && build.baseline == base.baseline ? ToolchainVerdict::kEqualCode
                                                           : ToolchainVerdict::kNotReached;
  }
  const CodeRelation gain = relation(facts, build.winner, build.baseline);
  const CodeRelation speed = relation(facts, build.winner, base.winner);
  if (gain != CodeRelation::kBetter && gain != CodeRelation::kUndecided) {
    return ToolchainVerdict::kLost;
  }
  if (speed == CodeRelation::kWorse) return ToolchainVerdict::kSlower;
  if (gain == CodeRelation::kUndecided || speed == CodeRelation::kUndecided) {
    return ToolchainVerdict::kUndecided;
  }
  if (speed == CodeRelation::kBetter) return ToolchainVerdict::kFaster;
  return is_base_code ? ToolchainVerdict::kEqualCode : ToolchainVerdict::kSameSpeed;
}

std::string_view name_of(ToolchainVerdict verdict) {
  constexpr std::array<std::string_view, kToolchainVerdicts> kNames = {
      "not concerned", "broken", "lost",       "slower",    "undecided",
      "not reached",   "faster", "same speed", "equal code"};
  return kNames[static_cast<std::size_t>(verdict)];
}

bool wants_repair(ToolchainVerdict verdict) {
  return verdict == ToolchainVerdict::kBroken || verdict == ToolchainVerdict::kLost ||
         verdict == ToolchainVerdict::kSlower;
}

std::optional<CodeRatio> kept_gain(const ToolchainFacts& facts, std::size_t toolchain) {
  const std::size_t baseline = baseline_for(facts, toolchain);
  if (facts.kept == kNoCode || baseline == kNoCode) return std::nullopt;
  return ratio_of(facts, facts.kept, baseline);
}

KeptCode kept_instead(const ToolchainFacts& facts, std::size_t toolchain) {
  const auto first = first_toolchain(facts);
  if (facts.kept == kNoCode || !first) return KeptCode::kNo;
  if (!has_question(facts)) {
    return facts.kept == facts.builds[*first].winner ? KeptCode::kIsFirst : KeptCode::kNo;
  }
  const std::size_t baseline = baseline_for(facts, toolchain);
  return relation(facts, facts.kept, baseline) == CodeRelation::kBetter ? KeptCode::kWins
                                                                        : KeptCode::kNo;
}

std::vector<std::size_t> best_toolchains(const ToolchainFacts& facts) {
  std::vector<std::size_t> best;
  for (std::size_t i = 0; i < facts.builds.size(); ++i) {
    if (!works(facts.builds[i])) continue;
    const bool beaten = std::ranges::any_of(facts.builds, [&](const ToolchainBuild& other) {
      return works(other) &&
             relation(facts, facts.builds[i].winner, other.winner) == CodeRelation::kWorse;
    });
    if (!beaten) best.push_back(i);
  }
  return best;
}

bool kept_is_best(const ToolchainFacts& facts) {
  if (facts.kept == kNoCode || !first_toolchain(facts)) return false;
  return std::ranges::all_of(facts.builds, [&](const ToolchainBuild& build) {
    return !works(build) || relation(facts, facts.kept, build.winner) == CodeRelation::kBetter;
  });
}

Upgrade may_upgrade(std::span<const ToolchainFacts> winners, std::size_t toolchain) {
  Upgrade answer = Upgrade::kNoWinner;
  for (const ToolchainFacts& facts : winners) {
    switch (verdict_of(facts, toolchain)) {
      case ToolchainVerdict::kNotConcerned:
        break;
      case ToolchainVerdict::kBroken:
      case ToolchainVerdict::kLost:
      case ToolchainVerdict::kSlower:
        return Upgrade::kNo;
      case ToolchainVerdict::kUndecided:
      case ToolchainVerdict::kNotReached:
        answer = Upgrade::kUndecided;
        break;
      default:
        if (answer == Upgrade::kNoWinner) answer = Upgrade::kYes;
    }
  }
  return answer;
}

std::string_view name_of(Upgrade upgrade) {
  constexpr std::array<std::string_view, 4> kNames = {"yes", "no", "undecided", "no winner"};
  return kNames[static_cast<std::size_t>(upgrade)];
}

}  // namespace nightshift::search
