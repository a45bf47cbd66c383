#include "tools/problem/toolchain.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "evaluator/cuda/driver/toolkits.h"
#include "evaluator/process/program_path.h"
#include "scheduler/devices/environment_facts.h"
#include "scheduler/devices/gpu_discovery.h"
#include "search/acceptance/toolchains.h"
#include "search/substitution.h"
#include "tools/evaluator_program.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace cuda = evaluator::cuda;
namespace fs = std::filesystem;
using Kind = Toolchain::Kind;

constexpr double kPatience = 5;  // seconds that a program may take to say its version
constexpr std::string_view kNvrtc = "nvrtc", kNvcc = "nvcc";

bool is_path(const std::string& word) { return word.find('/') != std::string::npos; }
bool is_number(const std::string& word) {
  return !word.empty() && word.front() != '.' &&
         word.find_first_not_of("0123456789.") == std::string::npos;
}

std::string version_of_program(const std::string& program) {
  return scheduler::first_line(scheduler::output_of(program, {"--version"}, kPatience));
}

// "c++ (Debian 12.2.0-14) 12.2.0" begins with the name by which it was called.
std::string without_name(const std::string& version) {
  const std::size_t open = version.find(" (");
  return open == std::string::npos ? version : version.substr(open);
}

std::string without_node(const std::string& name) { return name.substr(0, name.find(" of ")); }

Kind kind_of(const search::IdentityPart& compiler) {
  const std::string name = without_node(compiler.name);
  const std::string word = name.substr(0, name.find(':'));
  return word == kNvrtc ? Kind::kNvrtc : word == kNvcc ? Kind::kNvcc : Kind::kProgram;
}

std::string version_in(const search::IdentityPart& compiler) {
  switch (kind_of(compiler)) {
    case Kind::kNvcc:
      return cuda::version_of_nvcc(compiler.value);
    case Kind::kNvrtc:
      return compiler.value;
    case Kind::kProgram:
      break;
  }
  return without_name(compiler.value);
}

std::string toolkit_word(Kind kind, const std::string& version) {
  return std::string(kind == Kind::kNvcc ? kNvcc : kNvrtc) + ":" + version;
}

// What this machine has, found when it is first asked for.
class Here {
 public:
  const std::vector<scheduler::FoundNvrtc>& nvrtcs() {
    if (!nvrtcs_) nvrtcs_ = scheduler::discover_gpus(evaluator_program()).nvrtcs;
    return *nvrtcs_;
  }
  const std::vector<scheduler::FoundNvrtc>& nvccs() {
    if (nvccs_) return *nvccs_;
    nvccs_.emplace();
    for (const std::string& program : cuda::nvcc_programs()) {
      nvccs_->push_back({program, cuda::version_of_nvcc(
                                      scheduler::output_of(program, {"--version"}, kPatience))});
    }
    return *nvccs_;
  }

 private:
  std::optional<std::vector<scheduler::FoundNvrtc>> nvrtcs_, nvccs_;
};

