#include "evaluator/host/build/host_builder.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/counters/build_time.h"
#include "evaluator/counters/own_objectives.h"
#include "evaluator/host/build/complaint_cause.h"
#include "evaluator/host/build/flat_arrays.h"
#include "evaluator/host/build/host_call.h"
#include "evaluator/host/build/host_wrapper.h"
#include "evaluator/host/build/source_language.h"
#include "evaluator/process/artifact_path.h"
#include "evaluator/process/artifact_tree.h"
#include "evaluator/process/compiler_run.h"
#include "evaluator/process/launched_child.h"
#include "evaluator/sources/told_names.h"
#include "search/telling_line.h"
#include "search/value.h"

namespace nightshift::evaluator {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrapperName = "wrapper.cc";
constexpr const char* kCWrapperName = "wrapper.c";
constexpr const char* kObjectName = "kernel.so";

using search::SourceLanguage;

// C and C++ stand in front of their wrapper, so that the compiler can inline the function and check
// the call; other languages are compiled beside one in C.
bool stands_in_wrapper(SourceLanguage language) {
  return language == SourceLanguage::kCpp || language == SourceLanguage::kC;
}

// By -include it would stand in front of every source that the options name, and before what they
// include.
std::string included(const std::string& file) {
  const bool has_quote = file.find('"') != std::string::npos;
  return has_quote ? "#include <" + file + ">\n" : "#include \"" + file + "\"\n";
}

void append_sources(const search::HostSource& source, const fs::path& scratch,
                    std::vector<std::string>& arguments) {
  const SourceLanguage language = language_of_file(source.file);
  if (language == SourceLanguage::kCpp) {
    arguments.push_back(scratch / kWrapperName);
    return;
  }
  // A C++ driver takes a .c file for C++ unless it is told.
  arguments.insert(arguments.end(), {"-x", "c", scratch / kCWrapperName, "-x", "none"});
  if (language == SourceLanguage::kC) {
    arguments.insert(arguments.end(), {"-Werror=incompatible-pointer-types",
                                       "-Werror=implicit-function-declaration"});
    return;
  }
  if (language == SourceLanguage::kFortran) arguments.emplace_back("-cpp");
  arguments.push_back(source.file);
}

// None where one cannot be told, of which the evaluation tells.
std::vector<ArgumentShape> shapes_if_known(const search::HostBackend& host,
                                           const search::Configuration& configuration,
                                           std::size_t which) {
  try {
    return shapes_of(host, configuration, which);
  } catch (const std::runtime_error&) {
    return {};
  }
}

// What a compiler would write where it is started goes into the scratch folder: several of them are
// started in the problem's.
void append_own_places(const search::HostSource& source, const std::string& compiler,
                       const std::string& scratch, std::vector<std::string>& options) {
  for (std::string& option : options) {
    if (option == "-save-temps" || option == "-save-temps=cwd") option = "-save-temps=obj";
  }
  if (language_of_file(source.file) != SourceLanguage::kFortran) return;
  const std::string modules = module_option(compiler);
  const bool is_given = std::ranges::any_of(
      options, [&](const std::string& option) { return option.starts_with(modules); });
  if (!is_given) options.insert(options.end(), {modules, scratch});
}

// What compilers of C++ link by themselves, and others do not.
void append_libraries(const search::HostSource& source, const std::string& compiler,
                      std::vector<std::string>& arguments) {
  const bool is_of_cpp = fs::path(compiler).filename().string().find("++") != std::string::npos;
  if (language_of_file(source.file) == SourceLanguage::kCpp && !is_of_cpp) {
    arguments.emplace_back("-lstdc++");
  }
  arguments.emplace_back("-lm");
}

bool is_shared_object(const fs::path& file) {
  std::array<char, EI_NIDENT + sizeof(Elf64_Half)> head{};
  std::ifstream(file, std::ios::binary).read(head.data(), head.size());
  Elf64_Half type = 0;
  std::memcpy(&type, head.data() + EI_NIDENT, sizeof type);
  return std::string_view(head.data(), SELFMAG) == ELFMAG && type == ET_DYN;
}

// Of each case; of a reference none, since its answers are kept by what it was called with.
std::vector<std::string> calls_of(const search::HostBackend& host, ipc::BuildTarget target,
                                  const search::Configuration& configuration) {
  std::vector<std::string> calls;
  if (target == ipc::BuildTarget::kReference) return calls;
  for (std::size_t i = 0; i < host.cases.size(); ++i) {
    calls.push_back(call_of(host, configuration, i));
  }
  return calls;
}

// Why no compiler is asked; empty where one is.
std::string refusal(const search::HostBackend& host, const ipc::BuildRequest& request,
                    const search::Configuration& configuration) {
  const search::HostSource& source = source_of(host, request);
  search::HostSource compiled = source;
  compiled.file = compiled_file(host, source, configuration);
  std::string why = language_complaint(compiled, compiler_program(host, source, configuration));
  if (!why.empty() || language_of_file(source.file) != SourceLanguage::kC) return why;
  return c_type_clash(base::text_if_there(compiled.file), source.function, host.arguments,
                      request.target == ipc::BuildTarget::kReference);
}

}  // namespace

