// Tests how wide output may be, and when it has colours.
#include "planner/base/terminal.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("terminal: columns of a terminal count, within limits") {
  CHECK(columns_of({.terminal_columns = 60}) == usual_columns);  // no terminal
  CHECK(columns_of({.is_terminal = true}) == usual_columns);
  CHECK(columns_of({.is_terminal = true, .terminal_columns = 60}) == 60);
  CHECK(columns_of({.is_terminal = true, .terminal_columns = 3}) == 40);
  CHECK(columns_of({.is_terminal = true, .terminal_columns = 300}) == 100);
}

TEST_CASE("terminal: COLUMNS has priority where it is a positive number") {
  CHECK(columns_of({.is_terminal = true, .terminal_columns = 60, .columns = "72"}) == 72);
  for (const char* columns : {"", "0", "-5", "wide", "72x"}) {
    CHECK(columns_of({.is_terminal = true, .terminal_columns = 60, .columns = columns}) == 60);
  }
  CHECK(columns_of({.terminal_columns = 60, .columns = "72"}) == usual_columns);
}

TEST_CASE("terminal: colours need a terminal that has them, and nobody who refuses them") {
  CHECK(has_colours({.is_terminal = true, .term = "xterm"}));
  CHECK(has_colours({.is_terminal = true, .no_color = "", .term = "xterm"}));
  CHECK_FALSE(has_colours({.term = "xterm"}));
  CHECK_FALSE(has_colours({.is_terminal = true}));
  CHECK_FALSE(has_colours({.is_terminal = true, .term = "dumb"}));
  CHECK_FALSE(has_colours({.is_terminal = true, .no_color = "1", .term = "xterm"}));
}

TEST_CASE("terminal: emphasis ends with the text") {
  CHECK(emphasised("a", Emphasis::strong) == "\033[1ma\033[0m");
}

}  // namespace cnnplan::test
