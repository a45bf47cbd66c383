#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nightshift::evaluator::cuda {

// Opens the first of `names` that can be opened, and keeps it until the process ends: none of these
// libraries bears being unloaded. Returns nullptr, and in `why` what each attempt said.
void* open_library(const std::vector<std::string>& names, std::string& why);
// Symbol `name` of an opened library, or throws std::runtime_error: `library` is too old.
void* symbol_of(void* handle, const char* name, const char* library);
// The value of an environment variable; empty where it is not set.
std::string environment(const char* name);

// Fills one member of a table of functions with the exported symbol of that name.
template <class Function>
void load(Function*& member, void* handle, const char* name, const char* library) {
  member = reinterpret_cast<Function*>(symbol_of(handle, name, library));
}

}  // namespace nightshift::evaluator::cuda
