(function_statement (function_name) @name (script_block)? @body) @definition.function
(class_statement . (simple_name) @name) @definition.class
(enum_statement . (simple_name) @name) @definition.enum
(enum_member . (simple_name) @name) @definition.constant
(class_property_definition (variable) @name) @definition.property

; A method without a return type is a constructor.
(class_method_definition . (simple_name) @name (script_block)? @body) @definition.constructor
(class_method_definition . (class_attribute) . (simple_name) @name (script_block)? @body) @definition.constructor
(class_method_definition (type_literal) . (simple_name) @name (script_block)? @body) @definition.method

; Assignments outside functions; one of a script block is a function.
((program (statement_list (pipeline (assignment_expression
   (left_assignment_expression) @name (assignement_operator) @_operator
     value: (pipeline) @_value)) @definition.function))
 (#eq? @_operator "=") (#match? @name "^(\\[[^\\]]+\\])?\\$[A-Za-z_][\\w:]*$") (#match? @_value "^\\{"))
((program (statement_list (pipeline (assignment_expression
   (left_assignment_expression) @name (assignement_operator) @_operator)) @definition.variable))
 (#eq? @_operator "=") (#match? @name "^(\\[[^\\]]+\\])?\\$[A-Za-z_][\\w:]*$"))

(comment) @comment
