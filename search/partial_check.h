#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/term.h"

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
  // graph's ScalarTable outlives this, the other arguments need not.
  PartialCheck(const TermGraph& graph, TermId root, std::vector<std::uint32_t> order,
               const Domains& domains);

  const std::vector<std::uint32_t>& order() const { return order_; }
  std::size_t depth() const { return order_.size(); }
  const ScalarTable& table() const { return *table_; }
  std::size_t plan_size() const { return (depth() + 1) * terms_.size(); }
  // How many values are carried after `layer` parameters.
  std::size_t width(std::size_t layer) const { return layers_[layer].carried.size(); }

  // From what is carried after `layer` parameters and a digit of the next one to what is carried
  // then; after the last one this is the value of the check.
  void advance(std::size_t layer, const Scalar* in, std::uint32_t digit, Scalar* out,
               std::size_t& steps) const;

  enum class Outcome : std::uint8_t { kFalse, kTrue, kFailure, kOpen };
  static Outcome outcome_of(Scalar value);  // of the check; a division by zero is false
  // Of a check without parameters left.
  Scalar constant_value() const { return terms_.back().constant; }
  // Whether what is carried after `layer` parameters decides, whatever the rest is set to.
  // `bounds`: of each parameter in order.
  Outcome foreseen(std::size_t layer, const Scalar* in, std::span<const Bounds> bounds) const;

 private:
  struct Carried {
    std::uint32_t term;  // a folded one that is not closed yet: the part that is
  };
  struct Layer {
    std::vector<Carried> carried;
    std::vector<std::int32_t> slot_of;  // by term; -1: none
  };
  struct Frame {
    const Layer* layer;
    std::size_t closed;  // layers that are closed once the digit is set
    const Scalar* in;
    std::uint32_t digit;
    std::size_t* steps;
  };
  void import(const TermGraph& graph, TermId root, const Domains& domains);
  void fold(Term& term) const;
  void plan();
  bool is_closed(std::uint32_t term, std::size_t layer) const { return closes_at_[term] <= layer; }
  Scalar value(std::uint32_t term, const Frame& frame) const;
  Scalar folded(std::uint32_t term, const Frame& frame) const;
  Bounds bounds(std::uint32_t term, std::size_t layer, const Scalar* in,
                std::span<const Bounds> of_parameters) const;

  const ScalarTable* table_;
  std::vector<std::uint32_t> order_;
  std::vector<Term> terms_;               // operands before what uses them; the root is the last
  std::vector<std::uint32_t> closes_at_;  // by term: after so many parameters
  std::vector<Layer> layers_;             // depth() + 1
};

}  // namespace nightshift::search
