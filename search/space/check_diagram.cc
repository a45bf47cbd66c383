#include "search/space/check_diagram.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.h"

namespace nightshift::search {

namespace {

constexpr std::size_t kKindsPerWord = 16;  // in half a byte each

std::size_t words_for(std::size_t scalars) {
  return scalars + (scalars + kKindsPerWord - 1) / kKindsPerWord;
}

void pack(const std::vector<Scalar>& scalars, std::size_t count, std::uint64_t* words) {
  std::fill_n(words + count, words_for(count) - count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = scalars[i].bits();
    words[count + i / kKindsPerWord] |= static_cast<std::uint64_t>(scalars[i].kind)
                                        << 4 * (i % kKindsPerWord);
  }
}

void unpack(const std::uint64_t* words, std::size_t count, std::vector<Scalar>& scalars) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t kinds = words[count + i / kKindsPerWord];
    scalars[i].kind = static_cast<Scalar::Kind>(kinds >> 4 * (i % kKindsPerWord) & 15);
    scalars[i].payload.whole = static_cast<std::int64_t>(words[i]);
  }
}

// An evaluation takes longer than the look into a table that a transition otherwise is.
constexpr std::size_t kTransitionsPerEvaluation = 4;
constexpr std::size_t kTransitionsPerForesight = 4;  // and term
constexpr std::size_t kPieces = 256;

// Below so many combinations of what follows, looking at all of them costs less than to foresee.
constexpr double kFewCombinations = 64;
// From so many values of the last parameter on, a look at their bounds saves more than it costs.
constexpr std::size_t kManyColumns = 16;

double combinations_after(const std::vector<std::uint32_t>& order, std::size_t layer,
                          const Domains& domains) {
  double count = 1;
  for (std::size_t i = layer + 1; i < order.size(); ++i) {
    count *= static_cast<double>(domains[order[i]].size());
  }
  return count;
}

}  // namespace

CheckDiagram::CheckDiagram(PartialCheck check, Failing failing)
    : check_(std::move(check)), failing_(failing), carried_(0) {
  layers_.resize(depth());
  carried_.insert(nullptr);
}

CheckDiagram::Node CheckDiagram::node_for(PartialCheck::Outcome outcome) const {
  const bool failed = outcome == PartialCheck::Outcome::kFailure;
  if (failing_ == Failing::kRequired) return failed ? kTrue : kDead;
  if (failed) return failing_ == Failing::kAdmitted ? kTrue : kDead;
  return outcome == PartialCheck::Outcome::kTrue ? kTrue : kDead;
}

// Numbers what the nodes of the next layer carry. What is decided already needs no node.
class CheckDiagram::Successors {
 public:
  Successors(CheckDiagram& diagram, std::size_t layer, const Domains& domains)
      : diagram_(diagram),
        layer_(layer),
        width_(diagram.check_.width(layer)),
        foresee_(combinations_after(diagram.order(), layer - 1, domains) >= kFewCombinations),
        words_(words_for(width_)),
        all_(words_.size()) {}

  Node node_of(const std::vector<Scalar>& carried) {
    pack(carried, width_, words_.data());
    const auto [number, is_new] = all_.insert(words_.data());
    if (is_new) nodes_.push_back(place(carried));
    return nodes_[number];
  }

  std::size_t bytes() const { return all_.bytes() + sizeof(Node) * nodes_.capacity(); }

  // How often it was foreseen since the last call.
  std::size_t take_foreseen() { return std::exchange(foreseen_, 0); }

  TupleSet take_open() {
    if (!foresee_) return std::move(all_);
    TupleSet open(words_.size());
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      if (nodes_[i] >= kFirst) open.insert(all_[i]);
    }
    return open;
  }

 private:
  Node place(const std::vector<Scalar>& carried) {
    if (foresee_) {
      ++foreseen_;
      const auto outcome = diagram_.check_.foreseen(layer_, carried.data(), diagram_.bounds_);
      if (outcome != PartialCheck::Outcome::kOpen) return diagram_.node_for(outcome);
    }
    return kFirst + open_++;
  }

  CheckDiagram& diagram_;
  std::size_t layer_;
  std::size_t width_;
  bool foresee_;
  Words words_;
  TupleSet all_;
  std::vector<Node> nodes_;  // by number
  Node open_ = 0;
  std::size_t foreseen_ = 0;
};

