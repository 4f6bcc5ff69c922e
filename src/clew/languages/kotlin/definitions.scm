(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name (enum_class_body) @body) @definition.enum
(class_declaration "interface" name: (identifier) @name (class_body) @body) @definition.interface
(class_declaration "class" name: (identifier) @name [(class_body) (enum_class_body)] @body) @definition.class
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @definition.enum
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name (class_body) @body) @definition.object
(object_declaration name: (identifier) @name) @definition.object
; The members of an unnamed companion are those of its class.
(companion_object name: (identifier) @name (class_body) @body) @definition.object
(companion_object name: (identifier) @name) @definition.object
(enum_entry . (modifiers)? . (identifier) @name) @definition.constant
(type_alias type: (identifier) @name) @definition.type

; Where the grammar gives up (a raw string of four quotes, enum entries with one-line bodies), the error
; node may span the whole file: the definition is then its name.
(ERROR (modifiers (class_modifier "enum")) . "class" . (identifier) @name @definition.enum)
(ERROR "class" . (identifier) @name @definition.class)
(ERROR "interface" . (identifier) @name @definition.interface)
(ERROR "object" . (identifier) @name @definition.object)
(ERROR "fun" . (identifier) @name @definition.function . (function_value_parameters))
(ERROR "fun" . (type_parameters) . (identifier) @name @definition.function . (function_value_parameters))
(ERROR "fun" [(user_type) @qualifier (nullable_type (user_type) @qualifier)] . "."
  . (identifier) @name @definition.function . (function_value_parameters))
; After an annotation a declaration of contextual keywords is taken for infix calls: `data object Name`,
; `public annotation class Name`, `enum class Name { A }`.
((infix_expression . (identifier) @_enum . (identifier) @_class
  . [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.enum
  (#eq? @_enum "enum") (#eq? @_class "class"))
((infix_expression . (identifier) . (identifier) @_class
  . [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.class
  (#eq? @_class "class"))
((infix_expression . (identifier) . (identifier) @_object
  . [(identifier) @name (call_expression . (identifier) @name (annotated_lambda) @body)]) @definition.object
  (#eq? @_object "object"))
((infix_expression (infix_expression (identifier) @_class .) @definition.class . (identifier) @name)
  (#eq? @_class "class"))
; `fun Cart<T>.clear()` after an object written in one line.
(function_declaration (user_type (identifier) @qualifier . (type_arguments) . (identifier) @name .)
  . name: (MISSING identifier)) @definition.function

; An extension belongs to the type it extends: `fun String.shout()` is String.shout.
(function_declaration
  [(user_type) @qualifier (nullable_type (user_type) @qualifier)] . "." . name: (identifier) @name
  (function_body) @body) @definition.function
(function_declaration
  [(user_type) @qualifier (nullable_type (user_type) @qualifier)] . "." . name: (identifier) @name) @definition.function
(class_body (function_declaration name: (identifier) @name (function_body) @body) @definition.method)
(class_body (function_declaration name: (identifier) @name) @definition.method)
(function_declaration name: (identifier) @name (function_body) @body) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(secondary_constructor "constructor" @name (block) @body) @definition.constructor
(secondary_constructor "constructor" @name) @definition.constructor

(class_parameter ["val" "var"] (identifier) @name) @definition.property
(property_declaration
  [(user_type) @qualifier (nullable_type (user_type) @qualifier)] . "." . (variable_declaration (identifier) @name)
) @definition.property
(source_file (property_declaration (variable_declaration (identifier) @name)
  [(lambda_literal) @body (anonymous_function (function_body) @body)]) @definition.function)
(class_body (property_declaration (variable_declaration (identifier) @name)
  [(lambda_literal) @body (anonymous_function (function_body) @body)]) @definition.method)
(source_file (property_declaration (modifiers (property_modifier "const")) (variable_declaration (identifier) @name)) @definition.constant)
(class_body (property_declaration (modifiers (property_modifier "const")) (variable_declaration (identifier) @name)) @definition.constant)
(source_file (property_declaration "var" (variable_declaration (identifier) @name)) @definition.variable)
(source_file (property_declaration "val" (variable_declaration (identifier) @name)) @definition.constant)
(source_file (property_declaration (multi_variable_declaration (variable_declaration (identifier) @name))) @definition.constant)
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration (identifier) @name)) @definition.property)
(class_body (ERROR (property_declaration (variable_declaration (identifier) @name)) @definition.property))

(line_comment) @comment
(block_comment) @comment
; Annotations whose arguments the grammar takes for an expression, and context receivers.
(source_file (annotated_expression (parenthesized_expression)) @attach)
(source_file (annotated_expression (annotated_expression (parenthesized_expression))) @attach)
(source_file (annotated_expression (annotated_expression (annotated_expression (parenthesized_expression)))) @attach)
((source_file (call_expression (identifier) @_context) @attach) (#eq? @_context "context"))
