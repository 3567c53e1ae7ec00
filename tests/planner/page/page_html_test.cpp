// Tests that no text of a document ends the element around it.
#include "planner/page/page_html.hpp"

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan::test {

TEST_CASE("page_with: the document stands in its place") {
  CHECK(page_with("<a>@REPORT@</a>", R"({"x": 1})") == R"(<a>{"x": 1}</a>)");
}

TEST_CASE("page_with: a name that looks like HTML is escaped") {
  CHECK(page_with("@REPORT@", R"(["</script><!--"])") == R"(["\u003c/script>\u003c!--"])");
}

TEST_CASE("page_with: a page without a place is refused") {
  CHECK_THROWS_AS(page_with("<html></html>", "{}"), IoError);
}

}  // namespace cnnplan::test
