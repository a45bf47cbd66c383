#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/expression/partial_check.h"
#include "search/space/tuple_set.h"

namespace nightshift::search {

// What the construction of a space may still spend. Whoever would overdraw it stops instead.
struct Effort {
  std::size_t transitions = 0;  // of one digit in one state, some 10 to 100 ns each
  std::size_t steps = 0;        // of the interpreter
  std::size_t bytes = 0;        // at any one time; not spent

  bool spend(std::size_t transition_count, std::size_t step_count) {
    if (transitions < transition_count || steps < step_count) return false;
    transitions -= transition_count;
    steps -= step_count;
    return true;
  }
};

// What becomes of combinations for which a check cannot be evaluated.
enum class Failing : std::uint8_t {
  kExcluded,
  kAdmitted,
  kRequired,  // nothing else is admitted: finds them
};

// One check as a layered decision diagram over its own parameters: a node stands for combinations
// of the first ones that leave the same future.
//
// reduce() builds it whole, from the front by partial evaluation and then from the back: nodes of
// equal future become one, even where what they carry differs, and those without a future are
// gone. Where that is too dear for the check alone, but other checks leave few combinations,
// advance() builds one layer after another for the nodes that are in use.
class CheckDiagram {
 public:
  using Node = std::uint32_t;
  static constexpr Node kDead = 0;   // nothing that follows satisfies the check
  static constexpr Node kTrue = 1;   // everything does
  static constexpr Node kFirst = 2;  // of row 0

  struct Layer {
    std::vector<std::uint32_t> domain;  // the digits of the columns, ascending
    std::vector<Node> next;             // row by row
    std::size_t rows = 0;
    Node end = kFirst;  // the nodes in `next` are below

    const Node* row(Node node) const { return next.data() + (node - kFirst) * domain.size(); }
  };

  CheckDiagram(PartialCheck check, Failing failing);

  const PartialCheck& check() const { return check_; }
  const std::vector<std::uint32_t>& order() const { return check_.order(); }
  std::size_t depth() const { return check_.depth(); }
  bool has_failed() const { return has_failed_; }  // somewhere it could not be evaluated

  // False where `effort` does not suffice; then it stays unreduced. Removes from `domains` what
  // occurs in no combination.
  bool reduce(Domains& domains, Effort& effort);
  bool is_reduced() const { return reduced_; }

  // Of an unreduced one, the next layer, first of all layer 0. `used`: the nodes that need a row.
  // False where `effort` does not suffice. Only the latest layer is kept.
  bool advance(std::size_t layer, const std::vector<bool>& used, const Domains& domains,
               Effort& effort);

  Node root() const { return root_; }
  const Layer& layer(std::size_t i) const { return layers_[i]; }
  // Of a reduced one: where a digit leads from a node. Digits outside its domain lead to kDead.
  Node follow(std::size_t layer, Node node, std::uint32_t digit) const;

 private:
  using Words = std::vector<std::uint64_t>;
  class Successors;

  bool expand(std::size_t layer, const std::vector<bool>* used, const Domains& domains,
              Effort& effort);
  bool reduce_single(Domains& domains, Effort& effort);
  bool expand_rows(Layer& layer, std::size_t l, const std::vector<bool>* used,
                   const Domains& domains, Effort& effort);
  bool decide(Layer& layer, const std::vector<bool>* used, Effort& effort);
  Node node_for(PartialCheck::Outcome outcome) const;
  void merge();
  void prune(Domains& domains) const;

  PartialCheck check_;
  Failing failing_;
  std::vector<Layer> layers_;
  TupleSet carried_;  // what the nodes carry that have no row yet
  PartialCheck::TermBounds bounds_;
  Node root_ = kFirst;
  bool reduced_ = false;
  bool has_failed_ = false;
};

}  // namespace nightshift::search
