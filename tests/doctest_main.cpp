// Holds main() of the tests that need no MPI.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "tests/case_lines.hpp"
