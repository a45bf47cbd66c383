#include "evaluator/cuda/driver/cuda_error.h"

#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {
namespace {

std::string words_of(Result code) {
  const char* name = nullptr;
  const char* text = nullptr;
  const Driver& d = driver();
  if (d.cuGetErrorName(code, &name) != kSuccess || name == nullptr) name = "unknown error";
  if (d.cuGetErrorString(code, &text) != kSuccess || text == nullptr) text = "no description";
  return std::string(name) + " (" + std::to_string(code) + "): " + text;
}

}  // namespace

CudaError::CudaError(Result code, const std::string& call)
    : std::runtime_error(call + ": " + words_of(code)), code_(code) {}

void check(Result result, const char* call) {
  if (result != kSuccess) throw CudaError(result, call);
}

void check(Result result, const std::string& call) { check(result, call.c_str()); }

Damage damage_of(Result code) {
  switch (code) {
    case 0:
    case 1:    // invalid value: a bad launch
    case 2:    // out of memory
    case 98:   // invalid device function
    case 200:  // invalid image
    case 209:  // no binary for this device
    case 218:  // invalid PTX
    case 222:  // unsupported PTX version
    case 400:  // invalid handle
    case 500:  // not found
    case 701:  // launch out of resources
    case 720:  // cooperative launch too large
    case 801:  // not supported
    case 900:  // errors of capturing
    case 901:
    case 904:
    case 912:  // invalid cluster size
      return Damage::kNothing;
    case 700:  // illegal address
    case 702:  // launch timeout
    case 709:  // context is destroyed
    case 710:  // assert
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed: a trap
    case 721:  // tensor memory leak
      return Damage::kContext;
    default:  // not available, ECC, NVLink, system not ready, unknown
      return Damage::kDevice;
  }
}

}  // namespace nightshift::evaluator::cuda
