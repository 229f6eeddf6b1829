#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "schedule/foreign/simulator.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/judge.hpp"

/// Right schedules with one thing changed: what the judge says against what happens in random runs.
namespace sluice::testing {
namespace {

struct Tally {
  int mutations = 0;
  int unreadable = 0;
  int changed = 0;              ///< a run goes wrong
  int missed = 0;               ///< of them the judge finds right
  int flagged_without_run = 0;  ///< the judge finds a fault, and no run goes wrong
  std::vector<std::string> missed_ones = {};

  void add(const std::string& what, const std::string& text) {
    constexpr std::uint64_t kSeeds = 15;
    ++mutations;
    std::optional<PlacedSchedule> schedule;
    try {
      std::istringstream in(text);
      schedule = std::get<PlacedSchedule>(read_judged_schedule(in, "file"));
    } catch (const InputError&) {
      ++unreadable;
      return;
    }
    const bool flagged = !judge(*schedule, {}).violations.empty();
    const std::string wrong = wrong_in_runs(*schedule, kSeeds);
    changed += wrong.empty() ? 0 : 1;
    if (!wrong.empty() && !flagged) {
      ++missed;
      missed_ones.push_back(what + ": " + wrong);
    }
    flagged_without_run += wrong.empty() && flagged ? 1 : 0;
  }

  void expect_found(const std::string& name) const {
    std::cout << fmt::format(
        "{}: {} mutations, {} unreadable, {} change the outcome, {} of them missed, {} flagged without a wrong run\n",
        name, mutations, unreadable, changed, missed, flagged_without_run);
    EXPECT_GT(changed, 0) << name;
    EXPECT_LE(missed * 20, changed) << name;
    for (const std::string& each : missed_ones) std::cout << "  missed: " << each << '\n';
  }
};

std::string read_sample(const std::string& file) {
  return std::string(read_file(std::string(SLUICE_FOREIGN_SCHEDULES) + "/" + file, "a schedule").text());
}

// ---- MSCCL XML, as lines ----

std::optional<int> attribute(const std::string& line, const std::string& name) {
  const std::size_t at = line.find(" " + name + "=\"");
  if (at == std::string::npos) return std::nullopt;
  return std::stoi(line.substr(at + name.size() + 3));
}

std::string with_attribute(std::string line, const std::string& name, int value) {
  const std::size_t at = line.find(" " + name + "=\"") + name.size() + 3;
  return line.replace(at, line.find('"', at) - at, std::to_string(value));
}

struct XmlLines {
  std::vector<std::string> lines;

