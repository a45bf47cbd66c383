#include "evaluator/cuda/launch/support_kernels.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "evaluator/cuda/driver/nvrtc.h"

namespace nightshift::evaluator::cuda {
namespace {

constexpr const char kSource[] =
#include "evaluator/cuda/launch/support_source.inc"
    ;
constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kMostBlocks = 1024;
constexpr std::uint64_t kElementsPerThread = 4;
constexpr std::size_t kAreas = 32;           // of one launch
constexpr std::uint32_t kFoldedBlocks = 16;  // what comes to the host are so many blocks' shares

const std::vector<std::string> kFunctions = {
    "nightshift_differences", "nightshift_fill",      "nightshift_norm",
    "nightshift_compare",     "nightshift_checksum",  "nightshift_read",
    "nightshift_convert",     "nightshift_fold_sums", "nightshift_fold_norms",
    "nightshift_fold_errors", "nightshift_small",     "nightshift_fold_small",
    "nightshift_pick",        "nightshift_gather",    "nightshift_left"};

PackedModule compile(int architecture) {
  NvrtcProgram program;
  program.text = kSource;
  program.file = "support.cu";
  program.options = {"--gpu-architecture=sm_" + std::to_string(architecture), "--std=c++20",
                     "-default-device", "--fmad=false"};
  PackedModule module;
  module.functions = module.symbols = kFunctions;
  module.cubin = compile_with_nvrtc(program).cubin;
  return module;
}

// Every evaluator of a run needs the same: the first to come leaves it for the others, where it may
// write.
PackedModule compiled_or_kept(int architecture, const std::string& folder) {
  const std::string key =
      base::content_hash(kSource + std::to_string(architecture) + " " + nvrtc_version());
  const std::string path = (std::filesystem::path(folder) / ("support-" + key)).string();
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    try {
      ArtifactPack kept = unpack(base::read_whole_file(path));
      if (kept.modules.size() == 1 && kept.modules.front().functions == kFunctions) {
        return std::move(kept.modules.front());
      }
    } catch (const std::exception&) {
      // Damaged: compiled anew.
    }
  }
  PackedModule module = compile(architecture);
  try {
    std::filesystem::create_directories(folder);
    base::write_whole_file(path, pack({0, {module}}));
  } catch (const std::exception&) {
    // Each compiles for itself then.
  }
  return module;
}

// As support.cu has them.
struct NormShare {
  static constexpr const char* kFold = "nightshift_fold_norms";
  double squares;
  std::uint64_t numbers;
  double largest;
  std::uint64_t count, fine;
};
struct ErrorShare {
  static constexpr const char* kFold = "nightshift_fold_errors";
  double squares;
  double worst;
  std::uint64_t worst_at;
  std::uint64_t wrong;
  std::uint64_t sum;
};
struct SmallShare {
  static constexpr const char* kFold = "nightshift_fold_small";
  std::uint64_t elements, lost, beyond;
  double largest;
  std::uint64_t largest_at;
  double squares;
};
constexpr std::size_t kLargestShare = sizeof(SmallShare);
static_assert(sizeof(NormShare) <= kLargestShare && sizeof(ErrorShare) <= kLargestShare,
              "shares have room for these");
struct ReadShare {
  static constexpr const char* kFold = "";  // there is one
  double number;
};
struct SumShare {
  static constexpr const char* kFold = "nightshift_fold_sums";
  std::uint64_t sum;
};

}  // namespace

SupportKernels::SupportKernels(const Context& context, int architecture, const std::string& folder)
    : context_(context),
      module_(std::make_unique<KernelModule>(compiled_or_kept(architecture, folder))),
      shares_(std::size_t{kThreads} * kMostBlocks * kLargestShare, "intermediate results",
              context.stream()),
      folded_(std::size_t{kThreads} * kFoldedBlocks * kLargestShare, "folded results",
              context.stream()) {
  check(driver().cuMemHostAlloc(&host_shares_, folded_.size(), kHostMemoryMapped),
        "allocating host memory");
}

SupportKernels::~SupportKernels() { driver().cuMemFreeHost(host_shares_); }

