#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "evaluator/cuda/launch/artifact_pack.h"

// What a builder left: any bytes are an artifact that packs to the same again, or an error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nightshift::evaluator::cuda;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (hash_of_code(bytes).size() != 32) std::abort();
  try {
    const ArtifactPack artifact = unpack(bytes);
    if (pack(unpack(pack(artifact))) != pack(artifact)) std::abort();
  } catch (const std::runtime_error&) {
  }
  return 0;
}
