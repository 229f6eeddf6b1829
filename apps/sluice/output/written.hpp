#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

/// The option --json of verbs whose results are other files: JSON that names these, with figures (sluice.written/1).
namespace sluice::command {

/// The files that a verb writes.
class Written {
 public:
  /// write_file_atomically(), and the file counts as written.
  void write(const std::string& path, const std::string& content);

  /// Writes the JSON to `target`, a file or "-"; nothing if it is empty. `figures` is an object, another one for each
  /// verb. `hosts`: the hosts of the ranks, each once; empty without MPI.
  void write_json(const std::string& target, const char* verb, const nlohmann::ordered_json& figures,
                  const std::vector<std::string>& hosts = {}) const;

 protected:
  struct File {
    std::string path;
    std::size_t bytes = 0;
  };
  std::vector<File> files_;
};

/// The same for what a program writes into a folder, by whatever means: files that were not there when this was made,
/// or that have changed since.
class WrittenIntoFolder : public Written {
 public:
  explicit WrittenIntoFolder(std::string folder);
  /// Looks again.
  void look();

 private:
  using Stamp = std::pair<std::filesystem::file_time_type, std::size_t>;
  [[nodiscard]] std::map<std::string, Stamp> list() const;

  std::string folder_;
  std::map<std::string, Stamp> before_;
};

}  // namespace sluice::command
