#include "tools/serve/served_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/files_behind.h"
#include "search/acceptance/night_levels.h"
#include "search/problem.h"
#include "tools/batch/batch_member.h"
#include "tools/problem/bundled_python.h"
#include "tools/problem/foreseen_inputs.h"
#include "tools/problem/judged_file.h"
#include "tools/problem/problem_source.h"
#include "tools/serve/program_copy.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Pairs of a hold-out, at least. A night's levels are small, few candidates come so far, and each
// that is lost there is a night's best.
constexpr int kHoldOut = 24;

constexpr const char* kSources = "source";  // folder of a candidate's files

std::string toml_text(const std::string& text) { return Json(text).dump(); }

// It names folders of studies.
std::string folder_name(std::string name) {
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    if (!is_plain) c = '-';
  }
  return name;
}

void link(const std::string& to, const fs::path& place) {
  std::error_code ignored;
  fs::remove(place, ignored);  // of a service that was killed here
  fs::create_directory_symlink(to, place);
}

}  // namespace

ServedProblem::ServedProblem(problems::BatchEntry entry) : entry_(std::move(entry)) {
  const search::Problem problem = read_problem(entry_.problem, entry_.overrides);
  name_ = folder_name(problem.name);
  level_ = problem.acceptance.level;
  hold_out_least_ = std::max(problem.acceptance.hold_out_least,
                             std::min(kHoldOut, problem.acceptance.hold_out_most));
  look_at_inputs(problem);
  const auto* command = std::get_if<search::CommandBackend>(&problem.backend);
  if (const auto* cuda = std::get_if<search::CudaBackend>(&problem.backend)) {
    own_ = cuda->kernel.file;
    suffix_ = ending_ = ".cu";
  } else if (const auto* host = std::get_if<search::HostBackend>(&problem.backend)) {
    own_ = host->kernel.file;
    suffix_ = fs::path(own_).extension().string();
    ending_ = judged_ending(own_);
  } else if (command != nullptr && serves_python(problem)) {
    kind_ = Kind::kPython;
    own_ = command->directory;
  } else if (command != nullptr && command->mode == search::CommandBackend::Mode::kPerTrial) {
    kind_ = Kind::kProgram;
    own_ = command->directory;
    replaceable_ = command->candidates;
  } else {
    throw UsageError(fmt::format("serve: candidates replace sources, and {} is {}, which has none",
                                 entry_.problem,
                                 command != nullptr ? "a program that is served" : "a recording"));
  }
}

void ServedProblem::check_replaceable(const std::string& file) const {
  const std::string name = fs::path(file).lexically_normal().string();
  const auto covers = [&name](const std::string& pattern) {
    return fnmatch(pattern.c_str(), name.c_str(), FNM_PATHNAME) == 0;
  };
  if (replaceable_.empty() || std::ranges::any_of(replaceable_, covers)) return;
  throw UsageError(fmt::format("'{}' is not a candidate's to replace: '{}' of the problem has {}",
                               file, "candidates", fmt::join(replaceable_, ", ")));
}

void ServedProblem::check(const CandidateFiles& files) const {
  if (kind_ == Kind::kSource) return;
  for (const auto& [name, text] : files) {
    if (!name.empty()) check_replaceable(name);
  }
  const auto replaces = [this](const auto& file) {
    std::error_code missing;
    return fs::exists(fs::path(own_) / file.first, missing);
  };
  if (!files.front().first.empty()) {
    if (std::ranges::any_of(files, replaces)) return;
    throw UsageError("none of the files stands in place of one in " + own_);
  }
  throw UsageError(
      fmt::format("{} has several files: expected 'files', by the names of those that "
                  "they replace",
                  name_));
}

std::string ServedProblem::keep_sources(const std::string& folder,
                                        const CandidateFiles& files) const {
  const std::string sources = (fs::path(folder) / kSources).string();
  std::string first;
  const auto keep = [&](const std::string& name, const std::string& text) {
    const fs::path path = fs::path(sources) / name;
    fs::create_directories(path.parent_path());
    base::write_whole_file(path.string(), text);
    if (first.empty()) first = path.string();
  };
  for (const auto& [name, text] : files) {
    keep(name.empty() ? "candidate" + suffix_ : name, text);
  }
  if (kind_ == Kind::kSource) return first;
  if (kind_ == Kind::kPython) return sources;
  std::string copy = folder + "/program";
  copy_program(own_, sources, copy);
  return copy;
}

