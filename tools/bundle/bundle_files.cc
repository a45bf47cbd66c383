#include "tools/bundle/bundle_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <system_error>

#include "base/content_hash.h"
#include "base/file_text.h"
#include "ipc/system_call.h"
#include "ipc/unique_fd.h"
#include "tools/text/format.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFiles = "files/";
constexpr std::uint64_t kMostManifest = std::uint64_t{16} << 20;

std::string quoted(const std::string& path) { return "'" + one_line(path) + "'"; }

[[noreturn]] void fail(const std::string& bundle, const std::string& what) {
  throw BundleError(one_line(bundle) + ": " + what);
}

std::string kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::symlink:
      return "a symbolic link";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::regular:
      return "a file";
    default:
      return "no plain file";
  }
}

void write(const fs::path& path, std::string_view bytes, bool executable) {
  fs::create_directories(path.parent_path());
  base::write_file(path.string(), std::string(bytes));
  if (executable) fs::permissions(path, fs::perms::owner_exec, fs::perm_options::add);
}

// Its bytes, `most` at most; of a manifest, `size` says how many there have to be.
std::string read(const std::string& bundle, const std::string& path, std::uint64_t most,
                 std::optional<std::uint64_t> size) {
  const ipc::UniqueFd file(
      ::open((fs::path(bundle) / path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) fail(bundle, quoted(path) + " cannot be read: " + std::strerror(errno));
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    fail(bundle, quoted(path) + " is no plain file");
  }
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  if (size && bytes != *size) {
    fail(bundle,
         fmt::format("{} has {} bytes, and the manifest says {}", quoted(path), bytes, *size));
  }
  if (bytes > most) fail(bundle, quoted(path) + " is larger than what is taken");
  std::string content(bytes, '\0');
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t got = ipc::retry_interrupted(
        [&] { return ::read(file.get(), content.data() + at, content.size() - at); });
    if (got <= 0) fail(bundle, quoted(path) + " cannot be read to its end");
    at += static_cast<std::size_t>(got);
  }
  return content;
}

// Folders that hold files of the manifest, "files", "files/include".
std::set<std::string> folders_of(const BundleManifest& manifest) {
  std::set<std::string> folders;
  for (const BundleFile& file : manifest.files) {
    for (std::size_t slash = file.path.find('/'); slash != std::string::npos;
         slash = file.path.find('/', slash + 1)) {
      folders.insert(file.path.substr(0, slash));
    }
  }
  return folders;
}

// Every entry is one of the manifest, and of its kind.
void check_entries(const std::string& bundle, const BundleManifest& manifest) {
  const std::set<std::string> folders = folders_of(manifest);
  std::error_code error;
  fs::recursive_directory_iterator it(bundle, error), end;
  for (; !error && it != end; it.increment(error)) {
    const std::string path = it->path().lexically_relative(bundle).string();
    const fs::file_type type = it->symlink_status().type();
    const bool is_folder = folders.contains(path);
    if (!is_folder && path != kManifest && find_file(manifest, path) == nullptr) {
      fail(bundle, quoted(path) + ", " + kind_of(type) + ", is not in the manifest");
    }
    const bool is_right = type == (is_folder ? fs::file_type::directory : fs::file_type::regular);
    if (!is_right) fail(bundle, quoted(path) + " is " + kind_of(type) + ", which no bundle has");
  }
  if (error) fail(bundle, "cannot be read: " + error.message());
}

}  // namespace

BundleFile put_file(const fs::path& top, const std::string& path, std::string_view bytes,
                    bool executable) {
  if (const std::string wrong = wrong_with_path(path); !wrong.empty()) {
    throw UsageError("the file " + quoted(path) + " " + wrong + ": no bundle can have it");
  }
  write(top / path, bytes, executable);
  return {path, bytes.size(), base::content_hash(bytes), executable};
}

BundleManifest manifest_of(const std::string& bundle) {
  std::error_code error;
  if (fs::is_regular_file(bundle, error)) {
    fail(bundle, "is a file, and a bundle is a folder: unpack it first");
  }
  if (!fs::is_directory(bundle, error)) {
    fail(bundle, "expected a folder that `nightshift export --format bundle` wrote");
  }
  if (!fs::exists(fs::symlink_status(fs::path(bundle) / kManifest, error))) {
    fail(bundle, std::string("is no bundle: there is no ") + kManifest + " in it");
  }
  const std::string text = read(bundle, kManifest, kMostManifest, std::nullopt);
  try {
    return read_manifest(text);
  } catch (const BundleError& wrong) {
    fail(bundle, wrong.what());
  }
}

fs::path CopyPlaces::of(const BundleManifest& manifest, const std::string& path) const {
  if (!path.starts_with(kFiles)) return top / path;
  return fs::path(tree.string() + manifest.root) / path.substr(kFiles.size());
}

void copy_files(const std::string& bundle, const BundleManifest& manifest,
                const CopyPlaces& places) {
  check_entries(bundle, manifest);
  for (const BundleFile& file : manifest.files) {
    const std::string bytes = read(bundle, file.path, file.bytes, file.bytes);
    const std::string hash = base::content_hash(bytes);
    if (hash != file.hash) {
      fail(bundle,
           quoted(file.path) + " has the hash " + hash + ", and the manifest says " + file.hash);
    }
    write(places.of(manifest, file.path), bytes, file.executable);
  }
}

}  // namespace nightshift::tools
