#pragma once

#include <memory>
#include <optional>
#include <string>

#include "search/problem.h"
#include "tools/compare/contest.h"

namespace nightshift::tools {

// The devices of a table, held from its first build to the end of this object, so that no other run
// comes between two shapes.
class TableDevices {
 public:
  // As --devices and --wait say.
  TableDevices(std::string asked, std::optional<double> wait)
      : asked_(std::move(asked)), wait_(wait) {}

  const std::string& asked() const { return asked_; }
  // Those that the problem is measured on. Where they, or the clocks that it asks for, are not those
  // of the problem before it, these are let go first. Throws as HeldDevices does.
  std::shared_ptr<const HeldDevices> of(const search::Problem& problem);

 private:
  std::string asked_;
  std::optional<double> wait_;
  std::string what_;  // is held
  std::shared_ptr<const HeldDevices> held_;
};

}  // namespace nightshift::tools
