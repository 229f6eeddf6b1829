#include "sluice/input/traffic_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/read_file.hpp"

namespace sluice {
namespace {

using Messages = std::vector<Message>;

constexpr std::int64_t kHugeSize = std::numeric_limits<std::int64_t>::max();

const std::string kInteger = "%%MatrixMarket matrix coordinate integer general\n";
const std::string kReal = "%%MatrixMarket matrix coordinate real general\n";

void expect_traffic(const Traffic& traffic, std::int64_t senders, std::int64_t receivers, std::int32_t decimals,
                    const Messages& messages) {
  EXPECT_EQ(traffic.senders, senders);
  EXPECT_EQ(traffic.receivers, receivers);
  EXPECT_EQ(traffic.decimals, decimals);
  EXPECT_EQ(traffic.messages, messages);
}

template <class Read>
void expect_error(const Read& read, const std::string& what) {
  try {
    (void)read();
    ADD_FAILURE() << "no error; expected " << what;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), what);
  }
}

// ---- Matrix Market

TEST(ReadMatrixMarket, ReadsEntriesAsMessagesFromZero) {
  expect_traffic(read_matrix_market(kInteger + "2 3 3\n1 1 3\n1 2 1\n2 3 2\n", "m"), 2, 3, 0,
                 {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}});
}

TEST(ReadMatrixMarket, TakesWhatTheFormatAllows) {
  const std::string text =
      "%%MatrixMarket  MATRIX Coordinate\tInteger GENERAL \r\n"
      "% a comment\r\n"
      "\r\n"
      "  %another\r\n"
      " 2\t3  4 \r\n"
      "\r\n"
      "  1 1 3\r\n"
      "\t1\t2\t1\t\r\n"
      "%\r\n"
      "2 3 +2\r\n"
      "2 3 007";
  expect_traffic(read_matrix_market(text, "m"), 2, 3, 0, {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}, {1, 2, 7}});
}

TEST(ReadMatrixMarket, ZerosAreNoMessages) {
  expect_traffic(read_matrix_market(kInteger + "5 4 2\n1 1 0\n5 4 -0\n", "m"), 5, 4, 0, {});
  expect_traffic(read_matrix_market(kReal + "5 4 2\n1 1 0.000\n5 4 0e99999\n", "m"), 5, 4, 0, {});
  expect_traffic(read_matrix_market(kInteger + "5 4 0\n", "m"), 5, 4, 0, {});
  expect_traffic(read_matrix_market(kInteger + "0 0 0", "m"), 0, 0, 0, {});
}

TEST(ReadMatrixMarket, TakesTheLargestDimensionsAndSizes) {
  expect_traffic(read_matrix_market(kInteger + "2147483647 2147483647 1\n2147483647 1 9223372036854775807\n", "m"),
                 2147483647, 2147483647, 0, {{2147483646, 0, kHugeSize}});
}

TEST(ReadMatrixMarket, ManyClaimedEntriesTakeNoMemory) {
  expect_error([] { return read_matrix_market(kInteger + "5 5 50000000\n1 1 1\n", "m"); },
               "m:4: the end of the file after 1 entry, expected 50000000 entries, as line 2 says");
  expect_error([] { return read_matrix_market(kInteger + "5 5 9000000000000000000\n1 1 1\n", "m"); },
               "m:2: 9000000000000000000 entries, expected at most 50000000");
}

struct Fault {
  std::string text;
  const char* what;
};

constexpr const char* kHeader =
    ", expected '%%MatrixMarket matrix coordinate integer general', or array, real or pattern, symmetric instead";

