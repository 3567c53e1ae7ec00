// Tests that names from outside cannot break XML or Markdown.
#include "planner/report/escaped_text.hpp"

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("xml_text: characters with a meaning become references") {
  CHECK(xml_text("a<b>&\"c'") == "a&#60;b&#62;&#38;&#34;c&#39;");
  CHECK(xml_text("]]>") == "]]&#62;");
  CHECK(xml_text("a\tb\nc\rd") == "a&#9;b&#10;c&#13;d");
}

TEST_CASE("xml_text: characters that XML cannot hold are replaced, and others stay") {
  CHECK(xml_text(std::string_view("a\0b", 3)) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(xml_text("\x01\x1B[0m") == "\xEF\xBF\xBD\xEF\xBF\xBD[0m");
  CHECK(xml_text("x\xEF\xBF\xBEy\xEF\xBF\xBFz") == "x\xEF\xBF\xBDy\xEF\xBF\xBDz");
  CHECK(xml_text("\xC3\xA9\xEF\xBC\xA1\x7F") == "\xC3\xA9\xEF\xBC\xA1\x7F");
  CHECK(xml_text("") == "");
}

TEST_CASE("markdown_code: no character of a name has a meaning") {
  CHECK(markdown_code("layer1.0/conv-1") == "<code>layer1.0/conv-1</code>");
  CHECK(markdown_code("a|b") == "<code>a&#124;b</code>");
  CHECK(markdown_code("<img>&") == "<code>&#60;img&#62;&#38;</code>");
  CHECK(markdown_code("`*_[]()!#~$\\@:") ==
        "<code>&#96;&#42;&#95;&#91;&#93;&#40;&#41;&#33;&#35;&#126;&#36;&#92;&#64;&#58;</code>");
  CHECK(markdown_code("two\nlines\r\x1B") == "<code>two lines  </code>");
  CHECK(markdown_code("\xC3\xA9") == "<code>\xC3\xA9</code>");
}

}  // namespace cnnplan
