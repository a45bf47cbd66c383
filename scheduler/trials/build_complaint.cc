#include "scheduler/trials/build_complaint.h"

#include <fmt/format.h>

#include <string_view>
#include <variant>

namespace nightshift::scheduler {

namespace {

// " (TILE=16 UNROLL=1)", or the source where the baseline has one of its own; empty where nothing
// tells it from others.
std::string values_of_baseline(const search::Problem& problem) {
  constexpr std::size_t kShown = 120;
  const auto* host = std::get_if<search::HostBackend>(&problem.backend);
  if (host != nullptr && !host->baseline.file.empty()) {
    return fmt::format(" ({} of {})", host->baseline.function, host->baseline.file);
  }
  std::string text;
  const search::Configuration configuration = search::resolved(problem, {});
  for (const auto& [name, value] : configuration.entries()) {
    const std::string entry = name + "=" + search::to_text(value);
    if (text.size() + entry.size() > kShown) {
      text += " ...";
      break;
    }
    text += (text.empty() ? "" : " ") + entry;
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string source_of_reference(const search::Problem& problem) {
  if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    if (!host->reference.file.empty()) {
      return fmt::format(" ({} of {})", host->reference.function, host->reference.file);
    }
  }
  return "";
}

}  // namespace

std::string build_complaint(const search::Problem& problem, const FailedBuild& failed) {
  const bool reference = failed.key.kind == BuildKey::Kind::kReference;
  // Nothing is known against its source then. Compilers wait for processes for up to 15 s.
  const std::string_view what_to_do =
      search::ran_out_of_budget(failed.outcome)
          ? "give the study more time (--budget), or the compiler the processes that it may wait "
            "for (ulimit -u, a control group)"
          : "mend it and run the same command again";
  return fmt::format("the {} could not be built{}: {}\nNothing can be {} without it: {}",
                     reference ? "reference" : "baseline",
                     reference ? source_of_reference(problem) : values_of_baseline(problem),
                     search::describe(failed.outcome), reference ? "checked" : "compared",
                     what_to_do);
}

}  // namespace nightshift::scheduler
