#include "evaluator/cuda/ceilings.h"

#include <algorithm>
#include <array>

#include "search/element_type.h"
#include "search/figures/ceilings.h"
#include "search/statistics/summary.h"

namespace nightshift::evaluator::cuda {
namespace {

using search::ElementType;

// Operations a clock of a multiprocessor; a multiply-add is two. From this architecture on.
struct Rates {
  int from;
  double bytes1, bytes2, float32, float64;
};
constexpr std::array<Rates, 6> kRates = {{{100, 16384, 8192, 256, 128},
                                          {90, 8192, 4096, 256, 256},
                                          {89, 2048, 1024, 256, 4},
                                          {86, 2048, 1024, 256, 4},
                                          {80, 4096, 2048, 128, 128},
                                          {0, 0, 0, 0, 0}}};

// Numbers that are read, the narrowest first; nullptr where none is one that is computed with.
const search::Argument* narrowest(const std::vector<search::Argument>& arguments) {
  const search::Argument* found = nullptr;
  for (const search::Argument& a : arguments) {
    using Access = search::Argument::Access;
    const bool read = !a.scalar && (a.access == Access::kIn || a.access == Access::kInOut);
    const bool computed = search::row_of(a.type).floating || a.type == ElementType::kInt8;
    if (!read || !computed) continue;
    if (found == nullptr || search::bytes_of(a.type) < search::bytes_of(found->type)) found = &a;
  }
  return found;
}

double rate_of(ElementType type, const Rates& rates) {
  switch (search::bytes_of(type)) {
    case 1:
      return rates.bytes1;
    case 2:
      return rates.bytes2;
    case 4:
      return rates.float32;
    default:
      return rates.float64;
  }
}

}  // namespace

ArithmeticCeiling arithmetic_ceiling(const std::vector<search::Argument>& arguments,
                                     const Context& context) {
  const search::Argument* numbers = narrowest(arguments);
  if (numbers == nullptr) return {};
  const int architecture =
      10 * context.attribute(DeviceAttribute::kMajor) + context.attribute(DeviceAttribute::kMinor);
  const Rates& rates =
      *std::ranges::find_if(kRates, [&](const Rates& r) { return architecture >= r.from; });
  const bool tensor = search::bytes_of(numbers->type) <= 2;
  return {rate_of(numbers->type, rates) * context.attribute(DeviceAttribute::kMultiprocessors) *
              context.attribute(DeviceAttribute::kClockKhz) * 1e3,
          (tensor ? "dense " : "") + std::string(search::name_of(numbers->type)) +
              (tensor ? " products" : " multiply-adds")};
}

std::string ceilings_text(const EvaluationFindings& findings, const ArithmeticCeiling& arithmetic) {
  double seconds = 0, bytes = 0, flops = 0;
  for (const CaseFindings& one : findings.cases) {
    seconds += search::mean_of(one.seconds);
    bytes += one.bytes;
    flops += one.flops;
  }
  if (!(seconds > 0)) return {};
  return search::text_of({{bytes / seconds, findings.copy_bytes_per_second},
                          {flops / seconds, arithmetic.per_second},
                          arithmetic.numbers});
}

}  // namespace nightshift::evaluator::cuda
