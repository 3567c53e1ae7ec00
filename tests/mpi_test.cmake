# One program, one test per rank count.
add_library(cnnplan_mpi_test_main OBJECT mpi_main.cpp)
target_link_libraries(cnnplan_mpi_test_main PUBLIC cnnplan_flags doctest::doctest MPI::MPI_CXX)

# Tests of few ranks run beside each other, as ranks wait much: a sixth less time in all. mpirun would
# bind all of them to the first cores. With sanitizers, several times slower, those of several ranks run
# alone, and of at most 4: more ranks run the same code.
# cnnplan_mpi_runs(program RANKS 1 2 4 [ENVIRONMENT ...]): exit code 77 is that of a test that cannot run here.
function(cnnplan_mpi_runs name)
  cmake_parse_arguments(TEST "" "" "RANKS;ENVIRONMENT" ${ARGN})
  if(CNNPLAN_SANITIZE)
    list(FILTER TEST_RANKS INCLUDE REGEX "^[1-4]$")
  endif()
  foreach(ranks ${TEST_RANKS})
    set(cores 1)
    if(ranks GREATER 4 OR (CNNPLAN_SANITIZE AND ranks GREATER 1))
      set(cores 2)
    endif()
    add_test(NAME ${name}_np${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -np ${ranks} $<TARGET_FILE:${name}>
             WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name}_np${ranks} PROPERTIES TIMEOUT 900 PROCESSORS ${cores} SKIP_RETURN_CODE 77
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1;OMP_NUM_THREADS=1;ASAN_OPTIONS=detect_leaks=0;${TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# cnnplan_mpi_test(name RANKS 1 2 4 SOURCES ... LIBRARIES ... [ENVIRONMENT ...])
function(cnnplan_mpi_test name)
  cmake_parse_arguments(TEST "" "" "RANKS;SOURCES;LIBRARIES;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  target_compile_options(${name} PRIVATE ${CNNPLAN_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE cnnplan_mpi_test_main ${TEST_LIBRARIES} doctest::doctest)
  cnnplan_mpi_runs(${name} RANKS ${TEST_RANKS} ENVIRONMENT ${TEST_ENVIRONMENT})
endfunction()
