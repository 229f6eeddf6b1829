#include "sluice/schedule/any_schedule.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <variant>

#include "bad_input.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/tree_json.hpp"

namespace sluice {
namespace {

using testing::with;

const std::string kSteps =
    R"({"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "by hand",
 "senders": 1, "receivers": 1, "max_transfers": 1, "setup": 1,
 "steps": [
  {"duration": 2.5, "transfers": [{"from": 0, "to": 0, "offset": 0, "size": 2.5}]}],
 "cost": {"steps": 1, "transmission": 2.5, "total": 3.5},
 "bound": {"steps": 1, "transmission": 2.5, "total": 3.5}}
)";

const std::string kTree =
    R"({"schema": "sluice.schedule/1", "type": "tree", "problem": "reduce", "algorithm": "greedy",
 "machines": 2, "root": 0, "transfer": 1, "compute": 0.5,
 "transfers": [
  {"from": 1, "to": 0, "start": 0, "end": 1}],
 "length": 1.5, "bound": {"lower": 1, "upper": 1.5}}
)";

AnySchedule read_any(const std::string& text) {
  std::istringstream in(text);
  return read_any_schedule(in, "file.json");
}

std::string error_of(const std::string& text) {
  return testing::error_of([&] { return read_any(text); });
}

TEST(AnySchedule, IsWhatTheFileSays) {
  const AnySchedule steps = read_any(kSteps);
  ASSERT_TRUE(std::holds_alternative<ScheduleFile>(steps));
  EXPECT_EQ(to_json(std::get<ScheduleFile>(steps).schedule), kSteps);
  const AnySchedule tree = read_any(kTree);
  ASSERT_TRUE(std::holds_alternative<TreeSchedule>(tree));
  EXPECT_EQ(to_json(std::get<TreeSchedule>(tree)), kTree);
}

TEST(AnySchedule, TheTypeMayStandAnywhere) {
  const std::string name = R"("type": "tree", )";
  std::string last = with(kTree, name, "");
  last = with(last, "}}\n", "}, \"type\": \"tree\"}\n");
  EXPECT_EQ(to_json(std::get<TreeSchedule>(read_any(last))), kTree);
  // A field of that name elsewhere is none of the schedule's.
  EXPECT_EQ(error_of(with(kTree, R"("from": 1)", R"("type": "steps", "from": 1)")).substr(0, 40),
            "file.json:4: field \"type\" in a transfer,");

  // Many times what is read at once.
  std::string transfers;
  for (int i = 0; i < 20000; ++i) transfers += "{\"from\": 1, \"to\": 0, \"start\": 0, \"end\": 1},\n";
  const AnySchedule large = read_any(with(last, "[\n", "[\n" + transfers));
  EXPECT_EQ(std::get<TreeSchedule>(large).transfers.size(), 20001U);
}

TEST(AnySchedule, FaultsAreThoseOfTheReaderOfItsType) {
  EXPECT_EQ(error_of(with(kTree, R"("machines": 2)", R"("machines": -2)")),
            "file.json:2: \"machines\": -2, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of(with(kTree, R"("root": 0, )", "")).substr(0, 38), "file.json:1: a schedule without \"root\"");
  EXPECT_EQ(error_of(with(kTree, "1.5}}", "1.5}} {")),
            "file.json:5: '{' after the schedule, expected the end of the file");
  EXPECT_EQ(error_of(with(kSteps, R"("senders": 1)", R"("senders": "one")")),
            "file.json:2: \"senders\": \"one\", expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of(with(kTree, R"("type": "tree")", R"("type": "forest")")),
            R"(file.json:1: "type": "forest", expected "steps" or "tree")");
  EXPECT_EQ(error_of(with(kTree, R"("type": "tree")", R"("type": "tree", "type": "steps")")).substr(0, 36),
            "file.json:1: field \"type\" twice in a");
  EXPECT_EQ(error_of(with(kTree, R"("type": "tree")", R"("type": 7)")), R"(file.json:1: "type": 7, expected "steps")");
}

TEST(AnySchedule, WantsOneWholeSchedule) {
  EXPECT_EQ(error_of(""), "file.json:1: the end of the file, expected the rest of a schedule");
  EXPECT_EQ(error_of("[1]"), "file.json:1: an array, expected an object, a schedule");
  for (const std::string& whole : {kSteps, kTree})
    for (std::size_t length = 0; length + 2 < whole.size(); ++length)
      EXPECT_THROW((void)read_any(whole.substr(0, length)), InputError) << length;
  const std::string deep(1'000'000, '[');
  EXPECT_THROW((void)read_any(deep), InputError);
  EXPECT_THROW((void)read_any("{\"schema\": " + deep), InputError);
}

TEST(AnySchedule, AByteOfZeroIsNamed) {
  const std::string text("{\"schema\":\n \0", 13);
  try {
    (void)read_any(text);
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.found(), "a byte of zero");
    EXPECT_EQ(error.where().substr(error.where().size() - 2), ":2");
  }
}

TEST(AnySchedule, FilesAreReadByTheirName) {
  for (const auto& [path, found] :
       {std::pair("no such file.json", "cannot be read: No such file or directory"), std::pair("/", "a directory")}) {
    try {
      (void)read_any_schedule(path);
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), std::string(path) + ": " + found + ", expected a schedule");
    }
  }
}

TEST(AnySchedule, AFileThatCannotBeReadIsBadInput) {
  std::ifstream none("no such file.json");
  std::ifstream directory("/");
  for (std::ifstream* in : {&none, &directory}) {
    try {
      (void)read_any_schedule(*in, "file.json");
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "file.json: cannot be read, expected a schedule");
    }
  }
}

}  // namespace
}  // namespace sluice
