#pragma once

#include <string_view>
#include <variant>

#include "search/acceptance.h"

namespace nightshift::scheduler {

// Why a confirmation ends without an answer where its time does. Journals keep these words.
inline constexpr std::string_view kBudgetIsUp = "the time budget was used up";
inline constexpr std::string_view kWindUpIsUp = "the time to wind up was used up";

// Why a duel ends that can show nothing in what is left of its study's time, behind what it found.
inline constexpr std::string_view kTooLittleTime = "too little time is left to show a gain";

inline bool lacked_time(const search::Verdict& verdict) {
  const auto* undecided = std::get_if<search::Undecided>(&verdict.acceptance);
  return undecided != nullptr && undecided->reason.ends_with(kTooLittleTime);
}

// Why anything but a hold-out ends before the time is up.
inline constexpr std::string_view kLeftForHoldOut =
    "what is left of the time is kept for the hold-out";

// Such an end says nothing of the candidate: whoever has more time asks again.
inline bool ran_out_of_time(const search::Verdict& verdict) {
  const auto* undecided = std::get_if<search::Undecided>(&verdict.acceptance);
  return undecided != nullptr &&
         (undecided->reason == kBudgetIsUp || undecided->reason == kWindUpIsUp);
}

// Likewise of what made way for the hold-out.
inline bool was_cut_off(const search::Verdict& verdict) {
  const auto* undecided = std::get_if<search::Undecided>(&verdict.acceptance);
  return undecided != nullptr && (ran_out_of_time(verdict) || undecided->reason == kLeftForHoldOut);
}

}  // namespace nightshift::scheduler
