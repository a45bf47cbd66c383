#include "tests/fakes/gpu/fake_machine.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/fakes/gpu/thread_blocks.h"

namespace fake_gpu {
namespace {

using nightshift::evaluator::cuda::LaunchAttribute;

// Kernels that write out of bounds shall hit what their caller put there to notice it, and then
// this much of ours, before they hit the heap.
constexpr std::size_t kSlack = 64 << 10;
constexpr std::size_t kAlignment = 256;
// Fresh memory holds NaN, as far as filling it costs nothing worth mentioning.
constexpr std::size_t kMostFilled = 16 << 20;
constexpr unsigned kMostThreads = 1024, kMostThreadsZ = 64, kMostBlocksYz = 65535;
constexpr int kRegistersOfMultiprocessor = 65536;
constexpr unsigned kPortableCluster = 8, kLargestCluster = 16;
constexpr int kFirstWithProgrammaticLaunches = 90;  // compute capability 9.0

// An image has no length of its own, but ends with its section headers. 0 = it is none of ours.
std::size_t image_bytes(const void* image) {
  if (image == nullptr || std::memcmp(image, ELFMAG, SELFMAG) != 0) return 0;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN) return 0;
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

bool write_all(int file, const void* bytes, std::size_t size) {
  const auto* left = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(file, left, size);
    if (written <= 0) return false;
    left += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

void read_symbol(void* library, const char* name, int& value) {
  if (const void* symbol = ::dlsym(library, name)) std::memcpy(&value, symbol, sizeof value);
}

unsigned long long product(const unsigned (&sides)[3]) {
  return 1ULL * sides[0] * sides[1] * sides[2];
}

const LaunchAttribute* attribute_of(const LaunchConfig& config, int id) {
  for (unsigned i = 0; i < config.attribute_count; ++i) {
    if (config.attributes[i].id == id) return &config.attributes[i];
  }
  return nullptr;
}

// Sides of the launch's clusters.
std::array<unsigned, 3> cluster_of(const LaunchConfig& config) {
  const LaunchAttribute* const cluster = attribute_of(config, LaunchAttribute::kClusterDimension);
  if (cluster == nullptr) return {1, 1, 1};
  return {cluster->value[0], cluster->value[1], cluster->value[2]};
}

bool is_programmatic(const LaunchConfig& config) {
  const auto* const serialisation =
      attribute_of(config, LaunchAttribute::kProgrammaticSerialisation);
  return serialisation != nullptr && serialisation->value[0] != 0;
}

Result check_cluster(const LaunchConfig& config, const FunctionTag& function) {
  const std::array<unsigned, 3> sides = cluster_of(config);
  unsigned long long blocks = 1;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    if (sides[d] == 0 || config.grid[d] % sides[d] != 0) return kInvalidValue;
    blocks *= sides[d];
  }
  const unsigned most = function.non_portable_cluster != 0 ? kLargestCluster : kPortableCluster;
  return blocks > most ? kInvalidCluster : kSuccess;
}

}  // namespace

Machine& Machine::get() {
  static Machine machine;
  return machine;
}

std::size_t Machine::memory_bytes() { return number_setting("FAKE_GPU_MEMORY", 80ULL << 30); }

Result Machine::allocate(std::size_t bytes, DevicePointer& memory) {
  if (bytes == 0) return kInvalidValue;
  if (bytes > memory_bytes() || allocated_ > memory_bytes() - bytes) return kOutOfMemory;
  const std::size_t whole = (bytes + 2 * kSlack + kAlignment - 1) / kAlignment * kAlignment;
  void* base = std::aligned_alloc(kAlignment, whole);
  if (base == nullptr) return kOutOfMemory;
  auto* begin = static_cast<unsigned char*>(base) + kSlack;
  std::memset(begin, 0xff, std::min(bytes, kMostFilled));
  memory = reinterpret_cast<DevicePointer>(begin);
  memory_[memory] = {bytes, base};
  allocated_ += bytes;
  return kSuccess;
}

Result Machine::release(DevicePointer memory) {
  if (memory == 0) return kSuccess;
  const auto found = memory_.find(memory);
  if (found == memory_.end()) return kInvalidValue;
  allocated_ -= found->second.bytes;
  std::free(found->second.base);
  memory_.erase(found);
  return kSuccess;
}

Result Machine::reserve(std::size_t bytes, DevicePointer& range) {
  void* const begin =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return kOutOfMemory;
  range = reinterpret_cast<DevicePointer>(begin);
  return kSuccess;
}

Result Machine::give_back(DevicePointer range, std::size_t bytes) {
  return ::munmap(reinterpret_cast<void*>(range), bytes) == 0 ? kSuccess : kInvalidValue;
}

Result Machine::map(DevicePointer at, std::size_t bytes) {
  if (bytes > memory_bytes() || allocated_ > memory_bytes() - bytes) return kOutOfMemory;
  void* const begin = reinterpret_cast<void*>(at);
  if (::mprotect(begin, bytes, PROT_READ | PROT_WRITE) != 0) return kInvalidValue;
  std::memset(begin, 0xff, std::min(bytes, kMostFilled));
  memory_[at] = {bytes, nullptr};
  allocated_ += bytes;
  return kSuccess;
}

Result Machine::unmap(DevicePointer at, std::size_t bytes) {
  if (!holds(at, bytes)) return kInvalidValue;
  allocated_ -= bytes;
  memory_.erase(at);
  return ::mprotect(reinterpret_cast<void*>(at), bytes, PROT_NONE) == 0 ? kSuccess : kInvalidValue;
}

bool Machine::holds(DevicePointer memory, std::size_t bytes) const {
  auto found = memory_.upper_bound(memory);
  if (found == memory_.begin()) return false;
  --found;
  const std::size_t offset = memory - found->first;
  return offset <= found->second.bytes && bytes <= found->second.bytes - offset;
}

Result Machine::load(const void* image, std::unique_ptr<ModuleTag>& module) {
  const std::size_t bytes = image_bytes(image);
  if (bytes == 0) return kInvalidImage;
  module = std::make_unique<ModuleTag>();
  module->file = ::memfd_create("fake-gpu-module", MFD_CLOEXEC);
  if (module->file < 0 || !write_all(module->file, image, bytes)) return kOutOfMemory;
  const std::string path = "/proc/self/fd/" + std::to_string(module->file);
  module->library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module->library != nullptr) return kSuccess;
  unload(*module);
  return kInvalidImage;
}

