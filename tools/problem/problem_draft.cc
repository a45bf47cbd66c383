#include "tools/problem/problem_draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/file_text.h"
#include "problems/cuda_source/cuda_types.h"
#include "search/element_type.h"
#include "tools/usage_error.h"

namespace nightshift::tools {
namespace {

using problems::CudaKernel;
using problems::CudaParameter;

constexpr const char* kFill = "\"FILL\"";
constexpr std::size_t kColumn = 27;  // of remarks

std::string with_remark(std::string line, const std::string& remark) {
  if (remark.empty()) return line + "\n";
  if (line.size() < kColumn) line.append(kColumn - line.size(), ' ');
  return line + "  # " + remark + "\n";
}

bool is_type(const CudaParameter& parameter) {
  return parameter.type.starts_with("typename") || parameter.type.starts_with("class");
}

// Parameters of a template that have whole numbers or truths for values.
std::vector<std::string> values_of(const CudaKernel& function) {
  std::vector<std::string> names;
  for (const CudaParameter& parameter : function.template_parameters) {
    if (!is_type(parameter) && !parameter.name.empty()) names.push_back(parameter.name);
  }
  return names;
}

// "gemm<float, BM>"
std::string instance_of(const CudaKernel& function) {
  std::string arguments;
  for (const CudaParameter& parameter : function.template_parameters) {
    const std::string value = is_type(parameter) ? "float" : parameter.name;
    arguments += (arguments.empty() ? "" : ", ") + (value.empty() ? "FILL" : value);
  }
  return function.name + (arguments.empty() ? "" : "<" + arguments + ">");
}

bool is_whole(const problems::PlainType& type) {
  return !type.pointer && !search::row_of(type.type).floating;
}

bool has_word(const std::string& words, std::string_view word) {
  return (" " + words + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

// Whether the function writes what it finds out: what it returns is not looked at.
bool has_answer(const DraftSource& source, const CudaKernel& function) {
  if (source.kind == DraftKind::kCuda || has_word(function.returns, "auto")) return true;
  if (function.returns.ends_with("void")) return true;
  const problems::TypeNames names =
      problems::type_names(source.scan, function, instance_of(function));
  return std::ranges::any_of(function.parameters, [&](const CudaParameter& parameter) {
    const auto type = problems::plain_type(parameter.type, names);
    const bool is_pointer = type ? type->pointer : parameter.type.find('*') != std::string::npos;
    return is_pointer && (!type || !type->is_const);
  });
}

// A helper of the source's own is none that a problem is made for, unless it is named.
const CudaKernel* first_function(const DraftSource& source) {
  const std::vector<CudaKernel>& functions = source.functions();
  const auto found = std::ranges::find_if(functions, [&](const CudaKernel& function) {
    const bool is_helper =
        source.kind == DraftKind::kHost &&
        (has_word(function.returns, "static") || has_word(function.returns, "inline"));
    return !is_helper && has_answer(source, function);
  });
  if (found != functions.end()) return &*found;
  return functions.empty() ? nullptr : &functions.front();
}

const CudaKernel* function_called(const DraftSource& source, const std::string& name) {
  const auto found = std::ranges::find_if(source.functions(), [&](const CudaKernel& function) {
    return function.name == name || function.name.ends_with("::" + name);
  });
  return found == source.functions().end() ? nullptr : &*found;
}

class Draft {
 public:
  Draft(const DraftSource& source, const CudaKernel& function)
      : source_(source),
        function_(function),
        instance_(instance_of(function)),
        names_(problems::type_names(source.scan, function, instance_)),
        cuda_(source.kind == DraftKind::kCuda),
        table_(cuda_ ? "cuda" : "host") {}

  std::string text() const {
    std::string text = head() + backend();
    for (const CudaParameter& parameter : function_.parameters) text += argument(parameter);
    return text + launch() + parameters();
  }

 private:
  std::string head() const {
    std::string text =
        "# A problem to begin with. Put what is right in place of each \"FILL\"; `nightshift "
        "check` says "
        "what is left.\n";
    std::string others;
    for (const CudaKernel& other : source_.functions()) {
      if (&other != &function_) others += (others.empty() ? "" : ", ") + other.name;
    }
    if (!others.empty()) text += "# --function takes another one: " + others + "\n";
    const std::size_t colons = function_.name.rfind(':');
    const std::string name =
        colons == std::string::npos ? function_.name : function_.name.substr(colons + 1);
    return text + "name = \"" + name + "\"\n\n";
  }

  std::string backend() const {
    const std::string file = std::filesystem::path(source_.file).filename().string();
    std::string text = "[" + table_ + "]\n";
    if (cuda_) {
      text += "source = \"" + file + "\"\n";
    } else {
      text += "kernel = { file = \"" + file + "\", function = \"" + instance_ +
              "\", flags = [\"-O2\"] }\n";
    }
    text += with_remark("names = \"none\"", "sizes and parameters are template arguments at most");
    return text + definitions() + sizes();
  }

  // Constants of the source's own that could be parameters.
  std::string definitions() const {
    if (!cuda_) return "";
    std::string found;
    for (const problems::CudaDefinition& one : source_.scan.definitions) {
      const std::string& text = one.value;
      const bool whole =
          !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
      if (whole && found.find(one.name + " = ") == std::string::npos) {
        found += (found.empty() ? "" : ", ") + one.name + " = " + text;
      }
    }
    if (found.empty()) return "";
    return "# names = \"definitions\" also tunes what the source defines: " + found + "\n";
  }

  std::string sizes() const {
    std::string text;
    for (const CudaParameter& parameter : function_.parameters) {
      const auto type = problems::plain_type(parameter.type, names_);
      if (!type || !is_whole(*type) || parameter.name.empty()) continue;
      text += (text.empty() ? "" : ", ") + parameter.name + " = " + kFill;
    }
    if (text.empty()) text = std::string("N = ") + kFill;
    return "sizes = { " + text + " }\n";
  }

  std::string argument(const CudaParameter& parameter) const {
    const auto type = problems::plain_type(parameter.type, names_);
    std::string text = "\n[[" + table_ + ".argument]]\n";
    text += with_remark("name = \"" + (parameter.name.empty() ? "FILL" : parameter.name) + "\"",
                        parameter.type + (parameter.extents > 1 ? ", of all rows" : ""));
    if (!type) {
      text +=
          with_remark(std::string("type = ") + kFill, "of its elements; the source's is not plain");
    } else if (!cuda_) {
      text += "type = \"" + std::string(search::name_of(type->type)) + "\"\n";
    }
    const bool pointer = type ? type->pointer : parameter.type.find('*') != std::string::npos;
    if (pointer) {
      text += with_remark(std::string("size = ") + kFill, "elements, an expression over sizes");
      const bool in = type && type->is_const;
      text += in ? "access = \"in\"\n"
                 : with_remark(std::string("access = ") + kFill,
                               cuda_ ? "in, out, inout or work" : "in, out or inout");
    } else if (type && is_whole(*type)) {
      text += "value = \"" + parameter.name + "\"\n";
    } else {
      text += with_remark(std::string("value = ") + kFill, "a number");
    }
    return text;
  }

  std::string launch() const {
    if (!cuda_) return "";
    return "\n[[cuda.launch]]\nkernel = \"" + instance_ + "\"\n" +
           with_remark(std::string("grid = ") + kFill,
                       "blocks: an expression such as \"ceil(N / THREADS)\", or up to three") +
           "block = \"THREADS\"\n" +
           (source_.scan.dynamic_shared_line > 0
                ? with_remark(std::string("shared_bytes = ") + kFill,
                              fmt::format("bytes of extern __shared__, line {}; \"0\" of a kernel "
                                          "without it",
                                          source_.scan.dynamic_shared_line))
                : with_remark("# shared_bytes = 0", "dynamic shared memory of a block"));
  }

  std::string parameters() const {
    std::string text = "\n[parameters]\n";
    if (cuda_) text += "THREADS = [64, 128, 256, 512, 1024]\n";
    for (const std::string& name : values_of(function_)) {
      text += with_remark(name + " = " + kFill, "a list of values, the baseline's first");
    }
    if (!cuda_) {
      text += "ISA = { values = [\"x86-64\", \"native\"], flag = \"-march={}\" }\n";
      text += "LEVEL = { values = [\"-O2\", \"-O3\"], flag = \"{}\" }\n";
    }
    return text;
  }

  const DraftSource& source_;
  const CudaKernel& function_;
  const std::string instance_;
  const problems::TypeNames names_;
  const bool cuda_;
  const std::string table_;
};

}  // namespace

std::optional<DraftKind> draft_kind(const std::string& file) {
  constexpr std::array<std::string_view, 2> kCuda = {".cu", ".cuh"};
  constexpr std::array<std::string_view, 4> kHost = {".cc", ".cpp", ".cxx", ".c"};
  const std::string extension = std::filesystem::path(file).extension().string();
  if (std::ranges::find(kCuda, extension) != kCuda.end()) return DraftKind::kCuda;
  if (std::ranges::find(kHost, extension) != kHost.end()) return DraftKind::kHost;
  return std::nullopt;
}

DraftSource read_draft_source(const std::string& file, DraftKind kind) {
  try {
    return {file, kind, problems::scan_cuda_source(base::read_whole_file(file))};
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

std::string problem_draft(const DraftSource& source, const std::string& name) {
  const CudaKernel* found = name.empty() ? first_function(source) : function_called(source, name);
  if (found == nullptr) {
    throw UsageError(source.file + " has no function " + (name.empty() ? "to tune" : name) + "\n" +
                     functions_text(source));
  }
  if (!has_answer(source, *found)) {
    throw UsageError(source.file + ":" + std::to_string(found->line) + " returns the answer of " +
                     found->name +
                     ", which is not looked at: tune a function that writes it, void " +
                     found->name + "_out(..., " + found->returns + "* answer)");
  }
  return Draft(source, *found).text();
}

std::string functions_text(const DraftSource& source) {
  const bool cuda = source.kind == DraftKind::kCuda;
  const std::size_t count = source.functions().size();
  std::string text = fmt::format("{}: {} {}{}\n", source.file, count, cuda ? "kernel" : "function",
                                 count == 1 ? "" : "s");
  for (const CudaKernel& function : source.functions()) {
    text += fmt::format("  {:>5}  {}\n", function.line, signature_of(function));
  }
  if (!source.scan.unread.empty()) text += "not read from " + source.scan.unread + "\n";
  return text;
}

}  // namespace nightshift::tools
