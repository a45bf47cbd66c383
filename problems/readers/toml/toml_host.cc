#include "problems/readers/toml/toml_host.h"

#include <set>

#include "problems/readers/problem/cuda_problem.h"
#include "problems/readers/toml/toml_kernel.h"
#include "search/source_language.h"

namespace nightshift::problems {
namespace {

// What is no C++ is called by its plain name.
void check_language(const TableReader& table, const search::HostSource& source) {
  using search::SourceLanguage;
  const SourceLanguage language = search::language_of_name(source.file);
  if (language == SourceLanguage::kOther) {
    table.error("file", "is " + in_quotes(source.file) +
                            ", which is neither C++, C, Fortran nor assembler: [command] tunes "
                            "programs in any language");
  } else if (language != SourceLanguage::kCpp && !is_identifier(source.function) &&
             is_kernel_name(source.function)) {
    table.error("function", "is " + in_quotes(source.function) +
                                ", which only a function in C++ can be called");
  }
}

// Constants are written in C and C++ alone.
void check_constants(const TableReader& host, const search::HostBackend& backend) {
  using search::SourceLanguage;
  if (backend.names != search::SourceNames::kConstants) return;
  for (const auto* source : {&backend.kernel, &backend.baseline, &backend.reference}) {
    const SourceLanguage language = search::language_of_name(source->file);
    if (language != SourceLanguage::kFortran && language != SourceLanguage::kAssembler) continue;
    host.error("names", "is 'constants', which sources in C and C++ can have, not " +
                            in_quotes(source->file));
  }
}

// "./cxx", and no name on PATH and no value of a parameter.
bool is_relative_path(const std::string& program) {
  return program.find('/') != std::string::npos && !program.starts_with('/') &&
         !program.starts_with('{');
}

search::HostSource read_source(TableReader& host, std::string_view key,
                               const std::filesystem::path& folder) {
  search::HostSource source;
  auto table = host.subtable(key);
  if (!table) return source;
  if (table->require("file")) table->file("file", folder, source.file);
  if (table->require("function") && table->string("function", source.function) &&
      !is_kernel_name(source.function)) {
    table->error("function", "must be the name of a function, not " + in_quotes(source.function));
  }
  check_language(*table, source);
  table->strings("flags", source.flags);
  table->finish();
  return source;
}

void read_tolerance(TableReader& owner, search::GivenTolerance& tolerance) {
  auto table = owner.subtable("tolerance");
  if (!table) return;
  double number = 0;
  if (table->number("relative", number)) tolerance.relative = number;
  if (table->number("absolute", number)) tolerance.absolute = number;
  table->finish();
}

// Of one output.
void read_tolerance_of_output(TableReader& reader, search::Argument& argument) {
  const bool is_read = argument.scalar || argument.access == search::Argument::Access::kIn;
  if (is_read && reader.has("tolerance")) {
    reader.error("tolerance", "has no meaning for what the function only reads");
  }
  read_tolerance(reader, argument.tolerance);
}

}  // namespace

PlacedHost read_host(TableReader& host, const KnownNames& names,
                     const std::filesystem::path& folder) {
  PlacedHost result;
  result.location = host.location();
  search::HostBackend& backend = result.backend;
  backend.cases = names.cases;
  backend.directory = folder.string();
  for (const char* key : {"sizes", "cases", "aggregate"}) host.take(key);
  read_compiler(host, names, backend.compiler);
  if (is_relative_path(backend.compiler)) {
    backend.compiler = (folder / backend.compiler).lexically_normal().string();
  }
  if (host.require("kernel")) backend.kernel = read_source(host, "kernel", folder);
  backend.baseline = read_source(host, "baseline", folder);
  backend.reference = read_source(host, "reference", folder);
  read_source_names(host, backend.names, false);
  check_constants(host, backend);
  read_tolerance(host, backend.tolerance);
  std::set<std::string> seen;
  for (TableReader& table : host.subtables("argument")) {
    result.arguments.push_back(table.location());
    backend.arguments.push_back(read_argument(table, names, {folder, false, false, {}}));
    read_tolerance_of_output(table, backend.arguments.back());
    table.finish();
    const std::string& name = backend.arguments.back().name;
    if (!name.empty() && !seen.insert(name).second) {
      table.error("name", "is " + in_quotes(name) + ", which an earlier argument has");
    }
  }
  host.finish();
  return result;
}

}  // namespace nightshift::problems
