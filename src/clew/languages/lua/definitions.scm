; `local json = require("json")` is an import.
((chunk (variable_declaration (assignment_statement
   (variable_list . name: (identifier) @name @scope)
   (expression_list . value: (function_call name: (identifier) @_call)))))
 (#eq? @_call "require"))

(function_declaration name: (method_index_expression) @name) @definition.method
(function_declaration name: [(identifier) (dot_index_expression)] @name) @definition.function

; Functions as values: of names, of fields and in tables, whose variable then qualifies them.
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body)))) @definition.function)
(chunk (assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function)
((assignment_statement
  (variable_list . name: (dot_index_expression) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
 (#not-match? @name "^self\\b"))
(chunk (assignment_statement
  (variable_list . name: (bracket_index_expression table: (_) @qualifier field: (string content: (_) @name)))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function)
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @definition.function
(field name: (string content: (_) @name) value: (function_definition body: (_)? @body)) @definition.function

((chunk (assignment_statement (variable_list . name: (dot_index_expression) @name)) @definition.field)
 (#not-match? @name "\\.__index$"))
((chunk (variable_declaration [
  (assignment_statement (variable_list (identifier) @name))
  (variable_list (identifier) @name)
 ]) @definition.constant)
 (#match? @name "^[A-Z][A-Z0-9_]+$"))
((chunk (assignment_statement (variable_list (identifier) @name)) @definition.constant)
 (#match? @name "^[A-Z][A-Z0-9_]+$"))
(chunk (variable_declaration [
  (assignment_statement (variable_list (identifier) @name))
  (variable_list (identifier) @name)
]) @definition.variable)
(chunk (assignment_statement (variable_list (identifier) @name)) @definition.variable)

(comment) @comment
