#include "evaluator/host/kernel_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cfenv>
#include <exception>
#include <set>
#include <stdexcept>

#include "evaluator/host/build/host_wrapper.h"

namespace nightshift::evaluator {
namespace {

std::string loader_error() {
  const char* words = ::dlerror();
  std::string text = words == nullptr ? "unknown error of the loader" : words;
  if (text.find("cannot open shared object file") != std::string::npos) {
    text += "; the flag -Wl,-rpath,FOLDER says where it is, with the whole path of its folder";
  }
  return text;
}

std::set<std::string> loaded_libraries() {
  std::set<std::string> names;
  ::dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* into) {
        static_cast<std::set<std::string>*>(into)->insert(library->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

// Whatever came in with `path` stays for good.
void keep_dependencies(const std::set<std::string>& before, const std::string& path) {
  for (const std::string& name : loaded_libraries()) {
    if (before.count(name) != 0 || name.empty() || name == path) continue;
    if (void* handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) {
      ::dlclose(handle);
    }
  }
}

}  // namespace

KernelLibrary::KernelLibrary(const std::string& path) {
  const std::set<std::string> before = loaded_libraries();
  // With -ffast-math GCC before 13 links code into shared objects that turns denormals off for the
  // whole process when it is loaded; the trials that come later must not suffer from it.
  std::fenv_t floating_point;
  std::fegetenv(&floating_point);
  handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::fesetenv(&floating_point);
  if (handle_ == nullptr) throw std::runtime_error("cannot load the artifact: " + loader_error());
  keep_dependencies(before, path);
  entry_ = reinterpret_cast<void (*)(void**)>(::dlsym(handle_, kEntrySymbol));
  if (entry_ == nullptr) {
    const std::string words = "the artifact is none of ours: " + loader_error();
    ::dlclose(handle_);
    throw std::runtime_error(words);
  }
}

KernelLibrary::~KernelLibrary() { ::dlclose(handle_); }

void KernelLibrary::call(void** arguments, std::uint64_t repetitions) const {
  std::string words;
  try {
    for (std::uint64_t i = 0; i < repetitions; ++i) entry_(arguments);
    return;
  } catch (const std::exception& e) {
    words = std::string("the kernel threw an exception: ") + e.what();
  } catch (...) {
    words = "the kernel threw something that is no std::exception";
  }
  throw std::runtime_error(words);
}

}  // namespace nightshift::evaluator
