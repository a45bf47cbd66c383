#include "search/space/diagram_builder.h"

#include <algorithm>
#include <bit>

#include "search/space/diagram_merge.h"

namespace nightshift::search {

namespace {

using Layer = SpaceDiagram::Layer;
using Node = CheckDiagram::Node;

// Where a check's node lies in the words of a state.
struct Field {
  std::uint32_t word = 0;
  std::uint32_t shift = 0;
  std::uint64_t mask = 0;

  Node read(const std::uint64_t* state) const {
    return static_cast<Node>(state[word] >> shift & mask);
  }
  void write(std::uint64_t* state, Node node) const { state[word] |= std::uint64_t{node} << shift; }
};

// A check that the next parameter moves.
struct Moved {
  const CheckDiagram::Layer* table;
  std::optional<Field> from;  // none: it begins here
  Node root;
  std::optional<Field> to;             // none: it ends here
  std::vector<std::uint32_t> columns;  // of the parameter's digits
};

struct Kept {
  Field from, to;
};

class Builder {
 public:
  Builder(const std::vector<std::uint32_t>& order, std::vector<CheckDiagram>& checks,
          const Domains& domains, Effort& effort)
      : order_(order), checks_(checks), domains_(domains), effort_(effort), states_(0) {
    fields_.resize(checks.size());
    reached_.resize(checks.size());
  }

  std::optional<std::vector<Layer>> run() {
    for (const CheckDiagram& check : checks_) {
      if (check.root() == CheckDiagram::kDead) return std::vector<Layer>();
    }
    states_.insert(nullptr);
    for (const std::uint32_t parameter : order_) {
      if (!step(parameter)) return std::nullopt;
      if (states_.size() == 0) return std::vector<Layer>();
    }
    reduce_layers(layers_);
    return std::move(layers_);
  }

 private:
  bool step(std::uint32_t parameter) {
    const std::vector<std::uint32_t>& domain = domains_[parameter];
    const std::size_t transitions = states_.size() * domain.size();
    if (!effort_.spend(transitions, 0) || !advance_unreduced(parameter)) return false;
    lay_out(parameter);
    const std::size_t budget = effort_.bytes - std::min(effort_.bytes, bytes_);
    Expansion expansion{.width = width_, .states = states_.size(), .transitions = transitions};
    expansion.expand = [&](std::size_t begin, std::size_t end, StateChunk& chunk) {
      expand(begin, end, domain, chunk);
    };
    Layer layer;
    layer.parameter = parameter;
    TupleSet next(width_);
    if (!expand_layer(expansion, budget, layer, next)) return false;
    states_ = std::move(next);
    bytes_ += 8 * layer.digit.size() + 4 * layer.first.size();
    layers_.push_back(std::move(layer));
    return bytes_ + states_.bytes() <= effort_.bytes;
  }

  // Tables for the nodes in use of the checks that have none yet.
  bool advance_unreduced(std::uint32_t parameter) {
    for (std::size_t c = 0; c < checks_.size(); ++c) {
      CheckDiagram& check = checks_[c];
      const std::size_t at = reached_[c];
      if (check.is_reduced() || at == check.depth() || check.order()[at] != parameter) continue;
      const Node end = at == 0 ? CheckDiagram::kFirst + 1 : check.layer(at - 1).end;
      std::vector<bool> used(end, at == 0);
      if (at > 0) {
        for (std::uint32_t s = 0; s < states_.size(); ++s)
          used[fields_[c]->read(states_[s])] = true;
      }
      if (!check.advance(at, used, domains_, effort_)) return false;
    }
    return true;
  }

