#include "scheduler/journal/file/file_system.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace nightshift::scheduler {
namespace {

// From linux/magic.h and the file systems' own sources.
constexpr std::array<std::uint64_t, 15> kNetworkTypes = {
    0x6969,      // NFS
    0x517b,      // SMB
    0xff534d42,  // CIFS
    0xfe534d42,  // SMB 2 and 3
    0x0bd00bd0,  // Lustre
    0x47504653,  // GPFS
    0x00c36400,  // Ceph
    0x19830326,  // BeeGFS
    0x5346414f,  // AFS
    0x6b414653,  // AFS of the kernel
    0x73757245,  // Coda
    0x01021997,  // 9p
    0x01161970,  // GFS2
    0x7461636f,  // OCFS2
    0x65735546,  // FUSE
};

}  // namespace

FileSystemKind kind_of_file_system(std::uint64_t type) {
  return std::ranges::find(kNetworkTypes, type) == kNetworkTypes.end() ? FileSystemKind::kLocal
                                                                       : FileSystemKind::kNetwork;
}

FileSystemKind file_system_at(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(folder, ignored);
  struct statfs about {};
  while (::statfs(path.c_str(), &about) != 0) {
    if (path == path.parent_path()) return FileSystemKind::kLocal;
    path = path.parent_path();
  }
  // A type is 32 bits wide; where `f_type` is signed and longer, the sign is none.
  return kind_of_file_system(static_cast<std::uint32_t>(about.f_type));
}

}  // namespace nightshift::scheduler