// The reference and a baseline of its own are not tuned: flag parameters do not concern them,
// macros do (they may share a file with the kernel).
const search::HostSource& source_of(const search::HostBackend& host,
                                    const ipc::BuildRequest& request) {
  if (request.target == ipc::BuildTarget::kReference) return host.reference;
  if (request.configuration.is_baseline() && !host.baseline.file.empty()) return host.baseline;
  return host.kernel;
}

fs::path library_of(const search::HostBackend& host, const fs::path& artifact, std::size_t which) {
  return host.cases.size() == 1 ? artifact : artifact / (std::to_string(which) + ".so");
}

// By what the compiler was given.
struct HostBuilder::Made {
  double seconds = 0;  // of the compiler
  std::map<std::string, fs::path> objects;
};

search::ToldNames told_names(const search::HostBackend& host,
                             const search::Configuration& configuration, std::size_t which) {
  search::ToldNames told;
  for (const auto& [name, value] : host.cases.at(which))
    told.emplace_back(name, search::Value(value));
  std::vector<std::string> ignored;
  append_parameters(host.compiler, configuration, host.flag_parameters, false, told, ignored);
  return told;
}

std::vector<std::string> compiler_arguments(const search::HostBackend& host,
                                            const search::HostSource& source,
                                            const search::Configuration& configuration,
                                            const std::string& scratch_folder, std::size_t which) {
  // What the function lacks is a failure of the build, not of the first call.
  std::vector<std::string> arguments = {"-O2", "-fPIC", "-shared", "-fvisibility=hidden",
                                        "-Wl,-z,defs"};
  append_sources(source, scratch_folder, arguments);
  search::ToldNames told;
  for (const auto& [name, value] : host.cases.at(which))
    told.emplace_back(name, search::Value(value));
  std::vector<std::string> options = source.flags;  // behind the source: some are libraries
  append_parameters(host.compiler, configuration, host.flag_parameters, source == host.kernel, told,
                    options);
  if (host.names == search::SourceNames::kMacros) append_macros(told, arguments);
  append_own_places(source, compiler_program(host, source, configuration), scratch_folder, options);
  arguments.insert(arguments.end(), options.begin(), options.end());
  const std::string source_folder = fs::path(source.file).parent_path().string();
  for (const char* last : {"-g0", "-Wl,--build-id=none", "-Wl,-s", "-frandom-seed=nightshift"}) {
    arguments.emplace_back(last);
  }
  arguments.push_back("-ffile-prefix-map=" + source_folder + "=.");
  arguments.push_back("-ffile-prefix-map=" + scratch_folder + "=.");
  append_libraries(source, compiler_program(host, source, configuration), arguments);
  // The last one counts.
  arguments.insert(arguments.end(), {"-o", fs::path(scratch_folder) / kObjectName});
  return arguments;
}

