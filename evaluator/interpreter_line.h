#pragma once

#include <filesystem>
#include <string>

namespace nightshift::evaluator {

// Why a script cannot be started by its first line: "#!" and the interpreter, which is not there,
// has a carriage return behind it, or is missing although the file's name says another than sh,
// which would run it then. Empty for what is no script and where nothing is wrong.
std::string interpreter_complaint(const std::filesystem::path& script);

}  // namespace nightshift::evaluator
