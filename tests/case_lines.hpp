// Prints a line when a test case ends, so that the results of a program that is killed still count.
//
// With CNNPLAN_CASE_LINES=1 in the environment, a program prints `case passed NAME` or
// `case failed NAME` to stdout. Only the file that holds a program's main() includes this header.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace cnnplan::test {

class CaseLines : public doctest::IReporter {
 public:
  explicit CaseLines(const doctest::ContextOptions&) : is_wanted_(variable() == "1") {}

  void test_case_start(const doctest::TestCaseData& started) override { name_ = started.m_name; }
  // The line goes out in one piece, because the ranks of an MPI program share their output.
  void test_case_end(const doctest::CurrentTestCaseStats& ended) override {
    if (!is_wanted_) return;
    const std::string result = ended.testCaseSuccess ? "passed" : "failed";
    std::fputs(("case " + result + " " + name_ + "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  static std::string_view variable() {
    const char* const value = std::getenv("CNNPLAN_CASE_LINES");
    return value == nullptr ? "" : value;
  }

  bool is_wanted_;
  std::string name_;
};

REGISTER_LISTENER("case_lines", 1, CaseLines);

}  // namespace cnnplan::test
