#include "problems/readers/derived_names.h"

#include <algorithm>
#include <cstddef>

namespace nightshift::problems {
namespace {

// Depth first: an entry is settled after those that it names.
class Settling {
 public:
  Settling(const std::vector<DerivedEntry>& entries, KnownNames& names, Diagnostics& diagnostics)
      : entries_(entries), names_(names), diagnostics_(diagnostics), states_(entries.size()) {
    for (const DerivedEntry& entry : entries) names_.derived.push_back({entry.name, std::nullopt});
  }

  void run() {
    for (std::size_t i = 0; i < entries_.size(); ++i) settle(i);
  }

 private:
  enum class State : std::uint8_t { kNew, kOpen, kSettled };

  void settle(std::size_t i) {
    if (states_[i] != State::kNew) return;
    states_[i] = State::kOpen;
    const DerivedEntry& entry = entries_[i];
    if (settle_named(entry)) {
      const auto expression = read_expression(entry.text, "derived name " + in_quotes(entry.name),
                                              names_, diagnostics_);
      if (expression) names_.derived[i].text = expression->text();
    }
    states_[i] = State::kSettled;
  }

  // False where the entry is part of a circle.
  bool settle_named(const DerivedEntry& entry) {
    for (const std::string& name : names_of(entry.text.text)) {
      const auto found = std::find_if(entries_.begin(), entries_.end(),
                                      [&](const auto& other) { return other.name == name; });
      if (found == entries_.end()) continue;
      const auto named = static_cast<std::size_t>(found - entries_.begin());
      settle(named);
      if (states_[named] != State::kOpen) continue;
      diagnostics_.add(entry.text.location,
                       "derived name " + in_quotes(entry.name) + " is defined by itself" +
                           (name == entry.name ? "" : ", through " + in_quotes(name)));
      return false;
    }
    return true;
  }

  // Of a text that is no expression, none: read_expression notes what is wrong with it.
  static std::vector<std::string> names_of(const std::string& text) {
    try {
      const auto expression = search::Expression::parse(text);
      return {expression.names().begin(), expression.names().end()};
    } catch (const search::ExpressionError&) {
      return {};
    }
  }

  const std::vector<DerivedEntry>& entries_;
  KnownNames& names_;
  Diagnostics& diagnostics_;
  std::vector<State> states_;  // by entry
};

}  // namespace

void settle_derived(const std::vector<DerivedEntry>& entries, KnownNames& names,
                    Diagnostics& diagnostics) {
  constexpr std::size_t kMost = 1000;  // each costs stack, where one names the next
  if (entries.size() <= kMost) {
    Settling(entries, names, diagnostics).run();
  } else {
    diagnostics.add(entries.front().text.location,
                    "there are more than " + std::to_string(kMost) + " derived names");
  }
}

}  // namespace nightshift::problems
