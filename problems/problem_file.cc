#include "problems/problem_file.h"

#include <filesystem>
#include <string>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "problems/problem_keys.h"
#include "problems/readers/diagnostics.h"
#include "problems/readers/json_format.h"
#include "problems/readers/overrides.h"
#include "problems/readers/problem/loose_tolerance.h"
#include "problems/readers/recorded/recorded_problem.h"
#include "problems/readers/t1/t1_problem.h"
#include "problems/readers/terms.h"
#include "problems/readers/toml/toml_depth.h"
#include "problems/readers/toml/toml_problem.h"
#include "problems/recorded_space.h"
#include "search/source_language.h"
#include "search/value.h"

namespace nightshift::problems {
namespace {

// A recording names its file itself, as mistakes do.
Diagnostic mistake_in(const std::string& path, const RecordedSpaceError& error) {
  const std::string opening = path + ": ";
  std::string message = error.what();
  if (message.starts_with(opening)) message.erase(0, opening.size());
  return {path, 0, 0, message};
}

}  // namespace

std::string why_no_problem(const std::string& path) {
  using search::SourceLanguage;
  const SourceLanguage language = search::language_of_name(path);
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string kernel = "kernel = { file = \"" + name + "\", function = \"NAME\" }";
  switch (language) {
    case SourceLanguage::kCpp:
    case SourceLanguage::kC:
      return "is a source, not a problem file: `nightshift init " + name + "` begins one";
    case SourceLanguage::kFortran:
      return "is a source in Fortran, of which no draft is made: write a problem file with [host] "
             "and " +
             kernel + ", for a subroutine with bind(C, name=\"NAME\")";
    case SourceLanguage::kAssembler:
      return "is a source in assembler, of which no draft is made: write a problem file with "
             "[host] and " +
             kernel;
    case SourceLanguage::kOther:
      break;
  }
  return "is a source, not a problem file: write one whose [command] runs its program";
}

namespace {

// A Python file alone is what a TOML file that names it would be.
std::string bytes_of(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw ProblemFileError({{path, 0, 0, "is a folder, not a problem file"}});
  }
  try {
    if (std::filesystem::path(path).extension() == ".py" && std::filesystem::exists(path, error)) {
      return "[python]\nfile = " +
             search::json_quoted(std::filesystem::path(path).filename().string()) + "\n";
    }
    if (search::is_source_name(path) && std::filesystem::exists(path, error)) {
      throw ProblemFileError({{path, 0, 0, why_no_problem(path)}});
    }
    return read_maybe_gzip(path);
  } catch (const RecordedSpaceError& unreadable) {
    throw ProblemFileError({mistake_in(path, unreadable)});
  }
}

bool is_recording(JsonFormat format) {
  switch (format) {
    case JsonFormat::kKernelTunerCache:
    case JsonFormat::kT4:
    case JsonFormat::kKtt:
    case JsonFormat::kKttXml:
      return true;
    default:
      return false;
  }
}

search::Problem read_recording_problem(std::string_view text, const std::string& path,
                                       const std::vector<Override>& overrides) {
  Diagnostics diagnostics(path);
  toml::table settings;
  apply_overrides(settings, overrides, diagnostics);
  TableReader root(settings, problem_file_keys(), "", diagnostics);
  try {
    search::Problem problem = problem_of_recording(RecordedSpace::parse(text, path), path, root);
    diagnostics.throw_if_any();
    return problem;
  } catch (const RecordedSpaceError& error) {
    throw ProblemFileError({mistake_in(path, error)});
  }
}

// With what is odd in it, whatever wrote it.
ProblemReading remarked(ProblemReading reading) {
  if (!reading.mistakes.empty()) return reading;
  for (std::string& note : loose_tolerance_notes(reading.problem)) {
    reading.problem.notes.push_back(std::move(note));
  }
  return reading;
}

ProblemReading parse_bytes(std::string_view text, const std::string& path,
                           const std::vector<Override>& overrides,
                           TextOrigin origin = TextOrigin::kUser,
                           const Describer& describe = nullptr, std::string* whole = nullptr) {
  const NamedFiles files =
      origin == TextOrigin::kTelling ? NamedFiles::kUnseen : NamedFiles::kNeeded;
  const JsonFormat format = recognise(text);
  // What copies a deep value recurses, though parsing it does not.
  const bool is_json = format != JsonFormat::kNone && format != JsonFormat::kKttXml;
  if (const auto line = is_json ? too_deep(text) : std::nullopt) {
    throw ProblemFileError({{path, *line, 0, "nests deeper than any problem or recording does"}});
  }
  if (is_recording(format)) return {read_recording_problem(text, path, overrides), true};
  switch (format) {
    case JsonFormat::kNone:
      return remarked({read_toml_problem(text, path, overrides,
                                         {origin != TextOrigin::kUser, files, describe, whole}),
                       true});
    case JsonFormat::kT1:
      return remarked(read_t1_problem(text, path, overrides, files));
    default:
      break;
  }
  throw ProblemFileError(
      {{path, 0, 0,
        "is JSON, but neither a T1 problem (members ConfigurationSpace and KernelSpecification) "
        "nor a recorded space (a Kernel Tuner cache has tune_params and cache, T4 has results "
        "with configurations, KTT has Metadata and Results)"}});
}

search::Problem whole(ProblemReading reading) {
  if (!reading.mistakes.empty()) throw ProblemFileError(std::move(reading.mistakes));
  return std::move(reading.problem);
}

// Exactly the recorded configurations.
search::ParameterSpace recorded_space(const search::Problem& problem,
                                      const search::RecordedBackend& backend) {
  try {
    const RecordedSpace recording = RecordedSpace::read(backend.file);
    const auto configurations = admitted(problem, recording);
    if (configurations.empty()) {
      throw search::SpaceError("none of the " + std::to_string(recording.trials().size()) +
                               " configurations recorded in " + backend.file +
                               " has the problem's values and satisfies its constraints");
    }
    return search::ParameterSpace::from_list(problem.parameters, configurations);
  } catch (const RecordedSpaceError& error) {
    throw ProblemFileError({mistake_in(backend.file, error)});
  }
}

}  // namespace

