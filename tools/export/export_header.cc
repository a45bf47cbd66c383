#include <cctype>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "search/scoring.h"
#include "search/value.h"
#include "tools/export/exports.h"
#include "tools/summary/summary_json.h"
#include "tools/text/format.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

std::string macro_name(std::string_view name) {
  std::string macro;
  for (const char c : name) {
    macro += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  if (macro.empty() || std::isdigit(static_cast<unsigned char>(macro.front())) != 0) {
    macro.insert(0, "_");
  }
  return macro;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    if (c == '\n') {
      literal += "\\n";
    } else {
      literal += c;
    }
  }
  return literal + "\"";
}

// Text that may end no comment and start no line of its own.
std::string comment_text(std::string_view text) {
  std::string safe = one_line(text);
  for (std::size_t at = safe.find("*/"); at != std::string::npos; at = safe.find("*/", at)) {
    safe.replace(at, 2, "* /");
  }
  return safe;
}

std::string provenance(const scheduler::StudySummary& summary, const search::Problem& problem,
                       const scheduler::History& history) {
  const search::Objective objective = search::judged_objective(problem);
  std::string text = " * Best configuration of " + comment_text(problem.name) +
                     ", found by nightshift " + version() + ".\n";
  text += " * Problem: " +
          comment_text(std::filesystem::path(history.header.problem_file).filename().string()) +
          "\n";
  for (const scheduler::StudySummary::DeviceBaseline& b : summary.baselines) {
    text += " * Device: " + comment_text(b.device) + "\n";
  }
  for (const auto& [name, value] : history.header.environment) {
    if (name == "cpu") text += " * CPU: " + comment_text(value) + "\n";
  }
  text += " * Study of " + format_date(history.header.created) + "\n";
  text += " * " + std::string(summary.accepted ? "Improvement accepted: " : "NOT CONFIRMED: ") +
          comment_text(summary.accepted
                           ? format_change(objective, summary.ratio, summary.ratio_interval)
                           : format_change(objective, summary.ratio)) +
          " against the baseline.\n";
  if (summary.failed_when_confirmed) {
    text += " * DO NOT USE: it failed when it was confirmed.\n";
  }
  if (const auto& moved = summary.unsteadiness) {
    text += " * Unsteady: the baseline itself moved by " + format_percent(moved->share) + " on " +
            comment_text(moved->device) + " meanwhile.\n";
  }
  if (!summary.best->artifact.empty()) {
    text += " * Machine code: " + summary.best->artifact + ", of the baseline " +
            summary.baseline_artifact + "\n";
  }
  const std::string options = compiler_options(problem, summary.best->configuration);
  if (!options.empty()) text += " * Compiler options: " + comment_text(options) + "\n";
  return text;
}

// How its sources see a parameter; nullopt: a program that is told it.
std::optional<search::SourceNames> names_of(const search::Problem& problem) {
  if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) return host->names;
  const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend);
  return cuda != nullptr ? std::optional(cuda->names) : std::nullopt;
}

// As the build had it: behind -DNAME= a text is tokens and no literal, and ends with its line.
std::string macro_value(const search::Value& value, bool is_of_kernel) {
  const auto* words = std::get_if<std::string>(&value);
  if (words == nullptr) return search::to_text(value);
  return is_of_kernel ? words->substr(0, words->find('\n')) : string_literal(*words);
}

// A macro of that name would make other code than what was measured; nullptr where it makes the
// same.
const char* way_of(search::SourceNames names, const search::Value& value) {
  switch (names) {
    case search::SourceNames::kNone:
      return "a template argument or a launch's, and no macro";
    case search::SourceNames::kDefinitions:
      return "in place of what the source defines";
    case search::SourceNames::kConstants:
      return std::holds_alternative<std::string>(value) ? "a text, which no constant has" : nullptr;
    case search::SourceNames::kMacros:
      break;
  }
  return nullptr;
}

}  // namespace

std::string to_header(const scheduler::StudySummary& summary, const search::Problem& problem,
                      const scheduler::History& history) {
  const std::string guard = "NIGHTSHIFT_" + upper(macro_name(problem.name)) + "_H";
  std::string text = "/*\n" + provenance(summary, problem, history) + " */\n";
  text += "#ifndef " + guard + "\n#define " + guard + "\n\n";
  const std::optional<search::SourceNames> names = names_of(problem);
  for (const auto& [name, value] : summary.best->configuration.entries()) {
    if (const std::optional<std::string> option = flag_option(problem, name, value)) {
      text += "/* " + comment_text(name) +
              " is a compiler option: " + comment_text(option->empty() ? "none" : *option) +
              " */\n";
      continue;
    }
    if (const char* const way = names ? way_of(*names, value) : nullptr; way != nullptr) {
      text += "/* " + comment_text(name) + " = " + comment_text(search::to_text(value)) + ": " +
              way + " */\n";
      continue;
    }
    text += "#define " + macro_name(name) + " " + macro_value(value, names.has_value()) + "\n";
  }
  return text + "\n#endif\n";
}

}  // namespace nightshift::tools
