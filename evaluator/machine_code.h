#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ipc/messages.h"

namespace nightshift::evaluator {

// What a disassembler says of one object file: of a host kernel, or of CUDA kernels in one case of
// their sizes.
struct Disassembly {
  std::string name;       // "kernel.so"; of CUDA the sizes, "M=1024 N=1024"
  std::string code;       // what objdump or cuobjdump prints, or the PTX
  std::string resources;  // of CUDA: what cuobjdump prints of registers and memory
  std::uint64_t bytes = 0;
};

struct MachineCode {
  std::string hash;       // of the artifact as it is built today
  std::string complaint;  // why it cannot be built; empty = it is
  std::string untold;     // why it cannot be shown though it is built: no disassembler
  std::vector<Disassembly> parts;
};

// What is shown of CUDA kernels; host kernels have their assembly.
enum class CodeForm : std::uint8_t { kMachine, kPtx };

// Builds a configuration of a host or CUDA problem in this process, as a builder would, and has it
// disassembled: by objdump, with the names of local functions, which the artifact itself has not;
// or by cuobjdump, which CUDA toolkits have (PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda). Machine
// code of CUDA kernels that is in the cache of builds is taken from there. Both folders of
// `setting` exist. Throws std::runtime_error for a problem of another kind, and where the machine
// is at fault. PTX is compiled anew, and what is taken of registers is told of machine code alone.
MachineCode machine_code(const ipc::ConfigureRequest& setting,
                         const search::Configuration& configuration,
                         CodeForm form = CodeForm::kMachine);

// Builds the baseline of a host problem in this process, as a builder would, and before it the
// reference where there is one. What cannot be built, "the reference" or "the baseline", and the
// compiler's words; both empty where all is. Both folders of `setting` exist.
struct FirstBuild {
  std::string failed, words;
  std::string threads = {};  // what the baseline starts threads by (host/kernel_threads.h)
};
FirstBuild first_build(const ipc::ConfigureRequest& setting);

}  // namespace nightshift::evaluator
