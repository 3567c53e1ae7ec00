// Is run by case_lines_test: one case passes, one fails, and one waits until the program is killed.
#include <doctest/doctest.h>
#include <unistd.h>

TEST_CASE("Sample: 1 and 1") {
  SUBCASE("are 2") {
    CHECK(1 + 1 == 2);
  }
  SUBCASE("are not 3") {
    CHECK(1 + 1 != 3);
  }
}

TEST_CASE("Sample: 2 and 2 in 2 subcases") {
  SUBCASE("are 5, which fails") {
    CHECK(2 + 2 == 5);
  }
  SUBCASE("are 4") {
    CHECK(2 + 2 == 4);
  }
}

TEST_CASE("Sample: waits" * doctest::skip()) {
  pause();
}
