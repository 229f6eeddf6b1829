#pragma once

#include <functional>
#include <string>

namespace sluice {

/// Returns the file that `path` stands for, through links, of which the last may lead to nothing yet. Throws InputError
/// naming `path` if it is empty, or if the links never end.
[[nodiscard]] std::string linked_path(const std::string& path);

/// Replaces the file `path` by `content`, whole: nobody ever sees half of it, and nothing changes when it fails. A link
/// is followed, also to a file that is not there yet; a device or a pipe is written to. Throws InputError naming
/// `path`.
void write_file_atomically(const std::string& path, const std::string& content);

/// The same in two steps, for files that are to be there all or none: written beside its target, then put in its place,
/// or removed unless it was. A device or a pipe is written to at once.
class UnfinishedFile {
 public:
  /// Throws InputError naming `path`. `created`, if given, gets the name of the unfinished file before it is filled; it
  /// must not throw.
  UnfinishedFile(const std::string& path, const std::string& content,
                 const std::function<void(const std::string&)>& created = {});
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// Throws InputError naming `path`.
  void finish();

 private:
  std::string path_;
  std::string target_;
  std::string unfinished_;  ///< empty: there is nothing left to do
};

}  // namespace sluice
