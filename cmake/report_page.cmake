# Bundles the page that cnnplan report writes. It needs npm and node 18, and a registry that npm
# reaches when the build is configured for the first time. All packages lie in the build tree.
option(CNNPLAN_PAGE "Bundle the page of cnnplan report, where npm is found" ON)
set(CNNPLAN_PAGE_FOUND OFF)
set(page_missing "CNNPLAN_PAGE is off")
get_filename_component(page_sources ${CMAKE_CURRENT_LIST_DIR}/../planner/page/web ABSOLUTE)
set(page_packages ${CMAKE_BINARY_DIR}/page)

# Says why npm failed: its code for errors, if it wrote one, and the file with all its lines.
function(cnnplan_page_failure result log)
  set(code "")
  if(EXISTS ${log})
    file(STRINGS ${log} lines REGEX "code E[A-Z0-9_]+$" LIMIT_COUNT 1)
    if(lines MATCHES "(E[A-Z0-9_]+)$")
      set(code "${CMAKE_MATCH_1}, ")
    endif()
  endif()
  set(${result} "npm could not fetch its packages (${code}see ${log})" PARENT_SCOPE)
endfunction()

# Installs the packages of the lock file, unless they are there. Only tests need those of dev. npm
# waits for a registry that it cannot reach, but not for minutes.
function(cnnplan_install_page_packages result)
  set(options --ignore-scripts --no-audit --no-fund --prefer-offline
      --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000)
  if(NOT CNNPLAN_TESTS)
    list(APPEND options --omit=dev)
  endif()
  file(SHA256 ${page_sources}/package-lock.json wanted)
  string(APPEND wanted " ${options}")
  set(done ${page_packages}/installed.txt)
  if(EXISTS ${done})
    file(READ ${done} installed)
    if(installed STREQUAL wanted)
      set(${result} "" PARENT_SCOPE)
      return()
    endif()
  endif()
  message(STATUS "installing the packages of the report's page into ${page_packages}")
  foreach(name package.json package-lock.json .npmrc)
    file(COPY ${page_sources}/${name} DESTINATION ${page_packages})
  endforeach()
  execute_process(COMMAND ${NPM} ci ${options} WORKING_DIRECTORY ${page_packages} TIMEOUT 300
                  OUTPUT_FILE ${page_packages}/npm.log ERROR_FILE ${page_packages}/npm.log
                  RESULT_VARIABLE failed)
  if(failed)
    cnnplan_page_failure(reason ${page_packages}/npm.log)
    set(${result} "${reason}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${done} "${wanted}")
  set(${result} "" PARENT_SCOPE)
endfunction()

if(CNNPLAN_PAGE)
  find_program(NODE NAMES node nodejs)
  find_program(NPM npm)
  set(page_missing "npm was not found (Debian: apt install npm)")
  if(NOT NODE)
    set(page_missing "node was not found (Debian: apt install nodejs npm)")
  elseif(NPM)
    execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REGEX REPLACE "^v" "" node_version "${node_version}")
    if(node_version VERSION_LESS 18)
      set(page_missing "node ${node_version} is older than 18")
    else()
      cnnplan_install_page_packages(page_missing)
    endif()
  endif()
  if(page_missing STREQUAL "")
    set(CNNPLAN_PAGE_FOUND ON)
  endif()
endif()

# The program finds the page relative to its own folder (shipped_file.hpp).
set(report_page ${CMAKE_BINARY_DIR}/share/cnnplan/page/report.html)
if(CNNPLAN_PAGE_FOUND)
  file(GLOB page_files CONFIGURE_DEPENDS ${page_sources}/src/* ${page_sources}/*.mjs
       ${page_sources}/*.html ${page_sources}/*.css ${page_sources}/package-lock.json)
  add_custom_command(OUTPUT ${report_page}
                     COMMAND ${NODE} ${page_sources}/build.mjs ${page_packages} ${report_page}
                     DEPENDS ${page_files} VERBATIM COMMENT "Bundling the page of reports")
  add_custom_target(cnnplan_report_page DEPENDS ${report_page})
  add_dependencies(cnnplan cnnplan_report_page)
  include(GNUInstallDirs)
  install(FILES ${report_page} DESTINATION ${CMAKE_INSTALL_DATADIR}/cnnplan/page
          COMPONENT planner)
else()
  file(REMOVE ${report_page})
endif()
