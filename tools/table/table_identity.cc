#include "tools/table/table_identity.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>

#include "base/content_hash.h"
#include "search/identity.h"
#include "search/table/table_rule.h"

namespace nightshift::tools {
namespace {

namespace fs = std::filesystem;

// What a key of a part, or the problem file itself, is called in a hash.
using Named = std::function<std::string(const std::string& file, const std::string& key)>;

fs::path folder_of(const std::string& file) {
  return fs::path(file).lexically_normal().parent_path();
}

// "/" where they have nothing in common.
fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end() && *i == *j; ++i, ++j) {
    common /= *i;
  }
  return common;
}

// What moves along with problem files in `folder`: the folder that they share with the batch, where
// there is one.
fs::path project_of(const fs::path& folder, const TableBatch& batch) {
  const fs::path of_batch = fs::absolute(batch.folder).lexically_normal();
  fs::path common = common_folder(folder, of_batch);
  return common.has_relative_path() ? common : folder;
}

// The key of a file of the project with its path from `folder`; any other one as it is. Files that a
// source includes are named without links.
std::string key_from(const fs::path& folder, const fs::path& project, const std::string& key) {
  const auto part = search::part_of(key, "");
  if (!part) return key;
  const fs::path path = fs::path(part->name).lexically_normal();
  if (!path.is_absolute()) return key;
  fs::path from = folder;
  if (common_folder(path, project) != project) {
    std::error_code ignored;
    const fs::path real = fs::weakly_canonical(project, ignored);
    if (real.empty() || common_folder(path, real) != real) return key;
    from = fs::weakly_canonical(folder, ignored);
  }
  return search::key_of({part->kind, path.lexically_relative(from).string(), ""});
}

TableStore::Of hashes_of(const TableBatch& batch, const PartsOfFiles& files,
                         const std::string& devices, const Named& name_of_file,
                         const Named& name_of_part) {
  std::map<std::string, std::string> hashes, of_shapes;
  for (const auto& [file, parts] : files) {
    std::map<std::string, std::string> named;
    for (const auto& [key, value] : parts) named[name_of_part(file, key)] = value;
    std::string text = name_of_file(file, file) + "\n" + devices + "\n";
    for (const auto& [name, value] : named) {
      if (!name.starts_with("system ")) text += name + "=" + value + "\n";
    }
    hashes[file] = base::content_hash(text);
  }
  for (const TableStudy& study : batch.studies) {
    of_shapes[search::text_of(study.shape.sizes)] = hashes[study.problem_file];
  }
  return [of_shapes, first = hashes[batch.problem_file]](const std::string& shape) {
    const auto own = of_shapes.find(shape);
    return own == of_shapes.end() ? first : own->second;
  };
}

// By absolute key: what table.json calls it, and its value.
std::map<std::string, std::pair<std::string, std::string>> told_parts(const TableBatch& batch,
                                                                      const PartsOfFiles& files) {
  std::optional<fs::path> shared;
  for (const auto& [file, parts] : files) {
    shared = shared ? common_folder(*shared, folder_of(file)) : folder_of(file);
  }
  const fs::path folder = shared.value_or(fs::path());
  const fs::path project = project_of(folder, batch);
  std::map<std::string, std::pair<std::string, std::string>> told;
  for (const auto& [file, parts] : files) {
    for (const auto& [key, value] : parts) {
      told.try_emplace(key, key_from(folder, project, key), value);
    }
  }
  return told;
}

}  // namespace

PartsOfFiles parts_of_files(const TableBatch& batch, const TableDevices& devices) {
  PartsOfFiles all;
  for (const TableStudy& study : batch.studies) {
    const auto [of_file, is_new] = all.try_emplace(study.problem_file);
    if (!is_new) continue;
    std::map<std::string, std::string> parts;
    for (const search::IdentityPart& part : devices.made_of(study.problem)) {
      parts[search::key_of(part)] = part.value;
    }
    of_file->second.assign(parts.begin(), parts.end());
  }
  return all;
}

PartsOfTable joined_parts(const TableBatch& batch, const PartsOfFiles& files) {
  std::map<std::string, std::string> parts;
  for (const auto& [key, part] : told_parts(batch, files)) parts.insert(part);
  return {parts.begin(), parts.end()};
}

std::vector<std::string> changed_parts(const PartsOfTable& before, const TableBatch& batch,
                                       const PartsOfFiles& files) {
  const std::map<std::string, std::string> old(before.begin(), before.end());
  const auto was = [&](const std::string& name, const std::string& value) {
    const auto found = old.find(name);
    return found != old.end() && found->second == value;
  };
  std::vector<std::string> changed;
  for (const auto& [key, part] : told_parts(batch, files)) {
    if (!was(part.first, part.second) && !was(key, part.second)) changed.push_back(part.first);
  }
  return changed;
}

TableStore::Of identities_of(const TableBatch& batch, const PartsOfFiles& files,
                             const std::string& devices) {
  const auto name_of_file = [](const std::string& file, const std::string&) {
    return fs::path(file).filename().string();
  };
  const auto name_of_part = [&](const std::string& file, const std::string& key) {
    const fs::path folder = folder_of(file);
    return key_from(folder, project_of(folder, batch), key);
  };
  return hashes_of(batch, files, devices, name_of_file, name_of_part);
}

TableStore::Of earlier_identities_of(const TableBatch& batch, const PartsOfFiles& files,
                                     const std::string& devices) {
  const auto as_it_is = [](const std::string&, const std::string& key) { return key; };
  return hashes_of(batch, files, devices, as_it_is, as_it_is);
}

}  // namespace nightshift::tools
