// Nightshift as a library: spaces, searchers, statistics, and a tuner whose objective is a function of
// your program, called in processes of their own. Needs C++17 and nothing but this header:
//
//   find_package(nightshift REQUIRED)                            # CMAKE_PREFIX_PATH: the installed folder
//   target_link_libraries(mine PRIVATE nightshift::nightshift)
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#define NIGHTSHIFT_API __attribute__((visibility("default")))

namespace nightshift {

// What a parameter can be set to.
using Value = std::variant<bool, std::int64_t, double, std::string>;
using Configuration = std::map<std::string, Value>;

// Everything here throws this. The message says what was expected.
class NIGHTSHIFT_API Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A name and its values, of one kind, in the order that makes neighbours alike: ascending for
// numbers. The first is the default.
struct Parameter {
  std::string name;
  std::vector<Value> values;
};

// What can be tried: all combinations of values that satisfy the constraints, which are
// expressions in Python's syntax ("tile * unroll <= 1024 and tile % 8 == 0"). It is never written
// out: 10^30 combinations cost milliseconds. Copies share it.
class NIGHTSHIFT_API Space {
 public:
  explicit Space(std::vector<Parameter> parameters, std::vector<std::string> constraints = {});

  double size() const;  // configurations
  bool contains(const Configuration& configuration) const;
  Configuration defaults() const;  // which a constraint may exclude
  const std::vector<Parameter>& parameters() const;
  const std::vector<std::string>& constraints() const;

  struct Parts;  // the library's own
  const Parts& parts() const { return *parts_; }

 private:
  friend class Searcher;
  std::shared_ptr<const Parts> parts_;
};

// Proposes configurations and learns what they cost, in any order. The same seed and the same
// calls give the same proposals on every machine.
class NIGHTSHIFT_API Searcher {
 public:
  explicit Searcher(const Space& space, const std::string& name = "auto", std::uint64_t seed = 1);

  // At most n that it has never returned and was never told of; fewer where the space is exhausted.
  std::vector<Configuration> ask(std::size_t n = 1);
  // Lower is better; above 0. The first one told is what the others are relative to.
  void tell(const Configuration& configuration, double cost);
  void tell_failed(const Configuration& configuration);

  static std::vector<std::string> names();

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

struct Interval {
  double low = 0, high = 0;
};

// Repetitions of one figure, in its unit.
struct Estimate {
  std::size_t count = 0;
  double mean = 0, sd = 0;  // sd with n - 1
  double median = 0;
  Interval median95;  // by order statistics, whatever the distribution; infinite of fewer than 6
};
NIGHTSHIFT_API Estimate estimate(const std::vector<double>& values);

// By how much one thing differs from another, measured in pairs that ran side by side.
struct Change {
  double ratio = 1;    // geometric mean of candidate / baseline: 0.8 is a fifth less
  Interval ratio95;    // Student's, of the logarithms
  double p_lower = 1;  // one-sided, of no lower figure: Wilcoxon's signed ranks
};
// As many of each, at least two, above 0.
NIGHTSHIFT_API Change paired_change(const std::vector<double>& baseline,
                                    const std::vector<double>& candidate);

struct TuneOptions {
  std::string name = "callable";  // of the study; one tune() of a program has it
  std::string unit = "ms";        // of what the objective returns
  bool maximise = false;
  double seconds = 60;       // of wall time; 0 = no limit
  std::uint64_t trials = 0;  // configurations; 0 = no limit
  std::string searcher = "auto";
  std::uint64_t seed = 1;
  Configuration baseline = {};  // what gains are relative to; empty: the defaults
  std::string folder = {};      // of the study, new; empty: nothing is kept
  std::string more = {};        // further tables of a problem file, such as "[acceptance]\n..."
  std::string program = {};     // empty: $NIGHTSHIFT, or bin/nightshift beside this library
};

// The claim is of a hold-out on new data: without `accepted` nothing was shown.
struct Tuned {
  bool accepted = false;
  Configuration best;        // the baseline where nothing was accepted
  double ratio = 1;          // best over baseline, lower is better whatever the direction
  Interval interval;         // of the ratio, at the claim's own level: below 1 where it was shown
  double confidence = 0.95;  // of the interval
  std::uint64_t measured = 0, failed = 0;
  std::string reason;  // why it was accepted, or not
  std::string json;    // what `nightshift tune --json` says: all there is to know
};

// Tunes a function. It returns one or more figures of a configuration; what it throws is that
// trial's failure, and what kills its process or does not return costs that trial, never the run.
//
// It is called in processes that start this program anew, with the same arguments, up to this call
// of tune(), which does not return there: what stands before it should be quick and change nothing.
// A tune() of another name returns at once there, with the baseline. What the function prints on
// standard output goes to standard error.
//
// Throws Error where the space or an option is wrong, the baseline fails, or nightshift cannot be
// started.
NIGHTSHIFT_API Tuned tune(const Space& space,
                          const std::function<std::vector<double>(const Configuration&)>& objective,
                          const TuneOptions& options = {});

}  // namespace nightshift
