#include "clang-tool/transforms/callee_text.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/QualTypeNames.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "clang-tool/transforms/ast_queries.h"
#include "clang-tool/transforms/item_copies.h"

namespace geak::clang_tool::transforms {
namespace {

/// `::a::b::` of what stands in namespace b; nothing where a template or a function holds it.
std::optional<std::string> full_qualifier(const clang::NamedDecl& named) {
  std::string text;
  for (const clang::DeclContext* at = named.getDeclContext()->getRedeclContext();
       !at->isTranslationUnit(); at = at->getParent()->getRedeclContext()) {
    const auto* scope = llvm::dyn_cast<clang::NamedDecl>(at);
    if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(at)) {
      if (space->isAnonymousNamespace() || space->isInline()) continue;
    } else if (!llvm::isa<clang::CXXRecordDecl, clang::EnumDecl>(at) ||
               llvm::isa<clang::ClassTemplateSpecializationDecl>(at) || scope->getName().empty()) {
      return std::nullopt;
    }
    text = scope->getNameAsString() + "::" + text;
  }
  return "::" + text;
}

/// An overload that came after the function would be a candidate where its text is put now.
bool has_later_overloads(const clang::FunctionDecl& named, const clang::FunctionDecl& user) {
  const clang::SourceManager& sources = named.getASTContext().getSourceManager();
  for (const clang::NamedDecl* other :
       named.getDeclContext()->getRedeclContext()->lookup(named.getDeclName()))
    if (other->getBeginLoc().isValid() &&
        sources.isBeforeInTranslationUnit(user.getBeginLoc(), other->getBeginLoc()))
      return true;
  return false;
}

std::string type_name(clang::QualType type, const clang::ASTContext& context) {
  return clang::TypeName::getFullyQualifiedName(type.getCanonicalType(), context,
                                                context.getPrintingPolicy(), true);
}

/// Types that the text names, each with its qualifier; template parameters with what they stand
/// for.
class TypeNames : public clang::RecursiveASTVisitor<TypeNames> {
 public:
  using Named =
      std::function<bool(const clang::NamedDecl&, clang::SourceRange, clang::SourceLocation)>;
  using Parameter = std::function<bool(clang::QualType, clang::SourceLocation)>;
  TypeNames(Named named, Parameter parameter)
      : named_(std::move(named)), parameter_(std::move(parameter)) {}

  bool VisitElaboratedTypeLoc(clang::ElaboratedTypeLoc type) {
    const clang::TypeLoc inner = type.getNamedTypeLoc();
    const clang::NamedDecl* declared = nullptr;
    if (const auto alias = inner.getAs<clang::TypedefTypeLoc>())
      declared = alias.getTypedefNameDecl();
    else if (const auto tag = inner.getAs<clang::TagTypeLoc>())
      declared = tag.getDecl();
    else if (const auto given = inner.getAs<clang::TemplateSpecializationTypeLoc>())
      declared = given.getTypePtr()->getTemplateName().getAsTemplateDecl();
    else if (const auto used = inner.getAs<clang::UsingTypeLoc>())
      declared = used.getFoundDecl()->getTargetDecl();
    return declared == nullptr ||
           named_(*declared, type.getQualifierLoc().getSourceRange(), inner.getBeginLoc());
  }
  bool VisitSubstTemplateTypeParmTypeLoc(clang::SubstTemplateTypeParmTypeLoc type) {
    return parameter_(type.getType(), type.getNameLoc());
  }

 private:
  Named named_;
  Parameter parameter_;
};

}  // namespace

CalleeText::CalleeText(const KernelView& kernel, const clang::CallExpr& call, std::string prefix,
                       std::string result)
    : kernel_(kernel),
      call_(call),
      callee_(*call.getDirectCallee()->getDefinition()),
      prefix_(std::move(prefix)),
      result_(std::move(result)),
      source_(kernel.unit.sources(), callee_.getBody()->getBeginLoc()) {}

