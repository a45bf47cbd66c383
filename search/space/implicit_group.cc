#include "search/space/implicit_group.h"

#include <algorithm>
#include <numeric>

#include "search/parameter.h"

namespace nightshift::search {

namespace {

// One descent gives up after so many digits tried and begins anew: near the root it may have taken
// a turn that leads nowhere in all that lies behind.
constexpr std::size_t kTriesPerDescent = 20'000;
constexpr int kDescents = 8;
constexpr int kFirstDescents = 50;  // to find out whether there is anything at all
// Of the interpreter, in one call; each evaluation may take kMaxEvaluationSteps.
constexpr std::size_t kMostSteps = 20'000'000;

}  // namespace

// One way down. A check's progress is its node, or what it carries where it has no nodes.
class ImplicitGroup::Descent {
 public:
  explicit Descent(const ImplicitGroup& group) : group_(group) {
    const std::size_t depth = group.order_.size();
    untried_.resize(depth);
    nodes_.assign(depth + 1, std::vector<CheckDiagram::Node>(group.checks_.size()));
    carried_.assign(depth + 1, std::vector<std::vector<Scalar>>(group.checks_.size()));
    for (std::size_t c = 0; c < group.checks_.size(); ++c) nodes_[0][c] = group.checks_[c].root();
  }

  // Digits by place in the order.
  std::optional<std::vector<std::uint32_t>> run(base::Rng& rng) {
    digits_.resize(group_.order_.size());
    std::size_t tries = 0;
    std::size_t level = 0;
    enter_level(0);
    while (level < digits_.size()) {
      if (untried_[level].empty()) {
        if (level-- == 0) return std::nullopt;
        continue;
      }
      if (++tries > kTriesPerDescent || steps_ > kMostSteps) return std::nullopt;
      digits_[level] = drawn(untried_[level], rng);
      if (!admit(level)) continue;
      if (++level < digits_.size()) enter_level(level);
    }
    return digits_;
  }

  bool out_of_steps() const { return steps_ > kMostSteps; }

 private:
  void enter_level(std::size_t level) { untried_[level] = group_.domains_[level]; }

  // Mostly the first digits will do, so a list is not shuffled as a whole.
  static std::uint32_t drawn(std::vector<std::uint32_t>& untried, base::Rng& rng) {
    std::swap(untried[rng.below(untried.size())], untried.back());
    const std::uint32_t digit = untried.back();
    untried.pop_back();
    return digit;
  }

  bool admit(std::size_t level) {
    for (std::size_t c = 0; c < group_.checks_.size(); ++c) {
      const CheckDiagram& check = group_.checks_[c];
      const std::int32_t at = group_.layers_[level][c];
      if (at < 0) {
        nodes_[level + 1][c] = nodes_[level][c];
        carried_[level + 1][c] = carried_[level][c];
      } else if (check.is_reduced()) {
        const auto node =
            check.follow(static_cast<std::size_t>(at), nodes_[level][c], digits_[level]);
        nodes_[level + 1][c] = node;
        if (node == CheckDiagram::kDead) return false;
      } else if (!carry(level, c, static_cast<std::size_t>(at))) {
        return false;
      }
    }
    return true;
  }

  bool carry(std::size_t level, std::size_t c, std::size_t at) {
    const PartialCheck& check = group_.checks_[c].check();
    std::vector<Scalar>& out = carried_[level + 1][c];
    out.resize(check.width(at + 1));
    check.advance(at, carried_[level][c].data(), digits_[level], out.data(), steps_);
    if (at + 1 == check.depth()) {
      return PartialCheck::outcome_of(out.front()) == PartialCheck::Outcome::kTrue;
    }
    return check.foreseen(at + 1, out.data(), group_.bounds_[c]) != PartialCheck::Outcome::kFalse;
  }

