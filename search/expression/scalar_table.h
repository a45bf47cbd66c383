#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "search/expression/scalar.h"
#include "search/parameter.h"

namespace nightshift::search {

// All texts that can turn up while `expressions` are evaluated, by rank, and the values of all
// parameters as scalars. No operation makes a text that is not in the expressions or the values.
class ScalarTable {
 public:
  ScalarTable(const std::vector<Parameter>& parameters,
              const std::vector<const Expression*>& expressions);
  Scalar scalar_of(const Value& value) const;
  Value value_of(Scalar scalar) const;  // scalar.is_value()
  const std::vector<Scalar>& values(std::size_t parameter) const { return values_[parameter]; }

 private:
  std::vector<std::string> texts_;  // ascending; the empty one is there
  std::vector<std::vector<Scalar>> values_;
};

}  // namespace nightshift::search
