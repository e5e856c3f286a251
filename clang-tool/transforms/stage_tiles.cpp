// Loops in which all work-items of a workgroup read the same addresses: the workgroup loads a tile
// of what they read into LDS, each work-item an element of it, and the loop reads the tile.
// Work-items that returned, or left the loop, stay for the barriers.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

#include "clang-tool/transforms/builtin_transforms.h"
#include "clang-tool/transforms/item_copies.h"
#include "clang-tool/transforms/kept_threads.h"
#include "clang-tool/transforms/row_store.h"
#include "clang-tool/transforms/shared_loop.h"

namespace geak::clang_tool::transforms {
namespace {

using nlohmann::json;

constexpr std::uint64_t most_lds = 32 * 1024;

const std::string lane = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))";
const std::string lanes = "(blockDim.x * blockDim.y * blockDim.z)";

class Writer {
 public:
  Writer(const KernelView& kernel, const SharedLoop& shared, unsigned number, std::string working)
      : kernel_(kernel),
        shared_(shared),
        text_(kernel, shared_.loop),
        number_(std::to_string(number)),
        working_(std::move(working)) {}

  std::uint64_t bytes_of_round(bool digest) const {
    if (digest) return 4;
    std::uint64_t bytes = 0;
    for (const SharedRead& read : shared_.reads) bytes += size(read.type);
    return bytes;
  }

  /// `rows`, if any: the loop's store gathers rows.
  std::optional<std::string> write(unsigned tile, bool digest, const RowText* rows,
                                   const RowStore& store, unsigned width) const {
    const auto body = body_text(digest, rows, store);
    const auto fill = fill_text(digest);
    const std::string at = name("start"), rounds = name("rounds"), filled = name("filled");
    const auto condition = text_.condition(at);
    const std::string begin = kernel_.source.text(*shared_.loop.begin);
    if (!body || !fill || !condition || begin.empty()) return std::nullopt;
    const std::string type = text_.type();
    const std::string most = std::to_string(tile) + "u";
    std::string text = "{\n" + arrays(tile, digest);
    if (rows != nullptr) text += rows->declarations(working_);
    const bool together = shared_.end_is_uniform && !leaves();
    if (!together) text += "__shared__ unsigned " + name("most") + ";\n";
    text += "bool " + name("gone") + " = false;\n(void)" + name("gone") + ";\n";
    if (digest) text += "const unsigned " + name("own") + " = " + digest_text(own()) + ";\n";
    text += "for (" + type + " " + at + " = " + begin + ";" +
            (together ? " " + *condition + ";" : ";") + ") {\n";
    text += together ? tile_for_all(rounds, filled, most)
                     : tile_for_some(*condition, rounds, filled, most);
    text += "for (unsigned geak_u = " + lane + "; geak_u < " + filled + "; geak_u += " + lanes +
            ") {\n" + round(at, "geak_u") + *fill + "}\n__syncthreads();\n";
    if (rows != nullptr && !together) return std::nullopt;
    const std::string first = rows != nullptr ? "geak_v" : "0";
    const std::string last = rows != nullptr ? "geak_v + geak_w" : rounds + also();
    if (rows != nullptr)
      text += "for (unsigned geak_v = 0; geak_v < " + rounds +
              "; geak_v += " + std::to_string(width) + ") {\nconst unsigned geak_w = " +
              smaller(rounds + " - geak_v", std::to_string(width) + "u") + ";\n";
    if (together) text += "if (" + working_ + ")\n";
    text += "for (unsigned geak_u = " + first + "; geak_u < " + last + "; ++geak_u) {\n" +
            round(at, "geak_u") + *body + "\n}\n";
    if (rows != nullptr)
      text += rows->flush(at + " + (" + type + ")geak_v", type, "geak_w") + "}\n";
    return text + "if (" + filled + " < " + most + ") break;\n" + at +
           " += " + std::to_string(tile) + ";\n}\n}\n";
  }

 private:
  std::string name(const std::string& what) const { return "geak_" + what + number_; }
  std::string array(std::size_t read) const {
    return "geak_tile" + number_ + "_" + std::to_string(read);
  }
  std::uint64_t size(clang::QualType type) const {
    return static_cast<std::uint64_t>(
        kernel_.unit.context().getTypeSizeInChars(type).getQuantity());
  }
  bool leaves() const { return shared_.loop.leaves || shared_.loop.also != nullptr; }
  std::string also() const {
    if (shared_.loop.also == nullptr) return "";
    return " && (" + kernel_.source.text(*shared_.loop.also) + ")";
  }

