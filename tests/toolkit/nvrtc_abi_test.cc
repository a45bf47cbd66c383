// Holds evaluator/cuda/driver/nvrtc.h against the toolkit's nvrtc.h.
#include <gtest/gtest.h>
#include <nvrtc.h>

#include "evaluator/cuda/driver/nvrtc.h"
#include "tests/toolkit/abi.h"

// The formatter would lay such a list out anew at every pass.
// clang-format off
#define NVRTC_FUNCTIONS(HOLD) \
  HOLD(nvrtcVersion) HOLD(nvrtcGetErrorString) HOLD(nvrtcCreateProgram) HOLD(nvrtcDestroyProgram) \
  HOLD(nvrtcAddNameExpression) HOLD(nvrtcCompileProgram) HOLD(nvrtcGetProgramLogSize) \
  HOLD(nvrtcGetProgramLog) HOLD(nvrtcGetLoweredName) HOLD(nvrtcGetCUBINSize) HOLD(nvrtcGetCUBIN) \
  HOLD(nvrtcGetPTXSize) HOLD(nvrtcGetPTX)
// clang-format on

namespace nightshift::toolkit {

using evaluator::cuda::Nvrtc;

template <>
inline constexpr bool kStandsFor<evaluator::cuda::NvrtcProgramTag, _nvrtcProgram> = true;

#define HOLD(name) HOLD_FUNCTION(Nvrtc, name)
NVRTC_FUNCTIONS(HOLD)
#undef HOLD
static_assert(sizeof(Nvrtc) / sizeof(void*) == 0 NVRTC_FUNCTIONS(COUNT_FUNCTION),
              "a function of NVRTC is not held against the toolkit");

TEST(NvrtcAbi, IsThatOfTheToolkit) {}

}  // namespace nightshift::toolkit
