(namespace_declaration name: (_) @name body: (_) @body) @definition.module
; `namespace Shop.Core;` qualifies the whole file just as braces would.
(compilation_unit (file_scoped_namespace_declaration name: (_) @name)) @scope

(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(record_declaration "struct" name: (identifier) @name) @definition.struct
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(enum_member_declaration name: (identifier) @name) @definition.constant
(delegate_declaration name: (identifier) @name) @definition.type

(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(destructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
; `operator +` goes by its sign, a conversion and an indexer by their keyword.
(operator_declaration "operator" [
  "+" "-" "*" "/" "%" "!" "~" "++" "--" "==" "!=" "<" ">" "<=" ">=" "&" "|" "^" "<<" ">>" ">>>" "true" "false"
] @name) @definition.method
(conversion_operator_declaration "operator" @name) @definition.method
(indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)] @body) @definition.property

(property_declaration name: (identifier) @name [(accessor_list) (arrow_expression_clause)] @body) @definition.property
(event_declaration name: (identifier) @name (accessor_list)? @body) @definition.property
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration (modifier "static") (modifier "readonly")
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field

; Scripts and top-level statements.
(compilation_unit (global_statement (local_declaration_statement (modifier "const")
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant))
(compilation_unit (global_statement (local_declaration_statement
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.variable))

(comment) @comment
