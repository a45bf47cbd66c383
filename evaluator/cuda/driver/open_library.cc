#include "evaluator/cuda/driver/open_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace nightshift::evaluator::cuda {

void* open_library(const std::vector<std::string>& names, std::string& why) {
  why.clear();
  for (const std::string& name : names) {
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
    const char* words = ::dlerror();
    why += (why.empty() ? "" : "; ") + (words == nullptr ? name : std::string(words));
  }
  return nullptr;
}

void* find_symbol(void* handle, const char* name) { return ::dlsym(handle, name); }

void* symbol_of(void* handle, const char* name, const char* library) {
  void* symbol = find_symbol(handle, name);
  if (symbol == nullptr) {
    throw std::runtime_error(std::string(library) + " has no " + name +
                             ": it is too old, CUDA 12.0 or later is needed");
  }
  return symbol;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace nightshift::evaluator::cuda
