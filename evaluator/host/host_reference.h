#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/answers/verification.h"
#include "evaluator/host/host_arguments.h"
#include "search/problem/host_backend.h"
#include "search/trial.h"

namespace nightshift::evaluator {

// What the outputs of a kernel should be. Computed by the artifact of the problem's reference,
// which takes floating vectors as double, or, where the problem names none, by the artifact of
// the baseline, which takes what the kernel takes. The last few answers are kept, of several
// cases two of each, since a reference is often slow: one belongs to an artifact, a seed and the
// arguments' sizes and values.
//
// Where a problem does not say how far off an answer may be, that goes by the type and the size of
// the whole answer (search/argument.h). An answer that is beyond it, and within
// kMostUsualTolerance, may be what is left of numbers that cancel: it is right where rounding
// explains it. A sum of n numbers has a backward error of some sqrt(n) roundings (Higham and Mary,
// 2019, "A new approach to probabilistic rounding error analysis"), so ErrorOverDraws::kRoundings *
// sqrt(n) times what one rounding of each input makes of the reference's answer is allowed; n is
// the length of the longest vector that is read. Beside it as many times what one rounding of each
// step of the reference makes of it is allowed, without the sqrt(n): all steps are in that
// (rounding_effect.h). So much is now and then more than a fault makes: HostDraws looks whether
// what is explained scatters as rounding does.
class HostReference {
 public:
  explicit HostReference(const search::HostBackend& host) : host_(host) {}

  // `artifact` is the path of a shared object, of which a single case's is looked at here. The
  // result is valid until the next call. Throws std::runtime_error when the reference fails, or
  // computes nothing but NaN.
  const std::vector<ExpectedOutput>& expected(const std::string& artifact,
                                              const std::vector<ArgumentShape>& shapes,
                                              std::uint64_t seed);

  // What is wrong with the first output in `arguments` that is not what expected() says.
  std::optional<search::TrialOutcome> wrong(const HostArguments& arguments,
                                            const std::string& artifact,
                                            const std::vector<ArgumentShape>& shapes,
                                            std::uint64_t seed);

  // How far the outputs in `arguments` are off what expected() says: verification.h's
  // relative_error(), largest of the outputs.
  double error(const HostArguments& arguments, const std::string& artifact,
               const std::vector<ArgumentShape>& shapes, std::uint64_t seed);

  // The elements of floating outputs that are right by what rounding explains, and not without it.
  struct Explained {
    std::size_t position = 0;  // of the output in expected()
    std::size_t argument = 0;
    std::vector<std::size_t> elements;  // at least one
    // Shares of an answer below this are no fault: a sum of so many numbers may be off by it where
    // nothing cancels, with one sign (a naive sum of positive numbers grows beyond their digits).
    double least_share = 0;
  };
  std::vector<Explained> explained(const HostArguments& arguments, const std::string& artifact,
                                   const std::vector<ArgumentShape>& shapes, std::uint64_t seed);

 private:
  struct Answer {
    std::string artifact;
    std::vector<ArgumentShape> shapes;
    std::uint64_t seed = 0;
    std::vector<ExpectedOutput> outputs;
    std::size_t bytes = 0;
    std::vector<double> step_shares = {};  // by output, where it was asked; see step_share()
  };
  static constexpr double kMostOfAnswer = 1.0 / 8;  // of its root mean square: zeros are no answer

  bool has_own() const { return !host_.reference.file.empty(); }
  std::string name() const;  // of what says what is expected
  HostArguments arguments_of(const std::vector<ArgumentShape>& shapes, std::uint64_t seed) const;
  Answer compute(const std::string& artifact, const std::vector<ArgumentShape>& shapes,
                 std::uint64_t seed) const;
  Answer& answer_of(const std::string& artifact, const std::vector<ArgumentShape>& shapes,
                    std::uint64_t seed);
  // Asks what rounding explains of each floating output.
  void explain_rounding(Answer& answer) const;
  void forget_old_answers();

  search::HostBackend host_;
  std::list<Answer> answers_;  // latest used first
};

}  // namespace nightshift::evaluator
