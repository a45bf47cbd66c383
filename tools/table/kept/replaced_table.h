#pragma once

#include <string>

#include "tools/table/formats/table_document.h"

namespace nightshift::tools {

// A file that is there goes aside, as PATH.1, PATH.2 ..., and is never thrown away: the name that it
// has then, empty where there was none. Throws UsageError where it cannot be put aside.
std::string put_aside(const std::string& path);

// Of a table that was made anew: one at `file` that has other rows, or cannot be read, goes aside. A
// sentence that says so and which rows are others now; empty where there was none, or all are as they
// were.
std::string put_aside_replaced(const std::string& file, const TableDocument& now);

}  // namespace nightshift::tools