  std::string arrays(unsigned tile, bool digest) const {
    const auto one = [&](const std::string& type, const std::string& array) {
      return "__shared__ __attribute__((aligned(16))) " + type + " " + array + "[" +
             std::to_string(tile) + "];\n";
    };
    if (digest) return one("unsigned", name("digests"));
    std::string text;
    for (std::size_t i = 0; i < shared_.reads.size(); ++i)
      text += one(type_text(shared_.reads[i].type), array(i));
    return text;
  }

  std::string type_text(clang::QualType type) const {
    return type.getAsString(kernel_.unit.context().getPrintingPolicy());
  }

  std::string round(const std::string& at, const std::string& index) const {
    const std::string variable = shared_.loop.variable->getNameAsString();
    const std::string type = text_.type();
    return "const " + type + " " + variable + " = " + at + " + (" + type + ")" + index +
           ";\n(void)" + variable + ";\n";
  }

  std::string left_of(const std::string& at) const {
    const bool wide =
        kernel_.unit.context().getTypeSize(shared_.loop.variable->getType()) > 32 ||
        kernel_.unit.context().getTypeSize(stripped(*shared_.loop.end).getType()) > 32;
    const std::string type = wide ? "(unsigned long long)" : "(unsigned)";
    return type + "(" + kernel_.source.text(*shared_.loop.end) + ") - " + type + at;
  }

  static std::string smaller(const std::string& a, const std::string& b) {
    return "(unsigned)(" + a + " < " + b + " ? " + a + " : " + b + ")";
  }

  /// The next tile of a loop that all work-items run alike.
  std::string tile_for_all(const std::string& rounds, const std::string& filled,
                           const std::string& most) const {
    return "const unsigned " + rounds + " = " + smaller(left_of(name("start")), most) +
           ";\nconst unsigned " + filled + " = " + rounds + ";\n__syncthreads();\n";
  }

  /// The next tile where work-items run different numbers of rounds: as much of it as one needs.
  std::string tile_for_some(const std::string& condition, const std::string& rounds,
                            const std::string& filled, const std::string& most) const {
    const std::string goes = name("goes"), needed = name("most");
    std::string text = "const bool " + goes + " = " + working_ + " && !" + name("gone") + " && (" +
                       condition + ");\nconst unsigned " + rounds + "_left = " + goes + " ? " +
                       smaller(left_of(name("start")), most) + " : 0u;\nconst unsigned " + rounds +
                       " = " + smaller(rounds + "_left", most) + ";\nif (" + lane + " == 0) " +
                       needed + " = 0;\n__syncthreads();\nif (" + goes + ") ";
    // The same value from all, where the end is one for all.
    text += shared_.end_is_uniform ? needed + " = " + rounds + ";\n"
                                   : "atomicMax(&" + needed + ", " + rounds + ");\n";
    return text + "__syncthreads();\nconst unsigned " + filled + " = " + needed + ";\nif (" +
           filled + " == 0) break;\n";
  }

  /// Loads an element of the tile.
  std::optional<std::string> fill_text(bool digest) const {
    std::string text;
    for (const clang::DeclStmt* part : shared_.address_parts) {
      const std::string declaration = kernel_.source.text(*part);
      if (declaration.empty()) return std::nullopt;
      text += declaration + (declaration.back() == ';' ? "\n" : ";\n") + unused(*part);
    }
    if (digest) {
      std::vector<std::string> values;
      for (const clang::Expr* shared : shared_.match->shared)
        values.push_back(kernel_.source.text(*shared));
      if (std::ranges::find(values, "") != values.end()) return std::nullopt;
      return text + name("digests") + "[geak_u] = " + digest_text(values) + ";\n";
    }
    for (std::size_t i = 0; i < shared_.reads.size(); ++i)
      text += array(i) + "[geak_u] = " + shared_.reads[i].text + ";\n";
    return text;
  }

  static std::string unused(const clang::DeclStmt& statement) {
    return "(void)" + llvm::cast<clang::VarDecl>(statement.getSingleDecl())->getNameAsString() +
           ";\n";
  }

  std::vector<std::string> own() const {
    std::vector<std::string> values;
    for (const clang::Expr* value : shared_.match->own)
      values.push_back(kernel_.source.text(*value));
    return values;
  }

