#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nightshift::evaluator::cuda {

// Opens the first of `names` that can be opened, and keeps it until the process ends: none of these
// libraries bears being unloaded. Returns nullptr, and in `why` what each attempt said.
void* open_library(const std::vector<std::string>& names, std::string& why);
// Symbol `name` of an opened library; nullptr where it has none.
void* find_symbol(void* handle, const char* name);
// Symbol `name` of an opened library, or throws std::runtime_error: `library` is too old.
void* symbol_of(void* handle, const char* name, const char* library);
// The value of an environment variable; empty where it is not set.
std::string environment(const char* name);

// Fills one member of a table of functions with the exported symbol of that name.
template <class Function>
void load(Function*& member, void* handle, const char* name, const char* library) {
  member = reinterpret_cast<Function*>(symbol_of(handle, name, library));
}

// The same where the library may be without: the member is then nullptr.
template <class Function>
void find(void* handle, const char* name, Function*& member) {
  member = reinterpret_cast<Function*>(find_symbol(handle, name));
}

}  // namespace nightshift::evaluator::cuda
