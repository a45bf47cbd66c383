#include "tools/table/table_formats.h"

#include <array>
#include <nlohmann/json.hpp>

#include "tools/text/page.h"

namespace nightshift::tools {
namespace {

constexpr std::array kFormats = {
    TableFormat{"json", "all of it",
                [](const TableDocument& d) { return json_text(table_json(d)); }},
    TableFormat{"header", "a C++20 header with choose(M, N, ...)", table_header},
    TableFormat{"python", "a module with choose(M, N, ...)", table_python},
    TableFormat{"wisdom", "rows as Kernel Launcher keeps them", table_wisdom},
    TableFormat{"cubin", "CUDA kernels, compiled, for programs that launch them", nullptr}};

}  // namespace

std::span<const TableFormat> table_formats() { return kFormats; }

}  // namespace nightshift::tools
