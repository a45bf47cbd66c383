#include "evaluator/host/host_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

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

ExpectedOutput output_of(const search::Argument& argument, std::size_t position,
                         std::span<const std::byte> bytes, bool doubles) {
  ExpectedOutput output;
  output.argument = position;
  if (!search::is_floating(argument.type)) {
    output.integers.assign(bytes.begin(), bytes.end());
    return output;
  }
  const bool narrow = argument.type == search::ElementType::kFloat32 && !doubles;
  output.floating = narrow ? as_doubles<float>(bytes) : as_doubles<double>(bytes);
  const bool nothing =
      !output.floating.empty() && std::all_of(output.floating.begin(), output.floating.end(),
                                              [](double number) { return std::isnan(number); });
  if (nothing) {
    throw std::runtime_error("the reference computes nothing but NaN for output '" + argument.name +
                             "'");
  }
  return output;
}

}  // namespace

HostReference::Answer HostReference::compute(const std::string& artifact,
                                             const std::vector<ArgumentShape>& shapes,
                                             std::uint64_t seed) const {
  const bool own = !host_.reference.file.empty();
  HostArguments arguments(host_.arguments, shapes, seed,
                          own ? HostArguments::View::kReference : HostArguments::View::kKernel);
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

const std::vector<ExpectedOutput>& HostReference::expected(const std::string& artifact,
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
  return answers_.front().outputs;
}

std::optional<search::TrialOutcome> wrong_answer(const search::HostBackend& host,
                                                 const HostArguments& arguments,
                                                 const std::vector<ExpectedOutput>& expected) {
  for (const ExpectedOutput& output : expected) {
    const search::Argument& argument = host.arguments[output.argument];
    const GuardedBuffer& buffer = arguments.buffer(output.argument);
    if (auto wrong = verify(argument.name, argument.type, buffer.data(),
                            buffer.size() / search::bytes_of(argument.type), output,
                            tolerance_of(host, argument))) {
      if (arguments.is_unwritten(output.argument, wrong->element)) return unwritten(*wrong);
      return *std::move(wrong);
    }
  }
  return std::nullopt;
}

}  // namespace nightshift::evaluator