  // Fields of the next states, and what moves them.
  void lay_out(std::uint32_t parameter) {
    moved_.clear();
    kept_.clear();
    width_ = 0;
    std::uint32_t bits_left = 0;
    const auto place = [&](Node end) {
      const auto bits = static_cast<std::uint32_t>(std::bit_width(end - 1));
      if (bits > bits_left) {
        ++width_;
        bits_left = 64;
      }
      bits_left -= bits;
      return Field{static_cast<std::uint32_t>(width_ - 1), 64 - bits_left - bits,
                   (std::uint64_t{1} << bits) - 1};
    };
    for (std::size_t c = 0; c < checks_.size(); ++c) {
      const CheckDiagram& check = checks_[c];
      std::size_t& at = reached_[c];
      const bool moves = at < check.depth() && check.order()[at] == parameter;
      if (!moves) {
        if (!fields_[c]) continue;
        const Field to = place(check.layer(at - 1).end);
        kept_.push_back({*fields_[c], to});
        fields_[c] = to;
        continue;
      }
      Moved moved{&check.layer(at), fields_[c], check.root(), std::nullopt, {}};
      if (++at < check.depth()) moved.to = place(check.layer(at - 1).end);
      fields_[c] = moved.to;
      moved.columns = columns_of(*moved.table, domains_[parameter]);
      moved_.push_back(std::move(moved));
    }
  }

  // The domain has lost digits since the table was made, never won any.
  static std::vector<std::uint32_t> columns_of(const CheckDiagram::Layer& table,
                                               const std::vector<std::uint32_t>& domain) {
    std::vector<std::uint32_t> columns;
    columns.reserve(domain.size());
    std::uint32_t column = 0;
    for (const std::uint32_t digit : domain) {
      while (column < table.domain.size() && table.domain[column] < digit) ++column;
      columns.push_back(column);
    }
    return columns;
  }

  void expand(std::size_t begin, std::size_t end, const std::vector<std::uint32_t>& domain,
              StateChunk& chunk) const {
    std::vector<std::uint64_t> kept(width_);
    std::vector<std::uint64_t> next(width_);
    std::vector<const Node*> rows(moved_.size());
    for (std::size_t s = begin; s < end; ++s) {
      const std::uint64_t* state = states_[static_cast<std::uint32_t>(s)];
      std::ranges::fill(kept, 0);
      for (const Kept& field : kept_) field.to.write(kept.data(), field.from.read(state));
      for (std::size_t i = 0; i < moved_.size(); ++i) {
        const Node node = moved_[i].from ? moved_[i].from->read(state) : moved_[i].root;
        rows[i] = node == CheckDiagram::kTrue ? nullptr : moved_[i].table->row(node);
      }
      for (std::size_t d = 0; d < domain.size(); ++d) {
        std::copy(kept.begin(), kept.end(), next.begin());
        if (!move(rows, d, next.data())) continue;
        chunk.digit.push_back(domain[d]);
        chunk.child.push_back(chunk.states.insert(next.data()).first);
      }
      chunk.first.push_back(static_cast<std::uint32_t>(chunk.digit.size()));
    }
  }

  bool move(const std::vector<const Node*>& rows, std::size_t d, std::uint64_t* next) const {
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      const Node node = rows[i] == nullptr ? CheckDiagram::kTrue : rows[i][moved_[i].columns[d]];
      if (node == CheckDiagram::kDead) return false;
      if (moved_[i].to) moved_[i].to->write(next, node);
    }
    return true;
  }

  const std::vector<std::uint32_t>& order_;
  std::vector<CheckDiagram>& checks_;
  const Domains& domains_;
  Effort& effort_;

  TupleSet states_;                           // of the layer at hand
  std::vector<std::optional<Field>> fields_;  // by check: where states_ hold its node
  std::vector<std::size_t> reached_;          // by check: its parameters that are set
  std::size_t width_ = 0;                     // words of the next states
  std::vector<Moved> moved_;
  std::vector<Kept> kept_;
  std::vector<Layer> layers_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::optional<std::vector<SpaceDiagram::Layer>> build_diagram(
    const std::vector<std::uint32_t>& order, std::vector<CheckDiagram>& checks,
    const Domains& domains, Effort& effort) {
  return Builder(order, checks, domains, effort).run();
}

}  // namespace nightshift::search
