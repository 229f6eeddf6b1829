#pragma once

#include <string_view>

/// The files of the report's page, which the build turns into constants (cmake/EmbedFiles.cmake). Library and licences
/// are empty in a build without d3.
namespace sluice::detail {

[[nodiscard]] std::string_view page_html();
[[nodiscard]] std::string_view page_css();
[[nodiscard]] std::string_view page_program();
[[nodiscard]] std::string_view page_library();
[[nodiscard]] std::string_view page_licences();

}  // namespace sluice::detail
