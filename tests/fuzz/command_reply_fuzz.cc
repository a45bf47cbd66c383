// What a program prints, from the first byte to figures: JSON lines, regular expressions and typed
// errors. Whatever it prints is read or refused by FigureError, and all figures are finite.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "evaluator/command/command_figures.h"
#include "evaluator/command/figures/key_unit.h"
#include "evaluator/command/figures/label_unit.h"
#include "ipc/line_buffer.h"
#include "search/figures/joined_numbers.h"
#include "search/figures/number_text.h"
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

// Parts of the text itself, in order, each of two numbers or more.
void expect_joined(std::string_view text) {
  const char* from = text.data();
  for (const auto& joined : nightshift::search::joined_numbers(text)) {
    if (joined.numbers.size() < 2 || joined.all.data() < from) std::abort();
    from = joined.all.data() + joined.all.size();
    if (from > text.data() + text.size()) std::abort();
    for (const auto& number : joined.numbers) {
      const bool is_last = &number == &joined.numbers.back();
      if (number.text.empty() || number.sign.empty() != is_last) std::abort();
    }
  }
  const auto seconds = nightshift::search::seconds_in_parts(text);
  if (seconds && !(*seconds >= 0)) std::abort();
}

template <class Read>
void attempt(const Read& read) {
  try {
    expect_finite(read());
  } catch (const FigureError&) {
  }
}

// With the first line as an expression.
void attempt_expression(std::string_view text) {
  constexpr std::size_t kLongest = 40, kMost = 400;
  const std::string expression(text.substr(0, text.find('\n')));
  if (expression.empty() || expression.size() > kLongest) return;
  try {
    const FigureRules rules({{}}, {{FigureRule::Source::kRegex, expression}});
    attempt([&] { return rules.read_output(text.substr(0, kMost), 1); });
  } catch (const std::runtime_error&) {
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
  static const FigureRules kLists(
      kObjectives, {{FigureRule::Source::kJson, "0.mean"}, {FigureRule::Source::kJson, "1"}});
  static const FigureRules kAbove(kObjectives, {{FigureRule::Source::kJson, "results.time"},
                                                {FigureRule::Source::kJson, "power.median"}});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] { return kJson.read_output(text, 1); });
  attempt([&] { return kRegex.read_output(text, 1); });
  attempt([&] { return kNumbers.read_output(text, 1); });
  attempt([&] { return kPaths.read_output(text, 1); });
  attempt([&] { return kLists.read_output(text, 1); });
  attempt([&] { return kAbove.read_output(text, 1); });
  attempt_expression(text);
  expect_joined(text);
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
