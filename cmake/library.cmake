# Packs the planner's libraries into one static library for other programs, which find it by
# find_package(cnnplan). All their objects are compiled anyway, so this takes no second compilation.
# The public header needs the standard library only.

# Appends to the list `libraries` all libraries of the project that a target needs, with the target.
function(cnnplan_needed_libraries target libraries)
  set(found ${${libraries}})
  if(NOT target IN_LIST found)
    list(APPEND found ${target})
    get_target_property(needed ${target} LINK_LIBRARIES)
    foreach(library ${needed})
      if(library MATCHES "^cnnplan_" AND NOT library STREQUAL cnnplan_flags)
        cnnplan_needed_libraries(${library} found)
      endif()
    endforeach()
  endif()
  set(${libraries} ${found} PARENT_SCOPE)
endfunction()

set(packed "")
cnnplan_needed_libraries(cnnplan_api packed)
list(TRANSFORM packed REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(cnnplan_packed STATIC ${packed})
set_target_properties(cnnplan_packed PROPERTIES OUTPUT_NAME cnnplan EXPORT_NAME cnnplan
                      LINKER_LANGUAGE CXX)
target_compile_features(cnnplan_packed INTERFACE cxx_std_17)
target_include_directories(cnnplan_packed INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# cnnplanConfig.cmake finds these libraries.
target_link_libraries(cnnplan_packed INTERFACE OpenSSL::Crypto Threads::Threads)
if(CNNPLAN_ONNX)
  target_link_libraries(cnnplan_packed INTERFACE $<INSTALL_INTERFACE:cnnplan::onnx_proto>
                        protobuf::libprotobuf)
endif()

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cnnplan)
configure_package_config_file(
  ${CMAKE_SOURCE_DIR}/cmake/cnnplanConfig.cmake.in ${CMAKE_BINARY_DIR}/cnnplanConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS installed_data
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before version 1.0, a new minor version may change the header.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cnnplanConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)

install(TARGETS cnnplan_packed EXPORT cnnplan COMPONENT development
        DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES planner/api/cnnplan.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cnnplan
        COMPONENT development)
install(EXPORT cnnplan NAMESPACE cnnplan:: FILE cnnplanTargets.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(FILES ${CMAKE_BINARY_DIR}/cnnplanConfig.cmake ${CMAKE_BINARY_DIR}/cnnplanConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
