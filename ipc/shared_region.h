#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <cstddef>
#include <span>
#include <string>

#include "ipc/unique_fd.h"

namespace nightshift::ipc {

// An anonymous memory file: `bytes` long, sparse, close-on-exec, sealed against changing its size
// (a child that truncates it would otherwise kill its parent with SIGBUS).
UniqueFd make_memory_file(const std::string& label, std::size_t bytes);
// One that is empty, and grows by what is written to it.
UniqueFd make_growing_file(const std::string& label);
// Refuses every new writable mapping and every write() from now on; existing mappings still write.
// False where the kernel cannot do it; the caller goes on without.
bool seal_against_new_writers(int fd);

// A mapping of a memory file, on boost::interprocess::mapped_region.
class SharedRegion {
 public:
  enum class Access { kReadOnly, kReadWrite };

  SharedRegion() = default;
  // Throws std::system_error.
  static SharedRegion map(int fd, std::size_t bytes, Access access);

  std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(region_.get_address()), region_.get_size()};
  }

 private:
  boost::interprocess::mapped_region region_;
};

}  // namespace nightshift::ipc