bool CalleeText::fail(const std::string& reason) {
  if (reason_.empty()) reason_ = reason;
  return false;
}

bool CalleeText::know(clang::SourceLocation location) {
  const auto at = source_.offset(location);
  if (!at) return fail("its text comes out of a macro");
  known_.insert(*at);
  return true;
}

std::optional<std::string> CalleeText::write() {
  const clang::CompoundStmt& body = *llvm::cast<clang::CompoundStmt>(callee_.getBody());
  const auto range = source_.range(body);
  std::string declarations, before, after;
  if (!range) fail("its text comes out of a macro");
  if (!range || !take_arguments(declarations) || !rename() || !write_types() ||
      !write_returns(before, after) || !is_all_known())
    return std::nullopt;
  const TextRange inside{range->begin + 1, range->end - 1};
  return declarations + before + edits_.apply(source_.text(), inside) + after;
}

/// A local variable of the caller, given by its address or by reference: `&x`, `x`.
const clang::VarDecl* CalleeText::as_own_variable(unsigned position) const {
  const clang::ParmVarDecl& parameter = *callee_.getParamDecl(position);
  const clang::Expr* argument = call_.getArg(position)->IgnoreParens();
  if (parameter.getType()->isPointerType()) {
    const auto* address = llvm::dyn_cast<clang::UnaryOperator>(argument->IgnoreParenImpCasts());
    if (address == nullptr || address->getOpcode() != clang::UO_AddrOf) return nullptr;
    argument = address->getSubExpr()->IgnoreParens();
  } else if (!parameter.getType()->isLValueReferenceType()) {
    return nullptr;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(argument);
  const auto* variable =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
  const clang::QualType target = parameter.getType()->getPointeeType();
  if (variable == nullptr || !variable->isLocalVarDeclOrParm() ||
      variable->getType()->isReferenceType() || reference->getBeginLoc().isMacroID() ||
      !kernel_.unit.context().hasSameUnqualifiedType(variable->getType(), target))
    return nullptr;
  if (parameter.getType()->isReferenceType()) return variable;
  // The parameter must be nothing but the way to the variable.
  bool plain = true;
  walk(*callee_.getBody(), [&](const clang::Stmt& node, const Ancestors& ancestors) {
    const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(&node);
    if (use == nullptr || use->getDecl() != &parameter) return true;
    const clang::Stmt* above = nullptr;
    for (auto it = ancestors.rbegin(); it != ancestors.rend() && above == nullptr; ++it)
      if (!llvm::isa<clang::ImplicitCastExpr, clang::ParenExpr>(*it)) above = *it;
    const auto* reached = llvm::dyn_cast_or_null<clang::UnaryOperator>(above);
    plain = plain && reached != nullptr && reached->getOpcode() == clang::UO_Deref;
    return plain;
  });
  return plain ? variable : nullptr;
}

std::optional<std::string> CalleeText::argument_text(unsigned position) const {
  const clang::Expr* argument = call_.getArg(position);
  if (const auto* fallback = llvm::dyn_cast<clang::CXXDefaultArgExpr>(argument)) {
    const clang::Expr& value = *fallback->getExpr()->IgnoreParenImpCasts();
    if (!llvm::isa<clang::IntegerLiteral, clang::FloatingLiteral, clang::CXXBoolLiteralExpr,
                   clang::CXXNullPtrLiteralExpr>(&value) ||
        value.getBeginLoc().isMacroID())
      return std::nullopt;
    return SourceText(kernel_.unit.sources(), value.getBeginLoc()).text(value);
  }
  const std::string text = kernel_.source.text(*argument);
  if (text.empty()) return std::nullopt;
  return text;
}

bool CalleeText::take_arguments(std::string& declarations) {
  const clang::ASTContext& context = kernel_.unit.context();
  for (unsigned i = 0; i < callee_.getNumParams(); ++i) {
    const clang::ParmVarDecl& parameter = *callee_.getParamDecl(i);
    if (const clang::VarDecl* variable = as_own_variable(i)) {
      variables_[&parameter] = variable->getNameAsString();
      continue;
    }
    const auto text = argument_text(i);
    if (!text) return fail("an argument comes out of a macro or is a default that is no literal");
    const clang::QualType type = parameter.getType();
    if (parameter.getName().empty()) {
      declarations += "(void)(" + *text + ");\n";
      continue;
    }
    const clang::QualType value = type.getNonReferenceType();
    if (type->isFunctionPointerType() || value->isArrayType() || type->isRValueReferenceType() ||
        !value.isTriviallyCopyableType(context) || value.isVolatileQualified())
      return fail("a parameter's type cannot be that of a local");
    const std::string name = own_name(parameter.getNameAsString());
    const bool list = text->front() == '{';
    declarations += type_name(type, context) + " " + name + (list ? " = " : " = (") + *text +
                    (list ? ";\n(void)" : ");\n(void)") + name + ";\n";
  }
  return true;
}

bool CalleeText::rename_variable(const clang::VarDecl& variable) {
  const auto at = source_.offset(variable.getLocation());
  if (!at || variable.isStaticLocal() || llvm::isa<clang::DecompositionDecl>(&variable) ||
      !variable.isLocalVarDecl() || variable.getName().empty())
    return fail("it has a local that cannot be one of the kernel's");
  known_.insert(*at);
  const auto length = static_cast<unsigned>(variable.getName().size());
  edits_.replace({*at, *at + length}, own_name(variable.getNameAsString()));
  return true;
}

/// Names of its own variables, and of all else.
bool CalleeText::rename() {
  bool all = true;
  walk(*callee_.getBody(), [&](const clang::Stmt& node, const Ancestors&) {
    if (const auto* whole = llvm::dyn_cast<clang::Expr>(&node); whole && as_launch_index(*whole)) {
      const auto at = source_.range(node);
      for (unsigned i = at ? at->begin : 0; at && i < at->end; ++i) known_.insert(i);
      all = all && at;
      return false;
    }
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&node)) {
      for (const clang::Decl* declared : declaration->decls()) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
        all = all && (variable != nullptr ? rename_variable(*variable)
                                          : fail("it declares more than variables"));
      }
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&node)) {
      if (!member->isImplicitAccess() && member->getMemberLoc().isValid())
        all = all && know(member->getMemberLoc());
    } else if (const auto* property = llvm::dyn_cast<clang::MSPropertyRefExpr>(&node)) {
      all = all && know(property->getMemberLoc());
    } else if (const auto* number = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(&node)) {
      const auto at = source_.range(node);
      const auto value = constant_value(*number, kernel_.unit.context());
      if (!at) return all = fail("its text comes out of a macro");
      known_.insert(at->begin);
      if (!value) {
        const auto name = function_argument(*number);
        if (!name) return all = fail("a template argument is neither an integer nor a function");
        edits_.replace(*at, *name);
        return false;
      }
      edits_.replace(*at, "((" + type_name(number->getType(), kernel_.unit.context()) + ")" +
                              std::to_string(*value) + "ll)");
      return false;
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(&node);
               unary != nullptr && unary->getOpcode() == clang::UO_Deref) {
      const auto* pointer =
          llvm::dyn_cast<clang::DeclRefExpr>(unary->getSubExpr()->IgnoreParenImpCasts());
      const auto found =
          pointer == nullptr
              ? variables_.end()
              : variables_.find(llvm::dyn_cast<clang::ParmVarDecl>(pointer->getDecl()));
      const auto at = source_.range(node);
      if (found == variables_.end()) return all;
      if (!at) return all = fail("its text comes out of a macro");
      edits_.replace(*at, found->second);
      return all = all && know(pointer->getLocation());
    } else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&node)) {
      const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(reference->getDecl());
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      if (variable == nullptr || !variable->isLocalVarDeclOrParm())
        return all = all && name_in_full(*reference->getDecl(),
                                         reference->getQualifierLoc().getSourceRange(),
                                         reference->getLocation());
      const auto at = source_.offset(reference->getLocation());
      if (!at) return all = fail("its text comes out of a macro");
      const auto found = variables_.find(parameter);
      known_.insert(*at);
      edits_.replace(
          {*at, *at + static_cast<unsigned>(variable->getName().size())},
          found != variables_.end() ? found->second : own_name(variable->getNameAsString()));
    } else if (llvm::isa<clang::LambdaExpr, clang::AsmStmt, clang::GotoStmt, clang::LabelStmt,
                         clang::IndirectGotoStmt, clang::CXXTryStmt, clang::CXXForRangeStmt,
                         clang::StmtExpr, clang::CXXThisExpr>(&node)) {
      all = fail("it has statements that cannot be moved");
    }
    return all;
  });
  return all;
}

