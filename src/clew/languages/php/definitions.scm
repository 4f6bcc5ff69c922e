(namespace_definition name: (_) @name body: (_) @body) @definition.module
; `namespace App\Models;` qualifies the whole file just as braces would.
(program (namespace_definition name: (_) @name !body)) @scope

(class_declaration name: (name) @name body: (_) @body) @definition.class
(interface_declaration name: (name) @name body: (_) @body) @definition.interface
(trait_declaration name: (name) @name body: (_) @body) @definition.trait
(enum_declaration name: (name) @name body: (_) @body) @definition.enum
(enum_case name: (name) @name) @definition.constant

(function_definition name: (name) @name body: (_) @body) @definition.function
; Of anonymous classes as well.
(method_declaration name: (name) @name body: (_)? @body) @definition.method

(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name)) (property_hook_list)? @body) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
((function_call_expression function: (name) @_define
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)]))
) @definition.constant
  (#match? @_define "^[dD]efine$"))

(expression_statement (assignment_expression left: (variable_name (name) @name) right: [
  (anonymous_function body: (_) @body)
  (arrow_function body: (_) @body)
])) @definition.function
(array_element_initializer . (string (string_content) @name) . [
  (anonymous_function body: (_) @body)
  (arrow_function body: (_) @body)
]) @definition.function
(program (expression_statement (assignment_expression left: (variable_name (name) @name))) @definition.variable)

(comment) @comment
