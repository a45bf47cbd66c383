#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nightshift::search {

// Which of a row of points is the first bad one, where the first is good, the last is bad, and what
// is bad stays so. Points of which nothing can be said are skipped, as by `git bisect skip`. Pure.
class Bisection {
 public:
  enum class Finding : std::uint8_t { kUnknown, kGood, kBad, kSkipped };

  explicit Bisection(std::size_t points);  // two at least

  // What is to be looked at: of those that are neither known nor skipped, the one nearest to the
  // middle of what is left. nullopt: nothing more can be found out.
  std::optional<std::size_t> next() const;
  void found(std::size_t point, Finding finding);

  std::size_t last_good() const { return good_; }
  std::size_t first_bad() const { return bad_; }
  // Between them: each may be the first bad one as well.
  std::vector<std::size_t> skipped() const;
  Finding finding(std::size_t point) const { return findings_[point]; }

  // How many points are looked at where none is skipped, both ends left out, at most.
  static int steps(std::size_t points);

 private:
  std::vector<Finding> findings_;
  std::size_t good_ = 0, bad_;
};

}  // namespace nightshift::search