TEST(ReadMatrixMarket, NamesTheLineAndTheFault) {
  const Fault faults[] = {
      {"", "m:1: an empty file, expected traffic"},
      {" \r\n\n\t", "m:1: an empty file, expected traffic"},
      {kInteger + std::string("1 1 1\n1 1 4\0\n", 13), "m:3: a NUL byte, as in a binary file, expected text"},
      // counts
      {kInteger, "m:2: the end of the file, expected a line with the numbers of rows, columns and entries"},
      {kInteger + "% 2 3 3\n",
       "m:3: the end of the file, expected a line with the numbers of rows, columns and entries"},
      {kInteger + "2 3\n1 1 1\n", "m:2: no number of entries, expected an integer, the number of entries"},
      {kInteger + "2 3 1 1\n1 1 1\n", "m:2: '1' at the end of the line, expected rows, columns and entries only"},
      {kInteger + "2 x 1\n1 1 1\n", "m:2: 'x', expected an integer, the number of columns"},
      {kInteger + "-2 3 1\n1 1 1\n", "m:2: '-2', expected an integer, the number of rows"},
      {kInteger + "2.0 3 1\n1 1 1\n", "m:2: '2.0', expected an integer, the number of rows"},
      {kInteger + "2147483648 3 0\n", "m:2: a number of rows beyond 2^31 - 1, expected at most 2147483647"},
      {kInteger + "%\n3 99999999999999999999 0\n",
       "m:3: a number of columns beyond 2^31 - 1, expected at most 2147483647"},
      {kInteger + "2 3 3\n1 1 1\n1 2 1\n",
       "m:5: the end of the file after 2 entries, expected 3 entries, as line 2 says"},
      {kInteger + "2 3 1\n1 1 1\n\n1 2 1\n", "m:5: an entry more than 1, expected 1 entry, as line 2 says"},
      // indices
      {kInteger + "2 3 1\n0 1 1\n", "m:3: row 0, expected a row from 1 to 2"},
      {kInteger + "2 3 1\n3 1 1\n", "m:3: row 3, expected a row from 1 to 2"},
      {kInteger + "2 3 1\n\n2 4 1\n", "m:4: column 4, expected a column from 1 to 3"},
      {kInteger + "2 0 1\n2 1 1\n", "m:3: column 1, expected no entry: there is no column"},
      {kInteger + "2 3 1\n-1 1 1\n", "m:3: '-1', expected an integer, the row"},
      {kInteger + "2 3 1\n1.5 1 1\n", "m:3: '1.5', expected an integer, the row"},
      {kInteger + "2 3 1\n1 99999999999999999999 1\n",
       "m:3: column 9223372036854775807, expected a column from 1 to 3"},
      // sizes
      {kInteger + "2 3 1\n1 1\n", "m:3: no size, expected an integer of at least 0"},
      {kInteger + "2 3 1\n1\n", "m:3: no column, expected an integer, the column"},
      {kInteger + "2 3 1\n1 1 -4\n", "m:3: '-4', expected an integer of at least 0"},
      {kInteger + "2 3 1\n1 1 3.0\n", "m:3: '3.0', expected an integer of at least 0"},
      {kInteger + "2 3 1\n1 1 1e3\n", "m:3: '1e3', expected an integer of at least 0"},
      {kInteger + "2 3 1\n1 1 9223372036854775808\n",
       "m:3: a size beyond 2^63 - 1, expected one that fits a 64-bit integer"},
      {kReal + "2 3 1\n1 1 -0.5\n", "m:3: '-0.5', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 nan\n", "m:3: 'nan', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 inf\n", "m:3: 'inf', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 -Infinity\n", "m:3: '-Infinity', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 1e\n", "m:3: '1e', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 1e+\n", "m:3: '1e+', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 0x10\n", "m:3: '0x10', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 --5\n", "m:3: '--5', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 .\n", "m:3: '.', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 1.2.3\n", "m:3: '1.2.3', expected a number of at least 0"},
      {kReal + "2 3 1\n1 1 1e400\n", "m:3: a size beyond 2^63 - 1, expected one that fits a 64-bit integer"},
      {kReal + "2 3 1\n1 1 9223372036854775807.5\n",
       "m:3: a size beyond 2^63 - 1, expected one that fits a 64-bit integer"},
      {kReal + "2 3 1\n1 1 1 2\n", "m:3: '2' at the end of the line, expected row, column and size only"},
      {kReal + "2 3 1\n1 1 1 %\n", "m:3: '%' at the end of the line, expected row, column and size only"},
      {kReal + "2 3 1\n1,1,1\n", "m:3: '1,1,1', expected an integer, the row"},
      {kInteger + "2 3 1\n1 1 \x1b[31m\n", "m:3: '\\x1b[31m', expected an integer of at least 0"},
      {kInteger + "2 3 1\r1 1 1\r", "m:2: '1\\x0d1', expected an integer, the number of entries"},
      // sums
      {kInteger + "2 3 3\n1 1 9223372036854775807\n2 2 0\n2 3 1\n",
       "m:5: sizes that add up to more than 2^63 - 1, expected a total that fits a 64-bit integer"},
      {kReal + "2 3 2\n1 1 9e18\n2 3 3e17\n",
       "m:4: sizes that add up to more than 2^63 - 1, expected a total that fits a 64-bit integer"},
      {kReal + "2 3 3\n1 1 4e18\n1 2 0\n2 3 0.4\n",
       "m:5: a size that becomes 0 with 0 decimals, all that the total of the file allows, expected sizes that span "
       "fewer digits"},
      {kReal + "2 3 2\n1 1 1\n2 3 1e-200\n",
       "m:4: a size that becomes 0 with 18 decimals, all that the total of the file allows, expected sizes that span "
       "fewer digits"},
  };
  for (const Fault& fault : faults) expect_error([&] { return read_matrix_market(fault.text, "m"); }, fault.what);
}

TEST(ReadMatrixMarket, RefusesOtherKindsOfMatrices) {
  const std::pair<const char*, const char*> headers[] = {
      {"2 3 1", "m:1: '2'"},
      {"%MatrixMarket matrix coordinate integer general", "m:1: '%MatrixMarket'"},
      {"\n%%MatrixMarket matrix coordinate integer general", "m:1: an empty line"},
      {"%%MatrixMarket vector coordinate integer general", "m:1: 'vector' in the header"},
      {"%%MatrixMarket matrix dense real general", "m:1: 'dense' in the header"},
      {"%%MatrixMarket matrix array pattern general", "m:1: 'pattern' in the header"},
      {"%%MatrixMarket matrix coordinate complex general", "m:1: 'complex' in the header"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric", "m:1: 'skew-symmetric' in the header"},
      {"%%MatrixMarket matrix coordinate real Hermitian", "m:1: 'Hermitian' in the header"},
      {"%%MatrixMarket matrix coordinate real", "m:1: the end of the header"},
      {"%%MatrixMarket matrix coordinate real general 2", "m:1: '2' in the header"},
  };
  for (const auto& [header, found] : headers)
    expect_error([header = header] { return read_matrix_market(std::string(header) + "\n2 3 1\n1 1 1\n", "m"); },
                 std::string(found) + kHeader);
}

// ---- CSV

TEST(ReadTrafficCsv, ReadsOneLineASender) {
  expect_traffic(read_traffic_csv("3,1,0\n0,0,2\n", "c"), 2, 3, 0, {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}});
  expect_traffic(read_traffic_csv("\xef\xbb\xbf 3 ,\t1, 0\r\n+0,0.0,2e0 \r\n \r\n\n", "c"), 2, 3, 0,
                 {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}});
  expect_traffic(read_traffic_csv("7", "c"), 1, 1, 0, {{0, 0, 7}});
  expect_traffic(read_traffic_csv("1\n2\n3", "c"), 3, 1, 0, {{0, 0, 1}, {1, 0, 2}, {2, 0, 3}});
  expect_traffic(read_traffic_csv("0,0\n0,0\n0,0\n", "c"), 3, 2, 0, {});
}