template <class... Arguments>
void SupportKernels::run_blocks(const char* kernel, std::uint32_t blocks, Arguments... arguments) {
  std::vector<void*> pointers = {&arguments...};
  PlannedLaunch launch;
  launch.kernel = kernel;
  launch.grid[0] = blocks;
  launch.block[0] = kThreads;
  for (std::uint32_t i = 0; i < pointers.size(); ++i) launch.arguments.push_back(i);
  module_->launch(launch, pointers, context_.stream());
}

// Returns how many threads there were.
template <class... Arguments>
std::uint32_t SupportKernels::run(const char* kernel, std::uint64_t elements,
                                  Arguments... arguments) {
  const std::uint64_t wanted = elements / (kThreads * kElementsPerThread) + 1;
  const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, kMostBlocks));
  run_blocks(kernel, blocks, arguments...);
  return blocks * kThreads;
}

// The shares that `threads` threads wrote, folded where they are many. Valid until the next run().
template <class Share>
std::span<const Share> SupportKernels::shares(std::uint32_t threads) {
  constexpr std::uint32_t kMost = kFoldedBlocks * kThreads;
  const bool many = threads > kMost;
  if (many) {
    run_blocks(Share::kFold, kFoldedBlocks, shares_.data(), std::uint64_t{threads}, folded_.data());
  }
  context_.synchronise();
  const std::uint32_t count = std::min(threads, kMost);
  check(driver().cuMemcpyDtoH_v2(host_shares_, (many ? folded_ : shares_).data(),
                                 count * sizeof(Share)),
        "reading intermediate results");
  return {static_cast<const Share*>(host_shares_), count};
}

void SupportKernels::fill(const DeviceVector& to, search::Argument::Fill fill, double low,
                          double high, std::uint64_t seed, std::optional<DrawnEnd> end) {
  const DrawnEnd there = end.value_or(DrawnEnd{to.elements, 0});
  run("nightshift_fill", to.elements, to.data, to.elements, static_cast<int>(to.type),
      static_cast<int>(fill), low, high, seed, there.at, there.number);
}

void SupportKernels::convert(const DeviceVector& from, const DeviceVector& to) {
  run("nightshift_convert", from.elements, to.data, static_cast<int>(to.type), from.data,
      static_cast<int>(from.type), from.elements);
}

SupportKernels::Norm SupportKernels::norm(const DeviceVector& of, double bound, double grid) {
  const std::uint32_t threads =
      run("nightshift_norm", of.elements, of.data, static_cast<int>(of.type), of.elements, bound,
          grid, shares_.data());
  Norm norm;
  for (const NormShare& share : shares<NormShare>(threads)) {
    norm.squares += share.squares;
    norm.numbers += share.numbers;
    norm.largest = std::max(norm.largest, share.largest);
    norm.count += share.count;
    norm.fine += share.fine;
  }
  return norm;
}

SupportKernels::Comparison SupportKernels::compare(const DeviceVector& got,
                                                   const DeviceVector& expected,
                                                   double element_gate, double rms) {
  const std::uint32_t threads =
      run("nightshift_compare", got.elements, got.data, static_cast<int>(got.type), expected.data,
          static_cast<int>(expected.type), got.elements, element_gate, rms, shares_.data());
  Comparison comparison;
  for (const ErrorShare& share : shares<ErrorShare>(threads)) {
    comparison.squares += share.squares;
    comparison.wrong += share.wrong;
    comparison.sum += share.sum;
    const bool worse =
        share.worst > comparison.worst || (share.worst == comparison.worst && share.worst > 0 &&
                                           share.worst_at < comparison.worst_at);
    if (!worse) continue;
    comparison.worst = share.worst;
    comparison.worst_at = share.worst_at;
  }
  return comparison;
}

SupportKernels::SmallCounts SupportKernels::count_small(const DeviceVector& got,
                                                        const DeviceVector& expected,
                                                        const SmallElements& which) {
  const std::uint32_t threads =
      run("nightshift_small", got.elements, got.data, static_cast<int>(got.type), expected.data,
          static_cast<int>(expected.type), got.elements, which, shares_.data());
  SmallCounts counts;
  for (const SmallShare& share : shares<SmallShare>(threads)) {
    counts.elements += share.elements;
    counts.lost += share.lost;
    counts.beyond += share.beyond;
    counts.squares += share.squares;
    const bool larger =
        share.largest > counts.largest ||
        (share.largest == counts.largest && share.lost > 0 && share.largest_at < counts.largest_at);
    if (!larger) continue;
    counts.largest = share.largest;
    counts.largest_at = share.largest_at;
  }
  return counts;
}

