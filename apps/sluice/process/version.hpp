#pragma once

#include <string>

/// What this command was built from and with.
namespace sluice::command {

/// "0.1.0"; and "0.1.0+3f2a91c" with the commit, where it was built in a checkout ("-changed" behind it: with changes
/// besides).
[[nodiscard]] std::string version_number();
[[nodiscard]] std::string version_with_commit();

/// For --version: the version, then a line each for compiler, MPI, CBC, SimGrid and ScaLAPACK.
[[nodiscard]] std::string version_text();

}  // namespace sluice::command
