; What a function's head may be: a call, with a return type, with `where`.
(struct_definition [
  (function_definition (signature [
    (call_expression . [(identifier) (field_expression) (operator)] @name)
    (_ . (call_expression . [(identifier) (field_expression) (operator)] @name))
    (_ . (_ . (call_expression . [(identifier) (field_expression) (operator)] @name)))
    (call_expression . (parametrized_type_expression . (identifier) @name))
    (_ . (call_expression . (parametrized_type_expression . (identifier) @name)))
  ]) . (_)? @body)
  (assignment . [
    (call_expression . [(identifier) (field_expression) (operator)] @name)
    (call_expression . (parametrized_type_expression . (identifier) @name))
    (typed_expression . (call_expression . [(identifier) (field_expression) (operator)] @name))
    (where_expression . [
      (call_expression . [(identifier) (field_expression) (operator)] @name)
      (call_expression . (parametrized_type_expression . (identifier) @name))
      (_ . (call_expression . [(identifier) (field_expression) (operator)] @name))
    ])
  ] (operator))
] @definition.constructor)
(function_definition (signature [
  (call_expression . [(identifier) (field_expression) (operator)] @name)
  (_ . (call_expression . [(identifier) (field_expression) (operator)] @name))
  (_ . (_ . (call_expression . [(identifier) (field_expression) (operator)] @name)))
  (call_expression . (parametrized_type_expression . (identifier) @name))
  (_ . (call_expression . (parametrized_type_expression . (identifier) @name)))
]) . (_)? @body) @definition.function
(function_definition (signature [(identifier) (field_expression)] @name)) @definition.function
(function_definition (signature (call_expression . (parenthesized_expression . (operator) @name
  .)))) @definition.function
(assignment . [
  (call_expression . [(identifier) (field_expression) (operator)] @name)
  (call_expression . (parametrized_type_expression . (identifier) @name))
  (typed_expression . (call_expression . [(identifier) (field_expression) (operator)] @name))
  (where_expression . [
    (call_expression . [(identifier) (field_expression) (operator)] @name)
    (call_expression . (parametrized_type_expression . (identifier) @name))
    (_ . (call_expression . [(identifier) (field_expression) (operator)] @name))
  ])
] (operator)) @definition.function
(assignment . (binary_expression . (_) . (operator) @name . (_) .)) @definition.function
(macro_definition (signature (call_expression . (identifier) @name)) . (_)? @body) @definition.macro

(module_definition name: (identifier) @name . (_)? @body) @definition.module
(struct_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))])
  . (_)? @body) @definition.struct
[
  (abstract_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))]))
  (primitive_definition (type_head [(identifier) @name (_ . (identifier) @name) (_ . (_ . (identifier) @name))]))
] @definition.type
(struct_definition [
  (identifier) @name @definition.field
  (typed_expression . (identifier) @name) @definition.field
  (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @definition.field
  (const_statement (assignment . [(identifier) @name (typed_expression . (identifier) @name)])) @definition.field
])
((macrocall_expression (macro_identifier (identifier) @_macro) (macro_argument_list . [
   (identifier) @name
   (typed_expression . (identifier) @name)
 ])) @definition.enum
 (#eq? @_macro "enum"))
((macrocall_expression (macro_identifier (identifier) @_macro) (macro_argument_list . (_) [
   (identifier) @name @definition.constant
   (assignment . (identifier) @name) @definition.constant
   (compound_statement [
     (identifier) @name @definition.constant
     (assignment . (identifier) @name) @definition.constant
   ])
 ]))
 (#eq? @_macro "enum"))

; Functions as values, then constants and variables of a module.
(const_statement (assignment . (identifier) @name [(arrow_function_expression) (function_definition)]
  .) @definition.function)
(source_file (assignment . (identifier) @name [(arrow_function_expression) (function_definition)]
  .) @definition.function)
(source_file (const_statement (assignment . [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (open_tuple (identifier) @name)
]) @definition.constant))
(source_file (assignment . [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (open_tuple (identifier) @name)
]) @definition.variable)
(source_file (global_statement (assignment . (identifier) @name) @definition.variable))
(module_definition (assignment . (identifier) @name [(arrow_function_expression) (function_definition)]
  .) @definition.function)
(module_definition (const_statement (assignment . [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (open_tuple (identifier) @name)
]) @definition.constant))
(module_definition (assignment . [
  (identifier) @name
  (typed_expression . (identifier) @name)
  (open_tuple (identifier) @name)
]) @definition.variable)
(module_definition (global_statement (assignment . (identifier) @name) @definition.variable))

; A docstring stands before what it documents.
(source_file (string_literal) @comment)
(module_definition (string_literal) @comment)
(struct_definition (string_literal) @comment)
(line_comment) @comment
(block_comment) @comment
