#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sluice::command {

/// The member "about" of a file of results. It names the inputs, the version, the place and the time that the file was
/// made, so that it can be made again.
///
///     {"version": "0.1.0+3f2a91c", "command": ["sluice", "compare", ...], "date": "2026-11-21T10:11:19Z", "hosts":
///     ["a"],
///      "inputs": [{"file": "traffic.mtx", "sha256": "..."}], "seed": 1}
///
/// "mpi" is there in results of MPI jobs, "seed" where the verb has one. Inputs are the files that the command line
/// names; standard input has no hash, as it has been read already. `hosts`: the hosts of the ranks, each once; if
/// empty, the host of this process.
[[nodiscard]] nlohmann::ordered_json about(const std::vector<std::string>& hosts = {}, const std::string& mpi = {});

/// Text as JSON may have it: bytes that are no UTF-8, which file names may hold, as question marks.
[[nodiscard]] std::string utf8(const std::string& text);

}  // namespace sluice::command
