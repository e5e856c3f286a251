#include "clang-tool/used_entities.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <clang/AST/RecursiveASTVisitor.h>

#include <unordered_set>

#include "clang-tool/canonical_source.h"

namespace geak::clang_tool {
namespace {

class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  explicit Collector(const TranslationUnit& unit) : unit_(unit), context_(unit.context()) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitExpr(clang::Expr* expression) {
    note_type(expression->getType());
    return true;
  }
  bool VisitValueDecl(clang::ValueDecl* value) {
    note_type(value->getType());
    return true;
  }
  bool VisitTypedefTypeLoc(clang::TypedefTypeLoc type) {
    const clang::TypedefNameDecl* alias = type.getTypedefNameDecl();
    entities.types.try_emplace(alias->getQualifiedNameAsString(),
                               "using " + printed(alias->getUnderlyingType()));
    note_type(alias->getUnderlyingType());
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    note_variable(llvm::dyn_cast<clang::VarDecl>(reference->getDecl()));
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* member) {
    note_variable(llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl()));
    return true;
  }

  UsedEntities entities;

 private:
  std::string printed(clang::QualType type) const {
    return type.getCanonicalType().getAsString(context_.getPrintingPolicy());
  }

  void note_type(clang::QualType type) {
    if (type.isNull() || type->isDependentType()) return;
    type = type.getCanonicalType();
    while (!type->getPointeeType().isNull() || type->isArrayType())
      type = type->isArrayType() ? clang::QualType(type->getArrayElementTypeNoTypeQual(), 0)
                                 : type->getPointeeType();
    if (!seen_types_.insert(type.getTypePtr()).second) return;
    if (const auto* tag = type->getAsTagDecl()) note_tag(*tag, printed(type.getUnqualifiedType()));
  }

  void note_tag(const clang::TagDecl& tag, const std::string& name) {
    if (const auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(&tag)) {
      std::string text = "enum " + printed(enumeration->getIntegerType());
      for (const clang::EnumConstantDecl* constant : enumeration->enumerators())
        text +=
            " " + constant->getNameAsString() + "=" + llvm::toString(constant->getInitVal(), 10);
      entities.types.try_emplace(name, text);
    } else if (const auto* record = llvm::dyn_cast<clang::RecordDecl>(&tag)) {
      record = record->getDefinition();
      if (record != nullptr && !record->isDependentContext() && !record->isInvalidDecl())
        note_record(*record, name);
    }
  }

  /// What a class holds and where; its functions are callees of their own.
  void note_record(const clang::RecordDecl& record, const std::string& name) {
    const clang::ASTRecordLayout& layout = context_.getASTRecordLayout(&record);
    std::string text = "size " + std::to_string(layout.getSize().getQuantity()) + " align " +
                       std::to_string(layout.getAlignment().getQuantity());
    if (const auto* with_bases = llvm::dyn_cast<clang::CXXRecordDecl>(&record))
      for (const clang::CXXBaseSpecifier& base : with_bases->bases()) {
        text += " : " + printed(base.getType());
        note_type(base.getType());
      }
    for (const clang::FieldDecl* field : record.fields()) {
      text += " " + std::to_string(layout.getFieldOffset(field->getFieldIndex())) + ":" +
              printed(field->getType()) + " " + field->getNameAsString();
      note_type(field->getType());
    }
    entities.types.try_emplace(name, text);
  }

  void note_variable(const clang::VarDecl* variable) {
    if (variable == nullptr || !variable->hasGlobalStorage() || variable->isStaticLocal() ||
        variable->isLocalVarDecl())
      return;
    const clang::VarDecl* definition = variable->getInitializingDeclaration();
    if (definition == nullptr) definition = variable;
    if (!seen_variables_.insert(definition).second) return;
    std::string text = printed(definition->getType()) + " " +
                       canonical_source(unit_, definition->getSourceRange());
    if (const clang::Expr* value = definition->getInit();
        value != nullptr && !value->isValueDependent() && !definition->isInvalidDecl()) {
      if (const clang::APValue* known = definition->evaluateValue())
        text += " = " + known->getAsString(context_, definition->getType());
      TraverseStmt(const_cast<clang::Expr*>(value));
    }
    entities.constants.try_emplace(definition->getQualifiedNameAsString(), text);
  }

  const TranslationUnit& unit_;
  clang::ASTContext& context_;
  std::unordered_set<const clang::Type*> seen_types_;
  std::unordered_set<const clang::VarDecl*> seen_variables_;
};

}  // namespace

UsedEntities used_entities(const TranslationUnit& unit,
                           const std::vector<const clang::FunctionDecl*>& functions) {
  Collector collector(unit);
  for (const clang::FunctionDecl* function : functions)
    collector.TraverseDecl(const_cast<clang::FunctionDecl*>(function));
  return std::move(collector.entities);
}

}  // namespace geak::clang_tool