  /// Equal values have equal digests; others rarely do, and then the round decides as written.
  std::string digest_text(const std::vector<std::string>& values) const {
    std::string text = "0u";
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool wide = size(shared_.match->shared[i]->getType()) > 4;
      const std::string value = "(" + values[i] + ")";
      text = "(" + text + " ^ (unsigned)" + value + ") * 0x9E3779B1u";
      if (wide)
        text =
            "((" + text + ") ^ (unsigned)((unsigned long long)" + value + " >> 32)) * 0x85EBCA6Bu";
      text = "(" + text + ")";
    }
    return text;
  }

  /// The body in which shared reads are reads of the tile.
  std::optional<std::string> body_text(bool digest, const RowText* rows,
                                       const RowStore& store) const {
    const clang::Stmt& body = *shared_.loop.statement->getBody();
    const auto range = kernel_.source.statement_range(body);
    bool nested = false;
    const bool returns = returns_from_within(body, nested);
    if (!range || nested) return std::nullopt;
    TextEdits edits;
    if (!text_.edit_breaks("{ " + name("gone") + " = true; break; }", edits)) return std::nullopt;
    bool all = true;
    if (returns)
      walk(body, [&](const clang::Stmt& node, const Ancestors&) {
        if (!llvm::isa<clang::ReturnStmt>(&node)) return true;
        const auto at = kernel_.source.statement_range(node);
        if (at)
          edits.replace(*at, "{ " + working_ + " = false; " + name("gone") + " = true; break; }");
        else
          all = false;
        return false;
      });
    if (!digest)
      for (std::size_t i = 0; i < shared_.reads.size(); ++i)
        for (const clang::Expr* place : shared_.reads[i].places) {
          const auto at = kernel_.source.range(*place);
          if (at)
            edits.replace(*at, array(i) + "[geak_u]");
          else
            all = false;
        }
    if (rows != nullptr)
      edits.replace(*kernel_.source.range(*store.place), rows->place("(geak_u - geak_v)"));
    for (const clang::DeclStmt* part : shared_.address_parts) {
      const auto at = kernel_.source.statement_range(*part);
      if (at && !digest) edits.insert(at->end, " " + unused(*part));
    }
    if (!all) return std::nullopt;
    const std::string text = edits.apply(kernel_.source.text(), *range);
    if (!digest) return text;
    return "if (" + name("digests") + "[geak_u] != " + name("own") + ") continue;\n" + text;
  }

  const KernelView& kernel_;
  const SharedLoop& shared_;
  LoopText text_;
  std::string number_, working_;
};

struct Options {
  unsigned tile;
  bool digest, values;
  unsigned rows;  ///< rounds that a row gathers; 0: stores stay where they are
};

class Staging {
 public:
  Staging(const KernelView& kernel, const Options& options, Draft& draft)
      : kernel_(kernel), options_(options), draft_(draft), kept_(kernel, "geak_works") {}

  std::optional<Refusal> apply() {
    const auto body = kernel_.source.range(kernel_.body());
    if (!body) return Refusal{"the kernel's body comes out of a macro"};
    const auto statements = statements_of(kernel_.body());
    std::size_t last = 0;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      Draft scratch = draft_;
      if (as_shared_loop(kernel_, *statements[i], options_.values, scratch)) last = i;
    }
    for (std::size_t i = 0; i <= last && i < statements.size(); ++i) {
      if (stage(*statements[i])) continue;
      if (!kept_.add(*statements[i], edits_))
        return Refusal{"what stands before the loop cannot be left out by work-items that return"};
    }
    if (staged_ == 0)
      return Refusal{options_.digest
                         ? "no loop compares several values that are the same for all "
                           "work-items with the work-item's own"
                         : "no loop of the kernel's own block reads the same addresses in all "
                           "work-items, free of its own stores"};
    edits_.insert(body->begin + 1, "\n" + kept_.declaration());
    const auto end = kernel_.source.statement_range(*statements[last]);
    if (kept_.some_may_rest() && end)
      edits_.insert(end->end, "\nif (!" + kept_.flag() + ") return;\n");
    draft_.text = edits_.apply(kernel_.source.text(), kernel_.text);
    return std::nullopt;
  }

 private:
  bool stage(const clang::Stmt& statement) {
    Draft with = draft_;
    const auto shared = as_shared_loop(kernel_, statement, options_.values, with);
    const auto range = kernel_.source.statement_range(statement);
    if (!shared || !range || (options_.digest && !shared->match)) return false;
    const unsigned number = first_ + staged_;
    const Writer writer(kernel_, *shared, number, kept_.flag());
    std::uint64_t bytes = writer.bytes_of_round(options_.digest) * options_.tile;
    std::optional<RowStore> store;
    std::optional<RowText> rows;
    if (options_.rows > 0) {
      store = as_row_store(kernel_, shared->loop, with);
      if (!store || !fix_block(with)) return false;
      rows.emplace(kernel_, *store, options_.rows, threads(), std::to_string(number), lane);
      bytes += rows->bytes();
    }
    if (lds_ + bytes > most_lds) return false;
    const auto text = writer.write(options_.tile, options_.digest, rows ? &*rows : nullptr,
                                   store.value_or(RowStore{}), options_.rows);
    if (!text) return false;
    bool nested = false;
    if (returns_from_within(*shared->loop.statement->getBody(), nested)) kept_.mark();
    draft_ = std::move(with);
    lds_ += bytes;
    edits_.replace(*range, *text);
    ++staged_;
    return true;
  }

  std::uint64_t threads() const {
    const auto block = kernel_.block().value_or(support::Extent{});
    return std::uint64_t{block[0]} * block[1] * block[2];
  }

  /// The rows' arrays are as large as the workgroups seen.
  bool fix_block(Draft& draft) const {
    const auto original = kernel_.original_block();
    if (!original || threads() == 0) return false;
    for (unsigned axis = 0; axis < 3; ++axis)
      draft.require({support::Condition::Kind::block_equals, axis, (*original)[axis]});
    draft.block_is_fixed = true;
    return true;
  }

  const KernelView& kernel_;
  Options options_;
  Draft& draft_;
  KeptThreads kept_;
  TextEdits edits_;
  std::uint64_t lds_ = 0;
  unsigned staged_ = 0;
  unsigned first_ = unused_number(kernel_, "geak_start");
};