  const ImplicitGroup& group_;
  std::vector<std::uint32_t> digits_;
  std::vector<std::vector<std::uint32_t>> untried_;        // by level
  std::vector<std::vector<CheckDiagram::Node>> nodes_;     // by level and check
  std::vector<std::vector<std::vector<Scalar>>> carried_;  // by level and check
  std::size_t steps_ = 0;
};

ImplicitGroup::ImplicitGroup(std::vector<std::uint32_t> order, std::vector<CheckDiagram> checks,
                             const Domains& domains, std::shared_ptr<const SpaceParts> parts)
    : parts_(std::move(parts)), order_(std::move(order)), checks_(std::move(checks)) {
  checks_with_.resize(order_.size());
  strides_.resize(order_.size());
  for (std::size_t i = order_.size(); i-- > 0;) {
    domains_.insert(domains_.begin(), domains[order_[i]]);
    strides_[i] = size_;
    const base::Wide count = domains_.front().size();
    if (count != 0 && size_ > ~base::Wide{0} / count) {
      throw SpaceError("there are more than 2^128 combinations of values; remove some");
    }
    size_ *= count;
  }
  plan();
  base::Rng rng(1);
  Descent descent(*this);
  for (int i = 0; i < kFirstDescents && known_.empty() && !descent.out_of_steps(); ++i) {
    if (const auto digits = descent.run(rng)) known_ = *digits;
  }
  if (known_.empty()) {
    throw SpaceError(
        "none of the configurations tried satisfies all the constraints (what takes too long to "
        "evaluate does not), and there are too many to try each; remove values or loosen "
        "constraints");
  }
}

// What every descent needs.
void ImplicitGroup::plan() {
  const auto location_of = [&](std::uint32_t parameter) {
    return static_cast<std::size_t>(std::ranges::find(order_, parameter) - order_.begin());
  };
  layers_.resize(order_.size(), std::vector<std::int32_t>(checks_.size(), -1));
  for (std::size_t c = 0; c < checks_.size(); ++c) {
    const std::vector<std::uint32_t>& order = checks_[c].order();
    for (std::size_t layer = 0; layer < order.size(); ++layer) {
      layers_[location_of(order[layer])][c] = static_cast<std::int32_t>(layer);
      checks_with_[location_of(order[layer])].push_back(static_cast<std::uint32_t>(c));
    }
    bounds_.push_back(checks_[c].check().term_bounds([&](std::uint32_t parameter) {
      return std::span<const std::uint32_t>(domains_[location_of(parameter)]);
    }));
  }
}

void ImplicitGroup::read(base::Wide rank, std::span<std::uint32_t> row) const {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    row[order_[i]] = domains_[i][static_cast<std::size_t>(rank / strides_[i])];
    rank %= strides_[i];
  }
}

std::optional<base::Wide> ImplicitGroup::position_of(std::span<const std::uint32_t> row) const {
  base::Wide rank = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto place = std::ranges::lower_bound(domains_[i], row[order_[i]]);
    if (place == domains_[i].end() || *place != row[order_[i]]) return std::nullopt;
    rank += strides_[i] * static_cast<std::size_t>(place - domains_[i].begin());
  }
  return rank;
}

bool ImplicitGroup::admits(const CheckDiagram& check, std::span<const std::uint32_t> row) const {
  if (check.is_reduced()) {
    CheckDiagram::Node node = check.root();
    for (std::size_t l = 0; l < check.depth() && node >= CheckDiagram::kFirst; ++l) {
      node = check.follow(l, node, row[check.order()[l]]);
    }
    return node == CheckDiagram::kTrue;
  }
  std::vector<Scalar> in;
  std::vector<Scalar> out;
  std::size_t steps = 0;
  for (std::size_t l = 0; l < check.depth(); ++l) {
    out.resize(check.check().width(l + 1));
    check.check().advance(l, in.data(), row[check.order()[l]], out.data(), steps);
    std::swap(in, out);
  }
  return PartialCheck::outcome_of(in.front()) == PartialCheck::Outcome::kTrue;
}

std::optional<base::Wide> ImplicitGroup::rank_of(std::span<const std::uint32_t> row) const {
  const std::optional<base::Wide> rank = position_of(row);
  if (!rank) return std::nullopt;
  for (const CheckDiagram& check : checks_) {
    if (!admits(check, row)) return std::nullopt;
  }
  return rank;
}

void ImplicitGroup::alternatives(std::size_t parameter, std::span<const std::uint32_t> row,
                                 const Places& places, const Each& each) const {
  const auto i = static_cast<std::size_t>(std::ranges::find(order_, parameter) - order_.begin());
  std::vector<std::uint32_t> changed(row.begin(), row.end());
  changed[parameter] = domains_[i].front();
  const std::optional<base::Wide> base = position_of(changed);
  if (!base) return;
  const auto& involved = checks_with_[i];
  for (std::uint32_t c = 0; c < checks_.size(); ++c) {
    if (std::ranges::find(involved, c) == involved.end() && !admits(checks_[c], row)) return;
  }
  places.for_each(domains_[i].size(), [&](std::size_t place) {
    changed[parameter] = domains_[i][place];
    if (changed[parameter] == row[parameter]) return;
    const bool valid =
        std::ranges::all_of(involved, [&](std::uint32_t c) { return admits(checks_[c], changed); });
    if (valid) each(changed[parameter], *base + strides_[i] * place);
  });
}

base::Wide ImplicitGroup::sample(base::Rng& rng) const {
  Descent descent(*this);
  std::optional<std::vector<std::uint32_t>> digits;
  for (int i = 0; i < kDescents && !digits && !descent.out_of_steps(); ++i)
    digits = descent.run(rng);
  if (!digits) digits = known_;
  base::Wide rank = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto place = std::ranges::lower_bound(domains_[i], (*digits)[i]);
    rank += strides_[i] * static_cast<std::size_t>(place - domains_[i].begin());
  }
  return rank;
}

}  // namespace nightshift::search
