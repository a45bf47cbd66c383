#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/expression/term_graph.h"

namespace nightshift::search {

// A plan holds a number for each parameter and term of a check; beyond so many there is none.
constexpr std::size_t kMaxPlan = std::size_t{1} << 22;

// One part of a constraint, evaluated while its parameters are set one after another. After some
// of them only what the rest still needs is carried: the values of the largest sub-expressions
// whose parameters are all set, with what is set of a sum or product folded into one number. Equal
// carried values mean an equal future.
class PartialCheck {
 public:
  // `order`: its parameters as they are set; the others have one value left in `domains`. The
  // graph outlives this and does not change any more.
  PartialCheck(const TermGraph& graph, TermId root, std::vector<std::uint32_t> order,
               const Domains& domains);

  const std::vector<std::uint32_t>& order() const { return order_; }
  std::size_t depth() const { return order_.size(); }
  const ScalarTable& table() const { return graph_->table(); }
  std::size_t plan_size() const { return (depth() + 1) * locals_.size(); }
  // How many values are carried after `layer` parameters.
  std::size_t width(std::size_t layer) const {
    return first_carried_[layer + 1] - first_carried_[layer];
  }

  // From what is carried after `layer` parameters and a digit of the next one to what is carried
  // then; after the last one this is the value of the check.
  void advance(std::size_t layer, const Scalar* in, std::uint32_t digit, Scalar* out,
               std::size_t& steps) const;

  enum class Outcome : std::uint8_t { kFalse, kTrue, kFailure, kOpen };
  static Outcome outcome_of(Scalar value);  // of the check; a division by zero is false
  // Of a check without parameters left.
  Scalar constant_value() const { return locals_.back().constant; }
  // Of every term, while nothing is set yet. domain(parameter): the digits it may take.
  using TermBounds = std::vector<Bounds>;
  using DomainOf = std::function<std::span<const std::uint32_t>(std::uint32_t parameter)>;
  TermBounds term_bounds(const DomainOf& domain) const;
  // Whether what is carried after `layer` parameters decides, whatever the rest is set to.
  Outcome foreseen(std::size_t layer, const Scalar* in, const TermBounds& open) const;
  std::size_t term_count() const { return locals_.size(); }

 private:
  // A term of the graph as it is here, where parameters may have become constants.
  struct Local {
    const Term* term = nullptr;
    std::uint32_t operands = 0;   // place of the first one in operands_
    std::uint32_t closes_at = 0;  // after so many parameters; 0: a constant
    std::uint32_t opens_at = 0;   // nothing of it is set after fewer parameters
    Scalar constant = {};
  };
  struct Frame {
    const std::int32_t* slot_of;
    std::size_t closed;  // layers that are closed once the digit is set
    const Scalar* in;
    std::uint32_t digit;
    std::size_t* steps;
  };
  using SourceLocation = std::uint32_t;  // in locals_

  void import(TermId root, const Domains& domains);
  void set_constant(Local& local, const Domains& domains) const;
  void plan();
  SourceLocation root() const { return static_cast<SourceLocation>(locals_.size() - 1); }
  SourceLocation operand(const Local& local, std::size_t i) const {
    return operands_[local.operands + i];
  }
  const std::int32_t* slots_of(std::size_t layer) const {
    return slot_of_.data() + layer * locals_.size();
  }
  Scalar value(SourceLocation place, const Frame& frame) const;
  Scalar folded(SourceLocation place, const Frame& frame) const;
  Bounds bounds(SourceLocation place, std::size_t layer, const Scalar* in,
                const TermBounds& open) const;

  const TermGraph* graph_;
  std::vector<std::uint32_t> order_;
  std::vector<Local> locals_;  // operands before what uses them; the root is the last
  std::vector<SourceLocation> operands_;
  // What is carried after each number of parameters, one layer behind the other: closed terms, and
  // folded ones of which a part is closed.
  std::vector<SourceLocation> carried_;
  std::vector<std::uint32_t> first_carried_;  // by layer, and one past the last
  std::vector<std::int32_t> slot_of_;         // by layer and place: which is carried; -1: none
};

}  // namespace nightshift::search
