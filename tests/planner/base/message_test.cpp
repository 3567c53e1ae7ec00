// Tests where messages are broken, and that their commands can be copied.
#include "planner/base/message.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("message: a short text stays as it is, with one line break") {
  CHECK(message_text("one  two", 20) == "one  two\n");
  CHECK(message_text("one\n  two\n\n", 20) == "one\n  two\n");
}

TEST_CASE("message: later lines of a text are indented") {
  CHECK(message_text("one two three four", 11) == "one two\n    three\n    four\n");
  CHECK(message_text("  one two three", 11) == "  one two\n    three\n");
}

TEST_CASE("message: a command follows its text where both fit") {
  CHECK(message_text("run with:\n    a b", 13) == "run with: a b\n");
  CHECK(message_text("run with:\n    a b", 12) == "run with:\n    a b\n");
}

TEST_CASE("message: lines of a command end with a backslash, and options keep their values") {
  CHECK(message_text("run:\n    solve net --ranks 2 --json -o x", 22) ==
        "run:\n    solve net \\\n        --ranks 2 \\\n        --json -o x\n");
  CHECK(message_text("run:\n    solve net --ranks 2\nthen stop", 30) ==
        "run: solve net --ranks 2\nthen stop\n");
}

TEST_CASE("message: names that a shell would split are quoted, and stay in one line") {
  CHECK(shell_word("plans/plan-2.json") == "plans/plan-2.json");
  CHECK(shell_word("my plan.json") == "'my plan.json'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("").size() == 2);
  CHECK(message_text("run:\n    cnnexec " + shell_word("a b -c d") + " -q", 20) ==
        "run:\n    cnnexec \\\n        'a b -c d' \\\n        -q\n");
}

TEST_CASE("message: the style says how wide a message is, and whether it has colours") {
  const OutputFacts narrow{.is_terminal = true,
                           .terminal_columns = 60,
                           .columns = nullptr,
                           .no_color = nullptr,
                           .term = "xterm"};
  CHECK(style_of(narrow).columns == 60);
  CHECK(style_of(narrow).has_colours);
  CHECK(style_of({}).columns == usual_columns);
  CHECK_FALSE(style_of({}).has_colours);
}

}  // namespace cnnplan::test