std::string ServedProblem::judged_source(const Proposal& proposal,
                                         const std::string& opponent_source,
                                         const std::string& folder) const {
  std::vector<std::pair<std::int64_t, std::string>> sources = {
      {static_cast<std::int64_t>(proposal.number), proposal.source}};
  if (!opponent_source.empty()) {
    sources.emplace_back(static_cast<std::int64_t>(proposal.opponent), opponent_source);
  }
  std::string judged = fmt::format("{}/judged-{}{}", folder, proposal.round, ending_);
  if (kind_ == Kind::kSource) {
    write_judged_file(judged, own_, sources);
    return judged;
  }
  fs::create_directories(judged);
  if (kind_ == Kind::kProgram) link(own_, fs::path(judged) / "0");
  for (const auto& [number, source] : sources) {
    link(source, fs::path(judged) / std::to_string(number));
  }
  return judged;
}

scheduler::BatchStudyTerms ServedProblem::terms(const Proposal& proposal, double start) const {
  scheduler::BatchStudyTerms terms = terms_of(entry_);
  terms.name = proposal.study();
  terms.warm_start = false;
  terms.devices_most = std::max(terms.devices_least, terms.devices_most);
  terms.builds_ahead = true;
  terms.priority = 2 * proposal.priority + (proposal.stage_now() < Stage::kConfirm ? 1 : 0);
  terms.weight = proposal.weight;
  terms.client = proposal.client;
  if (proposal.deadline > 0) terms.deadline_seconds = proposal.deadline - start;
  return terms;
}

search::Identity ServedProblem::own_identity(const Proposal& proposal) const {
  search::Identity identity =
      evaluator::files_behind(read_problem(entry_.problem, entry_.overrides));
  if (kind_ == Kind::kSource) return identity;
  const fs::path kept = proposal.source;
  const fs::path sources = kind_ == Kind::kPython ? kept : kept.parent_path() / kSources;
  std::error_code gone;
  for (fs::recursive_directory_iterator it(sources, gone), end; it != end; it.increment(gone)) {
    const fs::path own = fs::path(own_) / it->path().lexically_relative(sources);
    if (!fs::is_regular_file(own, gone)) continue;
    identity.push_back({search::IdentityPart::Kind::kFile, own.string(),
                        base::content_hash(base::text_if_there(own.string()))});
  }
  return identity;
}

std::vector<problems::Override> ServedProblem::contest(const Proposal& proposal,
                                                       const std::string& opponent_source,
                                                       const std::string& folder) const {
  std::vector<problems::Override> all = entry_.overrides;
  const auto set = [&all](const char* key, std::string value) {
    all.emplace_back(key, std::move(value));
  };
  set(kJudgedSource, toml_text(judged_source(proposal, opponent_source, folder)));
  set("judged.opponent", std::to_string(proposal.opponent));
  set("judged.candidate", std::to_string(proposal.number));
  if (kind_ == Kind::kSource) {
    const Json folders = {fs::path(proposal.source).parent_path().string(),
                          fs::path(own_).parent_path().string()};
    set("judged.folders", folders.dump());
  }
  if (kind_ != Kind::kProgram) set("measure.trust", "\"none\"");
  set("acceptance.self_test_pairs", "0");
  set("acceptance.finish_margin", "0");
  set("acceptance.duels", proposal.is_confirmed() ? "true" : "false");
  set("acceptance.duel_margin", fmt::format("{:g}", search::kNightDuelMargin));
  if (proposal.is_confirmed()) set("acceptance.level", fmt::format("{:.6g}", proposal.level));
  const bool holds_out = proposal.stage_now() == Stage::kHoldOut;
  set("acceptance.hold_out_least", std::to_string(holds_out ? hold_out_least_ : 0));
  if (!holds_out) set("acceptance.hold_out_most", "0");
  if (proposal.most_time > 0) set("budget.time", fmt::format("{:.6g}", proposal.most_time));
  return all;
}

}  // namespace nightshift::tools
