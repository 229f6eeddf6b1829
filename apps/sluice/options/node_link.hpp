#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "sluice/input/platform.hpp"

/// A network in a user's words: the speed of the link of each host, and how many ranks share it.
namespace sluice::command {

/// The options as they were typed; empty where they were not. They stand for a platform file.
class NodeLinkInput {
 public:
  /// Adds the options to a verb that has --platform, whose value is `platform`. If they are given, `platform` becomes a
  /// text that read_platform_option() reads like a file.
  void add_to(CLI::App& verb, std::string& platform);
  /// For a job, which knows its number of ranks: takes the option --ranks from the verb.
  void take_ranks_of_job(CLI::App& verb);

 private:
  void become(std::string& platform) const;

  std::string node_link_;
  std::string ranks_per_node_;
  std::string latency_;
  std::string ranks_;
  bool of_job_ = false;
};

/// The help of the two options that every verb has.
inline constexpr const char* kNodeLinkHelp =
    "set the speed of the link of each host, such as 100Gbit, which its ranks share; replaces a platform file";
inline constexpr const char* kRanksPerNodeHelp = "set the number of ranks of each host; needed with --node-link";

/// Whether `platform` is such a text.
[[nodiscard]] bool is_node_link_text(const std::string& platform);
/// Whether it leaves the number of ranks open.
[[nodiscard]] bool leaves_ranks_open(const std::string& platform);

/// The platform of such a text: as many hosts as it takes for `ranks` ranks, the last one with what is left. Between
/// hosts a message of m bytes takes the latency + m / speed; a third of the latency keeps the sender, a third the
/// receiver, and all messages of a host share its link in each direction. Inside a host a message takes a tenth of the
/// latency + m / speed, and shares nothing. `ranks` counts if the text names no number. Throws InputError.
[[nodiscard]] Platform platform_of_node_link(const std::string& text, std::int64_t ranks);

}  // namespace sluice::command
