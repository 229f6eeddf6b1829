#pragma once

#include <functional>
#include <string>

namespace sluice {

/// Returns the file that `path` leads to through links; the last link may lead to a file that does not exist. Throws
/// InputError naming `path` if it is empty, or if the links never end.
[[nodiscard]] std::string linked_path(const std::string& path);

/// Replaces the file `path` by `content`. Other programs see the old file or the whole new file, and a failure changes
/// nothing. Links are followed, even to a file that does not exist. A device or a pipe is written to. Throws InputError
/// naming `path`.
void write_file_atomically(const std::string& path, const std::string& content);

/// Replaces a file in two steps, so that several files can be replaced together or not at all. The content is written
/// beside its target; finish() then puts it in place, and the destructor removes it otherwise. A device or a pipe is
/// written to at once.
class UnfinishedFile {
 public:
  /// Writes `content` beside the file `path`. `created`, if given, gets the name of the unfinished file before it is
  /// filled; it must not throw. Throws InputError naming `path`.
  UnfinishedFile(const std::string& path, const std::string& content,
                 const std::function<void(const std::string&)>& created = {});
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// Puts the content in place. Throws InputError naming `path`.
  void finish();

 private:
  std::string path_;
  std::string target_;
  std::string unfinished_;  ///< empty if nothing is left to do
};

}  // namespace sluice
