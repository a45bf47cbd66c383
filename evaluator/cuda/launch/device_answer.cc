#include "evaluator/cuda/launch/device_answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "evaluator/answers/verification.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/launch/small_elements.h"
#include "search/element_type.h"
#include "search/figures/usual_gate.h"

namespace nightshift::evaluator::cuda {
namespace {

using Access = search::Argument::Access;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint64_t combined(std::uint64_t sum, std::uint64_t of_next) { return 3 * sum + of_next; }

void copy(DevicePointer to, DevicePointer from, std::size_t bytes, StreamHandle stream) {
  if (bytes == 0) return;
  check(driver().cuMemcpyDtoDAsync_v2(to, from, bytes, stream), "copying answers");
}

// What a reference finds in `expected`, which stands in `buffer`: what the kernel finds in `own`, or
// what no answer leaves.
void prepare_output(Access access, const DeviceVector& own, const DeviceBuffer& buffer,
                    const DeviceVector& expected, const Context& context, SupportKernels& support) {
  const bool floating = search::is_floating(own.type);
  if (access == Access::kInOut && floating) {
    support.convert(own, expected);
  } else if (access == Access::kInOut) {
    copy(buffer.data(), own.data, buffer.size(), context.stream());
  } else if (buffer.size() > 0) {
    check(driver().cuMemsetD8Async(buffer.data(), DeviceArguments::poison_of(expected.type),
                                   buffer.size(), context.stream()),
          "poisoning expected outputs");
  }
}

// As prepare_output() left it. Less than 4 bytes of integers may be so by chance.
bool is_still_poison(DevicePointer at, std::uint64_t bytes, search::ElementType type,
                     SupportKernels& support) {
  return (bytes >= kNoChance || search::is_floating(type)) && bytes > 0 &&
         support.differences({at}, bytes, DeviceArguments::poison_of(type)) == 0;
}

}  // namespace

DeviceAnswer::Output DeviceAnswer::make_output(const search::CudaBackend& cuda,
                                               const search::CudaGate& gate,
                                               search::ElementType type, std::uint64_t elements,
                                               const Context& context) {
  Output output;
  output.gate = gate;
  output.own = type;
  output.name = cuda.arguments.at(gate.argument).name;
  output.was_poisoned = cuda.arguments.at(gate.argument).access == Access::kOut;
  output.buffer = DeviceBuffer(elements * search::bytes_of(type),
                               "the expected '" + output.name + "'", context.stream());
  output.expected = {output.buffer.data(), type, elements};
  return output;
}

DeviceAnswer DeviceAnswer::of_reference(const search::CudaBackend& cuda, KernelModule& reference,
                                        const std::vector<PlannedLaunch>& launches,
                                        DeviceArguments& arguments, const Context& context,
                                        SupportKernels& support, std::size_t set) {
  DeviceAnswer answer;
  answer.name_ = "[cuda.reference]";
  std::vector<void*> pointers = arguments.pointers(set);
  answer.outputs_.reserve(cuda.gates.size());
  arguments.restore();
  for (const search::CudaGate& gate : cuda.gates) {
    const DeviceVector own = arguments.vector(gate.argument, set);
    const bool floating = search::is_floating(own.type);
    const auto type = floating ? search::ElementType::kFloat64 : own.type;
    Output& output =
        answer.outputs_.emplace_back(make_output(cuda, gate, type, own.elements, context));
    output.own = own.type;
    const Access access = cuda.arguments.at(gate.argument).access;
    prepare_output(access, own, output.buffer, output.expected, context, support);
    pointers[gate.argument] = &output.expected.data;
  }
  reference.run_alone(
      launches, pointers, context.stream(),
      "[cuda.reference] (inputs in the kernel's types, floating outputs in double)");
  for (const Output& output : answer.outputs_) {
    if (output.was_poisoned && is_still_poison(output.buffer.data(), output.buffer.size(),
                                               output.expected.type, support)) {
      throw std::runtime_error(answer.name_ + " does not write output '" + output.name + "'");
    }
  }
  answer.measure_norms(support);
  for (Output& output : answer.outputs_) {
    narrow(output, context, support);
  }
  answer.seal(support);
  return answer;
}

// Where outputs have 16 bits or less, float32 is as good as exact, and comparing reads half as
// much. What is no number keeps its bits, by which is_unwritten() knows it.
void DeviceAnswer::narrow(Output& output, const Context& context, SupportKernels& support) {
  if (!search::is_floating(output.own) || search::bytes_of(output.own) > 2) return;
  if (output.numbers < output.expected.elements) return;
  const std::uint64_t bytes = output.expected.elements * sizeof(float);
  if (!context.has_room_for(bytes)) return;
  DeviceBuffer floats(bytes, "the expected '" + output.name + "'", context.stream());
  const DeviceVector narrowed{floats.data(), search::ElementType::kFloat32,
                              output.expected.elements};
  support.convert(output.expected, narrowed);
  context.synchronise();
  output.buffer = std::move(floats);
  output.expected = narrowed;
}

DeviceAnswer DeviceAnswer::of_outputs(const search::CudaBackend& cuda, DeviceArguments& arguments,
                                      const Context& context, SupportKernels& support,
                                      std::size_t set) {
  DeviceAnswer answer;
  answer.name_ = "the baseline, whose answers are expected,";
  for (const search::CudaGate& gate : cuda.gates) {
    const DeviceVector own = arguments.vector(gate.argument, set);
    Output& output =
        answer.outputs_.emplace_back(make_output(cuda, gate, own.type, own.elements, context));
    if (arguments.is_unwritten(gate.argument, set)) {
      throw std::runtime_error(answer.name_ + " does not write output '" + output.name + "'");
    }
    copy(output.buffer.data(), own.data, output.buffer.size(), context.stream());
  }
  context.synchronise();
  answer.measure_norms(support);
  answer.seal(support);
  return answer;
}

void DeviceAnswer::seal(SupportKernels& support) {
  for (Output& output : outputs_) {
    output.checksum = support.checksum(output.buffer.data(), output.buffer.size());
  }
}

bool DeviceAnswer::is_intact(SupportKernels& support) const {
  return std::ranges::all_of(outputs_, [&](const Output& output) {
    return support.checksum(output.buffer.data(), output.buffer.size()) == output.checksum;
  });
}

std::string DeviceAnswer::plain() const {
  std::string plain;
  for (const Output& output : outputs_) {
    if (output.norm > 0 || output.expected.elements < 2) continue;
    plain += (plain.empty() ? "'" : ", '") + output.name + "' is 0 in all " +
             std::to_string(output.expected.elements) + " elements";
  }
  return plain;
}

void DeviceAnswer::measure_norms(SupportKernels& support) {
  for (Output& output : outputs_) {
    const SupportKernels::Norm norm = support.norm(output.expected);
    if (output.expected.elements > 0 && norm.numbers == 0) {
      throw std::runtime_error("the reference computes nothing but NaN for output '" + output.name +
                               "'");
    }
    output.norm = std::sqrt(norm.squares);
    output.numbers = norm.numbers;
    output.rms =
        norm.numbers == 0 ? 0 : std::sqrt(norm.squares / static_cast<double>(norm.numbers));
    output.masked = masked_in(output, support);
    // Squares beyond all numbers: each element goes by its own size.
    if (std::isinf(output.rms)) output.rms = 0;
  }
}

// Where its elements are to be looked at apart. Who says what they may be off by is not asked.
std::optional<MaskedPlaces> DeviceAnswer::masked_in(const Output& output, SupportKernels& support) {
  if (!search::is_floating(output.own) || output.gate.norm <= 0) return std::nullopt;
  if (search::says_of_elements(output.own, output.gate)) return std::nullopt;
  const auto below = [&](double bound, double grid) {
    const SupportKernels::Norm norm = support.norm(output.expected, bound, grid);
    return SizesBelow{norm.squares, norm.largest, norm.count, norm.fine};
  };
  return masked_places(below, SmallElements::bits_of(output.own), output.gate.norm);
}

std::optional<DeviceAnswer::Asked> DeviceAnswer::beside_mask(const Asked& asked,
                                                             SupportKernels& support) {
  const Output& output = asked.output;
  if (!output.masked) return std::nullopt;
  const MaskedPlaces& masked = *output.masked;
  SupportKernels::SmallElements off;
  off.least = masked.from;
  off.below = kInfinity;
  off.own = std::ldexp(1.0, -SmallElements::bits_of(output.own));
  off.beyond = std::numeric_limits<double>::denorm_min();
  const bool is_off =
      !masked.is_certain && support.count_small(asked.got, output.expected, off).beyond > 0;
  if (is_off) return std::nullopt;
  const auto others = static_cast<double>(output.numbers - masked.count);
  return Asked{output, asked.got, std::sqrt(masked.rest.squares),
               std::sqrt(masked.rest.squares / others), masked.from};
}

// Of an output that its gates let pass. Who says what elements may be off by is not asked.
std::optional<search::WrongResult> DeviceAnswer::lost_small(const Asked& asked,
                                                            SupportKernels& support) {
  const Output& output = asked.output;
  if (search::says_of_elements(output.own, output.gate)) return std::nullopt;
  const auto element = SmallElements(support, asked.got, output.expected, asked.rms).lost();
  if (!element) return std::nullopt;
  search::WrongResult wrong{output.name, *element, support.read(asked.got, *element),
                            support.read(output.expected, *element)};
  wrong.error = std::abs(wrong.got - wrong.expected);
  wrong.tolerance = output.gate.element * (std::abs(wrong.expected) + asked.rms);
  wrong.message = SmallElements::words();
  return wrong;
}

bool DeviceAnswer::is_unwritten(const Output& output, std::uint64_t element,
                                SupportKernels& support) {
  const DeviceVector& expected = output.expected;
  const std::uint64_t bytes = search::bytes_of(expected.type);
  return output.was_poisoned &&
         is_still_poison(expected.data + element * bytes, bytes, expected.type, support);
}

DeviceAnswer::Found DeviceAnswer::found_of(const Asked& asked, SupportKernels& support) {
  const Output& output = asked.output;
  const search::CudaGate& gate = output.gate;
  const auto compared = support.compare(asked.got, output.expected, gate.element, asked.rms);
  double squares = compared.squares;
  if (asked.below < kInfinity) {
    SupportKernels::SmallElements others;
    others.below = asked.below;
    squares = support.count_small(asked.got, output.expected, others).squares;
  }
  Found found{0, compared.sum};
  // A norm beyond all numbers says nothing: each element counts.
  if (squares > 0 && !std::isinf(asked.norm)) {
    found.error = asked.norm > 0 ? std::sqrt(squares) / asked.norm : kInfinity;
  }
  if (compared.wrong == 0 && found.error <= gate.norm) return found;
  found.wrong = compared.worst_at;
  // Where each element passes but all together do not, the worst one is named against its share.
  const double expected = support.read(output.expected, compared.worst_at);
  found.tolerance =
      compared.wrong > 0 ? gate.element * (std::abs(expected) + asked.rms) : gate.norm * asked.rms;
  return found;
}

search::WrongResult DeviceAnswer::told(const Asked& asked, const Found& found,
                                       DeviceArguments& arguments, SupportKernels& support,
                                       std::size_t set) const {
  const Output& output = asked.output;
  search::WrongResult wrong;
  wrong.output = output.name;
  wrong.element = *found.wrong;
  wrong.got = support.read(asked.got, wrong.element);
  wrong.expected = support.read(output.expected, wrong.element);
  const double difference = std::abs(wrong.got - wrong.expected);
  wrong.error = std::isfinite(difference) ? difference : kInfinity;  // as verification.h has it
  wrong.tolerance = found.tolerance;
  if (!search::is_floating(output.own)) {
    const auto got = support.bytes_at(asked.got, wrong.element);
    const auto expected = support.bytes_at(output.expected, wrong.element);
    wrong = with_digits(std::move(wrong), output.own, got.data(), expected.data());
  }
  if (arguments.is_unwritten(output.gate.argument, wrong.element, set)) {
    return unwritten(std::move(wrong));
  }
  if (is_unwritten(output, wrong.element, support)) return unexpected(std::move(wrong), name_);
  if (output.was_poisoned) return perhaps_unwritten(std::move(wrong), asked.got.type, name_);
  return wrong;
}

DeviceAnswer::Verdict DeviceAnswer::judge(DeviceArguments& arguments, SupportKernels& support,
                                          std::size_t set) const {
  Verdict verdict;
  const auto look_at = [&](const Asked& asked) {
    const Found found = found_of(asked, support);
    verdict.error = std::max(verdict.error, found.error);
    if (!verdict.wrong) {
      verdict.wrong =
          found.wrong ? told(asked, found, arguments, support, set) : lost_small(asked, support);
    }
    return found.sum;
  };
  for (const Output& output : outputs_) {
    const DeviceVector got = arguments.vector(output.gate.argument, set);
    const Asked whole{output, got, output.norm, output.rms, kInfinity};
    verdict.sum = combined(verdict.sum, look_at(whole));
    if (verdict.wrong) continue;
    if (const auto others = beside_mask(whole, support)) look_at(*others);
  }
  return verdict;
}

std::uint64_t DeviceAnswer::sum_of(const DeviceArguments& arguments, SupportKernels& support,
                                   std::size_t set) const {
  std::uint64_t sum = 0;
  for (const Output& output : outputs_) {
    const DeviceVector got = arguments.vector(output.gate.argument, set);
    sum = combined(sum, support.checksum(got.data, got.elements * search::bytes_of(got.type)));
  }
  return sum;
}

}  // namespace nightshift::evaluator::cuda
