#include "tools/bundle/bundle_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <variant>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/files_behind.h"
#include "evaluator/process/artifact_tree.h"
#include "problems/problem_file_error.h"
#include "search/identity.h"
#include "search/scoring.h"
#include "tools/bundle/bundle_files.h"
#include "tools/bundle/bundle_reader.h"
#include "tools/nodes/node_files.h"
#include "tools/problem/bundled_python.h"
#include "tools/problem/journaled_problem.h"
#include "tools/problem/made_of.h"
#include "tools/summary/contender_figures_text.h"
#include "tools/summary/summary_json.h"
#include "tools/text/format.h"
#include "tools/text/page.h"
#include "tools/usage_error.h"
#include "tools/version.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  try {
    return base::read_whole_file(path.string());
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

bool is_executable(const fs::path& path) {
  return (fs::status(path).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

// Files of today under the claim of then would be another bundle.
void check_sources(const BundledStudy& study) {
  search::Identity now = evaluator::files_behind(study.problem);
  std::erase_if(now, [](const search::IdentityPart& part) {
    return part.kind == search::IdentityPart::Kind::kCompilerProgram;  // each machine has its own
  });
  const auto changes = search::changes_between(scheduler::identity_of(study.history), now);
  if (!search::any_matters(changes)) return;
  throw UsageError("since " + study.folder.shown() + " was measured, " +
                   list_of_changes(changes, true) +
                   ": its claim is not that of the files of today; tune them anew");
}

// --- Which files, and the folder that all of them lie in ---

// Files as they are named, links and all, so that what names them finds them.
void add_tree(const fs::path& path, std::set<std::string>& files) {
  if (!fs::is_directory(path)) {
    files.insert(path.string());
    return;
  }
  for (const auto& entry :
       fs::recursive_directory_iterator(path, fs::directory_options::follow_directory_symlink)) {
    if (entry.is_regular_file()) files.insert(entry.path().string());
  }
}

std::set<std::string> files_of(const search::Problem& problem) {
  const std::string own = fs::path(problem.file).parent_path().string() + "/";
  std::set<std::string> files;
  for (const scheduler::ProblemFile& file : portable(problem).files) {
    const std::string path = fs::path(file.path).lexically_normal().string();
    if (!is_of_system(path) || path.starts_with(own)) add_tree(path, files);
  }
  return files;
}

fs::path common_folder(const std::set<std::string>& files) {
  fs::path common = fs::path(*files.begin()).parent_path();
  for (const std::string& file : files) {
    while (common.has_relative_path() && !file.starts_with(common.string() + "/")) {
      common = common.parent_path();
    }
  }
  return common;
}

// A Python file is described by its text, which lies beside it.
std::string text_path_of(const std::string& problem_file) {
  return "files/" + problem_file + (problem_file.ends_with(".py") ? ".toml" : "");
}

// --- What is written ---

std::string people_text(const BundledStudy& study) {
  const search::Objective& objective = search::judged_objective(study.problem);
  return fmt::format(
      "A Nightshift bundle: a configuration of {0} that was found to be better than its baseline, "
      "and all\n"
      "that it takes to see whether that is so on another machine.\n\n"
      "  claim          {1}\n"
      "  configuration  {2}\n\n"
      "    nightshift verify FOLDER --dry-run    compares files with manifest.json, and says what "
      "would run\n"
      "    nightshift verify FOLDER              builds both and measures them side by side\n\n"
      "verify compiles and runs what is in files/ as you. claim.json has the figures, and what "
      "they were\n"
      "measured with: device, driver, compiler, options. artifacts/ has the machine code.\n",
      one_line(study.problem.name),
      change_text(objective, study.summary.ratio, study.summary.ratio_interval),
      one_line(format_configuration(study.summary.best->configuration)));
}

class Writer {
 public:
  Writer(const BundledStudy& study, fs::path top) : study_(study), top_(std::move(top)) {}

  void sources() {
    search::Problem problem = study_.problem;
    manifest_.overrides = overrides_of(study_.history);
    if (serves_python(problem)) {
      for (auto& override : portable_python(problem)) {
        manifest_.overrides.push_back(std::move(override));
      }
    }
    std::set<std::string> files = files_of(problem);
    const std::string problem_file = problem.file;
    files.insert(problem_file);
    const fs::path root = common_folder(files);
    const auto inside = [&](const std::string& file) {
      return fs::path(file).lexically_relative(root).string();
    };
    manifest_.root = root.string();
    manifest_.problem_file = inside(problem_file);
    const std::string& text = study_.history.header.problem_text;
    if (!text.empty()) {
      manifest_.problem_text = text_path_of(manifest_.problem_file);
      if (manifest_.problem_text == "files/" + manifest_.problem_file) files.erase(problem_file);
      put(manifest_.problem_text, text, false);
    }
    for (const std::string& file : files) copy("files/" + inside(file), file);
  }

  void machine_code(const std::string& whose, const std::string& hash) {
    if (!search::needs_build(study_.problem)) return;
    const fs::path code = fs::path(study_.folder.artifacts()) / hash;
    const std::string place = "artifacts/" + hash;
    if (hash.empty() || !fs::exists(code)) {
      notices_.push_back("the machine code of " + whose +
                         " is not kept any more: the bundle lacks it");
      return;
    }
    if (!is_as_built(code)) {
      notices_.push_back("the machine code of " + whose +
                         " is not what was built: the bundle lacks it");
      return;
    }
    std::set<std::string> files;
    add_tree(code, files);
    for (const std::string& file : files) {
      const std::string inside =
          file == code ? "" : "/" + fs::path(file).lexically_relative(code).string();
      copy(place + inside, file);
    }
  }

  bool is_as_built(const fs::path& code) const {
    if (fs::is_directory(code)) return evaluator::is_whole(fs::canonical(code));
    if (!fs::is_regular_file(code)) return false;
    const bool is_of_bytes = std::holds_alternative<search::HostBackend>(study_.problem.backend);
    return !is_of_bytes || base::content_hash(bytes_of(code)) == code.filename().string();
  }

  WrittenBundle finish() {
    put(kClaim, json_text(best_json(study_.summary, study_.problem)), false);
    put("README.txt", people_text(study_), false);
    manifest_.version = version();
    std::ranges::sort(manifest_.files, {}, &BundleFile::path);
    WrittenBundle written{manifest_.files.size(), 0, std::move(notices_)};
    for (const BundleFile& file : manifest_.files) written.bytes += file.bytes;
    put_file(top_, kManifest, to_json(manifest_), false);
    return written;
  }

 private:
  void put(const std::string& path, const std::string& bytes, bool executable) {
    const bool known =
        std::ranges::find(manifest_.files, path, &BundleFile::path) != manifest_.files.end();
    if (!known) manifest_.files.push_back(put_file(top_, path, bytes, executable));
  }
  void copy(const std::string& path, const fs::path& from) {
    put(path, bytes_of(from), is_executable(from));
  }

  const BundledStudy& study_;
  fs::path top_;
  BundleManifest manifest_;
  std::vector<std::string> notices_;
};

// Gone with all that is in it unless it was kept.
class NewFolder {
 public:
  explicit NewFolder(const std::string& output)
      : output_(fs::absolute(output).lexically_normal()),
        beside_(output_.string() + "." + std::to_string(::getpid())) {}
  ~NewFolder() {
    std::error_code ignored;
    fs::remove_all(beside_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  const fs::path& path() const { return beside_; }
  void keep() { fs::rename(beside_, output_); }

 private:
  fs::path output_, beside_;
};

std::string checked_output(std::string output) {
  while (output.size() > 1 && output.ends_with('/')) output.pop_back();
  if (output.empty()) throw UsageError("a bundle is a folder: name it with --output");
  std::error_code error;
  if (fs::exists(fs::symlink_status(output, error))) {
    throw UsageError(output + " is there already: a bundle is written into a new folder");
  }
  const fs::path parent = fs::absolute(output).parent_path();
  if (!fs::is_directory(parent, error)) {
    throw UsageError(output + " cannot be written: there is no folder " + parent.string());
  }
  return output;
}

void check_study(const BundledStudy& study) {
  if (!study.summary.best || !study.summary.accepted) {
    throw UsageError(study.folder.shown() +
                     " accepted no improvement: there is no claim that a bundle could hold");
  }
  check_sources(study);
}

void read_back(const std::string& bundle) {
  try {
    problem_of(opened_bundle(bundle), {});
  } catch (const problems::ProblemFileError& error) {
    throw UsageError(std::string("the problem does not stand alone in a bundle: ") + error.what());
  }
}

}  // namespace

WrittenBundle write_bundle(const BundledStudy& study, const std::string& asked) {
  const std::string output = checked_output(asked);
  check_study(study);
  try {
    NewFolder folder(output);
    fs::create_directory(folder.path());
    Writer writer(study, folder.path());
    writer.sources();
    writer.machine_code("the winner", study.summary.best->artifact);
    writer.machine_code("the baseline", study.summary.baseline_artifact);
    WrittenBundle written = writer.finish();
    read_back(folder.path().string());
    folder.keep();
    return written;
  } catch (const std::system_error& error) {
    throw OutputError(output + " could not be written: " + error.code().message());
  }
}

}  // namespace nightshift::tools