bool CheckDiagram::expand(std::size_t l, const std::vector<bool>* used, const Domains& domains,
                          Effort& effort) {
  if (l == 0) {
    bounds_ = check_.term_bounds(
        [&](std::uint32_t p) { return std::span<const std::uint32_t>(domains[p]); });
  }
  Layer& layer = layers_[l];
  layer.domain = domains[order()[l]];
  layer.rows = carried_.size();
  if (layer.rows * layer.domain.size() > effort.bytes / sizeof(Node)) return false;
  layer.next.assign(layer.rows * layer.domain.size(), kDead);
  const bool done =
      l + 1 == depth() ? decide(layer, used, effort) : expand_rows(layer, l, used, domains, effort);
  layer.end = kFirst + carried_.size();
  return done;
}

bool CheckDiagram::expand_rows(Layer& layer, std::size_t l, const std::vector<bool>* used,
                               const Domains& domains, Effort& effort) {
  Successors successors(*this, l + 1, domains);
  std::vector<Scalar> in(check_.width(l));
  std::vector<Scalar> out(check_.width(l + 1));
  Node* next = layer.next.data();
  for (std::uint32_t row = 0; row < layer.rows; ++row, next += layer.domain.size()) {
    if (used != nullptr && !(*used)[row + kFirst]) continue;
    unpack(carried_[row], in.size(), in);
    std::size_t steps = 0;
    for (std::size_t column = 0; column < layer.domain.size(); ++column) {
      check_.advance(l, in.data(), layer.domain[column], out.data(), steps);
      next[column] = successors.node_of(out);
      if (steps > effort.steps) return false;
    }
    const std::size_t transitions =
        kTransitionsPerEvaluation * layer.domain.size() +
        kTransitionsPerForesight * check_.term_count() * successors.take_foreseen();
    if (!effort.spend(transitions, steps)) return false;
    if (2 * successors.bytes() > effort.bytes) return false;  // they are copied in the end
  }
  carried_ = successors.take_open();
  carried_.freeze();
  return true;
}

// The last layer. It is the largest where few values are equal, and each row is by itself.
bool CheckDiagram::decide(Layer& layer, const std::vector<bool>* used, Effort& effort) {
  const std::size_t columns = layer.domain.size();
  if (!effort.spend(kTransitionsPerEvaluation * layer.rows * columns, 0)) return false;
  std::atomic<std::size_t> steps = 0;
  std::atomic<bool> failed = false;
  const auto decide_rows = [&](std::size_t begin, std::size_t end) {
    std::vector<Scalar> in(check_.width(depth() - 1));
    for (std::size_t row = begin; row < end; ++row) {
      if (used != nullptr && !(*used)[row + kFirst]) continue;
      unpack(carried_[static_cast<std::uint32_t>(row)], in.size(), in);
      if (columns >= kManyColumns) {
        const auto outcome = check_.foreseen(depth() - 1, in.data(), bounds_);
        if (outcome != PartialCheck::Outcome::kOpen) {
          std::fill_n(layer.next.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                      node_for(outcome));
          continue;
        }
      }
      for (std::size_t column = 0; column < columns && steps <= effort.steps; ++column) {
        Scalar value;
        std::size_t own_steps = 0;
        check_.advance(depth() - 1, in.data(), layer.domain[column], &value, own_steps);
        const PartialCheck::Outcome outcome = PartialCheck::outcome_of(value);
        layer.next[row * columns + column] = node_for(outcome);
        if (outcome == PartialCheck::Outcome::kFailure) failed = true;
        if (own_steps > 0) steps += own_steps;
      }
    }
  };
  if (layer.rows * columns < base::kWorthThreads) {
    decide_rows(0, layer.rows);
  } else {
    const std::size_t pieces = std::min(layer.rows, kPieces);
    base::in_parallel(pieces, [&](std::size_t i) {
      decide_rows(layer.rows * i / pieces, layer.rows * (i + 1) / pieces);
    });
  }
  has_failed_ |= failed;
  carried_ = TupleSet(0);
  return effort.spend(0, steps);
}

bool CheckDiagram::advance(std::size_t layer, const std::vector<bool>& used, const Domains& domains,
                           Effort& effort) {
  if (layer == 0) {
    carried_ = TupleSet(0);
    carried_.insert(nullptr);
  } else {
    layers_[layer - 1] = {};
  }
  return expand(layer, &used, domains, effort);
}

