#include "apps/sluice/options/combining.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

void CombiningInput::add_to(CLI::App& verb, const std::string& condition) {
  verb.add_option(kCompute, compute, condition + "c, the time that a rank takes to combine two elements, such as 2ns")
      ->option_text("C [0]");
  verb.add_option(kCosts, costs,
                  condition + "instead of --compute: c of each rank, one per line; - reads standard input")
      ->option_text("FILE");
}

CombiningCosts read(const CombiningInput& options, std::int64_t ranks, std::int64_t element_bytes) {
  const auto in_a_byte = [&](const std::string& text, const std::string& where) {
    return parse_seconds(text, where) / static_cast<double>(element_bytes);
  };
  if (options.costs.empty())
    return options.compute.empty() ? CombiningCosts() : in_a_byte(options.compute, CombiningInput::kCompute);
  if (!options.compute.empty())
    throw InputError(CombiningInput::kCosts, fmt::format("cannot be used with {}", CombiningInput::kCompute),
                     "one of the two");
  std::vector<double> costs;
  for (const auto& [where, text] : read_input_lines(options.costs, "costs of combining"))
    costs.push_back(in_a_byte(text, where));
  if (std::cmp_not_equal(costs.size(), ranks))
    throw InputError(shown_path(options.costs), fmt::format("{} costs of combining", costs.size()),
                     fmt::format("{}, one per rank", ranks));
  return CombiningCosts(std::move(costs));
}

std::string combining_text(const CombiningCosts& costs, std::int64_t element_bytes) {
  if (costs.are_free()) return {};
  const auto of_element = [&](double s_per_byte) {
    return seconds_text(s_per_byte * static_cast<double>(element_bytes));
  };
  std::string time = of_element(costs.least());
  if (costs.differ()) time += " to " + of_element(costs.most());
  return fmt::format(", {} to combine two elements of {}", time, bytes_text(element_bytes));
}

}  // namespace sluice::command
