#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "command_runner.hpp"

namespace sluice::testing {

/// The lab itself needs root and minutes (lab/check.sh); here a script stands in for lab/run.sh, which keeps the
/// traffic that it is given and makes up the times.
class LabStandIn : public ::testing::Test {
 protected:
  /// `study`: which one asks the lab.
  explicit LabStandIn(std::string study) : study_(std::move(study)) {}
  ~LabStandIn() override { ::unsetenv("SLUICE_LAB"); }

  /// `instead`: what the script does before it would measure. It makes up times: a second for the first method, two
  /// for the next one.
  void stand_in(const std::string& instead) const {
    folder_.write("run.sh", R"(matrix= methods= json= k= repetitions=
while [[ $# -gt 0 ]]; do
  case $1 in
    exchange) matrix=$2 ;;
    --method|--methods) methods=$2 ;;
    --json) json=$2 ;;
    --k) k=$2 ;;
    --repetitions) repetitions=$2 ;;
  esac
  shift
done
)" + instead + R"(
[[ -n $json ]] || exit 0
number=$(ls kept 2>/dev/null | wc -l)
mkdir -p kept
[[ -z $matrix ]] && touch "kept/$number" || cp "$matrix" "kept/$number"
echo "$number $k $repetitions $methods" >> kept.txt
second=0
list=
for method in ${methods//,/ }; do
  second=$((second + 1))
  list+=",{\"name\": \"$method\", \"median_s\": $second, \"min_s\": 0.5, \"max_s\": 9, \"how\": \"by $method\"}"
done
echo "{\"methods\": [${list#,}]}" > "$json"
)");
    ::setenv("SLUICE_LAB", folder_.path("").c_str(), 1);
  }
  [[nodiscard]] Outcome study(const std::string& options = "") const {
    return folder_.sluice(words("study " + study_ + " --quick -o figures " + options));
  }
  /// By a build whose MPI the lab has no place for.
  void expect_refused_without_open_mpi() const {
    stand_in("");
    expect_refused(study(), "a build without Open MPI");
    expect_nothing_written();
  }
  void expect_nothing_written() const {
    for (const std::string& name : folder_.files()) EXPECT_NE(name, "figures");
  }

  Folder folder_;

 private:
  std::string study_;
};

}  // namespace sluice::testing
