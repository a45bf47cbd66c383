#include "evaluator/cuda/build/device_view.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "base/file_text.h"
#include "evaluator/cuda/build/stub_headers.h"
#include "evaluator/sources/include_scan.h"
#include "problems/cuda_source/cuda_source.h"

namespace nightshift::evaluator::cuda {
namespace {

namespace fs = std::filesystem;

using Macros = std::set<std::string, std::less<>>;

// `macros` are the marks of device code in all files.
std::string without_host_parts(std::string text, const std::string& name, const Macros& macros,
                               std::string& unread) {
  const problems::CudaSourceScan scan = problems::scan_cuda_source(text, macros);
  if (!scan.unread.empty()) {
    if (unread.empty()) unread = name + ": " + scan.unread;
    return text;
  }
  for (const problems::CudaHostPart& part : scan.host_parts) {
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    if (part.ends_declaration) text[part.begin] = ';';
  }
  return text;
}

class View {
 public:
  View(const std::vector<std::string>& options, const std::vector<std::string>& toolkit)
      : toolkit_(toolkit) {
    for (const std::string& option : options) {
      if (option.starts_with("-I")) folders_.emplace_back(option.substr(2));
    }
  }

  DeviceView of(const std::string& text, const fs::path& file) {
    view_.headers = stub_headers();
    own_ = view_.headers.size();
    include_from(text, file.parent_path());
    for (; !waiting_.empty(); waiting_.pop_front()) read(waiting_.front());
    // What a file marks by its macros, others use.
    Macros macros = problems::scan_cuda_source(text).device_macros;
    for (std::size_t i = own_; i < view_.headers.size(); ++i) {
      macros.merge(problems::scan_cuda_source(view_.headers[i].second).device_macros);
    }
    const auto part = [&](const std::string& whole, const std::string& name) {
      return without_host_parts(whole, name, macros, view_.unread);
    };
    view_.text = std::string("#include \"") + kStubPrelude + "\"\n#line 1\n" +
                 part(text, file.filename().string());
    for (std::size_t i = own_; i < view_.headers.size(); ++i) {
      auto& [name, whole] = view_.headers[i];
      if (!stubs_.contains(name)) whole = part(whole, name);
    }
    return std::move(view_);
  }

 private:
  struct Included {
    std::string name;
    fs::path file;
  };

  void include_from(const std::string& text, const fs::path& beside) {
    for (const IncludeName& include : scan_includes(text).names) {
      const bool known = std::ranges::any_of(
          view_.headers, [&](const auto& header) { return header.first == include.name; });
      if (known) continue;
      if (const auto file = found(include, beside)) {
        view_.headers.emplace_back(include.name, "");
        waiting_.push_back({include.name, *file});
      } else if (!is_of_toolkit(include.name)) {
        view_.headers.emplace_back(include.name, stub_for(include.name));
        stubs_.insert(include.name);
      }
    }
  }

  void read(const Included& included) {
    std::string text;
    try {
      text = base::read_whole_file(included.file.string());
    } catch (const std::exception&) {
      return;  // whoever needs it will say so
    }
    include_from(text, included.file.parent_path());
    const auto header = std::ranges::find(view_.headers, included.name,
                                          &std::pair<std::string, std::string>::first);
    header->second = std::move(text);
  }

  std::optional<fs::path> found(const IncludeName& include, const fs::path& beside) const {
    std::error_code error;
    if (include.quoted && fs::is_regular_file(beside / include.name, error)) {
      return beside / include.name;
    }
    for (const fs::path& folder : folders_) {
      if (fs::is_regular_file(folder / include.name, error)) return folder / include.name;
    }
    return std::nullopt;
  }

  bool is_of_toolkit(const std::string& name) const {
    return std::ranges::any_of(toolkit_, [&](const std::string& folder) {
      std::error_code error;
      return fs::exists(fs::path(folder) / name, error);
    });
  }

  std::vector<fs::path> folders_;
  const std::vector<std::string>& toolkit_;
  std::deque<Included> waiting_;
  DeviceView view_;
  std::size_t own_ = 0;  // headers before the first that the source includes
  std::set<std::string> stubs_;
};

}  // namespace

DeviceView device_view(const std::string& text, const std::string& file,
                       const std::vector<std::string>& options,
                       const std::vector<std::string>& toolkit) {
  return View(options, toolkit).of(text, file);
}

}  // namespace nightshift::evaluator::cuda
