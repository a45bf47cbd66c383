#include "search/failure_likeness.h"

#include <algorithm>

#include "base/text.h"

namespace nightshift::search {
namespace {

bool continues_number(char c) {
  return base::is_digit(c) || c == '.' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ||
         c == 'x';
}

}  // namespace

std::string likeness_of(const TrialOutcome& failure) {
  const std::string words = describe(failure);
  std::string likeness(status_name(failure));
  likeness += ' ';
  for (std::size_t i = 0; i < words.size();) {
    if (!base::is_digit(words[i])) {
      likeness += words[i++];
      continue;
    }
    likeness += '#';
    while (i < words.size() && continues_number(words[i])) ++i;
  }
  return likeness;
}

void CommonFailure::ended(const TrialOutcome& outcome) {
  if (std::holds_alternative<Skipped>(outcome)) return;
  if (std::holds_alternative<Measured>(outcome)) {
    any_other_ = true;
    return;
  }
  ++failed_;
  if (any_other_) return;
  Kind& kind = kinds_[likeness_of(outcome)];
  if (kind.count++ > 0) return;
  kind.words = describe(outcome);
  kind.of_build = std::holds_alternative<BuildFailed>(outcome);
}

CommonFailure::Kind CommonFailure::commonest() const {
  const auto most =
      std::ranges::max_element(kinds_, {}, [](const auto& entry) { return entry.second.count; });
  return most == kinds_.end() ? Kind{} : most->second;
}

std::string CommonFailure::words() const {
  if (!all_failed()) return "";
  if (failed_ == 1) return "the only configuration failed: " + commonest().words;
  const Kind most = commonest();
  const std::string all = "all " + std::to_string(failed_) + " configurations failed";
  if (most.count == failed_) return all + " alike: " + most.words;
  return all + ", " + std::to_string(most.count) + " of them alike: " + most.words;
}

std::string CommonFailure::remark() const {
  if (!all_failed() || failed_ % kFew != 0) return "";
  const std::uint64_t times = failed_ / kFew;
  return (times & (times - 1)) == 0 ? words() : "";
}

bool CommonFailure::is_hopeless(std::uint64_t before) const {
  if (!all_failed() || failed_ < before + kHopeless || kinds_.size() > 1) return false;
  return kinds_.begin()->second.of_build;
}

}  // namespace nightshift::search
