// From the user's compile command to one that clang 19's parser takes.
#include "clang-tool/compile_command.h"

#include <clang/Basic/Version.h>
#include <clang/Driver/Options.h>

#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Option/Option.h>

#include <cstdlib>
#include <stdexcept>

#include "clang-tool/compiler_version.h"

namespace geak::clang_tool {
namespace fs = std::filesystem;
namespace options = clang::driver::options;
namespace {

using llvm::opt::Arg;
using llvm::opt::OptSpecifier;

/// Options (or groups of them) that say what to do with the result of parsing, or that are set anew
/// below. Plugins and internal options of another clang version would only stop the parser.
const OptSpecifier left_out[] = {options::OPT_INPUT,
                                 options::OPT_UNKNOWN,
                                 options::OPT_o,
                                 options::OPT_c,
                                 options::OPT_S,
                                 options::OPT_E,
                                 options::OPT_emit_llvm,
                                 options::OPT_M_Group,
                                 options::OPT_W_Group,
                                 options::OPT_Link_Group,
                                 options::OPT_x,
                                 options::OPT_offload_arch_EQ,
                                 options::OPT_no_offload_arch_EQ,
                                 options::OPT_cuda_host_only,
                                 options::OPT_cuda_device_only,
                                 options::OPT_cuda_compile_host_device,
                                 options::OPT_rocm_path_EQ,
                                 options::OPT_rocm_device_lib_path_EQ,
                                 options::OPT_resource_dir,
                                 options::OPT_Xclang,
                                 options::OPT_mllvm,
                                 options::OPT_fplugin_EQ,
                                 options::OPT_save_temps,
                                 options::OPT_save_temps_EQ,
                                 options::OPT_fdiagnostics_color_EQ,
                                 options::OPT_fcolor_diagnostics,
                                 options::OPT_g_Group,
                                 options::OPT_include_pch,
                                 options::OPT_hip_link,
                                 options::OPT_pipe,
                                 options::OPT_cuda_gpu_arch_EQ,
                                 options::OPT_ftime_report,
                                 options::OPT_ftime_trace,
                                 options::OPT_ivfsoverlay};

bool is_left_out(const Arg& argument) {
  for (const OptSpecifier& option : left_out)
    if (argument.getOption().matches(option)) return true;
  return false;
}

/// The options of `arguments` that matter to a parser, as clang 19 spells them.
std::vector<std::string> kept_options(const std::vector<std::string>& arguments) {
  std::vector<const char*> raw;
  for (std::size_t i = 1; i < arguments.size(); ++i) raw.push_back(arguments[i].c_str());
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList parsed = clang::driver::getDriverOptTable().ParseArgs(
      raw, missing_index, missing_count, llvm::opt::Visibility(options::ClangOption));
  std::vector<std::string> kept;
  for (const Arg* argument : parsed) {
    if (is_left_out(*argument)) continue;
    llvm::opt::ArgStringList rendered;
    argument->render(parsed, rendered);
    kept.insert(kept.end(), rendered.begin(), rendered.end());
  }
  return kept;
}

/// Value of the last `--name=value` in the command, or empty.
std::string option_value(const CompileCommand& command, std::string_view prefix) {
  std::string value;
  for (const std::string& argument : command.arguments)
    if (argument.starts_with(prefix)) value = argument.substr(prefix.size());
  return value;
}

fs::path clang_binary() {
  const fs::path binary = fs::path(GEAK_LLVM_TOOLS_DIR) / "clang++";
  const fs::path headers = binary.parent_path().parent_path() / "lib/clang/19/include";
  if (!fs::exists(headers / "__clang_hip_runtime_wrapper.h"))
    throw std::runtime_error("clang 19's own headers are not in " + headers.string() +
                             "; install the package clang-19");
  return binary;
}

/// What hipcc would add that a parser can see; the user's own options come after and win.
void add_hipcc_options(const CompileCommand& command, std::vector<std::string>& line) {
  if (!is_hipcc(command)) return;
  line.emplace_back("-std=c++11");
  line.emplace_back("-O3");
}

/// Symbols and layouts as the user's older clang makes them: since version 18 the type of a
/// template argument that is a function is part of the symbol. An option of the user's own comes
/// after.
void add_abi_of_older_clang(const CompileCommand& command, std::vector<std::string>& line) {
  constexpr unsigned own = CLANG_VERSION_MAJOR;
  const unsigned major = clang_major_version(command);
  if (major != 0 && major < own) line.push_back("-fclang-abi-compat=" + std::to_string(major));
}

}  // namespace

fs::path hip_root(const CompileCommand& command) {
  std::vector<fs::path> places;
  if (const std::string path = option_value(command, "--rocm-path="); !path.empty())
    places.emplace_back(path);
  if (const char* path = std::getenv("ROCM_PATH"); path != nullptr && *path != '\0')
    places.emplace_back(path);
  std::error_code ignored;
  if (const fs::path compiler = fs::canonical(command.arguments.at(0), ignored); !ignored) {
    places.push_back(compiler.parent_path().parent_path());
    places.push_back(compiler.parent_path().parent_path().parent_path());  // <rocm>/llvm/bin
  }
  places.emplace_back("/opt/rocm");
  places.emplace_back("/usr");
  std::string looked_at;
  for (const fs::path& place : places) {
    if (fs::exists(place / "include/hip/hip_runtime.h")) return place;
    looked_at += "\n  " + (place / "include/hip/hip_runtime.h").string();
  }
  throw std::runtime_error("HIP's headers were not found; looked at" + looked_at +
                           "\ninstall libamdhip64-dev, or set ROCM_PATH");
}

std::vector<std::string> parser_arguments(const CompileCommand& command, Pass pass,
                                          const std::string& architecture) {
  std::vector<std::string> line{clang_binary().string(), "-x", "hip"};
  line.push_back("--rocm-path=" + hip_root(command).string());
  line.emplace_back(pass == Pass::host ? "--cuda-host-only" : "--cuda-device-only");
  std::string target = architecture;
  if (const auto listed = architectures(command); target.empty() && !listed.empty())
    target = listed.front();
  if (!target.empty()) line.push_back("--offload-arch=" + target);
  // Only syntax is wanted: the device libraries need not be there.
  line.emplace_back("-nogpulib");
  add_hipcc_options(command, line);
  add_abi_of_older_clang(command, line);
  for (std::string& option : kept_options(command.arguments)) line.push_back(std::move(option));
  for (const char* option : {"-w", "-fsyntax-only", "-Xclang", "-detailed-preprocessing-record"})
    line.emplace_back(option);
  line.emplace_back("--");
  line.push_back(command.file);
  return line;
}

}  // namespace geak::clang_tool
