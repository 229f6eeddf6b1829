// Random redistributions of every kind, every byte checked. How many: RANDOM_LAYOUTS in the environment, a sample
// unless given; scripts/test-layouts.sh takes a thousand. Each has a number, which is all that it is drawn from, and
// which a failure names; RANDOM_LAYOUTS_FIRST is the first one.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "run/any_rank_failed.hpp"
#include "run/redistribution_check.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::mpi {
namespace {

using testing::add_gaps;
using testing::any_rank_failed;
using testing::Case;
using testing::check_every_byte;
using testing::Draw;
using testing::random_case;
using testing::random_copies;
using testing::random_irregular;
using testing::random_part;
using testing::rank;
using testing::size;

constexpr std::int64_t kSample = 200;

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoll(text);
}

/// A layout that is the same on all ranks, except that each rank draws gaps of its own.
Case random_layout_of_any_kind(std::int64_t number) {
  Draw draw(static_cast<std::uint64_t>(20261126 + number));
  Draw own(static_cast<std::uint64_t>(number * size() + rank()));
  const bool gaps = draw.chance(2);
  const std::int64_t kind = draw.between(1, 10);
  if (kind <= 3 && size() > 1) {
    Case c = random_copies(draw, /*apart=*/kind == 1 && size() > 2);
    if (gaps) add_gaps(c, rank(), own);
    return c;
  }
  Case c = kind <= 5   ? random_part(draw, size())
           : kind == 6 ? random_irregular(draw, size())
                       : random_case(draw, size());
  c.options.relabel = draw.chance(3);
  if (gaps) add_gaps(c, rank(), own);
  if (c.options.relabel && !c.options.target_leading.empty()) {
    // Which part of the target a rank gets is not known yet: room for any.
    c.options.target_leading = c.to_shape();
    if (c.options.order == StorageOrder::kRowMajor) {
      c.options.target_leading.erase(c.options.target_leading.begin());
    } else {
      c.options.target_leading.pop_back();
    }
  }
  return c;
}

bool has_tail(const Case& c) {
  const auto tail = [](const Layout& layout, const testing::Indices& shape) {
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (layout.cut_extent(d) < 0 && shape[d] % (layout.grid[d] * layout.block[d]) != 0) return true;
    return false;
  };
  return tail(c.from, c.shape) || tail(c.to, c.to_shape());
}

TEST(RandomLayouts, EveryByteArrives) {
  const std::int64_t layouts = from_environment("RANDOM_LAYOUTS", kSample);
  const std::int64_t first = from_environment("RANDOM_LAYOUTS_FIRST", 0);
  std::map<std::string, int> with;
  for (std::int64_t number = first; number < first + layouts && !any_rank_failed(); ++number) {
    SCOPED_TRACE("layout " + std::to_string(number));
    const Case c = random_layout_of_any_kind(number);
    check_every_byte(c);
    const RedistributionOptions& o = c.options;
    with[std::to_string(c.shape.size()) + "D"] += 1;
    with["box"] += o.extent.empty() ? 0 : 1;
    with["tail"] += has_tail(c) ? 1 : 0;
    with["leading dimensions"] += o.source_leading.empty() && o.target_leading.empty() ? 0 : 1;
    with["transposed"] += o.transpose ? 1 : 0;
    with["trapezoidal"] += o.part != MatrixPart::kWhole ? 1 : 0;
    with["replicated"] += o.has_replicas() ? 1 : 0;
    with["relabelled"] += o.relabel ? 1 : 0;
    with["blocks of any sizes"] += c.from.has_cuts() || c.to.has_cuts() ? 1 : 0;
    with["something to move"] += std::ranges::count(c.extent(), 0) == 0 ? 1 : 0;
  }
  if (rank() == 0) {
    std::string text = std::to_string(layouts) + " layouts on " + std::to_string(size()) + " ranks:";
    for (const auto& [what, count] : with) text += " " + what + " " + std::to_string(count) + ",";
    text.back() = '\n';
    std::fputs(text.c_str(), stdout);
  }
  if (layouts < kSample) return;
  EXPECT_GT(with["something to move"], layouts / 2);
  for (const auto& [what, count] : with)
    EXPECT_TRUE(count > 0 || (what == "replicated" && size() == 1)) << "no layout: " << what;
}

}  // namespace
}  // namespace sluice::mpi
