#include "search/acceptance.h"

namespace nightshift::search {

std::string_view name_of(const Acceptance& acceptance) {
  constexpr std::string_view kNames[] = {"accept", "reject", "need more", "undecided"};
  static_assert(std::size(kNames) == std::variant_size_v<Acceptance>);
  return kNames[acceptance.index()];
}

const std::string& reason_of(const Acceptance& acceptance) {
  return std::visit([](const auto& a) -> const std::string& { return a.reason; }, acceptance);
}

bool is_accepted(const Verdict& verdict) {
  return std::holds_alternative<Accept>(verdict.acceptance);
}

}  // namespace nightshift::search
