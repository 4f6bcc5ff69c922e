(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name) @definition.class
; An extension adds to a type that is defined elsewhere.
(class_declaration declaration_kind: "extension" name: (user_type) @name) @scope.type
(protocol_declaration name: (type_identifier) @name) @definition.interface
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(typealias_declaration name: (type_identifier) @name) @definition.type
(enum_entry name: (simple_identifier) @name) @definition.constant
(macro_declaration . (modifiers)? . (simple_identifier) @name) @definition.macro

; The wildcards stand for function_declaration and property_declaration: naming those makes the query
; compile for a second longer.
(_ "func" . [(simple_identifier) (custom_operator) (bang)] @name) @definition.function
(_ "func" . [
  "+" "-" "*" "/" "%" "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+=" "-=" "*=" "/=" "%="
  "++" "--" "~" "|" "&" "^" "<<" ">>" "..." "..<"
] @name) @definition.function
(init_declaration name: "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name (computed_property) @body) @definition.property

(class_body (_ name: (pattern bound_identifier: (simple_identifier) @name)
  value: (lambda_literal) @body) @definition.method)
(source_file (_ name: (pattern bound_identifier: (simple_identifier) @name)
  value: (lambda_literal) @body) @definition.function)
(class_body (_
  (modifiers (property_modifier) @_static) (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant
  (#eq? @_static "static"))
(enum_class_body (_
  (modifiers (property_modifier) @_static) (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant
  (#eq? @_static "static"))
(class_body (_ name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (computed_property)? @body) @definition.property)
(enum_class_body (_ name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (computed_property)? @body) @definition.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property

(source_file (_ (value_binding_pattern mutability: "let")
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)
(source_file (_ (value_binding_pattern mutability: "var")
  name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(source_file (_ name: (pattern (pattern (simple_identifier) @name))) @definition.constant)

(comment) @comment
(multiline_comment) @comment
