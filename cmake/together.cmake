# Compiles several sources of a target as one file, so that headers and templates are compiled once
# for all of them. scripts/checks/source_groups.py finds sources whose names do not clash. This
# suits builds that start from nothing. After a small change, such a build compiles more than it has
# to.
option(CNNPLAN_TOGETHER "Compile several sources in one go" OFF)
if(NOT CNNPLAN_TOGETHER)
  return()
endif()

# A local name of one source may hide a name from a header that another source includes. The
# internal types of a source look as if they were a header's. So the warnings about both are off,
# except where a local name hides another local name.
target_compile_options(cnnplan_flags INTERFACE
                       $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow -Wshadow=local -Wno-subobject-linkage>)

# A program with the emulated GPU replaces the objects of these sources by its own versions. So each
# of these sources keeps an object of its own in the library.
set(CNNPLAN_REPLACED "^cnnplan_(backend|comm) .*/executor/(backend/(factory|cudnn)/|comm/nccl_)")

execute_process(COMMAND python3 ${CMAKE_SOURCE_DIR}/scripts/checks/source_groups.py 8
                OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" lines "${lines}")
foreach(line ${lines})
  string(REGEX MATCH "^([0-9]+) (.*)$" matched "${line}")
  set(CNNPLAN_GROUP_${CMAKE_SOURCE_DIR}/${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
endforeach()

# Puts one file in the place of the sources of each group of a target. The file includes them by
# their paths from the root of the repository, so that ccache knows it in every clone. Sources for
# nvcc, replaced ones and a group's only source stay alone.
function(cnnplan_group_sources target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(remaining "")
  set(groups "")
  foreach(source ${sources})
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR ${folder})
    if(DEFINED CNNPLAN_GROUP_${path} AND NOT "${target} ${path}" MATCHES "${CNNPLAN_REPLACED}")
      set(group ${CNNPLAN_GROUP_${path}})
      list(APPEND groups ${group})
      list(APPEND members_${group} ${path})
    else()
      list(APPEND remaining ${source})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group ${groups})
    list(LENGTH members_${group} count)
    if(count EQUAL 1)
      list(APPEND remaining ${members_${group}})
      continue()
    endif()
    list(TRANSFORM members_${group} REPLACE "^${CMAKE_SOURCE_DIR}/" "")
    list(TRANSFORM members_${group} REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE includes)
    string(CONCAT text ${includes})
    list(GET members_${group} 0 first)
    string(REPLACE / _ name ${first})
    set(file ${CMAKE_BINARY_DIR}/together/${target}/${name})
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
    list(APPEND remaining ${file})
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${remaining}")
endfunction()

set(targets "")
cnnplan_compiled_targets(${CMAKE_SOURCE_DIR} targets)
foreach(target ${targets})
  cnnplan_group_sources(${target})
endforeach()
