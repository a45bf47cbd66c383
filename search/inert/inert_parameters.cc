#include "search/inert/inert_parameters.h"

#include <algorithm>
#include <limits>

namespace nightshift::search {

namespace {

constexpr int kDraws = 8;                   // of a test, before it is given up
constexpr std::size_t kMembersOfCode = 16;  // that a new one with the same code is compared with

std::uint64_t part_of(std::size_t parameter, std::uint32_t digit) {
  return base::mix_seed(parameter + 1, digit);
}

std::size_t differences(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += a[k] != b[k] ? 1 : 0;
  return count;
}

}  // namespace

InertParameters::InertParameters(const ParameterSpace& space)
    : space_(space),
      overall_(space.parameters().size()),
      within_(overall_.size()),
      beliefs_(overall_.size()) {}

// A sum, from which the part of one parameter can be taken away.
std::uint64_t InertParameters::hash(std::span<const std::uint32_t> digits) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < digits.size(); ++k) sum += part_of(k, digits[k]);
  return sum;
}

InertParameters::Point* InertParameters::place(std::span<const std::uint32_t> digits) {
  const std::uint64_t all = hash(digits);
  if (const auto known = places_.find(all); known != places_.end()) return &points_[known->second];
  if (points_.size() >= kMost) return nullptr;
  places_.emplace(all, points_.size());
  points_.push_back({{digits.begin(), digits.end()}, 0});
  compare(points_.size() - 1);
  return &points_.back();
}

void InertParameters::proposed(std::span<const std::uint32_t> digits) { place(digits); }

void InertParameters::observe(std::span<const std::uint32_t> digits, std::uint64_t code,
                              bool works) {
  Point* point = place(digits);
  if (point == nullptr || point->code != 0 || (works && code == 0)) return;
  point->code = works ? code : kNone;
  const auto added = static_cast<std::size_t>(point - points_.data());
  if (works) by_code_[code].push_back(added);
  const bool begins = !any_equal_ && works && by_code_[code].size() > 1;
  any_equal_ = any_equal_ || begins;
  if (!any_equal_) return;
  bool changed = false;
  for (std::size_t i = begins ? 0 : added; i < (begins ? points_.size() : added + 1); ++i) {
    changed = weigh(i) || changed;
  }
  if (changed) {
    recount();
  } else {
    compare(added);
  }
}

// --- Evidence ---

bool InertParameters::weigh(std::size_t place) {
  const std::uint64_t code = points_[place].code;
  if (code == 0) return false;
  const bool equal = code != kNone && weigh_equal(place);
  return weigh_alone(place) || equal;
}

// Against the one with its code that it differs from least.
bool InertParameters::weigh_equal(std::size_t place) {
  const Point& point = points_[place];
  const std::vector<std::size_t>& members = by_code_.at(point.code);
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  const Point* nearest = nullptr;
  for (std::size_t i = 0; i < std::min(members.size(), kMembersOfCode); ++i) {
    if (members[i] == place) break;  // later ones are weighed against this one
    const std::size_t apart = differences(points_[members[i]].digits, point.digits);
    if (apart >= fewest) continue;
    fewest = apart;
    nearest = &points_[members[i]];
  }
  if (nearest == nullptr) return false;
  bool changed = false;
  for (std::size_t k = 0; k < point.digits.size(); ++k) {
    if (point.digits[k] == nearest->digits[k]) continue;
    int& pieces = counted_[base::mix_seed(point.code, k)];
    if (pieces++ >= kMostOfCode) continue;
    changed = count(k, point.digits, nearest->digits, true) || changed;
  }
  return changed;
}

// Against one that differs in a single parameter, for each parameter.
bool InertParameters::weigh_alone(std::size_t place) {
  const Point& point = points_[place];
  const std::uint64_t all = hash(point.digits);
  bool changed = false;
  for (std::size_t k = 0; k < point.digits.size(); ++k) {
    const std::uint64_t others = base::mix_seed(all - part_of(k, point.digits[k]), k);
    const Point& other = points_[alone_.try_emplace(others, place).first->second];
    if (other.code != point.code) changed = count(k, point.digits, other.digits, false) || changed;
  }
  return changed;
}

// True where what is believed has changed. Of other parameters those count that are the same in
// both.
bool InertParameters::count(std::size_t parameter, const Digits& at, const Digits& other,
                            bool equal) {
  const auto add = [equal](Evidence& evidence) { ++(equal ? evidence.equal : evidence.differs); };
  add(overall_[parameter]);
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (k != parameter && at[k] == other[k]) {
      add(within_[parameter][std::uint64_t{k} << 32 | at[k]]);
    }
  }
  return overall_[parameter].equal >= kFew && belief_in(parameter) != beliefs_[parameter];
}

