#include "problems/readers/toml/toml_cuda.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "problems/readers/derived_names.h"
#include "problems/readers/problem/problem_cases.h"
#include "problems/readers/toml/toml_cuda_launch.h"
#include "problems/readers/toml/toml_kernel.h"
#include "problems/readers/toml/toml_signatures.h"
#include "problems/readers/toml/toml_tensor_map.h"
#include "search/element_type.h"

namespace nightshift::problems {
namespace {

using search::Argument;
using search::CudaBackend;
namespace fs = std::filesystem;

std::optional<search::ElementType> read_dtype(TableReader& cuda) {
  std::string name;
  if (!cuda.string("dtype", name)) return std::nullopt;
  const auto type = search::element_type_of(name);
  if (!type) {
    std::vector<std::string> known;
    for (const auto& row : search::kElementTypes) known.emplace_back(row.name);
    cuda.error("dtype", "must be " + alternatives(known) + ", not " + in_quotes(name) +
                            suggestion(name, known));
  }
  return type;
}

std::vector<DerivedEntry> read_derived(TableReader& cuda, const KnownNames& names) {
  std::vector<DerivedEntry> entries;
  auto table = cuda.subtable("derived");
  if (!table) return entries;
  const std::vector<std::string> taken = names.all();
  for (const auto& [key, node] : table->table()) {
    const std::string name(key.str());
    if (!is_name(name)) {
      table->error(name, flaw_of_name(name));
      continue;
    }
    if (std::find(taken.begin(), taken.end(), name) != taken.end()) {
      table->error(name, "has the name of a parameter or a size");
      continue;
    }
    LocatedString text = located_string(node);
    if (const auto number = scalar(node); number && node.is_number()) {
      text.text = search::to_text(*number);
    } else {
      std::string ignored;
      if (!table->string(name, ignored)) text.text = "0";  // was noted; the name is known
    }
    entries.push_back({name, std::move(text)});
  }
  return entries;
}

search::CudaSource read_source(TableReader& table, const fs::path& folder) {
  search::CudaSource source;
  if (table.require("source")) table.file("source", folder, source.file);
  table.strings("flags", source.flags);
  return source;
}

class CudaReader {
 public:
  CudaReader(TableReader& table, const KnownNames& names, const fs::path& folder)
      : table_(table), names_(names), folder_(folder) {}

  PlacedCuda read(std::optional<search::ElementType> dtype) {
    cuda_.location = table_.location();
    for (const char* key : {"dtype", "sizes", "cases", "aggregate", "derived"}) table_.take(key);
    CudaBackend& backend = cuda_.backend;
    backend.dtype = dtype;
    backend.cases = names_.cases;
    for (CudaBackend::Sizes& sizes : backend.cases) {
      std::erase_if(sizes, [](const auto& size) { return size.first == kElementBytes; });
    }
    backend.kernel = read_source(table_, folder_);
    read_choices();
    if (!launchable_.compiler_says) {
      signatures_.emplace(table_.table(), backend.kernel.file);
      launchable_.signatures = &*signatures_;
    }
    read_arguments();
    read_tensor_maps();
    read_launches(table_, "launch", read_launch, backend.launches, cuda_.launches);
    if (cuda_.launches.empty()) {
      table_.diagnostics().add(table_.location(), "cuda has no launch; add a [[cuda.launch]]");
      cuda_.whole = false;
    }
    note_shared_memory();
    read_reference();
    read_include_folders();
    for (auto [key, target] : {std::pair{"bytes", &backend.bytes}, {"flops", &backend.flops}}) {
      if (table_.take(key)) *target = read_amount(table_, key, names_);
    }
    table_.finish();
    return std::move(cuda_);
  }

 private:
  using LaunchForm = decltype(read_launch);

  // A kernel that has none of the memory that it works in writes where it must not.
  void note_shared_memory() {
    const int line = signatures_ ? signatures_->scan().dynamic_shared_line : 0;
    const toml::array* launches = table_.table()["launch"].as_array();
    if (line == 0 || launches == nullptr) return;
    for (const toml::node& node : *launches) {
      const toml::table* entry = node.as_table();
      if (entry != nullptr && entry->contains("shared_bytes")) return;
    }
    cuda_.notes.push_back(
        fs::path(cuda_.backend.kernel.file).filename().string() + ":" + std::to_string(line) +
        " has dynamic shared memory (extern __shared__), and no [[cuda.launch]] says how much: "
        "without shared_bytes it is 0 bytes; give the kernel's launch an expression such as "
        "shared_bytes = \"THREADS * 4\"");
  }

  void read_choices() {
    using Timing = CudaBackend::Timing;
    CudaBackend& backend = cuda_.backend;
    read_source_names(table_, backend.names, true);
    read_which_compiler();
    read_served_compiler();
    table_.choice(
        "timing", backend.timing,
        {{"auto", Timing::kAuto}, {"graph", Timing::kGraph}, {"events", Timing::kEvents}});
    table_.boolean("deterministic", backend.deterministic);
  }

