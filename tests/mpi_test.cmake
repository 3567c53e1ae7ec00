# Declares tests under mpirun: a program becomes one test for each number of ranks.
add_library(cnnplan_mpi_test_main OBJECT mpi_main.cpp)
target_link_libraries(cnnplan_mpi_test_main PUBLIC cnnplan_flags doctest::doctest MPI::MPI_CXX)

# Sanitizers make ranks several times slower. With them, a program runs on the largest of its numbers
# of ranks that is at most 4. Without them, it runs on all of its numbers.
function(cnnplan_sanitized_ranks result)
  set(largest 1)
  foreach(ranks ${ARGN})
    if(ranks GREATER largest AND ranks LESS_EQUAL 4)
      set(largest ${ranks})
    endif()
  endforeach()
  list(FILTER ARGN INCLUDE REGEX "^${largest}$")
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()

# Adds the tests of a program, which has the name of the tests by default. Its exit code 77 says that
# a test cannot run here. Ranks wait much of the time, so tests of few ranks run at the same time
# (ctest has two slots for each core, see scripts/test). Ranks are not bound to cores, since mpirun
# would bind the ranks of all these tests to the first cores. Usage:
#   cnnplan_mpi_runs(name [PROGRAM program] RANKS 1 2 4 [ENVIRONMENT ...])
function(cnnplan_mpi_runs name)
  cmake_parse_arguments(TEST "" "PROGRAM" "RANKS;ENVIRONMENT" ${ARGN})
  if(NOT TEST_PROGRAM)
    set(TEST_PROGRAM ${name})
  endif()
  if(CNNPLAN_SANITIZE)
    cnnplan_sanitized_ranks(TEST_RANKS ${TEST_RANKS})
  endif()
  foreach(ranks ${TEST_RANKS})
    set(slots 2)
    if(ranks EQUAL 1)
      set(slots 1)
    elseif(ranks GREATER 4)
      set(slots 4)
    endif()
    add_test(NAME ${name}_np${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -np ${ranks} $<TARGET_FILE:${TEST_PROGRAM}>
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name}_np${ranks} PROPERTIES TIMEOUT 900 PROCESSORS ${slots} SKIP_RETURN_CODE 77
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OMP_NUM_THREADS=1;ASAN_OPTIONS=detect_leaks=0;${TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# Builds a program and adds its tests. With EMULATED, the program has the GPU backend on an emulated
# device, so that cnnplan_emulated_runs can use it, too. Usage:
#   cnnplan_mpi_test(name RANKS 1 2 4 SOURCES ... LIBRARIES ... [ENVIRONMENT ...] [EMULATED])
function(cnnplan_mpi_test name)
  cmake_parse_arguments(TEST "EMULATED" "" "RANKS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  if(TEST_EMULATED)
    list(PREPEND TEST_LIBRARIES ${CNNPLAN_EMULATION})
  endif()
  add_executable(${name} ${TEST_SOURCES})
  target_compile_options(${name} PRIVATE ${CNNPLAN_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE cnnplan_mpi_test_main ${TEST_LIBRARIES} doctest::doctest)
  cnnplan_mpi_runs(${name} RANKS ${TEST_RANKS} ENVIRONMENT ${TEST_ENVIRONMENT})
endfunction()