// What reduce() comes to with one parameter.
bool CheckDiagram::reduce_single(Domains& domains, Effort& effort) {
  Layer& layer = layers_.front();
  layer.domain = domains[order().front()];
  layer.rows = 1;
  std::vector<std::uint32_t> left;
  std::size_t steps = 0;
  for (const std::uint32_t digit : layer.domain) {
    Scalar value;
    check_.advance(0, nullptr, digit, &value, steps);
    const PartialCheck::Outcome outcome = PartialCheck::outcome_of(value);
    has_failed_ |= outcome == PartialCheck::Outcome::kFailure;
    layer.next.push_back(node_for(outcome));
    if (layer.next.back() != kDead) left.push_back(digit);
    if (steps > effort.steps) break;
  }
  if (!effort.spend(kTransitionsPerEvaluation * layer.domain.size(), steps)) {
    layer = {};
    return false;
  }
  root_ = left.empty() ? kDead : left.size() == layer.domain.size() ? kTrue : kFirst;
  domains[order().front()] = std::move(left);
  reduced_ = true;
  return true;
}

bool CheckDiagram::reduce(Domains& domains, Effort& effort) {
  if (depth() == 1) return reduce_single(domains, effort);
  carried_ = TupleSet(0);
  carried_.insert(nullptr);
  for (std::size_t l = 0; l < depth(); ++l) {
    if (!expand(l, nullptr, domains, effort)) {
      layers_.assign(depth(), {});
      return false;
    }
  }
  if (depth() == 0) {
    const PartialCheck::Outcome outcome = PartialCheck::outcome_of(check_.constant_value());
    has_failed_ = outcome == PartialCheck::Outcome::kFailure;
    root_ = node_for(outcome);
  } else {
    merge();
    prune(domains);
  }
  reduced_ = true;
  return true;
}

// From the last layer to the first: rows of equal successors become one node.
void CheckDiagram::merge() {
  std::vector<Node> node_of = {kDead, kTrue};  // of the layer behind, by its old number
  for (std::size_t l = depth(); l-- > 0;) {
    Layer& layer = layers_[l];
    const std::size_t columns = layer.domain.size();
    TupleSet rows((columns + 1) / 2);
    Words words(rows.width());
    std::vector<Node> renumbered = {kDead, kTrue};
    std::vector<Node> kept;
    for (std::size_t row = 0; row < layer.rows; ++row) {
      Node* next = layer.next.data() + row * columns;
      Node lowest = kTrue;
      Node highest = kDead;
      std::ranges::fill(words, 0);
      for (std::size_t column = 0; column < columns; ++column) {
        next[column] = node_of[next[column]];
        lowest = std::min(lowest, next[column]);
        highest = std::max(highest, next[column]);
        words[column / 2] |= std::uint64_t{next[column]} << 32 * (column % 2);
      }
      if (highest == kDead || (lowest == kTrue && highest == kTrue)) {
        renumbered.push_back(highest);
        continue;
      }
      const auto [number, is_new] = rows.insert(words.data());
      if (is_new) kept.insert(kept.end(), next, next + columns);
      renumbered.push_back(kFirst + number);
    }
    layer.end = *std::ranges::max_element(node_of) + 1;
    layer.next = std::move(kept);
    layer.rows = rows.size();
    node_of = std::move(renumbered);
  }
  root_ = node_of.back();
}

void CheckDiagram::prune(Domains& domains) const {
  bool any = root_ == kTrue;  // from here on every digit will do
  for (std::size_t l = 0; l < depth() && !any; ++l) {
    const Layer& layer = layers_[l];
    std::vector<std::uint32_t>& domain = domains[order()[l]];
    std::vector<bool> supported(layer.domain.size());
    for (std::size_t i = 0; i < layer.next.size(); ++i) {
      if (layer.next[i] == kDead) continue;
      supported[i % layer.domain.size()] = true;
      any |= layer.next[i] == kTrue;
    }
    std::vector<std::uint32_t> left;
    for (std::size_t column = 0; column < supported.size(); ++column) {
      if (supported[column]) left.push_back(layer.domain[column]);
    }
    domain = std::move(left);
  }
}

CheckDiagram::Node CheckDiagram::follow(std::size_t l, Node node, std::uint32_t digit) const {
  if (node < kFirst) return node;
  const Layer& layer = layers_[l];
  const auto column = std::ranges::lower_bound(layer.domain, digit);
  if (column == layer.domain.end() || *column != digit) return kDead;
  return layer.row(node)[column - layer.domain.begin()];
}

}  // namespace nightshift::search
