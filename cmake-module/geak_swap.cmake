# Run by builds: lets `geak swap` choose the kernels of a target. Whatever goes wrong, the build gets
# the originals, a warning that says why, and another try in the next build.
# Variables: GEAK, TARGET, MANIFEST, INDEX, STAMP, DEPFILE.
cmake_minimum_required(VERSION 3.21)

# Generous, so that only a hanging geak meets it.
set(timeout_seconds 600)

function(select_originals)
  file(STRINGS "${INDEX}" lines)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^\t]*\t" "" selection "${line}")
    set(original "version=1\nvariant=\noverlay=\n")
    set(present "")
    if(EXISTS "${selection}")
      file(READ "${selection}" present)
    endif()
    if(NOT present STREQUAL original)
      file(WRITE "${selection}" "${original}")
    endif()
  endforeach()
endfunction()

# The last line of a text that says something.
function(last_line out text)
  string(STRIP "${text}" text)
  string(REGEX REPLACE "^.*\n" "" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(give_up reason)
  message(NOTICE "geak: warning: ${TARGET}: ${reason}; building the original kernels")
  select_originals()
  file(WRITE "${DEPFILE}" "${STAMP}:\n")
  file(REMOVE "${STAMP}")
endfunction()

file(REMOVE "${DEPFILE}")
if(NOT EXISTS "${GEAK}")
  give_up("${GEAK} is missing")
  return()
endif()
execute_process(
  COMMAND "${GEAK}" swap --manifest "${MANIFEST}" --stamp "${STAMP}" --depfile "${DEPFILE}"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE errors TIMEOUT ${timeout_seconds})
if(NOT result STREQUAL "0")
  last_line(reason "${errors}")
  string(REGEX REPLACE "^geak[^:]*: *(error|warning): *" "" reason "${reason}")
  if(reason STREQUAL "")
    set(reason "geak swap ended with: ${result}")
  endif()
  give_up("${reason}")
  return()
endif()
foreach(text IN ITEMS "${output}" "${errors}")
  string(STRIP "${text}" text)
  if(NOT text STREQUAL "")
    message(NOTICE "${text}")
  endif()
endforeach()
if(NOT EXISTS "${DEPFILE}")
  file(WRITE "${DEPFILE}" "${STAMP}:\n")
endif()
file(TOUCH "${STAMP}")
