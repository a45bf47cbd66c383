#include "evaluator/host/host_reference.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "evaluator/answers/drawn_inputs.h"
#include "evaluator/answers/error_over_draws.h"
#include "evaluator/answers/masked_places.h"
#include "evaluator/host/kernel_library.h"
#include "evaluator/host/rounding_effect.h"
#include "evaluator/process/damaged_artifact.h"
#include "search/element_type.h"

namespace nightshift::evaluator {
namespace {

constexpr std::size_t kAnswersKept = 8 + ErrorOverDraws::kDraws;
constexpr std::size_t kBytesKept = std::size_t{256} << 20;

int digits_of(search::ElementType type) { return type == search::ElementType::kFloat64 ? 53 : 24; }

ExpectedOutput output_of(const search::Argument& argument, std::size_t position,
                         const HostArguments& arguments) {
  ExpectedOutput output;
  output.argument = position;
  output.unwritten = arguments.unwritten_elements(position);
  if (!search::is_floating(argument.type)) {
    const auto bytes = arguments.buffer(position).bytes();
    output.integers.assign(bytes.begin(), bytes.end());
    return output;
  }
  output.floating = arguments.numbers(position);
  const auto masked = masked_places(output.floating, digits_of(argument.type),
                                    search::usual_tolerance(argument.type).of_size);
  if (masked && masked->is_certain) output.masked_from = masked->from;
  output.size = size_of(output.floating, output.masked_from);
  const bool nothing =
      !output.floating.empty() && std::all_of(output.floating.begin(), output.floating.end(),
                                              [](double number) { return std::isnan(number); });
  if (nothing) {
    throw std::runtime_error("the reference computes nothing but NaN for output '" + argument.name +
                             "'");
  }
  return output;
}

double rounding_of(search::ElementType type) { return std::ldexp(1.0, -digits_of(type)); }

// A share of an answer that rounding may be off by with one sign. Where numbers that are few round
// to a grid as coarse as theirs, each of them rounds to the next place: e / s over 512 numbers e near
// 1 has their steps, so that what is left of it beside 1 / 512 has the slope of e and not of e / s.
// No element is off by more than its rounding, and so the slope by no more than that of the largest.
double step_share(const RoundingEffect& effect, double of_step, const ExpectedOutput& output) {
  double largest = 0;
  for (const double one : output.floating) {
    if (std::abs(one) < output.masked_from) largest = std::max(largest, std::abs(one));
  }
  return largest > 0 ? of_step * effect.of_own_steps / largest : 0;
}

// The first element that still is as it was before the kernel ran where NaN is computed: the pattern
// there passes for it.
std::optional<search::WrongResult> left_alone(const ExpectedOutput& output, const std::string& name,
                                              const HostArguments& arguments) {
  for (std::size_t at = 0; at < output.floating.size(); ++at) {
    const double expected = output.floating[at];
    if (!std::isnan(expected) || !arguments.is_unwritten(output.argument, at)) continue;
    if (std::ranges::binary_search(output.unwritten, at)) continue;
    return unwritten({name, at, expected, expected});
  }
  return std::nullopt;
}

}  // namespace

std::string HostReference::name() const {
  return has_own() ? "the reference" : "the baseline, whose answers are expected,";
}

HostArguments HostReference::arguments_of(const std::vector<ArgumentShape>& shapes,
                                          std::uint64_t seed) const {
  return {host_.arguments, shapes, seed,
          has_own() ? HostArguments::View::kReference : HostArguments::View::kKernel};
}

HostReference::Answer HostReference::compute(const std::string& artifact,
                                             const std::vector<ArgumentShape>& shapes,
                                             std::uint64_t seed) const {
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
      throw std::runtime_error(name() + " does not write output '" + argument.name + "'");
    }
    answer.outputs.push_back(output_of(argument, i, arguments));
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
  const auto arguments = [&] { return arguments_of(answer.shapes, answer.seed); };
  const double root = std::sqrt(static_cast<double>(arguments().most_read()));
  const std::vector<RoundingEffect> effects =
      rounding_effects(KernelLibrary(answer.artifact), arguments, answer.outputs, answer.seed);
  answer.step_shares.clear();
  for (std::size_t i = 0; i < effects.size(); ++i) {
    ExpectedOutput& output = answer.outputs[i];
    const search::ElementType type = host_.arguments[output.argument].type;
    // The steps of a reference of its own are those of double.
    const double own = rounding_of(has_own() ? search::ElementType::kFloat64 : type);
    const double of_input = ErrorOverDraws::kRoundings * rounding_of(type) / kNudge;
    const double of_step = ErrorOverDraws::kRoundings * rounding_of(type) / own;
    const double usual_input = size_of(effects[i].of_inputs);
    const double usual_step = size_of(effects[i].of_steps);
    const double most = kMostOfAnswer * output.size;
    answer.step_shares.push_back(step_share(effects[i], rounding_of(type) / own, output));
    output.rounding.resize(output.floating.size());
    for (std::size_t at = 0; at < output.rounding.size(); ++at) {
      const double of_inputs = of_input * (effects[i].of_inputs[at] + usual_input);
      const double of_steps = of_step * (effects[i].of_steps[at] + usual_step);
      output.rounding[at] =
          std::max(of_inputs, std::min(root * of_inputs, most)) + std::min(of_steps, most);
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
    if (!wrong) {
      if (auto left = left_alone(output, argument.name, arguments)) return left;
      continue;
    }
    if (arguments.is_unwritten(output.argument, wrong->element)) return unwritten(*wrong);
    if (std::ranges::binary_search(output.unwritten, wrong->element)) {
      return unexpected(*wrong, name());
    }
    if (argument.access != search::Argument::Access::kOut) return *std::move(wrong);
    return perhaps_unwritten(*std::move(wrong), argument.type, name());
  }
  return std::nullopt;
}

double HostReference::error(const HostArguments& arguments, const std::string& artifact,
                            const std::vector<ArgumentShape>& shapes, std::uint64_t seed) {
  double largest = 0;
  for (const ExpectedOutput& output : answer_of(artifact, shapes, seed).outputs) {
    const search::ElementType type = host_.arguments[output.argument].type;
    const GuardedBuffer& buffer = arguments.buffer(output.argument);
    largest = std::max(largest, relative_error(type, buffer.data(),
                                               buffer.size() / search::bytes_of(type), output));
  }
  return largest;
}

std::vector<HostReference::Explained> HostReference::explained(
    const HostArguments& arguments, const std::string& artifact,
    const std::vector<ArgumentShape>& shapes, std::uint64_t seed) {
  std::vector<Explained> all;
  const Answer& answer = answer_of(artifact, shapes, seed);
  for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
    const ExpectedOutput& output = answer.outputs[i];
    if (output.rounding.empty()) continue;
    const search::Argument& argument = host_.arguments[output.argument];
    const auto tolerance = tolerance_of(host_.tolerance, argument, output.size);
    const std::vector<double> got = arguments.numbers(output.argument);
    const auto longest = static_cast<double>(arguments.most_read());
    Explained one{i,
                  output.argument,
                  {},
                  std::max({share_of_steps(host_.arguments), answer.step_shares[i],
                            ErrorOverDraws::least_share(tolerance.relative, longest,
                                                        rounding_of(argument.type))})};
    for (std::size_t at = 0; at < got.size(); ++at) {
      const double expected = output.floating[at];
      const double allowed = tolerance.absolute + tolerance.relative * std::abs(expected);
      if (std::abs(got[at] - expected) > allowed) one.elements.push_back(at);
    }
    if (!one.elements.empty()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace nightshift::evaluator
