#include "apps/sluice/output/written.hpp"

#include <nlohmann/json.hpp>
#include <system_error>

#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/process/ranks.hpp"

namespace sluice::command {

void Written::write(const std::string& path, const std::string& content) {
  write_file_atomically(path, content);
  files_.push_back({path, content.size()});
}

void Written::write_json(const std::string& target, const char* verb, const nlohmann::ordered_json& figures,
                         const std::vector<std::string>& hosts) const {
  using nlohmann::ordered_json;
  if (target.empty()) return;
  ordered_json file{{"schema", "sluice.written/1"},
                    {"about", about(hosts, hosts.empty() ? std::string() : mpi_library())},
                    {"verb", verb},
                    {"files", ordered_json::array()},
                    {"figures", figures}};
  for (const File& each : files_) file["files"].push_back({{"file", utf8(each.path)}, {"bytes", each.bytes}});
  write_file_atomically(target, file.dump() + '\n');
}

WrittenIntoFolder::WrittenIntoFolder(std::string folder) : folder_(std::move(folder)), before_(list()) {}

void WrittenIntoFolder::look() {
  files_.clear();
  for (const auto& [path, stamp] : list()) {
    const auto known = before_.find(path);
    if (known == before_.end() || known->second != stamp) files_.push_back({path, stamp.second});
  }
}

std::map<std::string, WrittenIntoFolder::Stamp> WrittenIntoFolder::list() const {
  std::map<std::string, Stamp> found;
  std::error_code error;
  for (auto at = std::filesystem::recursive_directory_iterator(folder_, error);
       !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (!at->is_regular_file(gone)) continue;
    const auto time = at->last_write_time(gone);
    const auto bytes = at->file_size(gone);
    if (!gone) found[at->path().string()] = {time, static_cast<std::size_t>(bytes)};
  }
  return found;
}

}  // namespace sluice::command