std::vector<std::string> shown_arguments(const search::HostBackend& host,
                                         const search::HostSource& source,
                                         const search::Configuration& configuration,
                                         std::size_t which) {
  const fs::path scratch = ".";
  std::vector<std::string> words =
      compiler_arguments(host, source, configuration, scratch.string(), which);
  words.insert(words.begin(), compiler_program(host, source, configuration));
  if (!stands_in_wrapper(language_of_file(source.file))) return words;
  for (const char* name : {kWrapperName, kCWrapperName}) {
    std::ranges::replace(words, (scratch / name).string(), source.file);
  }
  return words;
}

ipc::Artifact HostBuilder::store() const {
  const fs::path object = fs::path(setting_.scratch_folder) / kObjectName;
  const std::string bytes = base::read_whole_file(object.string());
  ipc::Artifact artifact;
  artifact.hash = base::content_hash(bytes);
  artifact.bytes = bytes.size();
  const fs::path place = kept_path(setting_.artifact_folder, artifact.hash);
  std::error_code error;
  if (fs::is_directory(place, error)) fs::remove_all(place);  // not what it was
  fs::rename(object, place, error);
  if (error == std::errc::cross_device_link) {
    base::write_whole_file(place.string(), bytes);
    fs::remove(object, error);
  }
  if (error) throw std::system_error(error, "cannot keep the artifact " + place.string());
  return artifact;
}

// The folder in which the shared objects of several cases are gathered.
fs::path HostBuilder::gathered() const { return fs::path(setting_.scratch_folder) / "cases"; }

ipc::Artifact HostBuilder::store_cases() const {
  const TreeContent content = content_of_tree(gathered());
  keep_tree(gathered(), content, kept_path(setting_.artifact_folder, content.hash));
  return {content.hash, content.bytes};
}

void HostBuilder::write_generated(const ipc::BuildRequest& request,
                                  const search::Configuration& configuration,
                                  std::size_t which) const {
  const fs::path scratch = setting_.scratch_folder;
  fs::remove(scratch / kObjectName);
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const search::HostSource& source = source_of(host, request);
  const search::ToldNames told = told_names(host, configuration, which);
  const std::vector<ArgumentShape> shapes = shapes_if_known(host, configuration, which);
  const bool is_reference = request.target == ipc::BuildTarget::kReference;
  const SourceLanguage language = language_of_file(source.file);
  const bool is_cpp = language == SourceLanguage::kCpp;
  std::string text;
  if (host.names == search::SourceNames::kConstants) {
    using search::ConstantsOf;
    text = search::constant_definitions(told, is_cpp ? ConstantsOf::kCpp : ConstantsOf::kC);
  }
  if (stands_in_wrapper(language)) text += included(source.file);
  if (is_cpp) {
    const bool replaced = host.names != search::SourceNames::kMacros;
    const std::string function =
        replaced ? search::with_values(source.function, told) : source.function;
    text += wrapper_source(function, host.arguments, is_reference, shapes);
  } else {
    const bool is_c = language == SourceLanguage::kC;
    text += c_wrapper_source(
        source.function, host.arguments, is_reference,
        is_c ? Declared::kBySource : Declared::kByWrapper, shapes,
        flat_arrays(base::text_if_there(compiled_file(host, source, configuration)),
                    source.function, host.arguments));
  }
  base::write_whole_file((scratch / (is_cpp ? kWrapperName : kCWrapperName)).string(), text);
}

std::vector<std::string> HostBuilder::prepare(const ipc::BuildRequest& request,
                                              std::size_t which) const {
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const search::HostSource& source = source_of(host, request);
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  write_generated(request, configuration, which);
  std::vector<std::string> program =
      compiler_arguments(host, source, configuration, setting_.scratch_folder, which);
  program.insert(program.begin(), compiler_program(host, source, configuration));
  return program;
}

std::string HostBuilder::given(const std::vector<std::string>& program) const {
  std::string text;
  for (const std::string& word : program) text += word + '\0';
  for (const char* name : {kWrapperName, kCWrapperName}) {
    const fs::path file = fs::path(setting_.scratch_folder) / name;
    if (fs::exists(file)) text += base::read_whole_file(file.string()) + '\0';
  }
  return text;
}

