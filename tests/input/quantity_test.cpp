#include "sluice/input/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sluice/error.hpp"

namespace sluice {
namespace {

template <class Parse>
void expect_refused(Parse parse, const char* text, const std::string& expected) {
  try {
    (void)parse(text, "--x");
    ADD_FAILURE() << "no error for '" << text << "'";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), "--x: '" + std::string(text) + "', expected " + expected);
  }
}

TEST(ParseSize, TakesMultiples) {
  EXPECT_EQ(parse_size("0", "x"), 0);
  EXPECT_EQ(parse_size("7K", "x"), 7000);
  EXPECT_EQ(parse_size("7M", "x"), 7'000'000);
  EXPECT_EQ(parse_size("7G", "x"), 7'000'000'000);
  EXPECT_EQ(parse_size("7Ki", "x"), 7 * 1024);
  EXPECT_EQ(parse_size("7Mi", "x"), 7 * 1024 * 1024);
  EXPECT_EQ(parse_size("7Gi", "x"), std::int64_t{7} * 1024 * 1024 * 1024);
  EXPECT_EQ(parse_size("9223372036854775807", "x"), 9223372036854775807);
}

TEST(ParseSize, TakesWhateverIsWhole) {
  EXPECT_EQ(parse_size("1e6", "x"), 1'000'000);
  EXPECT_EQ(parse_size("1.5K", "x"), 1500);
  EXPECT_EQ(parse_size("0.5Mi", "x"), 524288);
  EXPECT_EQ(parse_size("3k", "x"), 3000);
  EXPECT_EQ(parse_size("3 Ki", "x"), 3072);
  expect_refused(parse_size, "1e17", "at most 2^53 where it has a point or an exponent");
}

TEST(ParseBytes, TakesTheUnitThatResultsPrint) {
  EXPECT_EQ(parse_bytes("4096", "x"), 4096);
  EXPECT_EQ(parse_bytes("4096 B", "x"), 4096);
  EXPECT_EQ(parse_bytes("1MB", "x"), 1'000'000);
  EXPECT_EQ(parse_bytes("1.05 kB", "x"), 1050);
  EXPECT_EQ(parse_bytes("1MiB", "x"), 1 << 20);
  EXPECT_EQ(parse_bytes("4Mi", "x"), 4 << 20);
  EXPECT_EQ(parse_bytes("1e6", "x"), 1'000'000);
  for (const char* text : {"", "B", "1b", "1MBB", "1.5", "1.5B", "1bit", "one"})
    expect_refused(parse_bytes, text, "whole bytes, such as 4096, 64Ki, 64KiB or 1.5MB");
}

TEST(ParseSize, RefusesEverythingElse) {
  for (const char* text : {"", "K", "1KB", "1.5", "1.0001K", "1e-3", "+1", " 1", "1 ", "1  K", "0x10", "1Ti", "one"})
    expect_refused(parse_size, text, "a whole number, with K, M, G, Ki, Mi or Gi behind it if you like");
  for (const char* text : {"9223372036854775808", "9007199254740992Ki", "10000000000G"})
    expect_refused(parse_size, text, "at most 2^63 - 1");
  for (const char* text : {"-1", "-1K"}) expect_refused(parse_size, text, "at least 0");
}

TEST(ParseNumber, TakesFractionsAndMultiples) {
  EXPECT_EQ(parse_number("0", "x"), 0);
  EXPECT_EQ(parse_number("0.25", "x"), 0.25);
  EXPECT_EQ(parse_number("2.5K", "x"), 2500);
  EXPECT_EQ(parse_number("1e3M", "x"), 1e9);
  EXPECT_EQ(parse_number("0.5Gi", "x"), 536870912);
  EXPECT_FALSE(std::signbit(parse_number("-0", "x")));  // which would be printed as -0
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const char* text : {"", "K", "-1", "nan", "inf", "1e400", "1e308G", "0x10", "1e", "1  K", "1 K", "1..2", "--5"})
    expect_refused(parse_number, text, "a number of at least 0");
}

TEST(ParseSpeed, IsInBytesASecond) {
  EXPECT_EQ(parse_speed("1Gbit", "x"), 125e6);
  EXPECT_EQ(parse_speed("100Mbit/s", "x"), 12.5e6);
  EXPECT_EQ(parse_speed("12.5MB", "x"), 12.5e6);
  EXPECT_EQ(parse_speed("12.5MB/s", "x"), 12.5e6);
  EXPECT_EQ(parse_speed("8bit", "x"), 1);
  EXPECT_EQ(parse_speed("3B", "x"), 3);
  EXPECT_EQ(parse_speed("1Gibit", "x"), 134217728);
  EXPECT_EQ(parse_speed("2KiB/s", "x"), 2048);
  EXPECT_EQ(parse_speed("1e9bit", "x"), 125e6);
  for (const char* text : {"1Gb", "1Gb/s", "1Gbps", "1 Gbit", "1 Gb/s", "125 MB/s"})
    EXPECT_EQ(parse_speed(text, "x"), 125e6) << text;
}

TEST(ParseSpeed, RefusesEverythingElse) {
  for (const char* text : {"", "1", "1G", "1gbit", "1Gbits", "1  Gbit", "Gbit", "bit", "1Gbit/S", "1/s", "0Gbit",
                           "1Gbps/s", "-1Gbit", "nanbit", "infB", "1e308GB", "1Gbit/s/s", "1bitG"})
    expect_refused(parse_speed, text, "a speed above 0, such as 100Mbit, 1Gbit, 1Gb/s or 12.5MB (a second)");
}

TEST(ParseTime, IsInSeconds) {
  EXPECT_EQ(parse_time("1s", "x"), 1);
  EXPECT_EQ(parse_time("0s", "x"), 0);
  EXPECT_EQ(parse_time("1ms", "x"), 1e-3);
  EXPECT_EQ(parse_time("20us", "x"), 20e-6);
  EXPECT_EQ(parse_time("2.5ns", "x"), 2.5e-9);
  EXPECT_EQ(parse_time("1e-3s", "x"), 1e-3);
  EXPECT_EQ(parse_time("26.5 ms", "x"), 26.5e-3);
}

TEST(ParseSeconds, TakesANumberAloneToo) {
  EXPECT_EQ(parse_seconds("0.5", "x"), 0.5);
  EXPECT_EQ(parse_seconds("1ms", "x"), 1e-3);
  EXPECT_EQ(parse_seconds("2 s", "x"), 2);
  for (const char* text : {"", "s", "-1", "nan", "1K", "soon"})
    expect_refused(parse_seconds, text, "seconds, at least 0, or a time such as 500ms");
}

TEST(ParseTime, RefusesEverythingElse) {
  for (const char* text : {"", "1", "s", "1  ms", "1m", "1min", "1Ms", "1S", "-1s", "nans", "infs", "1e400s", "1mss"})
    expect_refused(parse_time, text, "a time of at least 0, such as 1ms, 20us or 1s");
}

}  // namespace
}  // namespace sluice
