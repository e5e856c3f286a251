#include "clang-tool/macro_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

namespace geak::clang_tool {
namespace {

/// A token as text, and what it may be a macro of: null for what is no identifier, and for names
/// that stand in their own macro's expansion, which are no uses of it.
struct Piece {
  std::string text;
  clang::IdentifierInfo* name = nullptr;
};
using Pieces = std::vector<Piece>;
using Hidden = std::set<const clang::MacroInfo*>;

/// What HIP's older names of launch values (`hipThreadIdx_x`) stand for, or empty.
std::string launch_value(llvm::StringRef name) {
  const auto [value, axis] = name.rsplit('_');
  const llvm::StringRef of = llvm::StringSwitch<llvm::StringRef>(value)
                                 .Case("hipThreadIdx", "threadIdx")
                                 .Case("hipBlockIdx", "blockIdx")
                                 .Case("hipBlockDim", "blockDim")
                                 .Case("hipGridDim", "gridDim")
                                 .Default("");
  if (of.empty() || (axis != "x" && axis != "y" && axis != "z")) return "";
  return (of + "." + axis).str();
}

class Expander {
 public:
  Expander(clang::Preprocessor& preprocessor, clang::SourceLocation at)
      : preprocessor_(preprocessor), at_(at) {}

  const clang::MacroInfo* macro(const Piece& piece) const {
    if (piece.name == nullptr) return nullptr;
    return preprocessor_.getMacroDefinitionAtLoc(piece.name, at_).getMacroInfo();
  }
  Piece piece(const clang::Token& token) const {
    return {preprocessor_.getSpelling(token), token.getIdentifierInfo()};
  }

  /// All uses in `pieces`, which stand outside of macros or in one's expansion; nothing, and
  /// `problem`, where a use is of a kind that is not followed.
  std::optional<Pieces> expand(const Pieces& pieces, const Hidden& hidden) {
    Pieces result;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const clang::MacroInfo* used = macro(pieces[i]);
      if (used == nullptr) {
        result.push_back(pieces[i]);
        continue;
      }
      if (hidden.contains(used)) {
        result.push_back({pieces[i].text, nullptr});
        continue;
      }
      const auto one = use(*used, pieces, i, hidden);
      if (!one) return std::nullopt;
      result.insert(result.end(), one->begin(), one->end());
    }
    return result;
  }

  /// AMD's headers let the older names call functions of the device library, whose results are of
  /// 64 bits: what is worked out of them must stay so.
  std::optional<Pieces> launch_value_use(const clang::MacroInfo& used, const Piece& use) const {
    const std::string value = launch_value(use.text);
    if (value.empty() || !is_of_system(used)) return std::nullopt;
    const bool calls = std::ranges::any_of(used.tokens(), [](const clang::Token& token) {
      return token.getIdentifierInfo() != nullptr &&
             token.getIdentifierInfo()->getName().starts_with("__ockl_get_");
    });
    return Pieces{{calls ? "static_cast<size_t>(" + value + ")" : value, nullptr}};
  }

  /// Macros of system headers are not followed, but for names of launch values.
  bool is_followed(const clang::MacroInfo& used, const Piece& use) const {
    return used.isBuiltinMacro() || !is_of_system(used) || launch_value_use(used, use);
  }

  /// The use that begins at `at`, which then stands at its last token.
  std::optional<Pieces> use(const clang::MacroInfo& used, const Pieces& pieces, std::size_t& at,
                            const Hidden& hidden) {
    const std::string& name = pieces[at].text;
    if (auto value = launch_value_use(used, pieces[at])) return value;
    if (used.isBuiltinMacro()) return fail(name + " depends on where it stands");
    if (used.isVariadic()) return fail(name + " takes any number of arguments");
    for (const clang::Token& token : used.tokens())
      if (token.isOneOf(clang::tok::hash, clang::tok::hashhash, clang::tok::hashat))
        return fail(name + " makes tokens of its arguments");
    Pieces body;
    std::vector<Pieces> arguments;
    if (used.isFunctionLike() && !take_arguments(pieces, at, used.getNumParams(), arguments))
      return fail(name + " takes its arguments from beyond its use");
    for (Pieces& argument : arguments) {
      auto ready = expand(argument, hidden);
      if (!ready) return std::nullopt;
      argument = std::move(*ready);
    }
    for (const clang::Token& token : used.tokens()) {
      const int parameter = token.getIdentifierInfo() == nullptr
                                ? -1
                                : used.getParameterNum(token.getIdentifierInfo());
      if (parameter < 0) {
        body.push_back(piece(token));
        continue;
      }
      const Pieces& argument = arguments[static_cast<std::size_t>(parameter)];
      body.insert(body.end(), argument.begin(), argument.end());
    }
    Hidden within = hidden;
    within.insert(&used);
    return expand(body, within);
  }

  std::string problem;

 private:
  bool is_of_system(const clang::MacroInfo& used) const {
    return preprocessor_.getSourceManager().isInSystemHeader(used.getDefinitionLoc());
  }

  std::nullopt_t fail(std::string why) {
    if (problem.empty()) problem = std::move(why);
    return std::nullopt;
  }

