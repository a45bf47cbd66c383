#include "evaluator/cuda/driver/nvrtc.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "evaluator/cuda/driver/open_library.h"
#include "evaluator/cuda/driver/toolkits.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "NVRTC";

Nvrtc functions_of(void* handle) {
  Nvrtc n{};
#define NIGHTSHIFT_LOAD(name) load(n.name, handle, #name, kLibrary)
  NIGHTSHIFT_LOAD(nvrtcVersion);
  NIGHTSHIFT_LOAD(nvrtcGetErrorString);
  NIGHTSHIFT_LOAD(nvrtcCreateProgram);
  NIGHTSHIFT_LOAD(nvrtcDestroyProgram);
  NIGHTSHIFT_LOAD(nvrtcAddNameExpression);
  NIGHTSHIFT_LOAD(nvrtcCompileProgram);
  NIGHTSHIFT_LOAD(nvrtcGetProgramLogSize);
  NIGHTSHIFT_LOAD(nvrtcGetProgramLog);
  NIGHTSHIFT_LOAD(nvrtcGetLoweredName);
  NIGHTSHIFT_LOAD(nvrtcGetCUBINSize);
  NIGHTSHIFT_LOAD(nvrtcGetCUBIN);
  NIGHTSHIFT_LOAD(nvrtcGetPTXSize);
  NIGHTSHIFT_LOAD(nvrtcGetPTX);
#undef NIGHTSHIFT_LOAD
  return n;
}

// Compilers by the word that asks for them. What was opened is never closed.
class Opened {
 public:
  const Nvrtc& by_word(const std::string& word) {
    const auto known = by_word_.find(word);
    if (known != by_word_.end()) return known->second;
    return by_word_.emplace(word, open(word)).first->second;
  }

 private:
  static Nvrtc open(const std::string& word) {
    if (word.empty()) return open_first(nvrtc_candidates(), "let NIGHTSHIFT_NVRTC name libnvrtc");
    if (word.find('/') != std::string::npos) return open_first({word}, "name another file");
    return open_version(word);
  }

  static Nvrtc open_first(const std::vector<std::string>& names, const std::string& advice) {
    std::string why;
    void* handle = open_library(names, why);
    if (handle == nullptr) {
      throw std::runtime_error("NVRTC, the run-time compiler of CUDA, cannot be opened (" + why +
                               "): install the CUDA toolkit, or " + advice);
    }
    return functions_of(handle);
  }

  static Nvrtc open_version(const std::string& version) {
    std::string others;
    for (const FoundNvrtc& found : found_nvrtcs()) {
      if (is_version(found.version, version)) return open_first({found.path}, "");
      others += (others.empty() ? "" : ", ") + found.version + " (" + found.path + ")";
    }
    throw std::runtime_error("there is no NVRTC " + version +
                             (others.empty() ? ", nor another one" : "; found: " + others));
  }

  std::map<std::string, Nvrtc> by_word_;
};

void require(const Nvrtc& n, Nvrtc::Result result, const char* call) {
  if (result == 0) return;
  throw std::runtime_error(std::string(call) + ": " + n.nvrtcGetErrorString(result));
}

std::string version_of(const Nvrtc& n) {
  int major = 0;
  int minor = 0;
  require(n, n.nvrtcVersion(&major, &minor), "nvrtcVersion");
  return std::to_string(major) + "." + std::to_string(minor);
}

