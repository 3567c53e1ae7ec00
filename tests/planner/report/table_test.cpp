// Tests the layout of printed tables, and the format of their numbers.
#include "planner/report/table.hpp"

#include <stdexcept>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("Table: words left, numbers right, no spaces at the end") {
  Table table({{"layer", Align::left}, {"time [ms]"}, {"note", Align::left}});
  table.add_row({"conv1", "1.5", "a"});
  table.add_rule();
  table.add_row({"a long name", "12345678.25", ""});
  CHECK(table.to_text() ==
        "layer          time [ms]  note\n"
        "------------------------------\n"
        "conv1                1.5  a\n"
        "------------------------------\n"
        "a long name  12345678.25\n");
}

TEST_CASE("Table: a row needs its cells") {
  Table table({{"layer", Align::left}, {"time [ms]"}});
  CHECK_THROWS_AS(table.add_row({"conv1"}), std::logic_error);
}

TEST_CASE("Table: columns without values are hidden") {
  Table table({{"layer", Align::left}, {"halo"}, {"time"}, {"note", Align::left}});
  table.add_row({"conv1", "-", "-", ""});
  table.add_rule();
  table.add_row({"conv2", "", "2", ""});
  table.hide_empty_columns();
  CHECK(table.to_text() ==
        "layer  time\n"
        "-----------\n"
        "conv1     -\n"
        "-----------\n"
        "conv2     2\n");
}

TEST_CASE("Table: the first column is cut to fit, but not below 8 characters") {
  Table table({{"layer", Align::left}, {"time"}});
  table.add_row({"a very long name", "2"});
  table.add_row({"exactly 10", "3"});
  CHECK(table.to_text(16) ==
        "layer       time\n"
        "----------------\n"
        "a very l..     2\n"
        "exactly 10     3\n");
  CHECK(table.to_text(3) ==
        "layer     time\n"
        "--------------\n"
        "a very..     2\n"
        "exactl..     3\n");
  CHECK(table.to_text(22) == table.to_text());
}

TEST_CASE("table formats: numbers with their units") {
  CHECK(fixed(2.0 / 3, 3) == "0.667");
  CHECK(fixed(-1.5, 1) == "-1.5");
  CHECK(fixed(-0.04, 1) == "0.0");
  CHECK(fixed(-0.05001, 1) == "-0.1");
  CHECK(fixed(-0.4, 0) == "0");
  CHECK(joined({"a", "b", "c"}) == "a, b, c");
  CHECK(joined({}).empty());
  CHECK(short_split("c4n16 stationary_w") == "c4n16 w");
  CHECK(short_split("n64") == "n64");
  CHECK(significant(0.0037, 3) == "0.00370");
  CHECK(significant(12.345, 3) == "12.3");
  CHECK(significant(1234.6, 3) == "1235");
  CHECK(significant(0.0, 3) == "0.00");
  CHECK(percent(-1e-9) == "0.0 %");
  CHECK(milliseconds(0.0123456) == "12.346");
  CHECK(milliseconds(0.0) == "-");
  CHECK(duration(1.5) == "1.500 s");
  CHECK(duration(0.0015) == "1.500 ms");
  CHECK(duration(1.5e-6) == "1.500 us");
  CHECK(percent(0.1234) == "12.3 %");
}

}  // namespace cnnplan
