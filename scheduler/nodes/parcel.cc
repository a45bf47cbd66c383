#include "scheduler/nodes/parcel.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

#include "base/file_text.h"
#include "ipc/archive.h"

namespace nightshift::scheduler {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPieceBytes = std::size_t{48} << 10;
constexpr std::size_t kMostWaiting = std::size_t{2} << 30;

struct Entry {
  std::string path;  // below the root; empty: the root itself is a file
  bool executable = false;
  std::string content;
};

template <class Archive>
void io(Archive& archive, Entry& m) {
  ipc::codec::io(archive, m.path);
  ipc::codec::io(archive, m.executable);
  ipc::codec::io(archive, m.content);
}

Entry entry_of(const fs::path& file, std::string name) {
  std::ifstream in(file, std::ios::binary);
  Entry entry{std::move(name), false, {}};
  entry.content.assign(std::istreambuf_iterator<char>(in), {});
  if (!in.good() && !in.eof()) {
    throw std::system_error(errno, std::generic_category(), "reading " + file.string());
  }
  entry.executable = (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
  return entry;
}

bool stays_inside(const std::string& name) {
  const fs::path path(name);
  return path.is_relative() && std::ranges::none_of(path, [](const fs::path& p) {
           return p == ".." || p == "." || p.empty();
         });
}

void write(const Entry& entry, const fs::path& root) {
  const fs::path path = entry.path.empty() ? root : root / entry.path;
  fs::create_directories(path.parent_path());
  base::write_file(path.string(), entry.content);
  if (entry.executable) {
    fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec, fs::perm_options::add);
  }
}

}  // namespace

node::Bytes packed(const std::string& path) {
  std::vector<Entry> entries;
  if (fs::is_directory(path)) {
    for (const auto& found : fs::recursive_directory_iterator(path)) {
      if (found.is_regular_file()) {
        entries.push_back(entry_of(found.path(), found.path().lexically_relative(path).string()));
      }
    }
    std::ranges::sort(entries, {}, &Entry::path);
  } else {
    entries.push_back(entry_of(path, ""));
  }
  node::Bytes bytes;
  ipc::codec::Writer writer(bytes);
  bool is_folder = entries.size() != 1 || !entries.front().path.empty();
  auto count = static_cast<std::uint32_t>(entries.size());
  ipc::codec::io(writer, is_folder);
  ipc::codec::io(writer, count);
  for (Entry& entry : entries) io(writer, entry);
  return bytes;
}

void unpack(const node::Bytes& bytes, const std::string& path) {
  std::vector<Entry> entries;
  bool is_folder = false;
  try {
    ipc::codec::Reader reader(bytes);
    std::uint32_t count = 0;
    ipc::codec::io(reader, is_folder);
    ipc::codec::io(reader, count);
    while (entries.size() < count) io(reader, entries.emplace_back());
    if (reader.left() > 0 || (!is_folder && count != 1)) throw LineError("no parcel");
  } catch (const ipc::DecodeError& error) {
    throw LineError(std::string("no parcel: ") + error.what());
  }
  for (const Entry& entry : entries) {
    if (entry.path.empty() == is_folder || !stays_inside(entry.path)) {
      throw LineError("a parcel with a way out of it");
    }
  }
  if (fs::exists(path)) return;
  const std::string growing = path + ".new";
  fs::remove_all(growing);
  fs::create_directories(is_folder ? fs::path(growing) : fs::path(growing).parent_path());
  for (const Entry& entry : entries) write(entry, growing);
  fs::rename(growing, path);
}

std::vector<node::Piece> pieces_of(const std::string& parcel, const node::Bytes& bytes) {
  std::vector<node::Piece> pieces;
  std::size_t from = 0;
  do {
    const std::size_t count = std::min(kPieceBytes, bytes.size() - from);
    const auto part = std::span(bytes).subspan(from, count);
    from += count;
    pieces.push_back({parcel, node::Bytes(part.begin(), part.end()), from == bytes.size()});
  } while (from < bytes.size());
  return pieces;
}

bool ArrivingParcels::add(const node::Piece& piece) {
  bytes_ += piece.data.size();
  if (bytes_ > kMostWaiting) throw LineError("more parcels than anybody waits for");
  node::Bytes& parcel = parcels_[piece.parcel];
  parcel.insert(parcel.end(), piece.data.begin(), piece.data.end());
  return piece.last;
}

node::Bytes ArrivingParcels::take(const std::string& parcel) {
  const auto found = parcels_.find(parcel);
  if (found == parcels_.end()) throw LineError("a parcel is missing");
  node::Bytes bytes = std::move(found->second);
  parcels_.erase(found);
  bytes_ -= bytes.size();
  return bytes;
}

}  // namespace nightshift::scheduler
