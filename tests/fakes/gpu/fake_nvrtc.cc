// libfakenvrtc.so: NVRTC whose machine is the CPU. A program is preprocessed by the system's C++
// compiler with fake_device.h before it, a function that calls it is appended for each kernel, and
// the whole is compiled to a shared library, whose bytes are the "cubin".
//
// It is version 12.8, and libfakenvrtc129.so 12.9; sources see __CUDACC_VER_MAJOR__ and _MINOR__.
//
// Of the options, -D, -I, -std and the architecture (as __CUDA_ARCH__) count; others are ignored.
// The compiler is FAKE_GPU_COMPILER, else c++. Equal programs give equal bytes.

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "evaluator/cuda/driver/nvrtc.h"
#include "tests/fakes/gpu/kernel_scan.h"
#include "tests/fakes/gpu/together.h"

extern "C" char** environ;

namespace nightshift::evaluator::cuda {

struct NvrtcProgramTag {
  std::string source, name;
  std::vector<std::pair<std::string, std::string>> headers;  // name, text
  std::vector<std::string> expressions;
  std::map<std::string, std::string> lowered;  // of the expressions
  std::string log, cubin, ptx;
  bool compiled = false;
};

namespace {

namespace fs = std::filesystem;
using Result = Nvrtc::Result;
using Program = Nvrtc::Program;

constexpr Result kSuccess = 0, kCreationFailure = 2, kInvalidInput = 3, kInvalidProgram = 4,
                 kInvalidOption = 5, kCompilation = 6, kNoNamesAfter = 8, kNoNamesBefore = 9,
                 kNameNotValid = 10;

// A new folder in TMPDIR that goes away with everything in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    const char* parent = std::getenv("TMPDIR");
    std::string path = std::string(parent != nullptr ? parent : "/tmp") + "/fake-nvrtc-XXXXXX";
    if (::mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  explicit operator bool() const { return !path_.empty(); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::string& file, const std::string& text) {
  fs::create_directories(fs::path(file).parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

// True when the program ended well; what it says to standard error is added to `log_file`.
bool run(std::vector<std::string> words, const std::string& log_file) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    std::ofstream(log_file, std::ios::app) << argv[0] << ": " << std::strerror(error) << '\n';
    return false;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Options {
  std::vector<std::string> include_folders;
  // As lines of a file that follows fake_device.h, whose own names they must not replace.
  std::string macros;
  std::string standard = "-std=c++20";
  std::string architecture = "520";  // of __CUDA_ARCH__, as NVRTC without an option
};

// "90" of "compute_90", "sm_90a", ...
std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') digits += c;
  }
  return digits;
}

void read_option(std::string_view option, Options& options) {
  const auto value_after = [&](std::string_view prefix) -> const char* {
    return option.starts_with(prefix) ? option.data() + prefix.size() : nullptr;
  };
  for (const std::string_view prefix : {"--define-macro=", "-D"}) {
    if (const char* value = value_after(prefix)) {
      const std::string_view macro = value;
      const std::size_t equals = macro.find('=');
      options.macros += "#define " + std::string(macro.substr(0, equals)) + " ";
      options.macros += equals == std::string_view::npos ? "1" : macro.substr(equals + 1);
      options.macros += '\n';
      return;
    }
  }
  for (const std::string_view prefix : {"--include-path=", "-I"}) {
    if (const char* value = value_after(prefix)) {
      options.include_folders.emplace_back(value);
      return;
    }
  }
  for (const std::string_view prefix : {"--std=", "-std="}) {
    if (const char* value = value_after(prefix)) options.standard = "-std=" + std::string(value);
  }
  for (const std::string_view prefix : {"--gpu-architecture=", "-arch="}) {
    if (const char* value = value_after(prefix)) options.architecture = digits_of(value) + "0";
  }
}

Options options_of(int count, const char* const* given) {
  Options options;
  for (int i = 0; i < count; ++i) {
    std::string option = given[i];
    // Both "-DN=1" and "-D N=1" in two options.
    if ((option == "-D" || option == "-I") && i + 1 < count) option += given[++i];
    read_option(option, options);
  }
  return options;
}

bool run_compiler(const char* language, const Options& options,
                  const std::vector<std::string>& arguments, const std::string& log_file) {
  const char* named = std::getenv("FAKE_GPU_COMPILER");
  // In the language of messages that every machine has.
  std::vector<std::string> words = {"env", "LC_ALL=C", named != nullptr ? named : "c++",
                                    "-x",  language,   options.standard};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(words, log_file);
}

std::string appended_for(const std::string& symbol, const std::string& expression, bool together) {
  return "extern \"C\" int fake_call_" + symbol +
         "(void** arguments, fake_gpu::Launch* launch) {\n  return fake_gpu::call<" +
         (together ? "true" : "false") + ">((" + expression +
         "), arguments, launch);\n}\nextern \"C\" int fake_sizes_" + symbol +
         "(unsigned long* bytes) { return fake_gpu::sizes((" + expression + "), bytes); }\n";
}

// As a compiler's for a machine that only multiplies: one product for each '*' of the program's.
std::string ptx_of(const std::vector<fake_gpu::Kernel>& kernels, const std::string& text) {
  std::string ptx = "// made by the fake\n.version 8.8\n.target sm_90a\n";
  for (const fake_gpu::Kernel& kernel : kernels) {
    ptx += "\n.visible .entry " + kernel.symbol + "(\n.param .u64 " + kernel.symbol +
           "_param_0\n)\n{\n.reg .f32 %f<9>;\n";
    for (std::size_t at = text.find(" * "); at != std::string::npos;
         at = text.find(" * ", at + 1)) {
      ptx += "mul.rn.f32 \t%f1, %f2, %f3;\n";
    }
    ptx += "$L__BB0_1:\nret;\n}\n";
  }
  return ptx;
}

std::string calls_of(const std::vector<fake_gpu::Kernel>& kernels, bool together,
                     NvrtcProgramTag& program) {
  std::string calls = "\n# 1 \"name expressions\"\n";
  for (const fake_gpu::Kernel& kernel : kernels) {
    calls += appended_for(kernel.symbol, kernel.expression, together);
  }
  for (const std::string& expression : program.expressions) {
    const std::string plain = expression.substr(expression.find_first_not_of("& "));
    std::string symbol;
    for (const fake_gpu::Kernel& kernel : kernels) {
      if (kernel.expression == plain) symbol = kernel.symbol;
    }
    if (symbol.empty()) {
      symbol = "fake_named_" + std::to_string(program.lowered.size());
      calls += appended_for(symbol, plain, together);
    }
    program.lowered[expression] = symbol;
  }
  return calls;
}

// What an assembler would remark, as a source's own lines say: "//ptxas info    : (C7514) ...".
std::string remarks_of(const std::string& source) {
  constexpr std::string_view kMark = "//ptxas ";
  std::string remarks;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) remarks += line.substr(2) + "\n";
  }
  return remarks;
}

bool compile(NvrtcProgramTag& program, const Options& options, const ScratchFolder& folder) {
  const std::string log = folder.file("log");
  const std::string source = folder.file("source/" + fs::path(program.name).filename().string());
  write(source, "# 1 \"" + program.name + "\"\n" + program.source);
  for (const auto& [name, text] : program.headers) write(folder.file("headers/" + name), text);

  const std::string program_text = folder.file("program.ii"), library = folder.file("program.so");
  const std::string macros = folder.file("macros.h");
  write(macros, fake_gpu::kProgramBegins + ("\n" + options.macros));
  std::vector<std::string> preprocess = {
      "-E",
      "-w",
      "-D__CUDACC__=1",
      "-D__CUDACC_RTC__=1",
      "-D__CUDACC_VER_MAJOR__=12",
      "-D__CUDACC_VER_MINOR__=" + std::to_string(FAKE_NVRTC_MINOR),
      "-D__FAKE_GPU__=1",
      "-D__CUDA_ARCH__=" + options.architecture};
  for (const std::string& include :
       {std::string(FAKE_GPU_INCLUDE_FOLDER), folder.file("headers")}) {
    preprocess.insert(preprocess.end(), {"-I", include});
  }
  for (const std::string& include : options.include_folders) {
    preprocess.insert(preprocess.end(), {"-I", include});
  }
  preprocess.insert(preprocess.end(),
                    {"-include", "fake_device.h", "-include", macros, source, "-o", program_text});
  bool good = run_compiler("c++", options, preprocess, log);
  if (good) {
    std::string text = text_of(program_text);
    const std::vector<fake_gpu::Kernel> kernels = fake_gpu::take_kernels(text);
    program.ptx = ptx_of(kernels, text);
    const bool together = fake_gpu::write_threads(text);
    write(program_text, text + calls_of(kernels, together, program));
    // Without unique symbols, which would be shared by all programs and never be unloaded.
    good =
        run_compiler("c++-cpp-output", options,
                     {"-O1", "-w", "-fPIC", "-fno-gnu-unique", "-ffp-contract=off", "-shared", "-s",
                      "-Wl,-Bsymbolic", "-Wl,--build-id=none", "-o", library, program_text},
                     log);
  }
  program.log = text_of(log) + remarks_of(program.source);
  if (good) program.cubin = text_of(library);
  return good;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = FAKE_NVRTC_MINOR;
  return kSuccess;
}

const char* nvrtcGetErrorString(Result result) {
  switch (result) {
    case kSuccess:
      return "NVRTC_SUCCESS";
    case kCreationFailure:
      return "NVRTC_ERROR_PROGRAM_CREATION_FAILURE";
    case kInvalidInput:
      return "NVRTC_ERROR_INVALID_INPUT";
    case kInvalidProgram:
      return "NVRTC_ERROR_INVALID_PROGRAM";
    case kInvalidOption:
      return "NVRTC_ERROR_INVALID_OPTION";
    case kCompilation:
      return "NVRTC_ERROR_COMPILATION";
    case kNoNamesAfter:
      return "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION";
    case kNoNamesBefore:
      return "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
    case kNameNotValid:
      return "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID";
    default:
      return "NVRTC_ERROR unknown";
  }
}

Result nvrtcCreateProgram(Program* program, const char* source, const char* name, int header_count,
                          const char* const* headers, const char* const* header_names) {
  if (program == nullptr || source == nullptr) return kInvalidInput;
  *program = new NvrtcProgramTag;
  (*program)->source = source;
  (*program)->name = name != nullptr ? name : "default_program";
  for (int i = 0; i < header_count; ++i) {
    (*program)->headers.emplace_back(header_names[i], headers[i]);
  }
  return kSuccess;
}

Result nvrtcDestroyProgram(Program* program) {
  if (program == nullptr || *program == nullptr) return kInvalidProgram;
  delete *program;
  *program = nullptr;
  return kSuccess;
}

Result nvrtcAddNameExpression(Program program, const char* name) {
  if (program == nullptr) return kInvalidProgram;
  if (program->compiled) return kNoNamesAfter;
  program->expressions.emplace_back(name);
  return kSuccess;
}

Result nvrtcCompileProgram(Program program, int option_count, const char* const* options) {
  if (program == nullptr) return kInvalidProgram;
  const ScratchFolder folder;
  if (!folder) return kCreationFailure;
  program->compiled = true;
  return compile(*program, options_of(option_count, options), folder) ? kSuccess : kCompilation;
}

Result nvrtcGetProgramLogSize(Program program, std::size_t* bytes) {
  if (program == nullptr) return kInvalidProgram;
  *bytes = program->log.size() + 1;
  return kSuccess;
}

Result nvrtcGetProgramLog(Program program, char* log) {
  if (program == nullptr) return kInvalidProgram;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}

Result nvrtcGetLoweredName(Program program, const char* name, const char** lowered) {
  if (program == nullptr) return kInvalidProgram;
  if (!program->compiled) return kNoNamesBefore;
  const auto found = program->lowered.find(name);
  if (found == program->lowered.end()) return kNameNotValid;
  *lowered = found->second.c_str();
  return kSuccess;
}

Result nvrtcGetCUBINSize(Program program, std::size_t* bytes) {
  if (program == nullptr || program->cubin.empty()) return kInvalidProgram;
  *bytes = program->cubin.size();
  return kSuccess;
}

Result nvrtcGetCUBIN(Program program, char* cubin) {
  if (program == nullptr || program->cubin.empty()) return kInvalidProgram;
  std::memcpy(cubin, program->cubin.data(), program->cubin.size());
  return kSuccess;
}

Result nvrtcGetPTXSize(Program program, std::size_t* bytes) {
  if (program == nullptr || program->ptx.empty()) return kInvalidProgram;
  *bytes = program->ptx.size() + 1;
  return kSuccess;
}

Result nvrtcGetPTX(Program program, char* ptx) {
  if (program == nullptr || program->ptx.empty()) return kInvalidProgram;
  std::memcpy(ptx, program->ptx.c_str(), program->ptx.size() + 1);
  return kSuccess;
}

}  // extern "C"
#pragma GCC visibility pop

// Each function of the table is there, with its type.
[[maybe_unused]] const Nvrtc kExported{
    nvrtcVersion,
    nvrtcGetErrorString,
    nvrtcCreateProgram,
    nvrtcDestroyProgram,
    nvrtcAddNameExpression,
    nvrtcCompileProgram,
    nvrtcGetProgramLogSize,
    nvrtcGetProgramLog,
    nvrtcGetLoweredName,
    nvrtcGetCUBINSize,
    nvrtcGetCUBIN,
    nvrtcGetPTXSize,
    nvrtcGetPTX,
};

}  // namespace nightshift::evaluator::cuda
