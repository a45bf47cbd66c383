#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ipc/unique_fd.h"

namespace nightshift::ipc {

// What a child prints to one of its descriptors: its head, in a memory file, so that nobody has to
// read meanwhile. A pipe was rejected: who measures would be woken by each line.
class CapturedStream {
 public:
  enum class Size : std::uint8_t {
    // Further writes fail at once with EPERM. So do those of a child that opens /dev/stderr anew or
    // appends, as make does.
    kFixed,
    // As a regular file, whatever the child does with it, until whoever waits for the child finds
    // by bound() that it has more than is kept. From then on as kFixed, after forget() too.
    kGrows
  };

  CapturedStream() = default;  // nothing is captured
  // Throws std::system_error.
  CapturedStream(const std::string& label, std::size_t kept, Size size);

  int fd() const { return file_.get(); }  // for the child: it shares our offset
  std::string head() const;               // at most `kept` bytes
  std::size_t printed() const;            // bytes; more than `kept` once something was lost
  bool was_cut() const { return printed() > kept_; }
  void bound() noexcept;
  void forget() noexcept;  // what was printed so far

 private:
  UniqueFd file_;
  std::size_t kept_ = 0;
  bool grows_ = false;  // still
};

}  // namespace nightshift::ipc