/// The function that a template argument names: `ns::twice<float>`.
std::optional<std::string> CalleeText::function_argument(
    const clang::SubstNonTypeTemplateParmExpr& argument) const {
  const clang::Expr* named = argument.getReplacement()->IgnoreParenImpCasts();
  if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(named);
      address != nullptr && address->getOpcode() == clang::UO_AddrOf)
    named = address->getSubExpr()->IgnoreParenImpCasts();
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(named);
  const auto* function =
      reference == nullptr ? nullptr : llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
  if (function == nullptr || function->getIdentifier() == nullptr ||
      has_later_overloads(*function, callee_))
    return std::nullopt;
  const auto qualifier = full_qualifier(*function);
  if (!qualifier) return std::nullopt;
  std::string arguments;
  if (const auto* given = function->getTemplateSpecializationArgs())
    for (const clang::TemplateArgument& one : given->asArray()) {
      arguments += arguments.empty() ? "<" : ", ";
      if (one.getKind() == clang::TemplateArgument::Type)
        arguments += type_name(one.getAsType(), kernel_.unit.context());
      else if (one.getKind() == clang::TemplateArgument::Integral)
        arguments += llvm::toString(one.getAsIntegral(), 10);
      else
        return std::nullopt;
    }
  return *qualifier + function->getNameAsString() + arguments + (arguments.empty() ? "" : ">");
}