  explicit XmlLines(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  [[nodiscard]] std::string text() const {
    std::string result;
    for (const std::string& line : lines) result += line + '\n';
    return result;
  }
  [[nodiscard]] bool is(std::size_t at, const char* element) const {
    return lines[at].find(std::string("<") + element + " ") != std::string::npos;
  }
  /// Without the step at a line: later ones count one less, and so do the waits for them.
  void drop(std::size_t at) {
    const int step = *attribute(lines[at], "s");
    std::size_t block = at;
    while (!is(block, "tb")) --block;
    const int id = *attribute(lines[block], "id");
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t i = at; i < lines.size() && is(i, "step"); ++i)
      lines[i] = with_attribute(lines[i], "s", *attribute(lines[i], "s") - 1);
    std::size_t begin = block;
    while (!is(begin, "gpu")) --begin;
    for (std::size_t i = begin + 1; i < lines.size() && !is(i, "gpu"); ++i) {
      if (is(i, "step") && attribute(lines[i], "depid") == id && *attribute(lines[i], "deps") > step)
        lines[i] = with_attribute(lines[i], "deps", *attribute(lines[i], "deps") - 1);
    }
  }
};

void mutate_xml(const std::string& name, const std::string& text, Tally& tally) {
  const XmlLines whole(text);
  const auto change = [&](const std::string& what, std::size_t at, const std::function<void(XmlLines&)>& apply) {
    XmlLines changed = whole;
    apply(changed);
    tally.add(fmt::format("{} line {} {}", name, at + 1, what), changed.text());
  };
  for (std::size_t at = 0; at < whole.lines.size(); ++at) {
    const std::string& line = whole.lines[at];
    if (whole.is(at, "tb")) {
      for (const char* const end : {"send", "recv"}) {
        for (std::size_t other = at + 1; other < whole.lines.size() && !whole.is(other, "gpu"); ++other) {
          if (!whole.is(other, "tb") || attribute(whole.lines[other], end) == attribute(line, end)) continue;
          change(fmt::format("{} exchanged with line {}", end, other + 1), at, [&](XmlLines& to) {
            to.lines[at] = with_attribute(line, end, *attribute(whole.lines[other], end));
            to.lines[other] = with_attribute(whole.lines[other], end, *attribute(line, end));
          });
          break;
        }
      }
    }
    if (!whole.is(at, "step")) continue;
    change("dropped", at, [&](XmlLines& to) { to.drop(at); });
    for (const char* const each : {"cnt", "srcoff", "dstoff"}) {
      for (const int more : {-1, 1}) {
        const int value = *attribute(line, each) + more;
        if (value < 0) continue;
        change(fmt::format("{} {:+}", each, more), at,
               [&](XmlLines& to) { to.lines[at] = with_attribute(line, each, value); });
      }
    }
    if (*attribute(line, "depid") >= 0)
      change("no wait", at,
             [&](XmlLines& to) { to.lines[at] = with_attribute(with_attribute(line, "depid", -1), "deps", -1); });
  }
}

TEST(JudgeMutations, OfMscclAreFound) {
  Tally tally;
  for (const char* const file :
       {"cases/ring3.xml", "cases/pair.xml", "cases/alltoall2.xml", "msccl/allgather-8n-0-8kb.xml",
        "msccl/allgather-allpairs-8n-ll.xml", "msccl/allreduce-1step-4n-ll-1pass.xml", "msccl/alltoall-8n-0-9kb.xml"})
    mutate_xml(file, read_sample(file), tally);
  tally.expect_found("MSCCL XML");
}

// ---- Plans of MSCCL++, as JSON ----

void mutate_plan(const std::string& name, const std::string& text, Tally& tally) {
  using nlohmann::json;
  const json whole = json::parse(text);
  for (std::size_t gpu = 0; gpu < whole["gpus"].size(); ++gpu) {
    const json& blocks = whole["gpus"][gpu]["threadblocks"];
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      for (std::size_t op = 0; op < blocks[block]["ops"].size(); ++op) {
        const json& operation = blocks[block]["ops"][op];
        const auto change = [&](const std::string& what, const std::function<void(json & ops)>& apply) {
          json changed = whole;
          apply(changed["gpus"][gpu]["threadblocks"][block]["ops"]);
          tally.add(fmt::format("{} gpu {} tb {} op {} {}", name, gpu, block, op, what), changed.dump());
        };
        if (operation["name"] == "nop") continue;
        change("dropped", [&](json& ops) { ops.erase(op); });
        for (const char* const side : {"src_buff", "dst_buff"}) {
          if (!operation.contains(side)) continue;
          for (std::size_t i = 0; i < operation[side].size(); ++i) {
            for (const int more : {-1, 1}) {
              change(fmt::format("{} {} index {:+}", side, i, more),
                     [&](json& ops) { ops[op][side][i]["index"] = ops[op][side][i]["index"].get<int>() + more; });
            }
          }
        }
        for (const int more : {-1, 1}) {
          if (!operation.contains("src_buff") || operation["src_buff"][0]["size"].get<int>() + more < 1) continue;
          change(fmt::format("size {:+}", more), [&](json& ops) {
            for (const char* const side : {"src_buff", "dst_buff"}) {
              for (json& each : ops[op][side]) each["size"] = each["size"].get<int>() + more;
            }
          });
        }
      }
    }
  }
}

TEST(JudgeMutations, OfPlansAreFound) {
  Tally tally;
  for (const char* const file :
       {"cases/put2.json", "mscclpp/allreduce_packet.json", "mscclpp/reduce.json", "mscclpp/transfer_pack.json"})
    mutate_plan(file, read_sample(file), tally);
  tally.expect_found("MSCCL++");
}

}  // namespace
}  // namespace sluice::testing
