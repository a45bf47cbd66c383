#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/answers/verification.h"
#include "evaluator/host/host_arguments.h"
#include "search/problem.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// What the outputs of a kernel should be. Computed by the artifact of the problem's reference,
// which takes floating vectors as double, or, where the problem names none, by the artifact of
// the baseline, which takes what the kernel takes. The last few answers are kept, of several
// cases two of each, since a reference is often slow: one belongs to an artifact, a seed and the
// arguments' sizes and values.
class HostReference {
 public:
  explicit HostReference(const search::HostBackend& host) : host_(host) {}

  // `artifact` is the path of a shared object, of which a single case's is looked at here. The result is valid until the next call. Throws
  // std::runtime_error when the reference fails, or computes nothing but NaN.
  const std::vector<ExpectedOutput>& expected(const std::string& artifact,
                                              const std::vector<ArgumentShape>& shapes,
                                              std::uint64_t seed);

 private:
  struct Answer {
    std::string artifact;
    std::vector<ArgumentShape> shapes;
    std::uint64_t seed = 0;
    std::vector<ExpectedOutput> outputs;
    std::size_t bytes = 0;
  };
  Answer compute(const std::string& artifact, const std::vector<ArgumentShape>& shapes,
                 std::uint64_t seed) const;
  void forget_old_answers();

  search::HostBackend host_;
  std::list<Answer> answers_;  // latest used first
};

// What is wrong with the first output in `arguments` that is not what it should be.
std::optional<search::TrialOutcome> wrong_answer(const search::HostBackend& host,
                                                 const HostArguments& arguments,
                                                 const std::vector<ExpectedOutput>& expected);

}  // namespace nightshift::evaluator
