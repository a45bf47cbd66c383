#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ipc/file_lock.h"
#include "scheduler/devices/device.h"

namespace nightshift::scheduler {

// Where locks of devices are. Shared: by all users of the machine, in a folder that all write.
struct LockPlace {
  std::string folder;
  bool shared = false;
};
// /run/lock or /tmp, so that users see each other; where XDG_RUNTIME_DIR names another folder than
// the one that a login makes (/run/user/UID), runtime_folder(): that is how runs are kept apart.
LockPlace lock_place();

// Held by the one run that measures on a GPU or on a core, so that two do not disturb each other;
// released when the process ends, however it ends.
class DeviceLock {
 public:
  // `name` is a GPU's UUID or what core_lock_name() gives; `purpose` is told to whoever is refused,
  // and may be empty. Throws DeviceError with the other's process id, and user, where another run
  // holds it, or where a folder that is not shared (made if need be) is not ours alone.
  DeviceLock(const std::string& name, const LockPlace& place, const std::string& purpose = "");

 private:
  ipc::FileLock lock_;
};

std::string core_lock_name(int core);  // "core-3"

// XDG_RUNTIME_DIR/nightshift, or /tmp/nightshift-UID: what runs of one user on one machine share.
std::string runtime_folder();
// Makes runtime_folder() or one like it. Throws DeviceError where it belongs to somebody else.
void make_private_folder(const std::string& folder);

// Of each device that is a GPU, and of each core of the others. A recorded space, and what is
// pinned nowhere, has none.
std::vector<DeviceLock> lock_devices(const std::vector<Device>& devices,
                                     const std::string& purpose);
// A place in the line of those who wait for devices, from the moment of its making until it ends or
// its process does. It is a lock like that of a device, one of some files that stay: there is no
// place where they are all taken, and who waits then has no turn.
class DevicePlace {
 public:
  DevicePlace(const std::vector<Device>& devices, const LockPlace& place,
              const std::string& purpose);
  // Who came before, and waits for one of these devices or cores: "4711 on node7, rmsnorm". Empty:
  // nobody, it is this one's turn.
  std::string ahead() const;

 private:
  std::vector<std::string> names_;
  LockPlace place_;
  std::optional<ipc::FileLock> lock_;
  std::string arrival_;
};
// Who waits for one of these devices or cores now; empty: nobody.
std::string who_waits_for(const std::vector<Device>& devices, const LockPlace& place);

// Who holds the device, or one of its cores, now: "4711 on node7, rmsnorm"; nullopt: nobody.
std::optional<std::string> holder_of(const Device& device);

}  // namespace nightshift::scheduler
