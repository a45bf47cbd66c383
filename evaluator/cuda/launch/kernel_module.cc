#include "evaluator/cuda/launch/kernel_module.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr std::uint32_t kPortableSharedBytes = 48 << 10;
constexpr std::uint32_t kPortableCluster = 8;

std::uint32_t blocks_of(const Dimensions& d) { return d[0] * d[1] * d[2]; }

int attribute_of(FunctionHandle function, FunctionAttribute which) {
  int value = 0;
  check(driver().cuFuncGetAttribute(&value, which, function), "cuFuncGetAttribute");
  return value;
}

}  // namespace

KernelModule::KernelModule(const PackedModule& packed) {
  for (std::size_t i = 0; i < packed.functions.size(); ++i) {
    symbols_[packed.functions[i]] = packed.symbols[i];
  }
  check(driver().cuModuleLoadData(&module_, packed.cubin.data()), "loading the machine code");
}

KernelModule::~KernelModule() { driver().cuModuleUnload(module_); }

FunctionHandle KernelModule::function(const std::string& name) const {
  if (const auto known = functions_.find(name); known != functions_.end()) return known->second;
  const auto symbol = symbols_.find(name);
  if (symbol == symbols_.end()) throw std::runtime_error("the artifact has no kernel " + name);
  FunctionHandle found = nullptr;
  check(driver().cuModuleGetFunction(&found, module_, symbol->second.c_str()),
        "looking for the kernel " + name);
  functions_[name] = found;
  return found;
}

void KernelModule::prepare(const PlannedLaunch& launch) {
  const Driver& d = driver();
  FunctionHandle kernel = function(launch.kernel);
  // The limit holds for static and dynamic shared memory together.
  const auto own =
      static_cast<std::uint32_t>(attribute_of(kernel, FunctionAttribute::kSharedBytes));
  // A kernel may be launched twice, with more and with less.
  std::uint32_t& limit = shared_limits_[kernel];
  if (launch.shared_bytes > limit && own + launch.shared_bytes > kPortableSharedBytes) {
    limit = launch.shared_bytes;
    check(d.cuFuncSetAttribute(kernel, FunctionAttribute::kMaxDynamicSharedBytes,
                               static_cast<int>(launch.shared_bytes)),
          launch.kernel + " wants " + std::to_string(launch.shared_bytes) +
              " bytes of shared memory");
  }
  if (blocks_of(launch.cluster) > kPortableCluster) {
    check(d.cuFuncSetAttribute(kernel, FunctionAttribute::kNonPortableCluster, 1),
          launch.kernel + " wants clusters of " + std::to_string(blocks_of(launch.cluster)));
  }
}

void KernelModule::launch(const PlannedLaunch& launch, const std::vector<void*>& arguments,
                          StreamHandle stream) const {
  std::array<LaunchAttribute, 2> attributes;
  LaunchConfig config;
  std::copy(launch.grid.begin(), launch.grid.end(), config.grid);
  std::copy(launch.block.begin(), launch.block.end(), config.block);
  config.shared_bytes = launch.shared_bytes;
  config.stream = stream;
  config.attributes = attributes.data();
  if (blocks_of(launch.cluster) > 1) {
    LaunchAttribute& cluster = attributes[config.attribute_count++];
    cluster.id = LaunchAttribute::kClusterDimension;
    std::copy(launch.cluster.begin(), launch.cluster.end(), cluster.value);
  }
  if (launch.programmatic) {
    LaunchAttribute& serialisation = attributes[config.attribute_count++];
    serialisation.id = LaunchAttribute::kProgrammaticSerialisation;
    serialisation.value[0] = 1;
  }
  std::vector<void*> own;
  for (const std::uint32_t argument : launch.arguments) {
    if (argument >= kFirstLiteral) {
      // The driver copies what it points to, and takes it as const although its type does not say.
      own.push_back(const_cast<Literal*>(&launch.literals.at(argument - kFirstLiteral)));
    } else {
      own.push_back(arguments.at(argument));
    }
  }
  check(driver().cuLaunchKernelEx(&config, function(launch.kernel), own.data(), nullptr),
        "launching " + launch.kernel);
}

void KernelModule::run_alone(const std::vector<PlannedLaunch>& launches,
                             const std::vector<void*>& arguments, StreamHandle stream,
                             const std::string& owner) {
  for (const PlannedLaunch& planned : launches) {
    prepare(planned);
    launch(planned, arguments, stream);
    check(driver().cuStreamSynchronize(stream), "running " + planned.kernel + " of " + owner);
  }
}

KernelModule::Array KernelModule::constant_array(const std::string& name) const {
  Array found;
  const Result result =
      driver().cuModuleGetGlobal_v2(&found.data, &found.bytes, module_, name.c_str());
  if (result == kNotFound) {
    throw std::runtime_error("the kernel's source has no __constant__ array " + name +
                             ", or no kernel uses it");
  }
  check(result, "looking for the __constant__ array " + name);
  return found;
}

KernelResources KernelModule::resources(const std::vector<PlannedLaunch>& launches) const {
  KernelResources most;
  for (const PlannedLaunch& launch : launches) {
    FunctionHandle kernel = function(launch.kernel);
    most.registers = std::max(most.registers, attribute_of(kernel, FunctionAttribute::kRegisters));
    most.local_bytes =
        std::max(most.local_bytes, attribute_of(kernel, FunctionAttribute::kLocalBytes));
    most.shared_bytes =
        std::max(most.shared_bytes, attribute_of(kernel, FunctionAttribute::kSharedBytes) +
                                        static_cast<int>(launch.shared_bytes));
  }
  return most;
}

}  // namespace nightshift::evaluator::cuda
