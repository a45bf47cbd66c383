#include "evaluator/cuda/launch/device_arguments.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "base/rng.h"
#include "evaluator/answers/draw_ends.h"
#include "evaluator/answers/verification.h"
#include "evaluator/cuda/driver/cuda_error.h"
#include "evaluator/cuda/driver/driver.h"
#include "problems/number_file.h"
#include "search/element_type.h"

namespace nightshift::evaluator::cuda {
namespace {

using Access = search::Argument::Access;
using Fill = search::Argument::Fill;

constexpr std::size_t kFencedPage = std::size_t{2} << 20;  // as drivers have it, for estimates
constexpr unsigned char kNotANumber = 0xff;  // all bits set: a NaN of every floating type here

// Where vectors lie is luck that a time depends on. This much memory, held while they are
// allocated, makes it other luck for other seeds.
std::size_t placement_bytes(std::uint64_t seed, const Context& context) {
  constexpr std::size_t kStep = std::size_t{2} << 20;
  constexpr std::uint64_t kSteps = 64;
  const std::size_t bytes = base::mix_seed(seed, kSteps) % kSteps * kStep;
  return context.has_room_for(bytes) ? bytes : 0;
}

bool is_vector(const search::Argument& argument, Access access) {
  return !argument.scalar && argument.access == access;
}

bool is_constant_work(const search::Argument& argument) {
  return is_vector(argument, Access::kWork) && argument.fill == Fill::kConstant;
}

// Each set has its own; scalars and work vectors are everybody's.
bool is_in_each_set(const search::Argument& argument) {
  return !argument.scalar && argument.access != Access::kWork;
}

}  // namespace

DeviceArguments::DeviceArguments(const std::vector<search::Argument>& arguments,
                                 const CasePlan& plan, std::uint64_t seed, const Context& context,
                                 SupportKernels& support, Ways ways)
    : context_(context), support_(support), seed_(seed), ways_(ways), maps_(plan.maps) {
  const DeviceBuffer elsewhere(placement_bytes(seed, context), "placement", context.stream());
  slots_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Slot& slot = slots_[i];
    slot.argument = arguments[i];
    slot.scalar = plan.shapes[i].scalar;
    slot.elements = plan.shapes[i].elements;
    if (slot.argument.scalar) continue;
    slot.buffers.push_back(make(slot));
    fill(i, 0);
    if (slot.argument.access == Access::kInOut && !ways_.own_contents) {
      slot.pristine = make(slot);
      copy(slot.pristine.data(), slot.buffers.front());
    }
  }
  point();
  reset_work();
}

DeviceBuffer DeviceArguments::make(const Slot& slot) const {
  const std::string what = "'" + slot.argument.name + "'";
  if (!ways_.fenced) return {bytes_of(slot), what, context_.stream()};
  const auto number = static_cast<std::uint64_t>(&slot - slots_.data());
  return {bytes_of(slot), what, context_, base::mix_seed(seed_, number + slot.buffers.size())};
}

std::uint64_t DeviceArguments::bytes_of(const Slot& slot) const {
  return slot.elements * search::bytes_of(slot.argument.type);
}

void DeviceArguments::fill(std::size_t index, std::size_t set) {
  const Slot& slot = slots_[index];
  const Access access = slot.argument.access;
  if (access == Access::kOut || access == Access::kWork || slot.argument.fill == Fill::kComputed) {
    return;
  }
  std::uint64_t seed = base::mix_seed(seed_, index);
  if (set != 0) seed = base::mix_seed(seed, set);
  const DeviceVector to = vector(index, set);
  if (slot.argument.fill == Fill::kFile) {
    fill_from_file(slot.argument.file, to, seed);
  } else {
    support_.fill(to, slot.argument.fill, slot.argument.low, slot.argument.high, seed,
                  drawn_end(slot.argument, ends_of(seed_), to.elements));
  }
}

void DeviceArguments::fill_from_file(const std::string& path, const DeviceVector& to,
                                     std::uint64_t seed) {
  const problems::NumberFile file(path, to.elements);
  // The device converts by way of doubles, which do not have all digits of such integers.
  const bool is_converted = search::bytes_of(file.type()) == sizeof(std::uint64_t) &&
                            !search::is_floating(file.type()) && search::is_cpp_type(to.type);
  const std::vector<std::byte> numbers =
      is_converted ? file.sample(seed, to.type) : file.sample(seed);
  if (numbers.empty()) return;
  if (is_converted) {
    check(driver().cuMemcpyHtoD_v2(to.data, numbers.data(), numbers.size()),
          "copying numbers of a file");
    return;
  }
  const DeviceBuffer from(numbers.size(), "the numbers of '" + path + "'", context_.stream());
  check(driver().cuMemcpyHtoD_v2(from.data(), numbers.data(), numbers.size()),
        "copying numbers of a file");
  support_.convert({from.data(), file.type(), to.elements}, to);
  context_.synchronise();
}

