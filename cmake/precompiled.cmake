# Compiles the standard headers that most sources include once for all targets, which takes a third off
# the optimised build. This is off without a preset. clang-tidy reads the sources without it, many at
# a time.
option(CNNPLAN_PRECOMPILED "Compile the standard headers once" OFF)
if(NOT CNNPLAN_PRECOMPILED)
  return()
endif()

add_library(cnnplan_precompiled OBJECT ${CMAKE_SOURCE_DIR}/cmake/precompiled.cpp)
target_link_libraries(cnnplan_precompiled PRIVATE cnnplan_flags)
# With this option, ccache recognises the contents of the precompiled headers.
target_compile_options(cnnplan_flags INTERFACE
                       $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)
set(standard_headers
  <algorithm> <array> <cmath> <cstdint> <fstream> <functional> <map> <memory> <mutex> <numeric>
  <optional> <random> <set> <span> <sstream> <string> <string_view> <unordered_map> <utility>
  <variant> <vector>)
target_precompile_headers(cnnplan_precompiled PRIVATE ${standard_headers})

# A target that uses OpenMP compiles the headers for itself, since OpenMP defines a macro.
set(targets "")
cnnplan_compiled_targets(${CMAKE_SOURCE_DIR} targets)
list(REMOVE_ITEM targets cnnplan_precompiled)
foreach(target ${targets})
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(libraries MATCHES OpenMP)
    target_precompile_headers(${target} PRIVATE ${standard_headers})
  else()
    target_precompile_headers(${target} REUSE_FROM cnnplan_precompiled)
  endif()
endforeach()