  // KIND or KIND:WHICH.
  void read_which_compiler() {
    using Compiler = CudaBackend::Compiler;
    static const std::map<std::string, Compiler, std::less<>> kinds = {
        {"nvrtc", Compiler::kNvrtc}, {"nvcc", Compiler::kNvcc}, {"served", Compiler::kServed}};
    std::string text;
    read_compiler(table_, names_, text);
    if (text.empty()) return;  // of those that can
    const std::size_t colon = text.find(':');
    const auto kind = kinds.find(text.substr(0, colon));
    const bool has_word = colon != std::string::npos;
    if (kind == kinds.end()) {
      table_.error("compiler",
                   "must be 'nvrtc', 'nvcc' or 'served', the first two also with a "
                   "version or a path behind a colon, not " +
                       in_quotes(text) +
                       suggestion(text.substr(0, colon), {"nvrtc", "nvcc", "served"}));
      return;
    }
    if (has_word && (colon + 1 == text.size() || kind->second == Compiler::kServed)) {
      table_.error("compiler",
                   "is " + in_quotes(text) + ": a version or a path stands behind nvrtc: or nvcc:");
      return;
    }
    cuda_.backend.compiler = kind->second;
    if (has_word) cuda_.backend.compiler_word = text.substr(colon + 1);
  }

  void read_served_compiler() {
    CudaBackend& backend = cuda_.backend;
    backend.compiler_directory = folder_.string();
    launchable_.compiler_says = backend.compiler == CudaBackend::Compiler::kServed;
    if (launchable_.compiler_says && !table_.require("compiler_argv")) return;
    const bool given = table_.strings("compiler_argv", backend.compiler_argv);
    if (given && !launchable_.compiler_says) {
      table_.error("compiler_argv", "has a meaning with compiler = \"served\" only");
    } else if (given && backend.compiler_argv.empty()) {
      table_.error("compiler_argv", "names no program");
    }
  }

  void read_arguments() {
    for (TableReader& table : table_.subtables("argument")) {
      const ArgumentForm form{folder_, true, table_.has("dtype"), cuda_.backend.dtype,
                              launchable_.signatures};
      const Argument argument = read_argument(table, names_, form);
      read_gate(table, argument);
      table.finish();
      const bool twice = std::find(launchable_.arguments.begin(), launchable_.arguments.end(),
                                   argument.name) != launchable_.arguments.end();
      if (twice && !argument.name.empty()) {
        table.error("name", "is " + in_quotes(argument.name) + ", which an earlier argument has");
      }
      launchable_.arguments.push_back(argument.name);
      cuda_.arguments.push_back(table.location());
      cuda_.backend.arguments.push_back(argument);
    }
  }

  void read_tensor_maps() {
    for (TableReader& table : table_.subtables("tensor_map")) {
      auto map = read_tensor_map(table, names_, cuda_.backend.arguments);
      cuda_.whole = cuda_.whole && map.whole;
      for (const auto* taken : {&launchable_.arguments, &launchable_.maps}) {
        const bool twice = std::find(taken->begin(), taken->end(), map.map.name) != taken->end();
        if (!twice || map.map.name.empty()) continue;
        table.error("name", "is " + in_quotes(map.map.name) + ", which an earlier " +
                                (taken == &launchable_.maps ? "tensor map" : "argument") + " has");
      }
      launchable_.maps.push_back(map.map.name);
      cuda_.tensor_maps.push_back(table.location());
      cuda_.backend.tensor_maps.push_back(std::move(map.map));
    }
  }

  // A number, or one for each type.
  // Whether the table has one for this type.
  bool read_gate_value(TableReader& table, std::string_view key, search::ElementType type,
                       double& gate) const {
    const toml::node* node = table.take(key);
    if (node == nullptr || !node->is_table()) return table.number(key, gate);
    bool found = false;
    auto by_type = table.subtable(key);
    for (const search::ElementTypeRow& row : search::kElementTypes) {
      double value = 0;
      if (!by_type->number(row.name, value) || row.type != type) continue;
      gate = value;
      found = true;
    }
    by_type->finish();
    return found;
  }

  void read_gate(TableReader& table, const Argument& argument) {
    if (!is_output(argument)) {
      for (const char* key : {"gate", "element_gate"}) {
        if (table.take(key)) {
          table.error(key,
                      "has no meaning here: only of outputs ('out', 'inout') is the "
                      "contents checked");
        }
      }
      return;
    }
    search::CudaGate gate;
    gate.argument = static_cast<std::uint32_t>(cuda_.backend.arguments.size());
    gate.norm = default_gate(argument.type);
    (void)read_gate_value(table, "gate", argument.type, gate.norm);
    gate.element = search::usual_element_gate(argument.type, gate.norm);
    if (read_gate_value(table, "element_gate", argument.type, gate.element)) {
      gate.element = search::given_element_gate(argument.type, gate.element, gate.norm);
    }
    cuda_.backend.gates.push_back(gate);
  }