void Machine::unload(ModuleTag& module) {
  for (const DevicePointer array : module.arrays) memory_.erase(array);
  if (module.library != nullptr) ::dlclose(module.library);
  if (module.file >= 0) ::close(module.file);
}

Result Machine::find(ModuleTag& module, const std::string& name, FunctionTag*& function) {
  void* call = ::dlsym(module.library, ("fake_call_" + name).c_str());
  void* sizes = ::dlsym(module.library, ("fake_sizes_" + name).c_str());
  if (call == nullptr || sizes == nullptr) return kNotFound;
  auto found = std::make_unique<FunctionTag>();
  found->name = name;
  found->call = reinterpret_cast<int (*)(void**, void*)>(call);
  unsigned long bytes[256] = {};
  const int count = reinterpret_cast<int (*)(unsigned long*)>(sizes)(bytes);
  found->sizes.assign(bytes, bytes + count);
  read_symbol(module.library, "fake_registers", found->registers);
  read_symbol(module.library, "fake_local_bytes", found->local_bytes);
  read_symbol(module.library, "fake_shared_bytes", found->shared_bytes);
  found->most_dynamic_shared_bytes -= found->shared_bytes;
  function = found.get();
  module.functions.push_back(std::move(found));
  return kSuccess;
}

Result Machine::find_array(ModuleTag& module, const std::string& name, DevicePointer& data,
                           std::size_t& bytes) {
  void* array = ::dlsym(module.library, name.c_str());
  Dl_info info;
  void* found = nullptr;
  if (array == nullptr || ::dladdr1(array, &info, &found, RTLD_DL_SYMENT) == 0) return kNotFound;
  const auto* symbol = static_cast<const Elf64_Sym*>(found);
  if (symbol == nullptr || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT) return kNotFound;
  data = reinterpret_cast<DevicePointer>(array);
  bytes = symbol->st_size;
  memory_[data] = {bytes, nullptr};
  module.arrays.push_back(data);
  return kSuccess;
}

Result Machine::launch(const LaunchConfig& config, const FunctionTag& function, void** arguments) {
  Launch launch{};
  std::copy_n(config.grid, 3, launch.grid);
  std::copy_n(config.block, 3, launch.block);
  std::ranges::copy(cluster_of(config), launch.cluster);
  launch.shared_bytes = config.shared_bytes;
  launch.hooks = &thread_hooks();
  launch.run = run_together;
  const Result result = function.call(arguments, &launch);
  if (result != kSuccess) return sticky = result;
  if (is_programmatic(config) && !launch.all_awaited) {
    std::fprintf(stderr, "fake GPU: a programmatic launch of %s does not wait for the one before\n",
                 function.name.c_str());
    return sticky = kLaunchFailed;
  }
  double spent = launch.spent_us * 1000;
  if (launch.spent_us < 0) {
    spent = 1000 + static_cast<double>(product(config.grid) * product(config.block));
  }
  if (const double noise = real_setting("FAKE_GPU_NOISE", 0); noise > 0) {
    std::normal_distribution<double> factor(1, noise);
    spent *= std::max(0.1, factor(noise_));
  }
  clock_ns += spent;
  if (const char* file = std::getenv("FAKE_GPU_PROFILE"); marked && file != nullptr) {
    std::ofstream(file, std::ios::app) << function.name << ' ' << spent << '\n';
  }
  return kSuccess;
}

Result check_launch(const LaunchConfig& config, const FunctionTag& function) {
  if (is_programmatic(config) &&
      Machine::get().devices.front().architecture < kFirstWithProgrammaticLaunches) {
    return kNotSupported;
  }
  const unsigned long long threads = product(config.block);
  if (product(config.grid) == 0 || threads == 0 || threads > kMostThreads ||
      config.block[2] > kMostThreadsZ || config.grid[1] > kMostBlocksYz ||
      config.grid[2] > kMostBlocksYz) {
    return kInvalidValue;
  }
  if (config.shared_bytes > static_cast<unsigned>(function.most_dynamic_shared_bytes) ||
      config.shared_bytes + static_cast<unsigned>(function.shared_bytes) > kMostSharedBytes) {
    return kInvalidValue;
  }
  if (threads * static_cast<unsigned long long>(function.registers) > kRegistersOfMultiprocessor) {
    return kTooManyResources;
  }
  return check_cluster(config, function);
}

}  // namespace fake_gpu