  static bool take_arguments(const Pieces& pieces, std::size_t& at, unsigned count,
                             std::vector<Pieces>& arguments) {
    std::size_t i = at + 1;
    if (i >= pieces.size() || pieces[i].text != "(") return false;
    arguments.emplace_back();
    unsigned depth = 1;
    for (++i; i < pieces.size(); ++i) {
      const std::string& text = pieces[i].text;
      if (text == "(") ++depth;
      if (text == ")" && --depth == 0) break;
      if (text == "," && depth == 1)
        arguments.emplace_back();
      else
        arguments.back().push_back(pieces[i]);
    }
    if (i == pieces.size()) return false;
    at = i;
    if (count == 0 && arguments.size() == 1 && arguments.front().empty()) arguments.clear();
    return arguments.size() == count;
  }

  clang::Preprocessor& preprocessor_;
  clang::SourceLocation at_;
};

std::string joined(const Pieces& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += (text.empty() ? "" : " ") + piece.text;
  return text;
}

struct Spelled {
  Piece piece;
  unsigned begin, end;
  unsigned directives;  ///< how many stand before it
};

/// Tokens of a file's stretch, those of directives left out. Nothing where it defines macros.
std::optional<std::vector<Spelled>> tokens_of(const TranslationUnit& unit, clang::FileID file,
                                              unsigned begin, unsigned end) {
  clang::Preprocessor& preprocessor = unit.preprocessor();
  const clang::SourceManager& sources = unit.sources();
  const llvm::StringRef text = sources.getBufferData(file);
  clang::Lexer lexer(sources.getLocForStartOfFile(file), unit.context().getLangOpts(), text.begin(),
                     text.begin() + begin, text.end());
  std::vector<Spelled> found;
  bool directive = false, names_it = false;
  unsigned directives = 0;
  for (clang::Token token; !lexer.LexFromRawLexer(token);) {
    const unsigned at = sources.getFileOffset(token.getLocation());
    if (at >= end) break;
    if (token.isAtStartOfLine()) {
      directive = token.is(clang::tok::hash);
      names_it = directive;
      directives += directive ? 1 : 0;
      if (directive) continue;
    }
    if (directive) {
      const bool changes =
          token.is(clang::tok::raw_identifier) &&
          (token.getRawIdentifier() == "define" || token.getRawIdentifier() == "undef" ||
           token.getRawIdentifier() == "include");
      if (names_it && changes) return std::nullopt;
      names_it = false;
      continue;
    }
    const std::string spelling = preprocessor.getSpelling(token);
    clang::IdentifierInfo* name =
        token.is(clang::tok::raw_identifier) ? preprocessor.LookUpIdentifierInfo(token) : nullptr;
    found.push_back({{spelling, name}, at, at + token.getLength(), directives});
  }
  return found;
}

/// Whether text stands for no more than a value that is written down: it is as good as its name.
bool is_constant(const Pieces& pieces) {
  return std::ranges::none_of(pieces, [](const Piece& piece) {
    const unsigned char first =
        piece.text.empty() ? '0' : static_cast<unsigned char>(piece.text[0]);
    return std::isalpha(first) != 0 || first == '_' || first == ';' || first == '{';
  });
}

/// Whether two characters next to each other may make a token of two, as those of `-` and `-x` do.
bool may_join(char left, char right) {
  const auto stands_alone = [](char one) {
    return std::isspace(static_cast<unsigned char>(one)) != 0 ||
           llvm::StringRef("()[]{},;").contains(one);
  };
  return !stands_alone(left) && !stands_alone(right);
}

}  // namespace

std::optional<ExpandedText> expand_macros(const TranslationUnit& unit, clang::FileID file,
                                          unsigned begin, unsigned end) {
  const auto tokens = tokens_of(unit, file, begin, end);
  if (!tokens) return std::nullopt;
  const clang::SourceManager& sources = unit.sources();
  const llvm::StringRef text = sources.getBufferData(file);
  Expander expander(unit.preprocessor(),
                    sources.getLocForStartOfFile(file).getLocWithOffset(static_cast<int>(begin)));
  Pieces pieces;
  for (const Spelled& token : *tokens) pieces.push_back(token.piece);
  ExpandedText result;
  unsigned copied = begin;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const clang::MacroInfo* used = expander.macro(pieces[i]);
    if (used == nullptr ||
        (used->isFunctionLike() && (i + 1 == pieces.size() || pieces[i + 1].text != "(")))
      continue;
    if (!expander.is_followed(*used, pieces[i])) continue;
    std::size_t last = i;
    const auto becomes = expander.use(*used, pieces, last, {});
    if (!becomes) continue;
    // What directives choose among the tokens of one use is not known here.
    if ((*tokens)[i].directives == (*tokens)[last].directives && !is_constant(*becomes)) {
      const unsigned from = (*tokens)[i].begin, to = (*tokens)[last].end;
      const bool before = from > 0 && may_join(text[from - 1], becomes->front().text.front());
      const bool after = to < text.size() && may_join(becomes->back().text.back(), text[to]);
      result.text += text.slice(copied, from).str() + (before ? " " : "") + joined(*becomes) +
                     (after ? " " : "");
      copied = to;
      ++result.expanded;
    }
    i = last;
  }
  result.text += text.slice(copied, end).str();
  result.left = expander.problem;
  return result;
}

}  // namespace geak::clang_tool
