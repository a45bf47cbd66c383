#include "ipc/shared_region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <boost/interprocess/detail/os_file_functions.hpp>
#include <boost/interprocess/exceptions.hpp>

#include "ipc/system_call.h"

namespace nightshift::ipc {

namespace {

// What mapped_region wants of a thing that can be mapped: its handle. Boost's own such thing,
// shared_memory_object, has a name in /dev/shm that a killed process leaves behind.
class MemoryFile {
 public:
  explicit MemoryFile(int fd) : fd_(fd) {}
  boost::interprocess::mapping_handle_t get_mapping_handle() const {
    return boost::interprocess::ipcdetail::mapping_handle_from_file_handle(fd_);
  }

 private:
  int fd_;
};

}  // namespace

UniqueFd make_growing_file(const std::string& label) {
  UniqueFd file(::memfd_create(label.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) throw_errno("memfd_create");
  return file;
}

UniqueFd make_memory_file(const std::string& label, std::size_t bytes) {
  UniqueFd file = make_growing_file(label);
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    throw_errno("ftruncate of memory file");
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    throw_errno("sealing of memory file");
  }
  return file;
}

bool seal_against_new_writers(int fd) { return ::fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == 0; }

SharedRegion SharedRegion::map(int fd, std::size_t bytes, Access access) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw_errno("fstat of memory file");
  if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) < bytes) {
    errno = EINVAL;  // touching a page beyond the end would be a SIGBUS
    throw_errno("mapping of a memory file that is too short");
  }
  SharedRegion region;
  try {
    namespace bip = boost::interprocess;
    region.region_ = bip::mapped_region(
        MemoryFile(fd), access == Access::kReadOnly ? bip::read_only : bip::read_write, 0, bytes);
  } catch (const boost::interprocess::interprocess_exception& e) {
    throw std::system_error(e.get_native_error(), std::generic_category(), "mmap of memory file");
  }
  return region;
}

}  // namespace nightshift::ipc