bool CalleeText::name_in_full(const clang::NamedDecl& named, clang::SourceRange qualifier,
                              clang::SourceLocation name) {
  if (named.getIdentifier() == nullptr) return true;  // an operator: found by its operands
  const auto at = source_.offset(name);
  if (!at) return fail("its text comes out of a macro");
  known_.insert(*at);
  if (named.getName().starts_with("__builtin_")) return true;
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&named);
  if (function != nullptr && has_later_overloads(*function, callee_))
    return fail("a function of the same name as one that it calls comes after it");
  const auto full = full_qualifier(named);
  if (!full) return fail("it names something within a template or a function");
  if (qualifier.isValid()) {
    const auto written = source_.range(qualifier);
    if (!written) return fail("its text comes out of a macro");
    for (unsigned i = written->begin; i < written->end; ++i) known_.insert(i);
    edits_.replace(*written, *full);
  } else {
    edits_.insert(*at, *full);
  }
  return true;
}

bool CalleeText::write_types() {
  bool all = true;
  TypeNames names(
      [&](const clang::NamedDecl& named, clang::SourceRange qualifier, clang::SourceLocation name) {
        return all = all && name_in_full(named, qualifier, name);
      },
      [&](clang::QualType type, clang::SourceLocation name) {
        const auto at = source_.offset(name);
        if (!at) return all = fail("its text comes out of a macro");
        known_.insert(*at);
        const unsigned length =
            clang::Lexer::MeasureTokenLength(name, kernel_.unit.sources(), clang::LangOptions());
        edits_.replace({*at, *at + length}, type_name(type, kernel_.unit.context()));
        return true;
      });
  names.TraverseStmt(callee_.getBody());
  return all;
}

