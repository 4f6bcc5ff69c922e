(function_item name: (_) @name body: (_) @body) @definition.function
(function_signature_item name: (_) @name) @definition.function
(macro_definition name: (identifier) @name . "(" @body) @definition.macro
(macro_definition name: (identifier) @name) @definition.macro

(struct_item name: (type_identifier) @name body: (_)? @body) @definition.struct
(union_item name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_item name: (type_identifier) @name body: (_) @body) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant
(field_declaration name: (field_identifier) @name) @definition.field
(trait_item name: (type_identifier) @name body: (_) @body) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name) @definition.module

; Items only: a constant inside a function's block is local.
((source_file (const_item name: (identifier) @name) @definition.constant) (#not-eq? @name "_"))
((declaration_list (const_item name: (identifier) @name) @definition.constant) (#not-eq? @name "_"))
(source_file (static_item (mutable_specifier) name: (identifier) @name) @definition.variable)
(declaration_list (static_item (mutable_specifier) name: (identifier) @name) @definition.variable)
(source_file (static_item name: (identifier) @name) @definition.constant)
(declaration_list (static_item name: (identifier) @name) @definition.constant)

; An impl block is no definition but names its type before the members.
(impl_item type: [
  (type_identifier) @name
  (primitive_type) @name
  (scoped_type_identifier) @name
  (generic_type type: (_) @name)
  (reference_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (_) @name))
  (reference_type type: (primitive_type) @name)
  (dynamic_type trait: (type_identifier) @name)
  (dynamic_type trait: (scoped_type_identifier) @name)
]) @scope.type
; A blanket impl (`impl<F: Fn()> Handler for F`) has the trait's name: `F` would say nothing.
((impl_item
  type_parameters: (type_parameters (type_parameter name: (type_identifier) @_parameter))
  trait: [(type_identifier) @name (scoped_type_identifier) @name (generic_type type: (_) @name)]
  type: (type_identifier) @_type) @scope.type
 (#eq? @_type @_parameter))
; A type without a name of its own (`[T]`, a tuple): the trait's name stands for it.
(impl_item trait: [
  (type_identifier) @name
  (scoped_type_identifier) @name
  (generic_type type: (_) @name)
] type: [(array_type) (tuple_type) (unit_type) (pointer_type) (function_type) (macro_invocation)
  (reference_type type: [(array_type) (tuple_type) (dynamic_type)]) (never_type) (abstract_type)]) @scope.type

((line_comment) @comment (#not-match? @comment "^//!"))
((block_comment) @comment (#not-match? @comment "^/\\*!"))
(attribute_item) @attach
; The items inside `cfg_rt! { … }` are bare tokens, so they are parsed again.
((source_file (macro_invocation (token_tree) @inject))
 (#match? @inject "^\\{[\\s\\S]*\\b(fn|struct|enum|trait|impl|mod|const|static|type|union)\\s"))
((declaration_list (macro_invocation (token_tree) @inject))
 (#match? @inject "^\\{[\\s\\S]*\\b(fn|struct|enum|trait|impl|mod|const|static|type|union)\\s"))
