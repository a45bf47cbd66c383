#include "problems/readers/problem/loose_tolerance.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "search/argument.h"
#include "search/cuda_problem.h"
#include "search/problem/host_backend.h"
#include "search/value.h"

namespace nightshift::problems {
namespace {

using Access = search::Argument::Access;

// Zeros are off by all of the answer.
constexpr double kAll = 1;

std::string plain(double number) {
  std::string text = search::to_text(search::Value(number));
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string note_of(const std::string& whose, double share, std::string_view of_what) {
  return whose + " is " + plain(share) + ", which is " + plain(100 * share) + " % of " +
         std::string(of_what) + ": an answer of zeros is right; where " + plain(share) +
         " % is meant, write " + plain(share / 100);
}

std::vector<std::string> notes_of(const search::HostBackend& host) {
  std::vector<std::string> notes;
  for (const search::Argument& argument : host.arguments) {
    if (argument.scalar || argument.access == Access::kIn) continue;
    const bool is_own = argument.tolerance.relative.has_value();
    const double share =
        (is_own ? argument.tolerance.relative : host.tolerance.relative).value_or(0);
    if (share < kAll) continue;
    const std::string key = "host." + std::string(is_own ? "argument." : "") + "tolerance.relative";
    std::string note =
        note_of(key + (is_own ? " of '" + argument.name + "'" : ""), share, "the expected value");
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

std::vector<std::string> notes_of(const search::CudaBackend& cuda) {
  std::vector<std::string> notes;
  for (const search::CudaGate& gate : cuda.gates) {
    if (gate.norm < kAll || gate.element < kAll) continue;
    notes.push_back(note_of("the gate of '" + cuda.arguments.at(gate.argument).name + "'",
                            gate.norm, "the norm of the answer"));
  }
  return notes;
}

}  // namespace

std::vector<std::string> loose_tolerance_notes(const search::Problem& problem) {
  if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) return notes_of(*host);
  if (const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend)) return notes_of(*cuda);
  return {};
}

}  // namespace nightshift::problems