void DeviceArguments::renew(std::uint64_t seed, std::size_t sets) {
  seed_ = seed;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!is_in_each_set(slots_[i].argument)) continue;
    for (std::size_t set = 0; set < sets; ++set) fill(i, set);
  }
}

void DeviceArguments::copy(DevicePointer to, const DeviceBuffer& from) {
  if (from.size() == 0) return;
  check(driver().cuMemcpyDtoDAsync_v2(to, from.data(), from.size(), context_.stream()),
        "copying arguments");
}

void DeviceArguments::point() {
  std::size_t sets = std::numeric_limits<std::size_t>::max();
  for (const Slot& slot : slots_) {
    if (is_in_each_set(slot.argument)) sets = std::min(sets, slot.buffers.size());
  }
  if (sets == std::numeric_limits<std::size_t>::max()) sets = 1;
  addresses_.assign(sets, std::vector<DevicePointer>(slots_.size()));
  map_values_.assign(sets, std::vector<TensorMapValue>(maps_.size()));
  pointers_.assign(sets, std::vector<void*>(slots_.size() + maps_.size()));
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.argument.scalar) {
        pointers_[set][i] = slot.scalar.data();
      } else {
        addresses_[set][i] = slot.buffers[set % slot.buffers.size()].data();
        pointers_[set][i] = &addresses_[set][i];
      }
    }
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      if (!maps_[i]) continue;
      map_values_[set][i] = encode(*maps_[i], addresses_[set].at(maps_[i]->argument));
      pointers_[set][slots_.size() + i] = &map_values_[set][i];
    }
  }
}

bool DeviceArguments::adopt(const CasePlan& plan) {
  const std::vector<ArgumentShape>& shapes = plan.shapes;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (is_in_each_set(slot.argument) && slot.elements != shapes[i].elements) return false;
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    slot.scalar = shapes[i].scalar;
    if (slot.argument.scalar || slot.elements == shapes[i].elements) continue;
    slot.elements = shapes[i].elements;
    slot.buffers.clear();  // first: the new one may need its memory
    slot.buffers.push_back(make(slot));
  }
  maps_ = plan.maps;
  point();
  return true;
}

void DeviceArguments::fill_constant_arrays(const KernelModule& module) {
  for (const Slot& slot : slots_) {
    const std::string& name = slot.argument.constant_array;
    if (name.empty()) continue;
    const KernelModule::Array array = module.constant_array(name);
    if (bytes_of(slot) > array.bytes) {
      throw std::runtime_error("the __constant__ array " + name + " has " +
                               std::to_string(array.bytes) + " bytes, the argument " +
                               std::to_string(bytes_of(slot)));
    }
    copy(array.data, slot.buffers.front());
  }
}

void DeviceArguments::seal() {
  for (Slot& slot : slots_) {
    const bool restored = slot.pristine.size() > 0;
    if (!restored && !is_vector(slot.argument, Access::kIn)) continue;
    const DeviceBuffer& kept = restored ? slot.pristine : slot.buffers.front();
    slot.checksum = support_.checksum(kept.data(), bytes_of(slot));
  }
}

std::uint64_t DeviceArguments::bytes_of_largest() const {
  std::uint64_t bytes = 0;
  for (const Slot& slot : slots_) {
    if (is_in_each_set(slot.argument)) bytes = std::max(bytes, bytes_of(slot));
  }
  return bytes;
}

std::uint64_t DeviceArguments::bytes_of_set() const {
  const std::uint64_t around = ways_.fenced ? kFencedPage : 2 * DeviceBuffer::kBand;
  std::uint64_t bytes = around * slots_.size();
  for (const Slot& slot : slots_) {
    if (is_in_each_set(slot.argument)) bytes += bytes_of(slot);
  }
  return bytes;
}

void DeviceArguments::make_sets(std::size_t count) {
  const std::uint64_t each = bytes_of_set();
  std::size_t made = sets();
  for (; made < count && context_.has_room_for(each); ++made) {
    for (Slot& slot : slots_) {
      if (!is_in_each_set(slot.argument)) continue;
      slot.buffers.push_back(make(slot));
      if (ways_.own_contents) continue;
      copy(slot.buffers.back().data(),
           slot.pristine.size() > 0 ? slot.pristine : slot.buffers.front());
    }
  }
  if (made > sets()) point();
}

DeviceVector DeviceArguments::vector(std::size_t argument, std::size_t set) const {
  const Slot& slot = slots_[argument];
  return {slot.buffers[set % slot.buffers.size()].data(), slot.argument.type, slot.elements};
}

void DeviceArguments::poison_outputs(std::size_t sets) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!is_vector(slot.argument, Access::kOut) || slot.elements == 0) continue;
    for (std::size_t set = 0; set < std::min(sets, slot.buffers.size()); ++set) {
      set_bytes(slot, set, poison_of(slot.argument.type));
    }
  }
}

