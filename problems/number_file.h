#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "search/element_type.h"

namespace nightshift::problems {

// A sentence without the file's name.
struct NumberFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What numpy.save() writes before the numbers (format NPY, versions 1 to 3). Throws NumberFileError
// for what is none, and for arrays whose bytes are no numbers of ours one after the other: of
// Fortran's order, big-endian, or of another type. `size`: of the whole file; `head`: its first
// bytes, kMostHead at most.
struct NumberHead {
  search::ElementType type = search::ElementType::kFloat32;
  std::uint64_t elements = 0;
  std::uint64_t offset = 0;  // of the first
};
inline constexpr std::size_t kMostHead = 64 << 10;
NumberHead number_head(std::string_view head, std::uint64_t size);

// The contents of a vector (search::Argument::Fill::kFile). A file of n times as many numbers as
// the vector has is n samples of it; which one is taken follows from `seed`.
class NumberFile {
 public:
  // Throws NumberFileError, also where there are fewer numbers than `elements`.
  NumberFile(const std::string& path, std::uint64_t elements);

  search::ElementType type() const { return head_.type; }
  std::uint64_t samples() const { return elements_ == 0 ? 1 : head_.elements / elements_; }
  // `elements` numbers of type(), as they lie in the file. Throws NumberFileError.
  std::vector<std::byte> sample(std::uint64_t seed) const;
  // The same, each as the nearest one of `type`, a type of C++. Throws NumberFileError where it has
  // none that is near (expect_in).
  std::vector<std::byte> sample(std::uint64_t seed, search::ElementType type) const;
  // Throws NumberFileError with the position of a number beyond what `type` goes to, and of a NaN
  // where that is an integer. Of all samples.
  void expect_in(search::ElementType type) const;

 private:
  std::vector<std::byte> read(std::uint64_t first, std::uint64_t count) const;  // numbers

  std::string path_;
  std::uint64_t elements_;
  NumberHead head_;
};

}  // namespace nightshift::problems
