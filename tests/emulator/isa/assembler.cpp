#include "tests/emulator/isa/assembler.h"

#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <mutex>

namespace geak::emulator::testing {
namespace {

constexpr const char* kTriple = "amdgcn-amd-amdhsa";

void initialize_once() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
  });
}

void collect(const llvm::SMDiagnostic& diagnostic, void* text) {
  *static_cast<std::string*>(text) +=
      diagnostic.getMessage().str() + ": " + diagnostic.getLineContents().str() + "\n";
}

std::vector<std::byte> text_section(const llvm::SmallVectorImpl<char>& object) {
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "test"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  for (const auto& section : (*file)->sections()) {
    auto name = section.getName();
    if (!name || *name != ".text") continue;
    auto contents = section.getContents();
    if (!contents) break;
    const auto* begin = reinterpret_cast<const std::byte*>(contents->data());
    return {begin, begin + contents->size()};
  }
  return {};
}

}  // namespace

Assembled assemble(Arch arch, const std::string& source) {
  initialize_once();
  Assembled result;
  const llvm::Triple triple(kTriple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, result.error);
  if (target == nullptr) return result;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(kTriple));
  std::unique_ptr<llvm::MCAsmInfo> info(target->createMCAsmInfo(*registers, kTriple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(kTriple, std::string(to_string(arch)), ""));
  llvm::SourceMgr sources;
  sources.setDiagHandler(collect, &result.error);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source), llvm::SMLoc());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> object_info(
      target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(object_info.get());

  llvm::SmallVector<char, 4096> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  streamer->initSections(false, *subtarget);
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  const bool failed = parser->Run(true);
  streamer.reset();
  if (failed || !result.error.empty()) {
    if (result.error.empty()) result.error = "LLVM's assembler failed";
    return result;
  }
  result.text = text_section(object);
  return result;
}

}  // namespace geak::emulator::testing
