(function_definition name: (word) @name) @definition.function

; Assignments outside functions; `PATH+=…` adds to what is defined elsewhere.
((program [
  (declaration_command (variable_assignment name: (variable_name) @name "=")) @definition.constant
  (variable_assignment name: (variable_name) @name "=") @definition.constant
  (variable_assignments (variable_assignment name: (variable_name) @name "=") @definition.constant)
  (if_statement (variable_assignment name: (variable_name) @name "=") @definition.constant)
  (if_statement (declaration_command (variable_assignment name: (variable_name) @name "=")) @definition.constant)
 ])
 (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(program [
  (declaration_command (variable_assignment name: (variable_name) @name "=")) @definition.variable
  (variable_assignment name: (variable_name) @name "=") @definition.variable
  (variable_assignments (variable_assignment name: (variable_name) @name "=") @definition.variable)
])

(comment) @comment
