#pragma once

#include <list>
#include <string>

#include "sluice/write_file.hpp"

/// Writes results, whole or not at all.
namespace sluice::command {

/// Writes to standard output. Throws InputError where that fails (a full disk). A reader that went away, as `head`
/// does, has seen what it wanted: nothing is said, and the files are written nevertheless.
void print(const std::string& text);

/// Replaces the file `path` by `content`, whole: nobody ever sees half of it, and nothing changes when it fails. A link
/// is followed; a device or a pipe is written to, and standard output for "-". Throws InputError naming `path`.
void write_file_atomically(const std::string& path, const std::string& content);

/// Adds `content` to the end of the file `path`, at once. Throws InputError naming `path`; a part of it may be there
/// then.
void append_to_file(const std::string& path, const std::string& content);

/// While it lives, files of write_file_atomically wait beside their targets: finish() puts all of them in their places,
/// and without it they are removed. So a command whose second file cannot be written leaves no first one behind. One at
/// a time.
class FilesTogether {
 public:
  FilesTogether();
  ~FilesTogether();
  FilesTogether(const FilesTogether&) = delete;
  FilesTogether& operator=(const FilesTogether&) = delete;

  /// @pre no file is added twice, as options are refused before
  void add(const std::string& path, const std::string& content);
  void finish();

 private:
  std::list<UnfinishedFile> files_;
};

/// From now on signals that end the process remove what is not in its place yet; without this, from the first file on.
/// For who answers signals itself for a while, and gives them back as they were.
void watch_unfinished();
/// Removes what is not in its place yet, for a handler of signals that ends the process.
void remove_unfinished();

/// Throws InputError naming `path` if write_file_atomically would throw; for use before long work. Changes nothing.
void check_writable(const std::string& path);

/// The same for an option FILE|-, where there is nothing to check for standard output and for an option not given.
void check_json_target(const std::string& file);

/// How the name of a file ends, in small letters: ".svg"; empty where it has no ending.
[[nodiscard]] std::string lower_extension(const std::string& path);

/// As check_writable, for a `kind` of output whose names end in `ending`, as ".svg": throws InputError, naming
/// `option`, for the ending of another kind of picture or page, as such a name would mislead every other program. Any
/// other name is fine.
void check_named_target(const std::string& option, const std::string& path, const char* kind, const char* ending);

/// check_named_target for a picture.
void check_picture_target(const std::string& option, const std::string& path);

/// Creates the folder `path` and those above it that are missing. Those that are still empty when the process ends,
/// also by an error or by Ctrl-C, are removed. Throws InputError naming `path`.
void make_folder(const std::string& path);

}  // namespace sluice::command