// Of two with different code nobody knows which difference it was.
void InertParameters::blame(const Digits& a, const Digits& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) count(k, a, b, false);
  }
}

// --- Belief ---

InertParameters::Belief InertParameters::belief_in(std::size_t parameter) const {
  if (overall_[parameter].differs == 0) return {overall_[parameter].shows_inert(kFew)};
  std::vector<bool> explains(overall_.size(), true);
  for (const auto& [value, evidence] : within_[parameter]) {
    if (evidence.differs > 0 && evidence.equal > evidence.differs) explains[value >> 32] = false;
  }
  Belief belief;
  for (const auto& [value, evidence] : within_[parameter]) {
    if (!explains[value >> 32] || !evidence.shows_inert(kFewWithin)) continue;
    belief.where.emplace_back(value >> 32, static_cast<std::uint32_t>(value));
  }
  std::ranges::sort(belief.where);
  return belief;
}

bool InertParameters::is_inert(std::size_t parameter, std::span<const std::uint32_t> digits) const {
  const Belief& belief = beliefs_[parameter];
  return belief.always || std::ranges::any_of(belief.where, [&](const auto& condition) {
           return digits[condition.first] == condition.second;
         });
}

std::vector<std::uint32_t> InertParameters::reduced(std::span<const std::uint32_t> digits) const {
  std::vector<std::uint32_t> rest(digits.begin(), digits.end());
  for (std::size_t k = 0; any_ && k < rest.size(); ++k) {
    if (is_inert(k, digits)) rest[k] = 0;
  }
  return rest;
}

void InertParameters::recount() {
  ++version_;
  any_ = false;
  for (std::size_t k = 0; k < overall_.size(); ++k) {
    const Belief& belief = beliefs_[k] = belief_in(k);
    any_ = any_ || belief.always || !belief.where.empty();
  }
  keys_.clear();
  groups_.clear();
  contradiction_.reset();
  for (std::size_t i = 0; i < points_.size(); ++i) compare(i);
}

void InertParameters::compare(std::size_t place) {
  if (!any_) return;
  const std::uint64_t reduced_to = key(points_[place].digits);
  keys_.insert(reduced_to);
  if (points_[place].code == 0) return;
  const std::size_t first = groups_.try_emplace(reduced_to, place).first->second;
  const bool contradicts = points_[first].code != points_[place].code;
  if (contradicts && !contradiction_) contradiction_ = {first, place};
}

// --- Tests ---

std::optional<ConfigurationIndex> InertParameters::test(std::span<const ConfigurationIndex> best,
                                                        base::Rng& rng) {
  if (contradiction_) return between(rng);
  std::optional<Digits> least;
  int* tests = nullptr;
  for (const ConfigurationIndex i : best) {
    Digits digits = space_.digits(i);
    const auto known = places_.find(hash(digits));
    if (known == places_.end()) continue;
    int& of_code = tests_[points_[known->second].code];
    if (tests != nullptr && of_code >= *tests) continue;
    tests = &of_code;
    least = std::move(digits);
  }
  if (!least) return std::nullopt;
  ++*tests;
  return varied(*least, rng);
}

std::optional<ConfigurationIndex> InertParameters::fresh(const Digits& digits) const {
  if (places_.contains(hash(digits))) return std::nullopt;
  return space_.index_of_digits(digits);
}

std::optional<ConfigurationIndex> InertParameters::between(base::Rng& rng) {
  const Digits a = points_[contradiction_->first].digits;
  const Digits b = points_[contradiction_->second].digits;
  std::vector<std::size_t> differing;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] != b[k]) differing.push_back(k);
  }
  for (int draw = 0; draw < kDraws && differing.size() > 1; ++draw) {
    rng.shuffle(differing);
    Digits middle = a;
    for (std::size_t i = 0; i < differing.size() / 2; ++i) middle[differing[i]] = b[differing[i]];
    if (const auto found = fresh(middle)) return found;
  }
  blame(a, b);
  recount();
  return std::nullopt;
}

// All inert ones at other values; where constraints do not have that, half of them.
std::optional<ConfigurationIndex> InertParameters::varied(const Digits& best,
                                                          base::Rng& rng) const {
  for (int draw = 0; draw < kDraws; ++draw) {
    Digits digits = best;
    for (std::size_t k = 0; k < digits.size(); ++k) {
      const std::uint64_t others = space_.parameters()[k].values.size() - 1;
      if (others == 0 || !is_inert(k, best) || (draw > 0 && rng.coin())) continue;
      const auto other = static_cast<std::uint32_t>(rng.below(others));
      digits[k] = other + (other >= best[k] ? 1 : 0);
    }
    if (const auto found = fresh(digits)) return found;
  }
  return std::nullopt;
}

}  // namespace nightshift::search