class StageTiles final : public Transform {
 public:
  std::string name() const override { return "stage_tiles"; }
  Axis axis() const override { return Axis::memory; }
  std::string summary() const override {
    return "loads what all work-items of a workgroup read in a loop into LDS, a tile at a time";
  }

  /// {"tile": 256, "digest": true}: rounds of a tile; a digest of what is compared, in place of it.
  /// {"tile": 256, "values": true}: what is worked out of the reads alone, in place of them.
  /// {"tile": 128, "rows": 16}: what every round stores gathers in LDS, 16 rounds at a time
  std::vector<json> parameters(const KernelView& kernel) const override {
    bool any = false, match = false, values = false, rows = false;
    for (const clang::Stmt* statement : statements_of(kernel.body())) {
      Draft scratch;
      const auto shared = as_shared_loop(kernel, *statement, false, scratch);
      any = any || shared;
      match = match || (shared && shared->match);
      const auto worked_out = as_shared_loop(kernel, *statement, true, scratch);
      values = values || (worked_out && worked_out->values > 0);
      rows = rows || (worked_out && as_row_store(kernel, worked_out->loop, scratch));
    }
    std::vector<json> choices;
    if (match)
      for (unsigned tile : {2048U, 256U}) choices.push_back({{"tile", tile}, {"digest", true}});
    if (rows)
      for (unsigned width : {16U, 8U})
        choices.push_back({{"tile", 128}, {"values", values}, {"rows", width}});
    if (values)
      for (unsigned tile : {128U, 256U}) choices.push_back({{"tile", tile}, {"values", true}});
    if (any)
      for (unsigned tile : {256U, 1024U, 128U}) choices.push_back({{"tile", tile}});
    return choices;
  }

  std::optional<Refusal> apply(const KernelView& kernel, const json& parameters,
                               Draft& draft) const override {
    const auto tile = parameters.at("tile").get<unsigned>();
    if (tile < 16 || tile > 4096 || (tile & (tile - 1)) != 0)
      return Refusal{"the tile must be a power of two from 16 to 4096"};
    const SharedBehaviour behaviour = shared_behaviour(kernel.function);
    if (behaviour.barrier || behaviour.lds) return Refusal{"the kernel uses LDS or barriers"};
    if (behaviour.wave) return Refusal{"the kernel uses wave operations"};
    if (auto refusal = may_show_its_order(behaviour)) return refusal;
    const Options options{tile, parameters.value("digest", false),
                          parameters.value("values", false), parameters.value("rows", 0U)};
    if (options.rows > 64 || (options.rows > 0 && tile % options.rows != 0))
      return Refusal{"rows must gather at most 64 rounds, a part of the tile"};
    return Staging(kernel, options, draft).apply();
  }
};

}  // namespace

const Transform& stage_tiles() {
  static const StageTiles transform;
  return transform;
}

}  // namespace geak::clang_tool::transforms
