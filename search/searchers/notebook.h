#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/model/unseen.h"
#include "search/parameter_space.h"
#include "search/searcher.h"
#include "search/searchers/hints.h"

namespace nightshift::search {

// The baseline counts as told of, with this, before the first proposal.
inline const Observation kBaselineObservation = {.score = Score{1, 0}};

// The book that a searcher which learns keeps of its configurations:
//
//   seen          proposed, told of, or put aside to be proposed: never proposed a second time
//   outstanding   proposed and not told of yet, each with a Note of the searcher's own
//   told          numbered 0, 1, ... in the order of their first tell: what a searcher learnt of
//                 them lies in vectors of its own at these places
//   hints         the best few of an earlier study, proposed first; they may mislead, so they are
//                 measured like all others, and their earlier scores enter no model
//
// Starts are proposed before the searcher is asked at all (starts_first.h).
template <class Note>
class Notebook {
 public:
  // `space` outlives the book.
  Notebook(const ParameterSpace& space, const SearcherSettings& settings)
      : space_(space), unseen_(space), hints_(hints_of(settings.earlier)) {}

  // --- Seen ---

  Unseen& unseen() { return unseen_; }
  const Unseen& unseen() const { return unseen_; }
  bool is_seen(ConfigurationIndex i) const { return unseen_.is_seen(i); }
  // False where it was seen before.
  bool take(ConfigurationIndex i) { return unseen_.mark_seen(i); }
  // The configuration of these digits where it is valid and was not seen.
  std::optional<ConfigurationIndex> fresh(std::span<const std::uint32_t> digits) const {
    const auto index = space_.index_of_digits(digits);
    return index && !is_seen(*index) ? index : std::nullopt;
  }

  // --- Proposing ---

  // The next hint that was not seen, by now taken; nullopt where none is left.
  std::optional<ConfigurationIndex> take_hint() {
    while (next_hint_ < hints_.size()) {
      const ConfigurationIndex hint = hints_[next_hint_++];
      if (take(hint)) return hint;
    }
    return std::nullopt;
  }
  void propose(ConfigurationIndex i, Note note) {
    unseen_.mark_seen(i);
    outstanding_.insert_or_assign(i, std::move(note));
  }
  const std::map<ConfigurationIndex, Note>& outstanding() const { return outstanding_; }
  std::map<ConfigurationIndex, Note>& outstanding() { return outstanding_; }

  // --- Telling ---

  struct Entry {
    std::size_t place = 0;
    bool is_new = true;        // told of for the first time
    std::optional<Note> note;  // nullopt where it was not outstanding
  };
  // nullopt where it is no configuration of the space.
  std::optional<Entry> tell(ConfigurationIndex i) {
    if (i.value >= space_.size()) return std::nullopt;
    unseen_.mark_seen(i);
    Entry entry;
    if (auto asked = outstanding_.extract(i)) entry.note = std::move(asked.mapped());
    const auto [known, is_new] = place_of_.try_emplace(i, place_of_.size());
    entry.place = known->second;
    entry.is_new = is_new;
    return entry;
  }
  // nullopt: not told of yet.
  std::optional<std::size_t> place_of(ConfigurationIndex i) const {
    const auto known = place_of_.find(i);
    return known == place_of_.end() ? std::nullopt : std::optional(known->second);
  }

 private:
  const ParameterSpace& space_;
  Unseen unseen_;
  std::map<ConfigurationIndex, Note> outstanding_;
  std::unordered_map<ConfigurationIndex, std::size_t> place_of_;
  std::vector<ConfigurationIndex> hints_;
  std::size_t next_hint_ = 0;
};

}  // namespace nightshift::search
