#include "evaluator/host/kernel_library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <exception>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

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

using Setting = std::function<std::int64_t()>;

// What libraries say of their threads to whoever asks.
std::int64_t scheduled(void* getter) {
  int kind = 0, chunk = 0;
  reinterpret_cast<void (*)(int*, int*)>(getter)(&kind, &chunk);
  return (static_cast<std::int64_t>(kind) << 32) + chunk;
}

constexpr std::array<const char*, 7> kGetters = {"omp_get_max_threads",       "omp_get_dynamic",
                                                 "omp_get_max_active_levels", "omp_get_schedule",
                                                 "openblas_get_num_threads",  "MKL_Get_Max_Threads",
                                                 "bli_thread_get_num_threads"};

struct Known {
  Setting now;
  std::int64_t first = 0;
};

// Of all that came in so far, by the address of what tells it.
std::map<void*, Known>& known_settings() {
  static std::map<void*, Known> known;
  return known;
}

// What the artifact itself defines goes with it.
bool stays(void* function, const std::string& path) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 && info.dli_fname != nullptr && path != info.dli_fname;
}

void note_settings(void* library, const std::string& path) {
  for (const char* name : kGetters) {
    void* const getter = ::dlsym(library, name);
    if (getter == nullptr || known_settings().contains(getter) || !stays(getter, path)) continue;
    Setting now = [getter] { return std::int64_t{reinterpret_cast<int (*)()>(getter)()}; };
    if (std::string_view(name) == "omp_get_schedule") now = [getter] { return scheduled(getter); };
    const std::int64_t first = now();
    known_settings().emplace(getter, Known{std::move(now), first});
  }
}

}  // namespace

bool runtimes_have_changed() {
  return std::ranges::any_of(
      known_settings(), [](const auto& entry) { return entry.second.now() != entry.second.first; });
}

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
  note_settings(handle_, path);
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
