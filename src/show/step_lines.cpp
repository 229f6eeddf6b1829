#include "sluice/show/step_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sluice/input/decimal.hpp"

namespace sluice {

namespace {

constexpr std::size_t kLineWidth = 120;

}  // namespace

ShownLines step_lines(const StepSchedule& schedule, std::int64_t limit) {
  constexpr std::string_view kStep = "step", kDuration = "duration", kSwitch = "switch";
  const auto text = [&](std::int64_t size) { return decimal_text(size, schedule.decimals); };
  std::size_t duration_width = kDuration.size();
  for (const Step& step : schedule.steps) duration_width = std::max(duration_width, text(step.duration).size());
  const std::size_t step_width = std::max(kStep.size(), fmt::format("{}", schedule.steps.size()).size());

  ShownLines result;
  // A column of its own, if there are several.
  const bool several = schedule.switches > 1;
  const std::size_t switch_width = std::max(kSwitch.size(), fmt::format("{}", schedule.switches).size());
  const auto on_switch = [&](const auto& cell) {
    return several ? fmt::format("{:>{}}  ", cell, switch_width) : std::string();
  };
  result.text = fmt::format("{}{:>{}}  {:>{}}  sender->receiver:size\n", on_switch(kSwitch), kStep, step_width,
                            kDuration, duration_width);
  std::int64_t lines = 0;
  const auto end_line = [&](std::string& line) {
    line.resize(line.find_last_not_of(' ') + 1);
    if (limit < 0 || lines++ < limit)
      result.text += line + '\n';
    else
      ++result.left_out;
  };
  for (std::size_t t = 0; t < schedule.steps.size(); ++t) {
    const Step& step = schedule.steps[t];
    std::string line =
        fmt::format("{}{:>{}}  {:>{}} ", on_switch(step.on_switch), t, step_width, text(step.duration), duration_width);
    const std::size_t indent = line.size();
    for (const Transfer& transfer : step.transfers) {
      std::string piece = fmt::format(" {}->{}:{}", transfer.from, transfer.to, text(transfer.size));
      if (transfer.offset != 0) piece += '@' + text(transfer.offset);
      if (line.size() + piece.size() > kLineWidth && line.size() > indent) {
        end_line(line);
        line.assign(indent, ' ');
      }
      line += piece;
    }
    end_line(line);
  }
  return result;
}

}  // namespace sluice