// The file that it was opened from, without links; empty where that is not known.
fs::path file_of(const Nvrtc& n) {
  ::Dl_info where{};
  const auto* address = reinterpret_cast<const void*>(n.nvrtcVersion);
  if (::dladdr(address, &where) == 0 || where.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path file = fs::canonical(where.dli_fname, error);
  return error ? fs::path() : file;
}

struct ProgramDeleter {
  const Nvrtc* compiler;
  void operator()(Nvrtc::Program program) const { compiler->nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<NvrtcProgramTag, ProgramDeleter>;

std::string log_of(const Nvrtc& n, const Program& program) {
  std::size_t bytes = 0;
  require(n, n.nvrtcGetProgramLogSize(program.get(), &bytes), "nvrtcGetProgramLogSize");
  std::string log(bytes, '\0');
  if (bytes > 0) require(n, n.nvrtcGetProgramLog(program.get(), log.data()), "nvrtcGetProgramLog");
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

}  // namespace

const Nvrtc& nvrtc(const std::string& word) {
  static Opened opened;
  return opened.by_word(word);
}

std::string nvrtc_version(const std::string& word) { return version_of(nvrtc(word)); }

std::string nvrtc_identity(const std::string& word) {
  const Nvrtc& n = nvrtc(word);
  const fs::path file = file_of(n);
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  const auto written = fs::last_write_time(file, error).time_since_epoch().count();
  return "nvrtc " + version_of(n) + " " + file.filename().string() + " " + std::to_string(bytes) +
         " " + std::to_string(written);
}

std::vector<FoundNvrtc> found_nvrtcs() {
  std::vector<FoundNvrtc> found;
  std::vector<fs::path> known;
  for (const std::string& name : nvrtc_candidates()) {
    std::string ignored;
    void* handle = open_library({name}, ignored);
    if (handle == nullptr) continue;
    try {
      const Nvrtc n = functions_of(handle);
      const fs::path file = file_of(n);
      if (file.empty() || std::ranges::find(known, file) != known.end()) continue;
      known.push_back(file);
      found.push_back({file.string(), version_of(n)});
    } catch (const std::runtime_error&) {
      // Another library of that name, or one that is too old.
    }
  }
  return found;
}

std::vector<std::string> toolkit_include_folders(const std::string& word) {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / "cuda_fp16.h", error)) {
      folders.push_back(folder.string());
      // Since CUDA 13 the C++ core libraries have a folder of their own.
      if (fs::is_directory(folder / "cccl", error)) folders.push_back((folder / "cccl").string());
    }
  };
  if (const fs::path library = file_of(nvrtc(word)); !library.empty()) {
    const fs::path above = library.parent_path().parent_path();
    add(above / "include");
    // .../targets/x86_64-linux/lib, and the folders of distributions
    add(above.parent_path() / "include");
    add(above.parent_path() / "cuda_runtime" / "include");  // of Python's packages
  }
  if (folders.empty()) {
    std::vector<std::string> roots = toolkit_roots();
    roots.emplace_back("/usr");
    for (const std::string& root : roots) {
      if (folders.empty()) add(fs::path(root) / "include");
    }
  }
  return folders;
}

namespace {

Program compiled_program(const Nvrtc& n, const NvrtcProgram& asked) {
  std::vector<const char*> names, texts, options;
  for (const auto& [name, text] : asked.headers) {
    names.push_back(name.c_str());
    texts.push_back(text.c_str());
  }
  Nvrtc::Program raw = nullptr;
  require(n,
          n.nvrtcCreateProgram(&raw, asked.text.c_str(), asked.file.c_str(),
                               static_cast<int>(names.size()), texts.data(), names.data()),
          "nvrtcCreateProgram");
  Program program(raw, ProgramDeleter{&n});
  for (const std::string& expression : asked.expressions) {
    require(n, n.nvrtcAddNameExpression(program.get(), expression.c_str()),
            "nvrtcAddNameExpression");
  }
  for (const std::string& option : asked.options) options.push_back(option.c_str());
  const auto result =
      n.nvrtcCompileProgram(program.get(), static_cast<int>(options.size()), options.data());
  if (result != 0) {
    const std::string log = log_of(n, program);
    throw std::runtime_error(log.empty() ? n.nvrtcGetErrorString(result) : log);
  }
  return program;
}

}  // namespace

CompiledKernels compile_with_nvrtc(const NvrtcProgram& asked) {
  const Nvrtc& n = nvrtc(asked.word);
  const Program program = compiled_program(n, asked);
  CompiledKernels kernels;
  std::size_t bytes = 0;
  require(n, n.nvrtcGetCUBINSize(program.get(), &bytes), "nvrtcGetCUBINSize");
  kernels.cubin.resize(bytes);
  if (bytes > 0) require(n, n.nvrtcGetCUBIN(program.get(), kernels.cubin.data()), "nvrtcGetCUBIN");
  for (const std::string& expression : asked.expressions) {
    const char* name = nullptr;
    require(n, n.nvrtcGetLoweredName(program.get(), expression.c_str(), &name),
            "nvrtcGetLoweredName");
    kernels.names[expression] = name;
  }
  kernels.log = log_of(n, program);
  return kernels;
}

std::string ptx_of_nvrtc(const NvrtcProgram& asked) {
  const Nvrtc& n = nvrtc(asked.word);
  const Program program = compiled_program(n, asked);
  std::size_t bytes = 0;
  require(n, n.nvrtcGetPTXSize(program.get(), &bytes), "nvrtcGetPTXSize");
  std::string ptx(bytes, '\0');
  if (bytes > 0) require(n, n.nvrtcGetPTX(program.get(), ptx.data()), "nvrtcGetPTX");
  ptx.resize(std::min(ptx.find('\0'), ptx.size()));  // it ends with one
  return ptx;
}

}  // namespace nightshift::evaluator::cuda