ProblemReading inspect_problem(const std::string& path, const std::vector<Override>& overrides,
                               const Describer& describe) {
  try {
    return parse_bytes(bytes_of(path), path, overrides, TextOrigin::kUser, describe);
  } catch (const ProblemFileError& error) {
    return {{}, false, error.diagnostics()};
  }
}

search::Problem read_problem(const std::string& path, const std::vector<Override>& overrides,
                             std::string* text, const Describer& describe) {
  std::string bytes = bytes_of(path), merged;
  search::Problem problem =
      whole(parse_bytes(bytes, path, overrides, TextOrigin::kUser, describe, &merged));
  if (!merged.empty()) bytes = std::move(merged);
  if (text != nullptr) *text = is_recording(recognise(bytes)) ? std::string() : std::move(bytes);
  return problem;
}

search::Problem parse_problem(std::string_view text, const std::string& path,
                              const std::vector<Override>& overrides, TextOrigin origin) {
  return text.empty() ? read_problem(path, overrides)
                      : whole(parse_bytes(text, path, overrides, origin));
}

std::vector<std::string> changed_terms(const WrittenProblem& before, const WrittenProblem& now) {
  const auto earlier = terms_of(before.text, before.overrides);
  const auto later = terms_of(now.text, now.overrides);
  if (earlier.empty() || later.empty()) return {};
  const auto cut = [](const std::string& value) {
    constexpr std::size_t kMost = 60;
    return value.size() <= kMost ? value : value.substr(0, kMost) + "...";
  };
  std::vector<std::string> changes;
  auto all = earlier;
  all.insert(later.begin(), later.end());
  for (const auto& [key, value] : all) {
    const auto was = earlier.find(key), is = later.find(key);
    if (was == earlier.end()) {
      changes.push_back("the problem now has " + key + " = " + cut(value));
    } else if (is == later.end()) {
      changes.push_back("the problem had " + key + " = " + cut(value));
    } else if (was->second != is->second) {
      changes.push_back(key + " was " + cut(value) + " and is " + cut(is->second));
    }
  }
  return changes;
}

search::ParameterSpace make_space(const search::Problem& problem) {
  const auto written = [&] {
    return search::ParameterSpace(problem.parameters, problem.constraints);
  };
  return std::visit(
      base::Overloaded{
          [&](const search::HostBackend&) { return written(); },
          [&](const search::CommandBackend&) { return written(); },
          [&](const search::RecordedBackend& backend) { return recorded_space(problem, backend); },
          [&](const search::CudaBackend&) { return written(); },
      },
      problem.backend);
}

}  // namespace nightshift::problems