  void read_launches(TableReader& table, std::string_view key, LaunchForm form,
                     std::vector<search::CudaLaunch>& launches,
                     std::vector<SourceLocation>& locations) {
    for (TableReader& entry : table.subtables(key)) {
      auto launch = form(entry, names_, launchable_);
      cuda_.whole = cuda_.whole && launch;
      locations.push_back(entry.location());
      launches.push_back(launch ? std::move(*launch) : search::CudaLaunch{});
    }
  }

  void read_reference() {
    if (auto table = table_.subtable("reference")) {
      CudaBackend& backend = cuda_.backend;
      backend.reference = read_source(*table, folder_);
      const KernelSignatures signatures(table->table(), backend.reference.file);
      launchable_.signatures = &signatures;
      read_launches(table_, "prepare", read_common_launch, backend.prepare, cuda_.prepare);
      read_launches(*table, "launch", read_common_launch, backend.reference_launches,
                    cuda_.reference_launches);
      if (cuda_.reference_launches.empty()) {
        table->diagnostics().add(table->location(),
                                 "cuda.reference has no launch; add a [[cuda.reference.launch]]");
        cuda_.whole = false;
      }
      table->finish();
      launchable_.signatures = nullptr;
      return;
    }
    launchable_.signatures = nullptr;
    read_launches(table_, "prepare", read_common_launch, cuda_.backend.prepare, cuda_.prepare);
    if (!cuda_.prepare.empty()) {
      table_.diagnostics().add(cuda_.prepare.front(),
                               "cuda.prepare launches kernels of the reference's source, but there "
                               "is no [cuda.reference]");
    }
  }

  void add_folder(const fs::path& folder) {
    std::vector<std::string>& folders = cuda_.backend.include_folders;
    std::string path = folder.string();
    if (std::find(folders.begin(), folders.end(), path) == folders.end()) {
      folders.push_back(std::move(path));
    }
  }

  // The sources' own folders come first, as with an #include in quotes.
  void read_include_folders() {
    for (const auto* source : {&cuda_.backend.kernel, &cuda_.backend.reference}) {
      if (!source->file.empty()) add_folder(fs::path(source->file).parent_path());
    }
    std::vector<std::string> given;
    if (!table_.strings("include_folders", given)) return;
    const toml::array& list = *table_.take("include_folders")->as_array();
    for (std::size_t i = 0; i < given.size(); ++i) {
      fs::path folder = (folder_ / given[i]).lexically_normal();
      if (!folder.has_filename()) folder = folder.parent_path();
      std::error_code error;
      if (!table_.diagnostics().needs_files() || fs::is_directory(folder, error)) {
        add_folder(folder);
      } else {
        table_.diagnostics().add(
            location_of(list.get(i)->source()),
            "cuda.include_folders names " + folder.string() + ", which is no folder");
      }
    }
  }

  TableReader& table_;
  const KnownNames& names_;
  const fs::path& folder_;
  PlacedCuda cuda_;
  LaunchArguments launchable_;
  std::optional<KernelSignatures> signatures_;
};

}  // namespace

CudaNames read_cuda_names(TableReader& cuda, const std::vector<std::string>& parameters) {
  CudaNames result;
  result.dtype = read_dtype(cuda);
  KnownNames& names = result.names;
  names.device = {kMultiprocessors};
  const std::vector<std::string> reserved = {"DTYPE", kElementBytes, kMultiprocessors};
  names.cases = read_cases(cuda, result.terms);
  for (Constants& sizes : names.cases) {
    for (const std::string& name : reserved) {
      const auto taken = [&](const auto& size) { return size.first == name; };
      if (std::erase_if(sizes, taken) == 0 || &sizes != &names.cases.front()) continue;
      cuda.error(cuda.has("sizes") ? "sizes" : "cases",
                 "has a size named " + in_quotes(name) + ", which means something else");
    }
    // Of a dtype that is wrong there is a mistake already.
    if (cuda.has("dtype")) {
      sizes.emplace_back(
          kElementBytes,
          result.dtype ? static_cast<std::int64_t>(search::bytes_of(*result.dtype)) : 1);
    }
  }
  if (!cuda.has("dtype")) names.absent = {{kElementBytes, "it needs cuda.dtype"}};
  names.parameters = parameters;
  settle_derived(read_derived(cuda, names), names, cuda.diagnostics());
  names.parameters.clear();
  return result;
}

PlacedCuda read_cuda(TableReader& cuda, const KnownNames& names,
                     std::optional<search::ElementType> dtype, const fs::path& folder) {
  return CudaReader(cuda, names, folder).read(dtype);
}

}  // namespace nightshift::problems
