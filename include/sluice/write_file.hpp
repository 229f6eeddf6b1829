#pragma once

#include <string>

namespace sluice {

/// Replaces the file `path` by `content`, whole: nobody ever sees half of it, and nothing changes when it fails. A link
/// is followed; a device or a pipe is written to. Throws InputError naming `path`.
void write_file_atomically(const std::string& path, const std::string& content);

/// The same in two steps, for files that are to be there all or none: written beside its target, then put in its place,
/// or removed unless it was. A device or a pipe is written to at once.
class UnfinishedFile {
 public:
  /// Throws InputError naming `path`.
  UnfinishedFile(const std::string& path, const std::string& content);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

  /// Throws InputError naming `path`.
  void finish();
  /// Where it is until finish(); empty afterwards, and for a device or a pipe.
  [[nodiscard]] const std::string& unfinished() const { return unfinished_; }

 private:
  std::string path_;
  std::string target_;
  std::string unfinished_;  ///< empty: there is nothing left to do
};

}  // namespace sluice
