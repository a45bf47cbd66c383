#include "evaluator/cuda/driver/context.h"

#include <array>
#include <cstdio>
#include <stdexcept>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {

std::string text_of(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", uuid.bytes[i]);
    text += digits.data();
  }
  return text;
}

Context::Context(const std::string& uuid) {
  const Driver& d = driver();
  check(d.cuInit(0), "cuInit");
  int count = 0;
  check(d.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (count < 1) throw std::runtime_error("the CUDA driver shows no GPU " + uuid);
  check(d.cuDeviceGet(&device_, 0), "cuDeviceGet");
  Uuid own{};
  check(d.cuDeviceGetUuid_v2(&own, device_), "cuDeviceGetUuid");
  if (!uuid.ends_with("-" + text_of(own))) {
    throw std::runtime_error("the CUDA driver shows " + text_of(own) + " instead of " + uuid);
  }
  ContextHandle context = nullptr;
  check(d.cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
  check(d.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(d.cuStreamCreate(&stream_, kStreamNonBlocking), "cuStreamCreate");
}

int Context::attribute(DeviceAttribute which) const {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
  return value;
}

std::size_t Context::l2_bytes() const {
  return static_cast<std::size_t>(attribute(DeviceAttribute::kL2Bytes));
}

std::size_t Context::free_bytes() const {
  std::size_t free = 0;
  std::size_t total = 0;
  check(driver().cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return free;
}

bool Context::has_room_for(std::size_t bytes) const {
  constexpr std::size_t kLeftFree = std::size_t{1} << 30;
  return free_bytes() > bytes + kLeftFree;
}

void Context::synchronise() const { check(driver().cuStreamSynchronize(stream_), "running"); }

}  // namespace nightshift::evaluator::cuda
