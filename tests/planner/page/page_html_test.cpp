// Tests that no text of a document ends the element around it, and when it is compressed.
#include "planner/page/page_html.hpp"

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/page/base64.hpp"

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

TEST_CASE("page_with: only a document that is too long is compressed") {
  const std::string document = '"' + std::string(1000, 'a') + '"';
  CHECK(page_with("@REPORT@", document, document.size()) == document);
  const std::string text = page_with("<a>@REPORT@</a>", document, document.size() - 1);
  CHECK(text.starts_with(R"(<a>{"gzip": "H4sI)"));  // base64 of the magic number of gzip
  CHECK(text.ends_with(R"("}</a>)"));
  CHECK(text.size() < 100);
}

TEST_CASE("base64: the examples of RFC 4648, and bytes above 127") {
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foobar") == "Zm9vYmFy");
  CHECK(base64("\xff\xfe\xfd") == "//79");
}

}  // namespace cnnplan::test
