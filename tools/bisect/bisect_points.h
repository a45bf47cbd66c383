#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "problems/override.h"
#include "search/problem.h"
#include "tools/problem/toolchain.h"

namespace nightshift::tools {

// A row of ways in which a problem is built, the good end first.
class BisectPoints {
 public:
  virtual ~BisectPoints() = default;
  virtual std::string_view kind() const = 0;  // "commit", "compiler"
  virtual std::size_t size() const = 0;
  virtual std::string name(std::size_t point) const = 0;
  virtual std::string title(std::size_t point) const = 0;
  // Throws what reading a problem throws, and UsageError: this point cannot be built. Throws
  // scheduler::NoRoomError where the machine lacks what that takes: it says nothing of the point.
  virtual search::Problem problem(std::size_t point) = 0;
  // What the point keeps on a disk may go: its problem is built, and nothing reads its files again.
  virtual void done_with(std::size_t /*point*/) {}
  // A configuration of that problem as it is built there.
  virtual search::Configuration by(std::size_t, search::Configuration configuration) const {
    return configuration;
  }
};

// The commits from `good` to `bad` along the first parents, of the git repository that has the
// problem file. Their files are written below `folder`, which outlives this; the repository stays
// as it is. Throws UsageError: no repository, no such commit, `good` is no ancestor of `bad`, or
// git fails.
std::unique_ptr<BisectPoints> commits_between(const std::string& problem_file,
                                              const std::string& good, const std::string& bad,
                                              const std::vector<problems::Override>& overrides,
                                              const std::string& folder);

// Of two at least. Throws UsageError: one of them does not build this kind of problem.
std::unique_ptr<BisectPoints> compilers_in_order(const search::Problem& problem,
                                                 std::vector<Toolchain> toolchains);

}  // namespace nightshift::tools
