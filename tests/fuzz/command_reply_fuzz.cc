// What a program prints, from the first byte to figures: JSON lines, regular expressions and typed
// errors. Whatever it prints is read or refused by FigureError, and all figures are finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "evaluator/command/command_figures.h"
#include "evaluator/command/figures/key_unit.h"
#include "evaluator/command/figures/label_unit.h"
#include "ipc/line_buffer.h"
#include "search/unit_beside.h"

namespace {

using nightshift::evaluator::FigureError;
using nightshift::evaluator::FigureRules;
using nightshift::evaluator::RunResult;
using nightshift::search::FigureRule;
using nightshift::search::Objective;
using nightshift::search::Samples;

void expect_finite(const RunResult& result) {
  const auto* figures = std::get_if<std::vector<Samples>>(&result);
  if (figures == nullptr) return;
  for (const Samples& samples : *figures) {
    if (samples.values.empty()) std::abort();
    for (const double value : samples.values) {
      if (!std::isfinite(value)) std::abort();
    }
  }
}

// At most one of the three, and words of the text itself.
void expect_of(std::string_view text, const nightshift::search::UnitBeside& beside) {
  const auto is_within = [&](std::string_view word) {
    return word.empty() ||
           (word.data() >= text.data() && word.data() + word.size() <= text.data() + text.size());
  };
  if (!is_within(beside.unknown) || !is_within(beside.more)) std::abort();
  const int said = (beside.unit != nullptr ? 1 : 0) + (beside.unknown.empty() ? 0 : 1) +
                   (beside.more.empty() ? 0 : 1);
  if (said > 1) std::abort();
}

template <class Read>
void attempt(const Read& read) {
  try {
    expect_finite(read());
  } catch (const FigureError&) {
  }
}

// As before and behind a number in the middle.
void attempt_label(std::string_view text, const nightshift::evaluator::FigureUnit& unit) {
  const std::size_t middle = text.size() / 2;
  try {
    expect_of(text,
              nightshift::evaluator::label_unit(text.substr(0, middle), text.substr(middle), unit));
  } catch (const FigureError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Objective> kObjectives = {{}, {"power", "W", {}}};
  static const FigureRules kJson(kObjectives, {});
  static const FigureRules kRegex(kObjectives, {{FigureRule::Source::kRegex, "time[:=] *([^ ]*)"},
                                                {FigureRule::Source::kRegex, "([0-9]+) W"}});
  static const FigureRules kNumbers(kObjectives, {{FigureRule::Source::kRegex, "([0-9.]+)"},
                                                  {FigureRule::Source::kRegex, "([0-9]+)[a-z]+"}});
  static const FigureRules kPaths(kObjectives,
                                  {{FigureRule::Source::kJson, "results.0.mean"},
                                   {FigureRule::Source::kJson, "benchmarks.0.real_time"}});
  static const FigureRules kAbove(kObjectives, {{FigureRule::Source::kJson, "results.time"},
                                                {FigureRule::Source::kJson, "power.median"}});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] { return kJson.read_output(text, 1); });
  attempt([&] { return kRegex.read_output(text, 1); });
  attempt([&] { return kNumbers.read_output(text, 1); });
  attempt([&] { return kPaths.read_output(text, 1); });
  attempt([&] { return kAbove.read_output(text, 1); });
  expect_of(text, nightshift::search::unit_behind(text));
  expect_of(text, nightshift::search::unit_behind(text, size / 2));
  expect_of(text, nightshift::search::unit_before(text));
  if (!text.ends_with(nightshift::search::number_before(text))) std::abort();
  for (const Objective& objective : kObjectives) {
    const nightshift::evaluator::FigureUnit unit(objective);
    expect_of(text, nightshift::evaluator::unit_of_key(text, unit));
    attempt_label(text, unit);
  }
  nightshift::ipc::LineBuffer lines;
  lines.append(text.substr(0, size / 2));
  lines.append(text.substr(size / 2));
  while (const auto line = lines.next_line()) {
    attempt([&] { return kJson.read_reply(*line, 1); });
    const nlohmann::json object = nightshift::evaluator::object_in(*line);
    if (!object.is_discarded()) (void)kJson.flaw_in_reply(object);
  }
  return 0;
}
