#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "packaging/include/nightshift/kernel_file_reader.h"

// What a loader of kernels is given: all that it hands out is within the file, or there is an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift;
  try {
    const auto file =
        KernelFileReader::parse(std::string(reinterpret_cast<const char*>(data), size));
    const char* const end = file->bytes.data() + file->bytes.size();
    for (const std::string_view code : file->codes) {
      if (code.empty() || code.data() < file->bytes.data() || code.data() + code.size() > end) {
        std::abort();
      }
    }
    KernelNumbers numbers{{"SM_COUNT", 132}};
    for (const std::string& name : file->sizes) numbers[name] = 4096;
    const KernelVariant& chosen = file->variants.at(file->choose(numbers));
    if (file->codes.at(chosen.code).empty()) std::abort();
    for (const KernelLaunch& launch : chosen.launches) {
      for (const std::string& program : launch.grid) (void)SizeProgram::run(program, numbers);
    }
  } catch (const KernelError&) {
  }
  return 0;
}
