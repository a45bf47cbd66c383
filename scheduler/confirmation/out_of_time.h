#pragma once

#include <string_view>
#include <variant>

#include "search/acceptance.h"

namespace nightshift::scheduler {

// Why a confirmation ends without an answer where its time does. Journals keep these words.
inline constexpr std::string_view kBudgetIsUp = "the time budget was used up";
inline constexpr std::string_view kWindUpIsUp = "the time to wind up was used up";

// Such an end says nothing of the candidate: whoever has more time asks again.
inline bool ran_out_of_time(const search::Verdict& verdict) {
  const auto* undecided = std::get_if<search::Undecided>(&verdict.acceptance);
  return undecided != nullptr &&
         (undecided->reason == kBudgetIsUp || undecided->reason == kWindUpIsUp);
}

}  // namespace nightshift::scheduler