std::string listed(const std::vector<scheduler::FoundNvrtc>& found) {
  std::string text;
  for (const auto& [path, version] : found) {
    text += (text.empty() ? "" : ", ") + version + " (" + path + ")";
  }
  return text.empty() ? "none" : text;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

// One word; what is wrong goes to `mistakes`.
class Finder {
 public:
  explicit Finder(std::vector<std::string>& mistakes) : mistakes_(mistakes) {}

  std::optional<Toolchain> find(const std::string& word) {
    const std::size_t colon = word.find(':');
    const std::string kind = word.substr(0, colon);
    const std::string which = colon == std::string::npos ? "" : word.substr(colon + 1);
    if (colon != std::string::npos && (kind == kNvrtc || kind == kNvcc) && which.empty()) {
      mistakes_.push_back(word + ": expected a version or a path behind the colon");
      return std::nullopt;
    }
    if (kind == kNvrtc) return of_toolkit(word, which, Kind::kNvrtc);
    if (kind == kNvcc) return of_toolkit(word, which, Kind::kNvcc);
    return is_number(word) ? of_toolkit(word, word, Kind::kNvrtc) : program(word);
  }

 private:
  std::optional<Toolchain> of_toolkit(const std::string& word, const std::string& which,
                                      Kind kind) {
    const std::string name(kind == Kind::kNvcc ? kNvcc : kNvrtc);
    if (is_path(which)) {
      const std::string path = fs::absolute(which).lexically_normal().string();
      if (kind == Kind::kNvcc ? evaluator::is_program(path) : evaluator::is_file(path)) {
        return Toolchain{kind, {word, path, ""}, path};
      }
      mistakes_.push_back(word + ": " + path + " is no " +
                          (kind == Kind::kNvcc ? "program" : "file"));
      return std::nullopt;
    }
    const auto& here = kind == Kind::kNvcc ? here_.nvccs() : here_.nvrtcs();
    for (const auto& [path, version] : here) {
      if (which.empty() || cuda::is_version(version, which)) {
        return Toolchain{kind, {word, path, version}, path};
      }
    }
    mistakes_.push_back(word + ": there is no such " + name + "; found: " + listed(here));
    return std::nullopt;
  }

  std::optional<Toolchain> program(const std::string& word) {
    const auto found = evaluator::find_program(word, fs::current_path());
    if (!found) {
      mistakes_.push_back(
          word + ": there is no such compiler; found: " + listed(evaluator::cpp_compilers()));
      return std::nullopt;
    }
    const std::string version = version_of_program(found->string());
    const std::string compiler = is_path(word) ? found->lexically_normal().string() : word;
    return Toolchain{Kind::kProgram, {word, found->string(), version}, compiler};
  }

  std::vector<std::string>& mistakes_;
  Here here_;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    words.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The parameter whose value alone names the compiler; empty: there is none.
std::string compiler_parameter(const search::Problem& problem) {
  const std::string& text = search::compiler_text(problem);
  const std::vector<std::string> names = search::placeholders(text);
  return names.size() == 1 && text == "{" + names.front() + "}" ? names.front() : "";
}

}  // namespace

std::vector<Toolchain> toolchains_of(const std::string& list) {
  std::vector<std::string> mistakes;
  std::vector<Toolchain> toolchains;
  std::set<std::string> seen;
  Finder finder(mistakes);
  for (const std::string& word : words_of(list)) {
    if (word.empty()) {
      mistakes.emplace_back("a name is empty");
    } else if (!seen.insert(word).second) {
      mistakes.push_back(word + " is there twice");
    } else if (auto found = finder.find(word)) {
      toolchains.push_back(std::move(*found));
    }
  }
  if (mistakes.empty() && (toolchains.size() < 2 || toolchains.size() > search::kMostToolchains)) {
    mistakes.push_back("expected two compilers to " + std::to_string(search::kMostToolchains));
  }
  if (mistakes.empty()) return toolchains;
  std::string message;
  for (const std::string& m : mistakes)
    message += (message.empty() ? "" : "\n") + ("--compilers " + m);
  throw UsageError(message);
}

std::string word_for(const search::IdentityPart& compiler) {
  const Kind kind = kind_of(compiler);
  const std::string version = version_in(compiler);
  if (version.empty()) return "";
  if (kind == Kind::kProgram) {
    std::vector<std::string> names = evaluator::cpp_compilers();
    names.insert(names.begin(), without_node(compiler.name));
    for (const std::string& name : names) {
      if (evaluator::find_program(name) && without_name(version_of_program(name)) == version) {
        return name;
      }
    }
    return "";
  }
  Here here;
  for (const auto& found : kind == Kind::kNvcc ? here.nvccs() : here.nvrtcs()) {
    if (found.version == version) return toolkit_word(kind, version);
  }
  return "";
}

std::vector<std::string> words_beside(const search::IdentityPart& compiler) {
  const Kind kind = kind_of(compiler);
  std::vector<std::string> words;
  std::set<std::string> versions = {version_in(compiler)};
  if (kind == Kind::kProgram) {
    for (const std::string& name : evaluator::cpp_compilers()) {
      if (versions.insert(without_name(version_of_program(name))).second) words.push_back(name);
    }
    return words;
  }
  Here here;
  for (const auto& found : kind == Kind::kNvcc ? here.nvccs() : here.nvrtcs()) {
    if (versions.insert(found.version).second) words.push_back(toolkit_word(kind, found.version));
  }
  return words;
}

bool concerns(const Toolchain& toolchain, const search::Problem& problem) {
  if (toolchain.kind == Kind::kProgram) {
    return std::holds_alternative<search::HostBackend>(problem.backend);
  }
  const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend);
  return cuda != nullptr && cuda->compiler != search::CudaBackend::Compiler::kServed;
}

search::Problem with_toolchain(search::Problem problem, const Toolchain& toolchain) {
  const std::string parameter = compiler_parameter(problem);
  const std::string word = parameter.empty() ? toolchain.compiler : "{" + parameter + "}";
  if (auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    host->compiler = word;
  } else if (auto* cuda = std::get_if<search::CudaBackend>(&problem.backend)) {
    using Compiler = search::CudaBackend::Compiler;
    cuda->compiler = toolchain.kind == Kind::kNvcc ? Compiler::kNvcc : Compiler::kNvrtc;
    cuda->compiler_word = word;
  }
  const auto held = std::ranges::find(problem.parameters, parameter, &search::Parameter::name);
  if (held == problem.parameters.end()) return problem;
  const search::Value value(toolchain.compiler);
  if (std::ranges::find(held->values, value) == held->values.end()) {
    held->values.push_back(value);
    held->weights.clear();
  }
  held->default_value = value;
  if (problem.baseline.find(parameter) != nullptr) problem.baseline.set(parameter, value);
  return problem;
}

search::Configuration with_toolchain(search::Configuration configuration,
                                     const search::Problem& problem, const Toolchain& toolchain) {
  const std::string parameter = compiler_parameter(problem);
  if (!parameter.empty() && configuration.find(parameter) != nullptr) {
    configuration.set(parameter, search::Value(toolchain.compiler));
  }
  return configuration;
}

std::vector<problems::Override> overrides_of(const Toolchain& toolchain,
                                             const search::Problem& problem) {
  const std::string value = search::to_json(search::Value(toolchain.compiler));
  const std::string parameter = compiler_parameter(problem);
  std::string word = parameter.empty() ? toolchain.compiler : "{" + parameter + "}";
  std::vector<problems::Override> all;
  if (toolchain.kind == Kind::kProgram) {
    all.emplace_back("host.compiler", search::to_json(search::Value(word)));
  } else {
    const std::string kind = toolchain.kind == Kind::kNvcc ? "nvcc" : "nvrtc";
    word = kind + (word.empty() ? "" : ":" + word);
    all.emplace_back("cuda.compiler", search::to_json(search::Value(word)));
  }
  if (parameter.empty()) return all;
  all.emplace_back("parameters." + parameter, "[" + value + "]");
  if (problem.baseline.find(parameter) != nullptr) all.emplace_back("baseline." + parameter, value);
  return all;
}

bool has_patched_compiler(const search::Problem& problem) {
  return compiler_parameter(problem).empty() &&
         !search::placeholders(search::compiler_text(problem)).empty();
}

}  // namespace nightshift::tools