/// `return value;` as `result = (value);`, and `leave` after it.
bool CalleeText::write_return(const clang::ReturnStmt& statement, const std::string& leave) {
  const auto whole = source_.statement_range(statement);
  if (!whole) return fail("its text comes out of a macro");
  const TextRange keyword{whole->begin, whole->begin + 6};
  const clang::Expr* value = statement.getRetValue();
  if (value == nullptr || callee_.getReturnType()->isVoidType()) {
    if (value != nullptr) return fail("it returns what another function returns");
    edits_.replace(keyword, leave.empty() ? "" : "{ " + leave);
    if (!leave.empty()) edits_.insert(whole->end, " }");
    return true;
  }
  const auto at = source_.range(*value);
  if (!at) return fail("its text comes out of a macro");
  const bool list = llvm::isa<clang::InitListExpr>(value->IgnoreImplicit());
  edits_.replace(keyword, (leave.empty() ? "" : "{ ") + result_ + (list ? " =" : " = ("));
  if (!list) edits_.insert(at->end, ")");
  if (!leave.empty()) edits_.insert(whole->end, " " + leave + "; }");
  return true;
}

/// Early returns of the function's own block become branches, whose else is the rest of it. Others
/// leave a block that is run once.
bool CalleeText::write_returns(std::string& before, std::string& after) {
  const clang::Stmt& body = *callee_.getBody();
  std::vector<const clang::ReturnStmt*> all, early;
  bool in_loop = false;
  walk(body, [&](const clang::Stmt& node, const Ancestors& ancestors) {
    if (const auto* leave = llvm::dyn_cast<clang::ReturnStmt>(&node)) {
      all.push_back(leave);
      for (const clang::Stmt* ancestor : ancestors)
        in_loop =
            in_loop ||
            llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(ancestor);
    }
    return true;
  });
  const auto statements = statements_of(body);
  std::vector<unsigned> branches;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const auto* branch = llvm::dyn_cast<clang::IfStmt>(statements[i]);
    const auto inner =
        branch == nullptr ? std::vector<const clang::Stmt*>() : statements_of(*branch->getThen());
    const auto* leave = llvm::dyn_cast_or_null<clang::ReturnStmt>(
        i + 1 == statements.size() && branch == nullptr ? statements[i]
        : inner.empty()                                 ? nullptr
                                                        : inner.back());
    if (leave == nullptr || (branch != nullptr && branch->getElse() != nullptr)) continue;
    early.push_back(leave);
    const auto range = source_.statement_range(*statements[i]);
    if (branch != nullptr && range) branches.push_back(range->end);
  }
  if (early == all) {
    for (const unsigned end : branches) {
      edits_.insert(end, " else {");
      after += "}\n";
    }
    return std::ranges::all_of(all, [&](const auto* leave) { return write_return(*leave, ""); });
  }
  if (in_loop) return fail("it returns from within a loop");
  before = "do {\n";
  after = "} while (false);\n";
  return std::ranges::all_of(all, [&](const auto* leave) { return write_return(*leave, "break"); });
}

/// Words that the AST does not account for may be macros, or mean something else in the kernel.
bool CalleeText::is_all_known() {
  const clang::ASTContext& context = kernel_.unit.context();
  const auto range = source_.range(*callee_.getBody());
  const std::string text = source_.text(*range);
  clang::Lexer lexer(clang::SourceLocation(), context.getLangOpts(), text.data(), text.data(),
                     text.data() + text.size());
  clang::Token token;
  while (true) {
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) return true;
    if (token.is(clang::tok::hash)) return fail("it has preprocessor lines");
    if (token.isNot(clang::tok::raw_identifier)) continue;
    const auto at = static_cast<unsigned>(token.getRawIdentifier().data() - text.data());
    if (known_.contains(range->begin + at)) continue;
    if (!context.Idents.get(token.getRawIdentifier()).isKeyword(context.getLangOpts()))
      return fail("'" + token.getRawIdentifier().str() + "' in it may be a macro");
  }
}

}  // namespace geak::clang_tool::transforms
