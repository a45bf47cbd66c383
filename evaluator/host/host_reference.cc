#include "evaluator/host/host_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/rng.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/process/damaged_artifact.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kAnswersKept = 8;
constexpr std::size_t kBytesKept = std::size_t{256} << 20;

template <class T>
std::vector<double> as_doubles(std::span<const std::byte> bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return {numbers.begin(), numbers.end()};
}

std::vector<double> numbers_of(const search::Argument& argument, std::span<const std::byte> bytes,
                               bool doubles) {
  const bool narrow = argument.type == search::ElementType::kFloat32 && !doubles;
  return narrow ? as_doubles<float>(bytes) : as_doubles<double>(bytes);
}

ExpectedOutput output_of(const search::Argument& argument, std::size_t position,
                         std::span<const std::byte> bytes, bool doubles) {
  ExpectedOutput output;
  output.argument = position;
  if (!search::is_floating(argument.type)) {
    output.integers.assign(bytes.begin(), bytes.end());
    return output;
  }
  output.floating = numbers_of(argument, bytes, doubles);
  output.size = size_of(output.floating);
  const bool nothing =
      !output.floating.empty() && std::all_of(output.floating.begin(), output.floating.end(),
                                              [](double number) { return std::isnan(number); });
  if (nothing) {
    throw std::runtime_error("the reference computes nothing but NaN for output '" + argument.name +
                             "'");
  }
  return output;
}

double rounding_of(search::ElementType type) {
  return std::ldexp(1.0, type == search::ElementType::kFloat64 ? -53 : -24);
}

// The larger of what was found before and |now - expected|. What is no number says nothing.
void widen(std::vector<double>& found, const std::vector<double>& expected,
           const std::vector<double>& now) {
  found.resize(expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double moved = std::abs(now[i] - expected[i]);
    if (std::isfinite(moved)) found[i] = std::max(found[i], moved);
  }
}

}  // namespace

HostArguments HostReference::arguments_of(const std::vector<ArgumentShape>& shapes,
                                          std::uint64_t seed) const {
  return {host_.arguments, shapes, seed,
          has_own() ? HostArguments::View::kReference : HostArguments::View::kKernel};
}

HostReference::Answer HostReference::compute(const std::string& artifact,
                                             const std::vector<ArgumentShape>& shapes,
                                             std::uint64_t seed) const {
  const bool own = has_own();
  HostArguments arguments = arguments_of(shapes, seed);
  if (host_.cases.size() == 1) expect_content(artifact);
  const KernelLibrary library(artifact);
  library.call(arguments.pointers());
  if (const std::string damage = arguments.damage(); !damage.empty()) {
    throw std::runtime_error("reference: " + damage);
  }
  Answer answer{artifact, shapes, seed, {}, 0};
  for (std::size_t i = 0; i < host_.arguments.size(); ++i) {
    const search::Argument& argument = host_.arguments[i];
    if (argument.scalar || argument.access == search::Argument::Access::kIn) continue;
    if (arguments.is_unwritten(i)) {
      throw std::runtime_error(
          (own ? "the reference" : "the baseline, whose answers are expected,") +
          std::string(" does not write output '") + argument.name + "'");
    }
    answer.outputs.push_back(output_of(argument, i, arguments.buffer(i).bytes(), own));
    answer.bytes += answer.outputs.back().floating.size() * sizeof(double) +
                    answer.outputs.back().integers.size();
  }
  return answer;
}

void HostReference::forget_old_answers() {
  const std::size_t most = std::max(kAnswersKept, 2 * host_.cases.size());
  std::size_t bytes = 0;
  std::size_t kept = 0;
  for (auto answer = answers_.begin(); answer != answers_.end();) {
    bytes += answer->bytes;
    const bool keep = kept == 0 || (kept < most && bytes <= kBytesKept);
    kept += keep ? 1 : 0;
    answer = keep ? std::next(answer) : answers_.erase(answer);
  }
}

HostReference::Answer& HostReference::answer_of(const std::string& artifact,
                                                const std::vector<ArgumentShape>& shapes,
                                                std::uint64_t seed) {
  const auto known = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
    return answer.seed == seed && answer.artifact == artifact && answer.shapes == shapes;
  });
  if (known != answers_.end()) {
    answers_.splice(answers_.begin(), answers_, known);
  } else {
    answers_.push_front(compute(artifact, shapes, seed));
    forget_old_answers();
  }
  return answers_.front();
}

const std::vector<ExpectedOutput>& HostReference::expected(const std::string& artifact,
                                                           const std::vector<ArgumentShape>& shapes,
                                                           std::uint64_t seed) {
  return answer_of(artifact, shapes, seed).outputs;
}

void HostReference::explain_rounding(Answer& answer) const {
  const double nudge = 2 * rounding_of(search::ElementType::kFloat32);
  const KernelLibrary library(answer.artifact);
  double longest = 0;
  for (int i = 0; i < kNudges; ++i) {
    HostArguments arguments = arguments_of(answer.shapes, answer.seed);
    arguments.nudge(nudge, base::mix_seed(answer.seed, static_cast<std::uint64_t>(i)));
    longest = static_cast<double>(arguments.most_read());
    library.call(arguments.pointers());
    for (ExpectedOutput& output : answer.outputs) {
      if (output.floating.empty()) continue;
      const auto bytes = arguments.buffer(output.argument).bytes();
      widen(output.rounding, output.floating,
            numbers_of(host_.arguments[output.argument], bytes, has_own()));
    }
  }
  for (ExpectedOutput& output : answer.outputs) {
    const double few = kRoundings * rounding_of(host_.arguments[output.argument].type) / nudge;
    const double usual = size_of(output.rounding);
    const double most = kMostOfAnswer * size_of(output.floating);
    for (double& one : output.rounding) {
      const double plain = few * (one + usual);
      one = std::max(plain, std::min(std::sqrt(longest) * plain, most));
    }
  }
}

std::optional<search::TrialOutcome> HostReference::wrong(const HostArguments& arguments,
                                                         const std::string& artifact,
                                                         const std::vector<ArgumentShape>& shapes,
                                                         std::uint64_t seed) {
  Answer& answer = answer_of(artifact, shapes, seed);
  for (const ExpectedOutput& output : answer.outputs) {
    const search::Argument& argument = host_.arguments[output.argument];
    const GuardedBuffer& buffer = arguments.buffer(output.argument);
    const auto beyond = [&](const search::Tolerance& tolerance) {
      return verify(argument.name, argument.type, buffer.data(),
                    buffer.size() / search::bytes_of(argument.type), output, tolerance);
    };
    const auto tolerance = tolerance_of(host_.tolerance, argument, output.size);
    auto wrong = beyond(tolerance);
    const bool may_cancel = !output.floating.empty() && output.rounding.empty() &&
                            !host_.tolerance.absolute && !argument.tolerance.absolute;
    if (wrong && may_cancel && !beyond(search::kMostUsualTolerance)) {
      explain_rounding(answer);
      wrong = beyond(tolerance);
    }
    if (!wrong) continue;
    if (arguments.is_unwritten(output.argument, wrong->element)) return unwritten(*wrong);
    return *std::move(wrong);
  }
  return std::nullopt;
}

}  // namespace nightshift::evaluator
