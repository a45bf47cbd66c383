#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evaluator/cuda/driver/context.h"
#include "evaluator/cuda/driver/device_buffer.h"
#include "evaluator/cuda/driver/driver_types.h"
#include "evaluator/cuda/launch/kernel_module.h"
#include "evaluator/cuda/launch/launch_plan.h"
#include "evaluator/cuda/launch/support_kernels.h"
#include "evaluator/cuda/launch/tensor_map.h"
#include "search/cuda_problem.h"

namespace nightshift::evaluator::cuda {

// The arguments of one case on the device. Inputs are a function of the seed and the argument's
// position alone; with another seed they also lie elsewhere. There are several sets of inputs and
// outputs, equal in content, so that launches may go through them in turn and find none of their
// data in the cache; answers are checked in set 0. Work vectors are shared by all sets. Everything
// throws CudaError, and problems::NumberFileError where a vector is filled from a file.
class DeviceArguments {
 public:
  struct Ways {
    bool fenced = false;  // each vector in memory of its own (FencedMemory)
    // Each set has other contents, which renew() gives; nothing is kept to restore them from.
    bool own_contents = false;
  };
  DeviceArguments(const std::vector<search::Argument>& arguments, const CasePlan& plan,
                  std::uint64_t seed, const Context& context, SupportKernels& support, Ways ways);

  // The same inputs for another plan: takes over its scalars, work vectors and tensor maps. False
  // where a vector of another kind has another size: then they have to be made anew.
  bool adopt(const CasePlan& plan);
  // Copies the vectors that are in constant memory into the arrays of `module`, which is about to
  // be launched for the first time. Throws std::runtime_error where an array is missing or too
  // small.
  void fill_constant_arrays(const KernelModule& module);
  // After computed inputs were written: from now on a change of an input is damage.
  void seal();

  std::uint64_t seed() const { return seed_; }
  std::size_t sets() const { return pointers_.size(); }
  std::uint64_t bytes_of_largest() const;  // vector of a set
  std::uint64_t bytes_of_set() const;      // with what is around its vectors
  // So many sets, or fewer where memory ends.
  void make_sets(std::size_t count);
  // The contents of `seed` for the first sets; for Ways::own_contents.
  void renew(std::uint64_t seed, std::size_t sets);
  // Pointers to the values of all arguments and tensor maps, as a launch takes them; nullptr for a
  // map that the plan has not got.
  const std::vector<void*>& pointers(std::size_t set) { return pointers_[set]; }

  DeviceVector vector(std::size_t argument, std::size_t set = 0) const;
  // Outputs of the first sets to NaN, or to a pattern where the type has none.
  void poison_outputs(std::size_t sets = 1);
  // Those of set 0 to what is a number of every type, kUnwrittenByte in each byte.
  void number_outputs();
  // Whether an element of an output, or all of it, still is so. Of narrow integers only where all
  // of it is: one element may be so by chance.
  bool is_unwritten(std::size_t argument, std::uint64_t element, std::size_t set);
  bool is_unwritten(std::size_t argument, std::size_t set);
  // The byte of which the pattern of a type is made.
  static unsigned char poison_of(search::ElementType type);
  bool has_inout() const;
  bool has_constant_arrays() const;
  void restore();     // input-outputs of all sets to their first contents
  void reset_work();  // work vectors with a constant fill to it
  // How the kernel went beyond its rights in set 0: wrote outside of a vector, or to an input, or
  // left a work vector with a constant fill changed, which is then reset. Empty: it did not.
  std::string damage_around();
  std::string damage_of_inputs() { return damage_of_inputs(1); }
  // What the next kernel would be blamed for, or get other inputs by: guards of set 0, inputs of
  // all sets, what input-outputs are restored from. Nobody reads the guards of other sets.
  std::string damage_of_sets();
  std::string damage_of_work();

 private:
  struct Slot {
    search::Argument argument;
    std::array<std::byte, 8> scalar{};
    std::uint64_t elements = 0;
    std::vector<DeviceBuffer> buffers;  // one a set; of a work vector one
    DeviceBuffer pristine;              // of an input-output
    std::uint64_t checksum = 0;         // of an input, or of `pristine`
  };
  std::string damage_of_inputs(std::size_t sets);
  void set_bytes(const Slot& slot, std::size_t set, unsigned char pattern);
  DeviceBuffer make(const Slot& slot) const;
  void fill(std::size_t index, std::size_t set);
  void reset_work(std::size_t index);
  void fill_from_file(const std::string& path, const DeviceVector& to, std::uint64_t seed);
  void point();
  std::uint64_t bytes_of(const Slot& slot) const;
  void copy(DevicePointer to, const DeviceBuffer& from);

  const Context& context_;
  SupportKernels& support_;
  std::uint64_t seed_;
  Ways ways_;
  std::vector<Slot> slots_;
  std::vector<std::optional<PlannedMap>> maps_;
  std::vector<std::vector<DevicePointer>> addresses_;    // by set, by argument
  std::vector<std::vector<TensorMapValue>> map_values_;  // by set, by map
  std::vector<std::vector<void*>> pointers_;
};

}  // namespace nightshift::evaluator::cuda
