#pragma once

#include <string>
#include <vector>

#include "input/strict_json.hpp"
#include "sluice/input/platform.hpp"

/// What files of platforms have in common, in any version.
namespace sluice::detail {

inline constexpr const char* kPlatformSchema = "sluice.platform/1";
inline constexpr const char* kPlatformTreeSchema = "sluice.platform/2";

/// Appends `, "NAME": [[bytes, seconds], ...]`.
void append_table(std::string& out, const char* name, const GapTable& table);

/// Appends `"latency_s": L, "gap": [...]`, and the connections, if there are several; no gap if it has no points.
void append_link_times(std::string& out, const PlatformLink& link);

/// Appends the broadcasts that were measured.
void append_broadcasts(std::string& out, const PlatformCluster& cluster);

/// Throws InputError naming `where`, "FILE:LINE", and the field unless it is a table.
[[nodiscard]] GapTable table_of(const std::vector<JsonPair>& pairs, const std::string& where, const char* field);

}  // namespace sluice::detail
