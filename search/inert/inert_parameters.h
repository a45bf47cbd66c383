#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "search/parameter_space.h"

namespace nightshift::search {

// Parameters that are believed to change no machine code: a fold over configurations and what code
// they have. A configuration that differs from a known one in such parameters alone is not worth a
// build.
//
//   evidence   for a parameter: two configurations with the same code differ in it. Against it: two
//              with different code, or of which one alone works, differ in nothing else. Of one
//              machine code kMostOfCode pieces of evidence for a parameter count
//   belief     kFew pieces for it and none against it. Where there are some against it, another
//              parameter may explain them: where it has a value with which there are some against
//              it, there are no more for it. With each other value that has kFewWithin for it the
//              parameter is believed to be inert: stages, where no loop is pipelined
//   tests      what is believed of many is tested in one build: the best configuration with other
//              values of all inert parameters. Where two configurations have different code against
//              the belief, the ones between them show by bisection which parameter it was
//
// Digits are positions in the lists of values, as in ParameterSpace.
class InertParameters {
 public:
  static constexpr int kFew = 5;
  static constexpr int kFewWithin = 8;
  static constexpr int kMostOfCode = 2;
  static constexpr std::size_t kMost = 4'000;  // configurations; further ones are not looked at

  explicit InertParameters(const ParameterSpace& space);  // which outlives it

  // The configuration is on its way.
  void proposed(std::span<const std::uint32_t> digits);
  // What became of it. `code` is a number that configurations with the same machine code share; 0:
  // unknown. That of configurations that do not work does not matter.
  void observe(std::span<const std::uint32_t> digits, std::uint64_t code, bool works);

  // Whether anything is believed to be inert anywhere.
  bool any() const { return any_; }
  // Counts what was believed so far: what was reduced has to be reduced again when it has grown.
  std::uint64_t version() const { return version_; }
  // `digits` with the inert parameters at their first value.
  std::vector<std::uint32_t> reduced(std::span<const std::uint32_t> digits) const;
  // A number of reduced(digits), and whether a known configuration or one that is on its way has it.
  std::uint64_t key(std::span<const std::uint32_t> digits) const { return hash(reduced(digits)); }
  bool is_known(std::uint64_t key) const { return keys_.contains(key); }

  // What to build next to test the belief: a configuration that was not proposed. `best`: the best
  // few so far, the very best first. nullopt where there is none.
  std::optional<ConfigurationIndex> test(std::span<const ConfigurationIndex> best, base::Rng& rng);
  // Two configurations contradict what is believed.
  bool is_contradicted() const { return contradiction_.has_value(); }

 private:
  using Digits = std::vector<std::uint32_t>;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Point {
    Digits digits;
    std::uint64_t code = 0;  // 0: on its way, or unknown; kNone: it does not work
  };
  struct Evidence {
    int equal = 0, differs = 0;
    bool shows_inert(int few) const { return differs == 0 && equal >= few; }
  };
  struct Belief {
    bool always = false;
    // Where another parameter has this digit; ascending.
    std::vector<std::pair<std::size_t, std::uint32_t>> where = {};
    friend bool operator==(const Belief&, const Belief&) = default;
  };

  static std::uint64_t hash(std::span<const std::uint32_t> digits);
  Belief belief_in(std::size_t parameter) const;
  bool is_inert(std::size_t parameter, std::span<const std::uint32_t> digits) const;
  Point* place(std::span<const std::uint32_t> digits);
  bool weigh(std::size_t place);
  bool weigh_equal(std::size_t place);
  bool weigh_alone(std::size_t place);
  bool count(std::size_t parameter, const Digits& at, const Digits& other, bool equal);
  void blame(const Digits& a, const Digits& b);
  void recount();
  void compare(std::size_t place);
  std::optional<ConfigurationIndex> fresh(const Digits& digits) const;
  std::optional<ConfigurationIndex> between(base::Rng& rng);
  std::optional<ConfigurationIndex> varied(const Digits& best, base::Rng& rng) const;

  const ParameterSpace& space_;
  std::vector<Point> points_;
  std::unordered_map<std::uint64_t, std::size_t> places_;                // by hash of the digits
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_code_;  // points
  std::unordered_map<std::uint64_t, std::size_t> alone_;                 // see weigh_alone()
  std::unordered_map<std::uint64_t, int> counted_;                       // by code and parameter
  bool any_equal_ = false;  // nothing is weighed before

  std::vector<Evidence> overall_;                                    // by parameter
  std::vector<std::unordered_map<std::uint64_t, Evidence>> within_;  // and by value of another
  std::vector<Belief> beliefs_;                                      // by parameter
  bool any_ = false;
  std::uint64_t version_ = 0;

  std::unordered_set<std::uint64_t> keys_;                 // of all points
  std::unordered_map<std::uint64_t, std::size_t> groups_;  // by key, a point with known code
  std::optional<std::pair<std::size_t, std::size_t>> contradiction_;
  std::unordered_map<std::uint64_t, int> tests_;  // of each code
};

}  // namespace nightshift::search
