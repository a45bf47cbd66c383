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

// What the problem says counts for integers too; what it does not say is nothing for these.
void read_tolerance(TableReader& host, search::HostBackend& backend) {
  auto table = host.subtable("tolerance");
  if (!table) return;
  search::Tolerance& of_integers = backend.integer_tolerance;
  search::Tolerance& of_floats = backend.floating_tolerance;
  if (table->number("relative", of_floats.relative)) of_integers.relative = of_floats.relative;
  if (table->number("absolute", of_floats.absolute)) of_integers.absolute = of_floats.absolute;
  table->finish();
}

// Of one output; a bound that is left out is that of the problem.
void read_tolerance(TableReader& reader, const search::HostBackend& backend,
                    search::Argument& argument) {
  auto table = reader.subtable("tolerance");
  if (!table) return;
  if (argument.scalar || argument.access == search::Argument::Access::kIn) {
    reader.error("tolerance", "has no meaning for what the function only reads");
  }
  argument.tolerance = search::tolerance_of(backend, argument);
  table->number("relative", argument.tolerance->relative);
  table->number("absolute", argument.tolerance->absolute);
  table->finish();
}

}  // namespace

PlacedHost read_host(TableReader& host, const KnownNames& names,
                     const std::filesystem::path& folder) {
  PlacedHost result;
  result.location = host.location();
  search::HostBackend& backend = result.backend;
  backend.cases = names.cases;
  for (const char* key : {"sizes", "cases", "aggregate"}) host.take(key);
  read_compiler(host, names, backend.compiler);
  if (host.require("kernel")) backend.kernel = read_source(host, "kernel", folder);
  backend.baseline = read_source(host, "baseline", folder);
  backend.reference = read_source(host, "reference", folder);
  read_source_names(host, backend.names, false);
  check_constants(host, backend);
  read_tolerance(host, backend);
  std::set<std::string> seen;
  for (TableReader& table : host.subtables("argument")) {
    result.arguments.push_back(table.location());
    backend.arguments.push_back(read_argument(table, names, {folder, false, false, {}}));
    read_tolerance(table, backend, backend.arguments.back());
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
