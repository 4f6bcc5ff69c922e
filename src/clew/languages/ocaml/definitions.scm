; A lone binding takes in the keyword of its definition; in a group (`let rec … and …`) each stands for itself.
(value_definition . (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)] (parameter) body: (_) @body) .) @definition.function
(value_definition . (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)] @body) .) @definition.function
(value_definition (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)] (parameter) body: (_) @body) @definition.function)
(value_definition (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)]
  body: [(fun_expression) (function_expression)] @body) @definition.function)
; A value is a definition only outside of expressions.
(compilation_unit (value_definition (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)
    body: (_) @body)) @definition.function)
(structure (value_definition (let_binding
  pattern: [(value_name) @name (parenthesized_operator (_) @name)] type: (function_type)
    body: (_) @body)) @definition.function)
(compilation_unit (value_definition (let_binding pattern: [
  (value_name) @name
  (tuple_pattern (value_name) @name)
  (parenthesized_operator (_) @name)
])) @definition.constant)
(structure (value_definition (let_binding pattern: [
  (value_name) @name
  (tuple_pattern (value_name) @name)
  (parenthesized_operator (_) @name)
])) @definition.constant)

(method_definition (method_name) @name body: (_)? @body) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field

(value_specification [(value_name) @name (parenthesized_operator (_) @name)] type: [
  (function_type)
  (polymorphic_type (function_type))
]) @definition.function
(value_specification [(value_name) @name (parenthesized_operator (_) @name)]) @definition.constant
(external [(value_name) @name (parenthesized_operator (_) @name)]) @definition.function

; Specifications and types, as in interface files.
(type_definition . (type_binding name: (type_constructor) @name) .) @definition.type
(type_binding name: (type_constructor) @name) @definition.type
; Constructors do not enclose the fields: `radius` of `Circle of { radius }` is shape.radius.
(constructor_declaration (constructor_name) @name @definition.constructor)
(field_declaration (field_name) @name) @definition.field

(module_definition . (module_binding . (module_name) @name body: (_)? @body) .) @definition.module
(module_binding . (module_name) @name) @definition.module
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition . (class_binding (class_name) @name body: (_)? @body) .) @definition.class
(class_binding (class_name) @name) @definition.class
(class_type_definition . (class_type_binding (class_type_name) @name body: (_)? @body) .) @definition.interface
(class_type_binding (class_type_name) @name) @definition.interface
(method_specification (method_name) @name) @definition.method
(instance_variable_specification (instance_variable_name) @name) @definition.field

(comment) @comment
