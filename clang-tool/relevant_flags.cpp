#include "clang-tool/relevant_flags.h"

#include <clang/Driver/Options.h>

#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Option/Option.h>

namespace geak::clang_tool {
namespace {

namespace options = clang::driver::options;

const llvm::opt::OptSpecifier irrelevant[] = {options::OPT_INPUT,
                                              options::OPT_o,
                                              options::OPT_c,
                                              options::OPT_S,
                                              options::OPT_E,
                                              options::OPT_x,
                                              options::OPT_v,
                                              options::OPT__HASH_HASH_HASH,
                                              options::OPT_M_Group,
                                              options::OPT_W_Group,
                                              options::OPT_w,
                                              options::OPT_Link_Group,
                                              options::OPT_D,
                                              options::OPT_U,
                                              options::OPT_I_Group,
                                              options::OPT_clang_i_Group,
                                              options::OPT_iquote,
                                              options::OPT_isystem,
                                              options::OPT_offload_arch_EQ,
                                              options::OPT_no_offload_arch_EQ,
                                              options::OPT_cuda_gpu_arch_EQ,
                                              options::OPT_rocm_path_EQ,
                                              options::OPT_rocm_device_lib_path_EQ,
                                              options::OPT_fcolor_diagnostics,
                                              options::OPT_fno_color_diagnostics,
                                              options::OPT_fdiagnostics_color_EQ,
                                              options::OPT_fPIC,
                                              options::OPT_fno_PIC,
                                              options::OPT_fPIE,
                                              options::OPT_fno_PIE,
                                              options::OPT_save_temps,
                                              options::OPT_save_temps_EQ,
                                              options::OPT_ftime_report,
                                              options::OPT_ftime_trace,
                                              options::OPT_hip_link,
                                              options::OPT_pipe,
                                              options::OPT_cuda_host_only,
                                              options::OPT_cuda_device_only,
                                              options::OPT_ivfsoverlay};

bool is_irrelevant(const llvm::opt::Arg& argument) {
  for (const auto& option : irrelevant)
    if (argument.getOption().matches(option)) return true;
  return false;
}

}  // namespace

std::vector<std::string> relevant_flags(const CompileCommand& command) {
  std::vector<const char*> raw;
  for (std::size_t i = 1; i < command.arguments.size(); ++i)
    if (!command.arguments[i].starts_with("--amdgpu-target="))  // hipcc's own spelling
      raw.push_back(command.arguments[i].c_str());
  unsigned missing_index = 0;
  unsigned missing_count = 0;
  const llvm::opt::InputArgList parsed = clang::driver::getDriverOptTable().ParseArgs(
      raw, missing_index, missing_count, llvm::opt::Visibility(options::ClangOption));
  std::vector<std::string> flags;
  for (const llvm::opt::Arg* argument : parsed)
    if (!is_irrelevant(*argument)) flags.push_back(argument->getAsString(parsed));
  return flags;
}

}  // namespace geak::clang_tool