std::optional<std::uint64_t> SupportKernels::first_left(const DeviceVector& got,
                                                        const DeviceVector& expected,
                                                        unsigned char left, unsigned char nothing) {
  const std::uint32_t threads =
      run("nightshift_left", got.elements, got.data, static_cast<int>(got.type), expected.data,
          static_cast<int>(expected.type), got.elements, static_cast<int>(left),
          static_cast<int>(nothing), shares_.data());
  std::optional<std::uint64_t> first;
  for (const ErrorShare& share : shares<ErrorShare>(threads)) {
    if (share.wrong > 0) first = std::min(first.value_or(share.worst_at), share.worst_at);
  }
  return first;
}

std::uint64_t SupportKernels::checksum(DevicePointer data, std::uint64_t bytes) {
  const std::uint32_t threads = run("nightshift_checksum", bytes / 8, data, bytes, shares_.data());
  std::uint64_t sum = 0;
  for (const SumShare& share : shares<SumShare>(threads)) sum += share.sum;
  return sum;
}

std::uint64_t SupportKernels::differences(const std::vector<DevicePointer>& areas,
                                          std::uint64_t bytes, unsigned char pattern) {
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < areas.size(); first += kAreas) {
    const std::size_t count = std::min(kAreas, areas.size() - first);
    std::array<DevicePointer, kAreas> some{};
    std::copy_n(areas.begin() + static_cast<std::ptrdiff_t>(first), count, some.begin());
    const std::uint32_t threads =
        run("nightshift_differences", count * bytes, some, std::uint64_t{count}, bytes,
            static_cast<int>(pattern), shares_.data());
    for (const SumShare& share : shares<SumShare>(threads)) sum += share.sum;
  }
  return sum;
}

double SupportKernels::read(const DeviceVector& from, std::uint64_t element) {
  run("nightshift_read", 1, from.data, static_cast<int>(from.type), element, shares_.data());
  return shares<ReadShare>(1).front().number;
}

std::array<std::byte, 8> SupportKernels::bytes_at(const DeviceVector& from, std::uint64_t element) {
  const std::size_t size = search::bytes_of(from.type);
  std::array<std::byte, 8> bytes{};
  context_.synchronise();
  check(driver().cuMemcpyDtoH_v2(bytes.data(), from.data + element * size, size),
        "reading an element");
  return bytes;
}

// A thread picks one, so there are as many threads as may be picked.
SupportKernels::PickedElements SupportKernels::pick(const DeviceVector& got,
                                                    const DeviceVector& expected, double least) {
  static_assert(kMostPicked % kThreads == 0);
  PickedElements picked{
      {}, DeviceBuffer(kMostPicked * sizeof(Picked), "elements that are asked", context_.stream())};
  run_blocks("nightshift_pick", kMostPicked / kThreads, got.data, static_cast<int>(got.type),
             expected.data, static_cast<int>(expected.type), got.elements, least,
             picked.on_device.data());
  picked.elements.resize(std::min<std::uint64_t>(got.elements, kMostPicked));
  if (picked.elements.empty()) return picked;
  context_.synchronise();
  check(driver().cuMemcpyDtoH_v2(picked.elements.data(), picked.on_device.data(),
                                 picked.elements.size() * sizeof(Picked)),
        "reading which elements are asked");
  return picked;
}

std::vector<double> SupportKernels::read(const DeviceVector& from, const PickedElements& picked) {
  static_assert(sizeof(double) <= kLargestShare, "shares have room for these");
  std::vector<double> numbers(picked.elements.size());
  if (numbers.empty()) return numbers;
  run("nightshift_gather", numbers.size(), from.data, static_cast<int>(from.type),
      picked.on_device.data(), std::uint64_t{numbers.size()}, shares_.data());
  context_.synchronise();
  check(driver().cuMemcpyDtoH_v2(numbers.data(), shares_.data(), numbers.size() * sizeof(double)),
        "reading elements");
  return numbers;
}

}  // namespace nightshift::evaluator::cuda