TEST(ReadMatrixMarket, TakesArraysSymmetricMatricesAndPatterns) {
  const std::string head = "%%MatrixMarket matrix ";
  expect_traffic(read_matrix_market(head + "array real general\n2 3\n1\n2\n0\n4\n5\n6.5\n", "m"), 2, 3, 1,
                 {{0, 0, 10}, {1, 0, 20}, {1, 1, 40}, {0, 2, 50}, {1, 2, 65}});
  expect_traffic(read_matrix_market(head + "coordinate integer symmetric\n3 3 3\n1 1 7\n2 1 4\n3 2 5\n", "m"), 3, 3, 0,
                 {{0, 0, 7}, {1, 0, 4}, {0, 1, 4}, {2, 1, 5}, {1, 2, 5}});
  // As SciPy and others write them.
  expect_traffic(read_matrix_market("\xef\xbb\xbf" + head + "coordinate unsigned-integer general\n2 2 1\n1 2 7\n", "m"),
                 2, 2, 0, {{0, 1, 7}});
  expect_traffic(read_matrix_market(head + "array Double general\n1 2\n1.5\n2e0\n", "m"), 1, 2, 1,
                 {{0, 0, 15}, {0, 1, 20}});
  expect_traffic(read_matrix_market(head + "coordinate pattern general\n2 2 2\n1 2\n2 2\n", "m"), 2, 2, 0,
                 {{0, 1, 1}, {1, 1, 1}});
  // The lower triangle, column by column.
  expect_traffic(read_matrix_market(head + "array integer symmetric\n2 2\n1\n2\n3\n", "m"), 2, 2, 0,
                 {{0, 0, 1}, {1, 0, 2}, {0, 1, 2}, {1, 1, 3}});
  const Fault faults[] = {
      {head + "coordinate integer symmetric\n2 2 1\n1 2 4\n",
       "m:3: row 1, column 2 of a symmetric matrix, expected the lower triangle alone"},
      {head + "coordinate integer symmetric\n2 3 1\n1 1 4\n",
       "m:2: 2 rows and 3 columns, expected as many of both: it is symmetric"},
      {head + "array integer general\n2 2 4\n", "m:2: '4' at the end of the line, expected rows and columns only"},
      {head + "array integer general\n2 2\n1\n2\n3\n",
       "m:6: the end of the file after 3 entries, expected 4 entries, as line 2 says"},
      {head + "array integer general\n1 1\n1\n2\n", "m:4: an entry more than 1, expected 1 entry, as line 2 says"},
      {head + "array integer general\n1 2\n1 2\n", "m:3: '2' at the end of the line, expected one value per line"},
      {head + "coordinate pattern general\n2 2 1\n1 2 5\n",
       "m:3: '5' at the end of the line, expected row and column only"},
  };
  for (const Fault& fault : faults) expect_error([&] { return read_matrix_market(fault.text, "m"); }, fault.what);
}

TEST(ReadTrafficCsv, TakesNamesSemicolonsAndTabs) {
  const Messages messages{{0, 0, 3}, {0, 1, 1}, {1, 2, 2}};
  for (const char* text :
       {"3;1;0\n0;0;2\n", "3\t1\t0\n0\t0\t2\n", "node 0,node 1,node 2\n3,1,0\n0,0,2\n",
        "\"a\";\"b\";\"c\"\r\n3;1;0\r\n0; 0;2\n", "a\t\tc\n3\t1\t0\n0\t 0\t2\n",
        "\"a, left\", 'b' ,\"\"\n3,1,0\n0,0,2\n", "\xd1\x83\xd0\xb7 1,\xc3\x96,\xe8\x8a\x82\n3,1,0\n0,0,2\n"})
    expect_traffic(read_traffic_csv(text, "c"), 2, 3, 0, messages);
}

TEST(ReadTrafficCsv, NamesTheLineAndTheFault) {
  const Fault faults[] = {
      {"", "c:1: an empty file, expected traffic"},
      {"\n\n", "c:1: an empty file, expected traffic"},
      {"\xef\xbb\xbf\n", "c:1: an empty file, expected traffic"},
      {"\xff\xfe"
       "7,2",
       "c:1: UTF-16, as spreadsheets write \"Unicode text\", expected UTF-8"},
      {std::string("1,2\n3,\0\n", 8), "c:2: a NUL byte, as in a binary file, expected text"},
      {"1,2\n3\n", "c:2: 1 column, expected 2 columns, as line 1 has"},
      {"2,1\n3,4\n5,6,7\n", "c:3: 3 columns, expected 2 columns, as line 1 has"},
      {"1,2\n3,\n", "c:2: no size, expected a number of at least 0"},
      {"1,,2\n", "c:1: no size, expected a number of at least 0"},
      {"1,2\n\n3,4\n", "c:2: an empty line, expected sizes, or the end of the file"},
      {"\n1,2\n", "c:1: an empty line, expected sizes, or the end of the file"},
      {"a,b\n", "c:2: no sizes below the names, expected traffic"},
      {"a,1\n1,2\n", "c:1: 'a', expected a number of at least 0"},
      {"a,b\nc,d\n", "c:2: 'd', expected a number of at least 0"},
      {"a;b\n1;2\n3\n", "c:3: 1 column, expected 2 columns, as line 2 has"},
      {"1;2,5\n", "c:1: '2,5', expected a number of at least 0"},
      {"nan,inf\n1,2\n", "c:1: 'nan', expected a number of at least 0"},
      {"1,2 3\n", "c:1: '3' behind a size, expected a comma"},
      {"1 2\n3,4\n", "c:1: '2' behind a size, expected a comma"},
      {"1 2\n3 4;5\n", "c:2: '4;5', expected a number of at least 0"},
      {"# a comment\n\n#\n", "c:1: comments alone, expected traffic"},
      {"a,b\n# 1\n", "c:2: no sizes below the names, expected traffic"},
      {"1,2\n\"3\",4\n", "c:2: '\"3\"', expected a number of at least 0"},
      {"\"10\",\"20\"\n3,4\n", "c:1: '\"10\"', expected a number of at least 0"},
      {"'10'\n3\n", "c:1: ''10'', expected a number of at least 0"},
      {"\"nan\"\n3\n", "c:1: '\"nan\"', expected a number of at least 0"},
      // No letters but digits (Arabic, Devanagari, full width), a blank, a minus, and a digit of four bytes.
      {"\xd9\xa3,\xd9\xa4\n3,4\n", "c:1: '\\xd9\\xa3', expected a number of at least 0"},
      {"\xe0\xa5\xa9\n3\n", "c:1: '\\xe0\\xa5\\xa9', expected a number of at least 0"},
      {"\xef\xbc\x91\n3\n", "c:1: '\\xef\\xbc\\x91', expected a number of at least 0"},
      {"\xc2\xa0 3\n3\n", "c:1: '\\xc2\\xa0', expected a number of at least 0"},
      {"\xe2\x88\x92\x33\n3\n", "c:1: '\\xe2\\x88\\x923', expected a number of at least 0"},
      {"\xf0\x9d\x9f\x8f\n3\n", "c:1: '\\xf0\\x9d\\x9f\\x8f', expected a number of at least 0"},
      {"A,B,C\n1,2\n", "c:2: 2 columns, expected 3 columns, as the line above names"},
      {"total\n1,2\n", "c:2: 2 columns, expected 1 column, as the line above names"},
      {"1,2\n3,-4\n", "c:2: '-4', expected a number of at least 0"},
      {"1,nan\n", "c:1: 'nan', expected a number of at least 0"},
      {"1,inf\n", "c:1: 'inf', expected a number of at least 0"},
      {"1,1e\n", "c:1: '1e', expected a number of at least 0"},
      {"1,0x10\n", "c:1: '0x10', expected a number of at least 0"},
      {"1,--5\n", "c:1: '--5', expected a number of at least 0"},
      {"1,2\n3,1e19\n", "c:2: a size beyond 2^63 - 1, expected one that fits a 64-bit integer"},
      {"5e18,0\n0,4e18\n1e18,0\n",
       "c:3: sizes that add up to more than 2^63 - 1, expected a total that fits a 64-bit integer"},
      {"1,2e9\n3,1e-15\n",
       "c:2: a size that becomes 0 with 9 decimals, all that the total of the file allows, expected sizes that span "
       "fewer digits"},
  };
  for (const Fault& fault : faults) expect_error([&] { return read_traffic_csv(fault.text, "c"); }, fault.what);
}

