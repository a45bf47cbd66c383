// What a program of protocol 2 prints, in both of its roles: every line is a frame, a flaw or none
// of ours, and all figures are finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "evaluator/command/served_frame.h"
#include "ipc/line_buffer.h"

namespace {

using nightshift::evaluator::FigureRules;
namespace served = nightshift::evaluator::served;

void check(const served::Frame& frame) {
  const auto* answer = std::get_if<served::Answer>(&frame.said);
  if (answer == nullptr) return;
  for (const auto& samples : answer->figures) {
    if (samples.values.empty()) std::abort();
    for (const double value : samples.values) {
      if (!std::isfinite(value)) std::abort();
    }
  }
  if (answer->conditions.size() > 32) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FigureRules kRules({{}, {"power", "W", {}}}, {});
  nightshift::ipc::LineBuffer lines;
  lines.append({reinterpret_cast<const char*>(data), size});
  while (const auto line = lines.next_line()) {
    for (const served::Role role : {served::Role::kBuild, served::Role::kMeasure}) {
      if (const auto frame = served::read_frame(*line, role, kRules, 1)) check(*frame);
    }
  }
  return 0;
}
