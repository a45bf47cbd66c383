#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "scheduler/nodes/node_line.h"

namespace nightshift::scheduler {

// A file, or a folder with all that is in it, as one sequence of bytes: content and whether it may
// be executed; links are followed. Throws std::system_error, std::filesystem::filesystem_error.
node::Bytes packed(const std::string& path);
// Puts it to `path`, which appears whole or not at all; what is there already stays. Throws
// LineError where the bytes are no parcel or name something outside of it, std::system_error.
void unpack(const node::Bytes& bytes, const std::string& path);

// The same in messages of bounded length.
std::vector<node::Piece> pieces_of(const std::string& parcel, const node::Bytes& bytes);

// Parcels as their pieces arrive, in order; of several at a time too.
class ArrivingParcels {
 public:
  // True with the last piece; take() gives it then. Throws LineError above the most that may wait.
  bool add(const node::Piece& piece);
  bool has(const std::string& parcel) const { return parcels_.contains(parcel); }
  node::Bytes take(const std::string& parcel);

 private:
  std::map<std::string, node::Bytes> parcels_;
  std::size_t bytes_ = 0;
};

}  // namespace nightshift::scheduler