void DeviceArguments::number_outputs() {
  for (const Slot& slot : slots_) {
    const bool is_output = is_vector(slot.argument, Access::kOut) && slot.elements > 0;
    if (is_output) set_bytes(slot, 0, kUnwrittenByte);
  }
}

void DeviceArguments::set_bytes(const Slot& slot, std::size_t set, unsigned char pattern) {
  check(driver().cuMemsetD8Async(slot.buffers[set].data(), pattern, bytes_of(slot),
                                 context_.stream()),
        "poisoning outputs");
}

unsigned char DeviceArguments::poison_of(search::ElementType type) {
  return search::is_floating(type) ? kNotANumber : kUnwrittenByte;
}

bool DeviceArguments::is_unwritten(std::size_t argument, std::uint64_t element, std::size_t set) {
  const Slot& slot = slots_[argument];
  const std::size_t bytes = search::bytes_of(slot.argument.type);
  if (!is_vector(slot.argument, Access::kOut)) return false;
  if (bytes < kNoChance && !search::is_floating(slot.argument.type)) {
    return is_unwritten(argument, set);
  }
  const DevicePointer at = vector(argument, set).data + element * bytes;
  return support_.differences({at}, bytes, poison_of(slot.argument.type)) == 0;
}

bool DeviceArguments::is_unwritten(std::size_t argument, std::size_t set) {
  const Slot& slot = slots_[argument];
  return is_vector(slot.argument, Access::kOut) && bytes_of(slot) >= kNoChance &&
         support_.differences({vector(argument, set).data}, bytes_of(slot),
                              poison_of(slot.argument.type)) == 0;
}

bool DeviceArguments::has_constant_arrays() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return !slot.argument.constant_array.empty(); });
}

bool DeviceArguments::has_inout() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return is_vector(slot.argument, Access::kInOut); });
}

void DeviceArguments::restore() {
  for (const Slot& slot : slots_) {
    if (!is_vector(slot.argument, Access::kInOut) || slot.pristine.size() == 0) continue;
    for (const DeviceBuffer& buffer : slot.buffers) copy(buffer.data(), slot.pristine);
  }
}

void DeviceArguments::reset_work(std::size_t index) {
  support_.fill(vector(index), Fill::kConstant, slots_[index].argument.low, 0, 0);
}

void DeviceArguments::reset_work() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (is_constant_work(slots_[i].argument)) reset_work(i);
  }
}

std::string DeviceArguments::damage_around() {
  context_.synchronise();  // so that what the kernel did wrong is not told of ours
  const auto changed = [this](const std::vector<DevicePointer>& bands) {
    return support_.differences(bands, DeviceBuffer::kBand, DeviceBuffer::kBandPattern) != 0;
  };
  std::vector<DevicePointer> all;
  for (const Slot& slot : slots_) {
    if (slot.argument.scalar) continue;
    for (const DevicePointer band : slot.buffers.front().bands()) all.push_back(band);
  }
  if (!changed(all)) return {};
  const auto spoiled = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    if (slot.argument.scalar) return false;
    return changed(slot.buffers.front().bands());
  });
  return "the kernel wrote outside of argument '" + spoiled->argument.name + "'";
}

std::string DeviceArguments::damage_of_inputs(std::size_t sets) {
  for (const Slot& slot : slots_) {
    if (!is_vector(slot.argument, Access::kIn)) continue;
    const auto changed = [&](const DeviceBuffer& buffer) {
      return support_.checksum(buffer.data(), bytes_of(slot)) != slot.checksum;
    };
    const auto first = slot.buffers.begin();
    if (std::any_of(first,
                    first + std::min<std::ptrdiff_t>(std::ssize(slot.buffers),
                                                     static_cast<std::ptrdiff_t>(sets)),
                    changed)) {
      return "the kernel wrote to argument '" + slot.argument.name +
             "', which the problem file calls an input (access = \"in\")";
    }
  }
  return {};
}

std::string DeviceArguments::damage_of_sets() {
  if (std::string around = damage_around(); !around.empty()) return around;
  for (const Slot& slot : slots_) {
    if (slot.pristine.size() > 0 &&
        support_.checksum(slot.pristine.data(), bytes_of(slot)) != slot.checksum) {
      return "the kernel wrote outside of argument '" + slot.argument.name + "'";
    }
  }
  return damage_of_inputs(sets());
}

std::string DeviceArguments::damage_of_work() {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!is_constant_work(slot.argument)) continue;
    const auto checksum = [&] {
      return support_.checksum(slot.buffers.front().data(), bytes_of(slot));
    };
    const std::uint64_t left = checksum();
    reset_work(i);
    if (checksum() != left) {
      return "the kernel left argument '" + slot.argument.name +
             "' changed, which the next launch is to find as it was (access = \"work\", fill = "
             "\"constant\")";
    }
  }
  return {};
}

}  // namespace nightshift::evaluator::cuda