std::string HostBuilder::compile(const std::vector<std::string>& program,
                                 ProgressSink& progress) const {
  BuildProgram compiler;
  compiler.words = program;
  compiler.directory = std::get<search::HostBackend>(setting_.problem.backend).directory;
  if (!compiler.directory.empty() && !fs::is_directory(compiler.directory)) {
    return "the folder of the problem is gone: " + compiler.directory;
  }
  std::string complaint = run_build(setting_, compiler, progress);
  if (complaint.empty() && !is_shared_object(fs::path(setting_.scratch_folder) / kObjectName)) {
    return "the compiler ended well and linked no shared object: leave options such as -c, -S, -E "
           "and --version out of flags";
  }
  // Files of ours have no place that says anything.
  const std::string scratch = setting_.scratch_folder + "/";
  for (std::size_t at = 0; (at = complaint.find(scratch, at)) != std::string::npos;) {
    complaint.erase(at, scratch.size());
  }
  return complaint;
}

std::string HostBuilder::build_case(const ipc::BuildRequest& request, std::size_t which, Made& made,
                                    ProgressSink& progress) const {
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const bool several = host.cases.size() > 1;
  const std::vector<std::string> program = prepare(request, which);
  const fs::path place = library_of(host, gathered(), which);
  std::string key = several ? given(program) : "";
  if (const auto same = made.objects.find(key); same != made.objects.end()) {
    fs::copy_file(same->second, place);
    return {};
  }
  const auto start = Clock::now();
  const std::string complaint = compile(program, progress);
  made.seconds += seconds_since(start);
  if (complaint.empty()) {
    if (several) fs::rename(fs::path(setting_.scratch_folder) / kObjectName, place);
    made.objects.emplace(std::move(key), place);
    return {};
  }
  if (search::tells_of_no_process(complaint)) return complaint;  // of no case
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  const search::HostSource& source = source_of(host, request);
  const std::string cause = complaint_cause(
      {host, source, compiled_file(host, source, configuration),
       told_names(host, configuration, which), shapes_if_known(host, configuration, which), program,
       request.target == ipc::BuildTarget::kReference, complaint});
  const std::string where = several ? "case " + search::words_of(host.cases[which]) + ": " : "";
  return where + cause + complaint;
}

ipc::BuiltReply HostBuilder::build(const ipc::BuildRequest& request, ProgressSink& progress) {
  const auto start = Clock::now();
  const auto& host = std::get<search::HostBackend>(setting_.problem.backend);
  const search::HostSource& source = source_of(host, request);
  if (source.file.empty()) {
    return {search::BuildFailed{"the problem names no source for this"}, 0};
  }
  const search::Configuration configuration =
      search::resolved(setting_.problem, request.configuration);
  if (std::string why = refusal(host, request, configuration); !why.empty()) {
    return {search::BuildFailed{std::move(why)}, seconds_since(start)};
  }
  std::vector<std::string> calls;
  try {
    calls = calls_of(host, request.target, configuration);
  } catch (const std::runtime_error& e) {
    return {search::BuildFailed{e.what()}, seconds_since(start)};
  }
  fs::remove_all(gathered());
  if (host.cases.size() > 1) fs::create_directories(gathered());
  Made made;
  for (std::size_t i = 0; i < host.cases.size(); ++i) {
    std::string complaint = build_case(request, i, made, progress);
    if (!complaint.empty()) return {search::BuildFailed{complaint}, seconds_since(start)};
  }
  const fs::path single = fs::path(setting_.scratch_folder) / kObjectName;
  // Behind the code, where a loader looks at nothing.
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].empty()) continue;
    const fs::path file = calls.size() > 1 ? library_of(host, gathered(), i) : single;
    base::append_to_file(file.string(), calls[i]);
  }
  const ipc::Artifact artifact = host.cases.size() > 1 ? store_cases() : store();
  if (wants(own_objectives(setting_.problem), search::OwnFigure::kBuildTime)) {
    keep_build_time(setting_.artifact_folder, artifact.hash, made.seconds);
  }
  return {artifact, seconds_since(start)};
}

}  // namespace nightshift::evaluator
