#include "evaluator/cuda/driver/nvrtc.h"

#include <dlfcn.h>

#include <filesystem>
#include <memory>
#include <stdexcept>

#include "evaluator/cuda/driver/open_library.h"

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
#undef NIGHTSHIFT_LOAD
  return n;
}

std::vector<std::string> candidates() {
  if (const std::string given = environment("NIGHTSHIFT_NVRTC"); !given.empty()) return {given};
  std::vector<std::string> paths = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  for (const std::string& root : toolkit_roots()) paths.push_back(root + "/lib64/libnvrtc.so");
  return paths;
}

Nvrtc open_nvrtc() {
  std::string why;
  void* handle = open_library(candidates(), why);
  if (handle == nullptr) {
    throw std::runtime_error("NVRTC, the run-time compiler of CUDA, cannot be opened (" + why +
                             "): install the CUDA toolkit, or let NIGHTSHIFT_NVRTC name libnvrtc");
  }
  return functions_of(handle);
}

void require(Nvrtc::Result result, const char* call) {
  if (result == 0) return;
  throw std::runtime_error(std::string(call) + ": " + nvrtc().nvrtcGetErrorString(result));
}

struct ProgramDeleter {
  void operator()(Nvrtc::Program program) const { nvrtc().nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<NvrtcProgramTag, ProgramDeleter>;

std::string log_of(const Program& program) {
  std::size_t bytes = 0;
  require(nvrtc().nvrtcGetProgramLogSize(program.get(), &bytes), "nvrtcGetProgramLogSize");
  std::string log(bytes, '\0');
  if (bytes > 0)
    require(nvrtc().nvrtcGetProgramLog(program.get(), log.data()), "nvrtcGetProgramLog");
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log;
}

bool is_expression(const std::string& function) {
  return function.find('<') != std::string::npos || function.find("::") != std::string::npos;
}

std::string lowered(const Program& program, const std::string& function) {
  if (!is_expression(function)) return function;
  const char* name = nullptr;
  require(nvrtc().nvrtcGetLoweredName(program.get(), function.c_str(), &name),
          "nvrtcGetLoweredName");
  return name;
}

}  // namespace

const Nvrtc& nvrtc() {
  static const Nvrtc opened = open_nvrtc();
  return opened;
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  require(nvrtc().nvrtcVersion(&major, &minor), "nvrtcVersion");
  return std::to_string(major) + "." + std::to_string(minor);
}

std::vector<std::string> toolkit_roots() {
  std::vector<std::string> roots = {environment("CUDA_HOME"), environment("CUDA_PATH"),
                                    "/usr/local/cuda"};
  std::erase(roots, "");
  return roots;
}

std::vector<std::string> toolkit_include_folders() {
  std::vector<std::string> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / "cuda_fp16.h", error)) {
      folders.push_back(folder.string());
      // Since CUDA 13 the C++ core libraries have a folder of their own.
      if (fs::is_directory(folder / "cccl", error)) folders.push_back((folder / "cccl").string());
    }
  };
  ::Dl_info where{};
  if (::dladdr(reinterpret_cast<const void*>(nvrtc().nvrtcVersion), &where) != 0 &&
      where.dli_fname != nullptr) {
    std::error_code error;
    const fs::path library = fs::canonical(where.dli_fname, error);
    if (!error) {
      add(library.parent_path().parent_path() / "include");
      // .../targets/x86_64-linux/lib, and the folders of distributions
      add(library.parent_path().parent_path().parent_path() / "include");
    }
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

CompiledKernels compile_with_nvrtc(const std::string& source, const std::string& file,
                                   const std::vector<std::string>& functions,
                                   const std::vector<std::string>& options) {
  const Nvrtc& n = nvrtc();
  Nvrtc::Program raw = nullptr;
  require(n.nvrtcCreateProgram(&raw, source.c_str(), file.c_str(), 0, nullptr, nullptr),
          "nvrtcCreateProgram");
  const Program program(raw);
  for (const std::string& function : functions) {
    if (!is_expression(function)) continue;
    require(n.nvrtcAddNameExpression(program.get(), function.c_str()), "nvrtcAddNameExpression");
  }
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  const auto result =
      n.nvrtcCompileProgram(program.get(), static_cast<int>(pointers.size()), pointers.data());
  if (result != 0) {
    const std::string log = log_of(program);
    throw std::runtime_error(log.empty() ? n.nvrtcGetErrorString(result) : log);
  }
  CompiledKernels kernels;
  std::size_t bytes = 0;
  require(n.nvrtcGetCUBINSize(program.get(), &bytes), "nvrtcGetCUBINSize");
  kernels.cubin.resize(bytes);
  if (bytes > 0) require(n.nvrtcGetCUBIN(program.get(), kernels.cubin.data()), "nvrtcGetCUBIN");
  for (const std::string& function : functions) kernels.names.push_back(lowered(program, function));
  return kernels;
}

}  // namespace nightshift::evaluator::cuda