// ---- what a file holds

/// As the command reads it: the traffic, and what is said of the text.
struct Read {
  Traffic traffic;
  TrafficReading reading;
};

Read read_as(const std::string& text, const TrafficFormat& format = {}) {
  Read read;
  read.traffic = read_traffic_csv(text, "c", format, read.reading);
  return read;
}

constexpr TrafficFormat kMatrix{.kind = TrafficFormat::Kind::kMatrix};
constexpr TrafficFormat kEdges{.kind = TrafficFormat::Kind::kEdges};

TrafficFormat names(bool rows, bool columns) { return {.column_names = columns, .row_names = rows}; }

/// The same matrix of 24 units as programs write it: with names of rows, of columns, of both.
TEST(CsvLayout, NamesOfRowsAndColumnsAreNoSizes) {
  const Messages messages{{0, 1, 5}, {0, 2, 3}, {1, 0, 2}, {1, 2, 9}, {2, 0, 4}, {2, 1, 1}};
  struct Case {
    const char* text;
    const char* taken_for;
  };
  const Case cases[] = {
      {",r0,r1,r2\n0,0,5,3\n1,2,0,9\n2,4,1,0\n", "names of rows and columns"},     // pandas
      {",0,1,2\n0,0,5,3\n1,2,0,9\n2,4,1,0\n", "names of rows and columns"},        // pandas
      {",10,20,30\n10,0,5,3\n20,2,0,9\n30,4,1,0\n", "names of rows and columns"},  // names that are numbers
      {"id,10,20,30\n10,0,5,3\n20,2,0,9\n30,4,1,0\n", "names of rows and columns"},
      {"node,0,1,2\n0,0,5,3\n1,2,0,9\n2,4,1,0\n", "names of rows and columns"},
      {"rank;a;b;c\r\n1;0;5;3\r\n2;2;0;9\r\n3;4;1;0\r\n", "names of rows and columns"},
      {"from\\to,a,b,c\n0,0,5,3\n1,2,0,9\n2,4,1,0\n", "names of rows and columns"},
      {"x,a,b,c\na,0,5,3\nb,2,0,9\nc,4,1,0\n", "names of rows and columns"},
      {"\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,5,3\n\"2\",2,0,9\n\"3\",4,1,0\n", "names of rows and columns"},  // R
      {"\"V1\" \"V2\" \"V3\"\n\"1\" 0 5 3\n\"2\" 2 0 9\n\"3\" 4 1 0\n", "names of rows and columns"},  // R: write.table
      {"a\tb\tc\n\"x y\"\t0\t5\t3\nz\t2\t0\t9\nw\t4\t1\t0\n", "names of rows and columns"},
      {"\ta\tb\tc\n0\t0\t5\t3\n1\t2\t0\t9\n2\t4\t1\t0\n", "names of rows and columns"},
      {"a,0,5,3\nb,2,0,9\nc,4,1,0\n", "names of rows"},
      {"a,b,c\n0,5,3\n2,0,9\n4,1,0\n", "names of columns"},
      {"0,5,3,\n2,0,9,\n4,1,0,\n", ""},  // a separator at the end
      {"a;b;c;\n0;5;3;\n2;0;9;\n4;1;0; \r\n", "names of columns"},
      {"a,b,c\n0,5,3,\n2,0,9,\n4,1,0,\n", "names of columns"},
      {",a,b,c,\n0,0,5,3,\n1,2,0,9,\n2,4,1,0,\n", "names of rows and columns"},
      {"0|5|3\n2|0|9\n4|1|0\n", ""},
      {"0 5 3\n 2  0\t9 \n4 1 0\n", ""},
      {"# who sends what\n0,5,3\n  # more\n2,0,9\n4,1,0\n# end\n\n# and more\n", ""},
      {"\xef\xbb\xbf# a byte order mark\n\xd1\x83,b,c\n0,5,3\n2,0,9\n4,1,0\n", "names of columns"},
      {"\xef\xbb\xbf,a,b,c\n0,0,5,3\n1,2,0,9\n2,4,1,0\n", "names of rows and columns"},
  };
  for (const auto& [text, taken_for] : cases) {
    SCOPED_TRACE(text);
    try {
      const Read read = read_as(text);
      expect_traffic(read.traffic, 3, 3, 0, messages);
      EXPECT_EQ(read.reading.taken_for, taken_for);
      EXPECT_TRUE(read.reading.warnings.empty()) << read.reading.warnings[0];
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(CsvLayout, EdgeListsAreReadByTheNamesOfTheirColumns) {
  const Messages messages{{0, 1, 1000}, {1, 2, 2000}, {2, 0, 500}};
  for (const char* text : {
           "src,dst,bytes\n0,1,1000\n1,2,2000\n2,0,500\n",
           "bytes,dst,src\n1000,1,0\n2000,2,1\n500,0,2\n",
           "From;To;Size (bytes);\n0;1;1000;\n1;2;2000;\n2;0;500;\n",
           "sender\treceiver\tbytes\n0\t1\t1000\n1\t2\t2000\n2\t0\t500\n",
           "source|target|count\n0|1|1e3\n1|2|2e3\n2|0|5e2\n",
           "row col value\n0 1 1000\n1 2 2000\n2 0 500\n",
           "i,j,v\n0,1,1000\n1,2,2000\n2,0,500\n",
           "src_rank,dst_rank,size_bytes\n0,1,1000\n1,2,2000\n2,0,500\n",
           ",src,dst,bytes\n0,0,1,1000\n1,1,2,2000\n2,2,0,500\n",
           "# src,dst,bytes\n0,1,1000\n1,2,2000\n2,0,500\n",
           "# src dst bytes\n0.0e+00 1.0e+00 1.0e+03\n1.0e+00 2.0e+00 2.0e+03\n2.0e+00 0.0e+00 5.0e+02\n",
           "\xef\xbb\xbf\"src\",\"dst\",\"bytes\"\r\n0,1,1000\r\n# half of them\r\n1,2,2000\r\n2,0,500\r\n",
       }) {
    SCOPED_TRACE(text);
    try {
      const Read read = read_as(text);
      expect_traffic(read.traffic, 3, 3, 0, messages);
      EXPECT_EQ(read.reading.taken_for, "edges, ranks from 0");
      EXPECT_TRUE(read.reading.warnings.empty());
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  }
  const Read from_one = read_as("from,to,size\n1,2,0.5\n2,3,2\n1,2,1\n4,4,0\n");
  expect_traffic(from_one.traffic, 4, 4, 1, {{0, 1, 5}, {1, 2, 20}, {0, 1, 10}});
  EXPECT_EQ(from_one.reading.taken_for, "edges, ranks from 1");
}

TEST(CsvLayout, WhatIsToldIsTaken) {
  const std::string plain = "0,1,1000\n1,2,2000\n2,0,500\n0,2,1\n";
  expect_traffic(read_as(plain, kEdges).traffic, 3, 3, 0, {{0, 1, 1000}, {1, 2, 2000}, {2, 0, 500}, {0, 2, 1}});
  EXPECT_EQ(read_as(plain, kMatrix).traffic.senders, 4);
  expect_traffic(read_as("de,nach,wieviel\n0,1,7\n", kEdges).traffic, 2, 2, 0, {{0, 1, 7}});
  expect_traffic(read_as("src,dst,bytes\n5,1,7\n", {TrafficFormat::Kind::kMatrix, true, false}).traffic, 1, 3, 0,
                 {{0, 0, 5}, {0, 1, 1}, {0, 2, 7}});
  expect_traffic(read_as("a,0,1,7\nb,1,0,8\n", {.kind = TrafficFormat::Kind::kEdges, .row_names = true}).traffic, 2, 2,
                 0, {{0, 1, 7}, {1, 0, 8}});
  const std::string numbers = "7,1,2\n1,3,4\n2,5,6\n";
  expect_traffic(read_as(numbers, names(true, true)).traffic, 2, 2, 0, {{0, 0, 3}, {0, 1, 4}, {1, 0, 5}, {1, 1, 6}});
  expect_traffic(read_as(numbers, names(true, false)).traffic, 3, 2, 0,
                 {{0, 0, 1}, {0, 1, 2}, {1, 0, 3}, {1, 1, 4}, {2, 0, 5}, {2, 1, 6}});
  EXPECT_EQ(read_as(numbers, names(false, true)).traffic.senders, 2);
  EXPECT_EQ(read_as("0,1\n1,0\n", names(false, false)).traffic.messages.size(), 2U);
  EXPECT_TRUE(read_as("0,1\n1,0\n", names(false, false)).reading.warnings.empty());
  expect_traffic(read_as("a,5,7\ntotal,5,7\n", kMatrix).traffic, 2, 2, 0, {{0, 0, 5}, {0, 1, 7}, {1, 0, 5}, {1, 1, 7}});
}

TEST(CsvLayout, WhatCouldBeTwoThingsIsRefusedWithTheWayOut) {
  const std::string way =
      ", expected --names row,column, --names column, --names row or --names none, to tell where names are";
  const std::string formats = ", expected --format edges or --format matrix, to tell which it is";
  const std::string edges =
      "c:1: names that could be those of an edge list, though not a sender, a receiver and a size alone, expected "
      "--format matrix; or columns such as from, to and bytes alone, with --format edges for other names";
  const std::pair<std::string, std::string> faults[] = {
      // to_csv(header=False), to_csv(index=False), and a name above the index that is no usual one
      {"0,5,3\n1,2,9\n", "c:1: 0, 1, 2, .. in the first column could be names of the rows" + way},
      {"1,5,3\n2,2,9\n", "c:1: 1, 2, 3, .. in the first column could be names of the rows" + way},
      {"0,1\n5,3\n2,9\n", "c:1: 0, 1, 2, .. in the first line could be names of the columns" + way},
      {"x,a,b\n0,5,3\n1,2,9\n", "c:2: 0, 1, 2, .. in the first column could be names of the rows" + way},
      {",a,b\n7,5,3\n3,2,9\n", "c:2: a first column of numbers that could be names of the rows" + way},
      {"node,a,b\n7,5,3\n3,2,9\n", "c:2: a first column of numbers that could be names of the rows" + way},
      {"a,0,1\nb,5,3\n", "c:1: 0, 1, 2, .. behind a name, which could be sizes or names of columns" + way},
      // edges
      {"0,1,1000\n1,2,2000\n2,0,500\n0,2,1\n",
       "c:1: 3 columns that could be an edge list (sender, receiver, size)" + formats},
      {"x,y,z\n0,1,1000\n1,2,2000\n", "c:2: 3 columns that could be an edge list (sender, receiver, size)" + formats},
      {"src,dst,bytes,count\n0,1,1000,3\n", edges},
      {"src,dst\n0,1\n", edges},
      {"src,dst,size_mb\n0,1,3\n", edges},
      {"origin,zone,bytes\n0,1,3\n", edges},
      // totals
      {"x,a,b,Total\nr,1,2,3\ns,4,5,9\n",
       "c:1: a last column 'Total', expected sizes alone, without totals; --format "
       "matrix takes it as any other"},
      {",a,b\nr,1,2\ns,4,5\nAll,5,7\n",
       "c:4: a last row 'All', expected sizes alone, without totals; --format matrix takes it as any other"},
  };
  for (const auto& [text, what] : faults) expect_error([text = text] { return read_as(text).traffic; }, what);
  const std::pair<std::string, std::string> edge_faults[] = {
      {"0,1\n", "c:1: 2 columns, expected 3 of an edge list: sender, receiver and size"},
      {"0,1,2,3\n", "c:1: 4 columns, expected 3 of an edge list: sender, receiver and size"},
      {"0,1,2\n0,1\n", "c:2: 2 columns, expected 3 columns, as line 1 has"},
      {"0,1,2\n0,1,2,3\n", "c:2: a fourth column, expected the sender, the receiver and the size of an edge alone"},
      {"0,1.5,2\n", "c:1: a rank with a fraction, or beyond 2^63 - 1, expected a whole number from 0"},
      {"0,2147483647,2\n", "c:1: rank 2147483647, expected at most 2147483646"},
      {"0,-1,2\n", "c:1: '-1', expected a number of at least 0"},
      {"node0,node1,2\n", "c:1: 'node0', expected a number of at least 0"},
      {"0,1,9e18\n1,0,9e18\n",
       "c:2: sizes that add up to more than 2^63 - 1, expected a total that fits a 64-bit integer"},
  };
  for (const auto& [text, what] : edge_faults)
    expect_error([text = text] { return read_as(text, kEdges).traffic; }, what);
}

TEST(CsvLayout, AWarningNamesWhatIsLessLikely) {
  const std::string way =
      "; they are taken as sizes. --names row,column, --names column, --names row or --names none, to tell where names "
      "are";
  const std::string line = "c:1: 0, 1, 2, .. in the first line could be names of the columns" + way;
  const std::string column = "c:1: 0, 1, 2, .. in the first column could be names of the rows" + way;
  const std::string edges =
      "c:1: 3 columns that could be an edge list (sender, receiver, size); they are taken as a matrix. --format edges "
      "or "
      "--format matrix, to tell which it is";
  using Warnings = std::vector<std::string>;
  EXPECT_EQ(read_as("0,1\n5,3\n").reading.warnings, Warnings{line});
  EXPECT_EQ(read_as("0,7\n1,3\n").reading.warnings, Warnings{column});
  EXPECT_EQ(read_as("0,1\n1,0\n").reading.warnings, (Warnings{column, line}));
  EXPECT_EQ(read_as("0,1,1000\n1,2,2000\n2,0,500\n").reading.warnings, (Warnings{edges, column}));
  EXPECT_EQ(read_as("0,900,7\n700,900,1\n").reading.warnings, Warnings{edges});
  EXPECT_EQ(read_as("0,1,1000\n").reading.warnings, Warnings{edges});
  for (const char* text : {"0,1,2,3\n", "0\n1\n2\n", "3,1,0\n0,0,2\n", "5,3\n0,1\n"})
    EXPECT_TRUE(read_as(text).reading.warnings.empty()) << text;
}

/// What pandas and others write of any matrix is that matrix, or is refused; a total is never another one in silence.
TEST(CsvLayout, NoTotalIsAnotherInSilence) {
  EXPECT_TRUE(rc::check("tables are read right, refused, or warned of", [] {
    const auto rows = *rc::gen::inRange<std::size_t>(1, 6), columns = *rc::gen::inRange<std::size_t>(1, 6);
    const auto sizes =
        *rc::gen::container<std::vector<int>>(rows * columns, rc::gen::inRange(0, *rc::gen::element(4, 1000)));
    const char separator = *rc::gen::element(',', ';', '\t', '|');
    const auto column_names = *rc::gen::element(0, 1, 2),
               row_names = *rc::gen::element(0, 1, 2);  // none, numbers, words
    const bool corner = *rc::gen::arbitrary<bool>(), trailing = *rc::gen::arbitrary<bool>();
    std::string text = *rc::gen::element("", "\xef\xbb\xbf", "# a table\n");
    const auto name = [](int kind, std::size_t i) { return (kind == 2 ? "n" : "") + std::to_string(i); };
    const auto end_line = [&] {
      if (trailing)
        text += separator;
      else
        text.pop_back();
      text += '\n';
    };
    if (column_names > 0) {
      if (row_names > 0) text += std::string(corner ? "node" : "") + separator;
      for (std::size_t j = 0; j < columns; ++j) text += name(column_names, j) + separator;
      if (trailing) text.pop_back();
      end_line();
    }
    std::int64_t total = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      if (row_names > 0) text += name(row_names, i) + separator;
      for (std::size_t j = 0; j < columns; ++j) {
        text += std::to_string(sizes[i * columns + j]) + separator;
        total += sizes[i * columns + j];
      }
      if (trailing) text.pop_back();
      end_line();
    }
    try {
      const Read read = read_as(text);
      std::int64_t found = 0;
      for (const Message& message : read.traffic.messages) found += message.size;
      // A single line, or a single column, of numbers shows nothing of its names.
      const bool tells = rows > 1 && columns > 1;
      if (found != total && tells && read.reading.warnings.empty()) RC_FAIL("silent: " + text);
    } catch (const InputError&) {
    }
  }));
}

// ---- sizes with a fraction

TEST(TrafficSizes, TakeTheFewestDecimalsThatHoldThemAll) {
  expect_traffic(read_traffic_csv("2.5,3,1e-2", "c"), 1, 3, 2, {{0, 0, 250}, {0, 1, 300}, {0, 2, 1}});
  expect_traffic(read_traffic_csv("3,2.50", "c"), 1, 2, 1, {{0, 0, 30}, {0, 1, 25}});
  expect_traffic(read_traffic_csv("3.000,12.5e1,1.2e3", "c"), 1, 3, 0, {{0, 0, 3}, {0, 1, 125}, {0, 2, 1200}});
  expect_traffic(read_traffic_csv(".5,5.,0.1e1", "c"), 1, 3, 1, {{0, 0, 5}, {0, 1, 50}, {0, 2, 10}});
  expect_traffic(read_traffic_csv("0.1,0.2", "c"), 1, 2, 1, {{0, 0, 1}, {0, 1, 2}});
  expect_traffic(read_matrix_market(kReal + "1 1 2\n1 1 0.000000000000000001\n1 1 1", "m"), 1, 1, 18,
                 {{0, 0, 1}, {0, 0, 1'000'000'000'000'000'000}});
}

TEST(TrafficSizes, AreRoundedWhereTheirTotalWouldNotFit) {
  // 2^62 = 4.61e18: 4 * 10^18 fits with 0 decimals, 46 with 17.
  expect_traffic(read_traffic_csv("4000000000000000000,1.5,0.5", "c"), 1, 3, 0,
                 {{0, 0, 4'000'000'000'000'000'000}, {0, 1, 2}, {0, 2, 1}});
  expect_traffic(read_traffic_csv("46,0.0000000000000000449", "c"), 1, 2, 17,
                 {{0, 0, 4'600'000'000'000'000'000}, {0, 1, 4}});
  expect_traffic(read_traffic_csv("46,0.000000000000000045", "c"), 1, 2, 17,
                 {{0, 0, 4'600'000'000'000'000'000}, {0, 1, 5}});
  // 47 does not fit with 17.
  expect_traffic(read_traffic_csv("47,0.00000000000000009", "c"), 1, 2, 16,
                 {{0, 0, 470'000'000'000'000'000}, {0, 1, 1}});
  // Exactly 2^62 fits, a unit more does not.
  expect_traffic(read_traffic_csv("461168601842738790.4", "c"), 1, 1, 1, {{0, 0, std::int64_t{1} << 62}});
  expect_traffic(read_traffic_csv("461168601842738790.5", "c"), 1, 1, 0, {{0, 0, 461'168'601'842'738'791}});
  // More digits than a number holds: cut, and rounded by the first one cut off.
  expect_traffic(read_traffic_csv("1.2345678901234567894999", "c"), 1, 1, 18, {{0, 0, 1'234'567'890'123'456'789}});
  expect_traffic(read_traffic_csv("1.2345678901234567895", "c"), 1, 1, 18, {{0, 0, 1'234'567'890'123'456'790}});
  expect_traffic(read_traffic_csv("0.00000000000000000051", "c"), 1, 1, 18, {{0, 0, 1}});
  expect_traffic(read_traffic_csv("1000000000000000000000000e-24", "c"), 1, 1, 0, {{0, 0, 1}});
}

/// A size as text with `decimals` digits behind the point, in one of the ways to write it.
std::string written(std::int64_t units, std::int32_t decimals, int way) {
  if (way == 0) return decimal_text(units, decimals);
  if (way == 1) return std::to_string(units) + "e-" + std::to_string(decimals);
  const std::string digits = std::string(20, '0') + std::to_string(units);
  const std::size_t point = digits.size() - static_cast<std::size_t>(decimals);
  return digits.substr(0, point) + "." + digits.substr(point) + "00E+00";
}

TEST(TrafficSizes, AreExactInEitherFormat) {
  EXPECT_TRUE(rc::check("sizes are exact", [] {
    const auto decimals = *rc::gen::inRange<std::int32_t>(0, 10);
    const auto count = *rc::gen::inRange<std::int64_t>(1, 8);
    std::vector<std::int64_t> units;
    std::string csv;
    std::string mtx = kReal + std::to_string(count) + " 1 " + std::to_string(count) + "\n";
    std::int32_t fewest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto size = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << *rc::gen::inRange(1, 58));
      const std::string text = written(size, decimals, *rc::gen::inRange(0, 3));
      csv += text + "\n";
      mtx += std::to_string(i + 1) + " 1 " + text + "\n";
      units.push_back(size);
      std::int32_t needed = decimals;
      for (std::int64_t rest = size; needed > 0 && rest % 10 == 0; rest /= 10) --needed;
      fewest = std::max(fewest, needed);
    }
    Messages expected;
    for (std::int64_t i = 0; i < count; ++i)
      if (units[static_cast<std::size_t>(i)] > 0)
        expected.push_back({i, 0, units[static_cast<std::size_t>(i)] / power_of_ten(decimals - fewest)});
    for (const Traffic& traffic : {read_traffic_csv(csv, "c"), read_matrix_market(mtx, "m")}) {
      RC_ASSERT(traffic.decimals == fewest);
      RC_ASSERT(traffic.messages == expected);
    }
  }));
}

// ---- files

class ReadTraffic : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("sluice-traffic-") + test->name() + "-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(ReadTraffic, TellsTheFormatByTheExtension) {
  expect_traffic(read_traffic(write("a.mtx", kInteger + "1 2 1\n1 2 5\n")), 1, 2, 0, {{0, 1, 5}});
  expect_traffic(read_traffic(write("b.MTX", kInteger + "1 2 1\n1 2 5\n")), 1, 2, 0, {{0, 1, 5}});
  expect_traffic(read_traffic(write("c.csv", "0,5\n")), 1, 2, 0, {{0, 1, 5}});
  expect_traffic(read_traffic(write("d.tsv", "to\tfrom\tsize\n0\t1\t5\n")), 2, 2, 0, {{1, 0, 5}});
  TrafficReading reading;
  expect_error([&] { return read_traffic(write("m.mtx", kInteger + "1 1 0\n"), kEdges, reading); },
               (folder_ / "m.mtx").string() +
                   ": Matrix Market, whose first line tells its format, expected no --format and no --names");
  for (const char* name : {"d.txt", "e", "mtx", "f.csv.gz"}) {
    const std::string path = write(name, "0,5\n");
    expect_error(
        [&] { return read_traffic(path); },
        path + ": a name that tells no format, expected .mtx, .csv or .tsv at its end, or - for standard input");
  }
}

TEST_F(ReadTraffic, ReadsFilesOfManyBlocks) {
  constexpr std::int64_t kRows = 100'000;
  std::string text = kInteger + "100000 7 100000\n";
  for (std::int64_t i = 0; i < kRows; ++i) text += std::to_string(i + 1) + " 7 " + std::to_string(i + 1) + "\n";
  const Traffic traffic = read_traffic(write("large.mtx", text));
  ASSERT_EQ(traffic.messages.size(), static_cast<std::size_t>(kRows));
  for (std::int64_t i = 0; i < kRows; ++i)
    ASSERT_EQ(traffic.messages[static_cast<std::size_t>(i)], (Message{i, 6, i + 1}));
  const std::string cut = write("cut.mtx", text.substr(0, text.size() - 2));
  EXPECT_EQ(read_traffic(cut).messages.back(), (Message{kRows - 1, 6, kRows / 10}));
  const std::string broken = write("broken.mtx", text + "x");
  expect_error([&] { return read_traffic(broken); },
               broken + ":100003: an entry more than 100000, expected 100000 entries, as line 2 says");
}

TEST_F(ReadTraffic, RefusesAFileThatClaimsTooManyEntries) {
  const std::string path = write("claims.mtx", kInteger + "10000 10000 100000000\n1 1 1\n");
  expect_error([&] { return read_traffic(path); }, path + ":2: 100000000 entries, expected at most 50000000");
}

TEST(TrafficLimits, MessagesAreCountedAsTheyAreRead) {
  // An array may be all zeros, a symmetric matrix has up to twice as many messages as entries, and CSV claims nothing.
  const std::string array = "%%MatrixMarket matrix array integer general\n3 2\n1\n0\n0\n1\n1\n1\n";
  EXPECT_EQ(read_matrix_market(array, "a.mtx", 4).messages.size(), 4U);
  expect_error([&] { return read_matrix_market(array, "a.mtx", 3); },
               "a.mtx:8: more than 3 sizes above 0, expected at most 3");
  const std::string symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n2 1 1\n2 2 1\n";
  EXPECT_EQ(read_matrix_market(symmetric, "s.mtx", 3).messages.size(), 3U);
  expect_error([&] { return read_matrix_market(symmetric, "s.mtx", 2); },
               "s.mtx:4: more than 2 sizes above 0, expected at most 2");
  EXPECT_EQ(read_traffic_csv("1,1,0\n0,0,3\n", "c.csv", 3).messages.size(), 3U);
  expect_error([&] { return read_traffic_csv("1,1,0\n0,0,3\n", "c.csv", 2); },
               "c.csv:2: more than 2 sizes above 0, expected at most 2");
}

TEST_F(ReadTraffic, RefusesAFileBeyondTheLimit) {
  const std::string path = write("large.csv", "");
  std::filesystem::resize_file(path, kMostTrafficFileBytes + 1);  // takes no place
  expect_error([&] { return read_traffic(path); },
               path + ": a file of 1073741825 bytes, expected at most 1073741824 bytes");
}

/// What a pipe brings is not known before it was read.
TEST_F(ReadTraffic, RefusesAStreamBeyondTheLimit) {
  const std::string path = folder_ / "pipe.csv";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  for (const bool fits : {true, false}) {
    const std::size_t size = fits ? 300'000 : 300'001;
    std::thread writer([&] { std::ofstream(path, std::ios::binary) << std::string(size, '7'); });
    const auto read = [&] { return read_file(path, "a file of traffic", 300'000); };
    if (fits)
      EXPECT_EQ(read().size, size);
    else
      expect_error(read, path + ": more than 300000 bytes, expected at most 300000 bytes");
    writer.join();
  }
}

TEST_F(ReadTraffic, AFileThatCannotBeReadIsBadInput) {
  const std::string none = folder_ / "none.mtx";
  expect_error([&] { return read_traffic(none); },
               none + ": cannot be read: No such file or directory, expected a file of traffic");
  const std::string directory = folder_ / "directory.csv";
  std::filesystem::create_directory(directory);
  expect_error([&] { return read_traffic(directory); }, directory + ": a directory, expected a file of traffic");
  const std::string empty = write("empty.mtx", "");
  expect_error([&] { return read_traffic(empty); }, empty + ":1: an empty file, expected traffic");
}

}  // namespace
}  // namespace sluice
