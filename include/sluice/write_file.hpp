#pragma once

#include <string>

namespace sluice {

/// Replaces the file `path` by `content`, whole: nobody ever sees half of it, and nothing changes when it fails. A link
/// is followed; a device or a pipe is written to. Throws InputError naming `path`.
void write_file_atomically(const std::string& path, const std::string& content);

}  // namespace sluice
