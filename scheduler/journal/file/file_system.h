#pragma once

#include <cstdint>
#include <string>

namespace nightshift::scheduler {

// What the file system under a journal can do.
enum class FileSystemKind : std::uint8_t {
  kLocal,    // processes of this machine share memory through its files
  kNetwork,  // other machines see its files, but not this memory; so may one in user space, of which
             // nothing is known
};

// By `f_type` of statfs(2): NFS, SMB, Lustre, GPFS, Ceph, BeeGFS, AFS, 9p, cluster file systems and
// FUSE are kNetwork.
FileSystemKind kind_of_file_system(std::uint64_t type);
// Of the folder, or of the nearest one above it that is there.
FileSystemKind file_system_at(const std::string& folder);

}  // namespace nightshift::scheduler
