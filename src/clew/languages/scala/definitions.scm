(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.trait
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(package_clause name: (package_identifier) @name body: (_)) @definition.module
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.constant
(full_enum_case name: (_) @name) @definition.constant
(type_definition name: (_) @name) @definition.type

(given_definition name: (_) @name body: (with_template_body)) @definition.object
(given_definition name: (_) @name) @definition.constant
; A given without a name goes by its type.
(given_definition !name return_type: (_) @name body: (with_template_body)) @definition.object
(given_definition !name return_type: (_) @name) @definition.constant
; An extension method belongs to the type it extends.
(extension_definition . parameters: (parameters (parameter type: (_) @name))) @scope.type
(extension_definition . (type_parameters) . parameters: (parameters (parameter type: (_) @name))) @scope.type

; A wildcard stands for function_definition, val_definition and var_definition where it costs nothing:
; naming those doubles the time the query takes to compile.
(template_body (_ "def" name: (_) @name (#not-eq? @name "this")) @definition.method)
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.method

(class_parameter ["val" "var"] name: (_) @name) @definition.field
; The parameters of a case class are fields, those of its further lists are not.
(_ "case" name: (_) . [(type_parameters) (annotation) (access_modifier)]* . class_parameters: (class_parameters
  (class_parameter name: (_) @name) @definition.field))
(full_enum_case class_parameters: (class_parameters (class_parameter name: (_) @name) @definition.field))

(compilation_unit (_ pattern: (identifier) @name value: (lambda_expression)) @definition.function)
(template_body (_ pattern: (identifier) @name value: (lambda_expression)) @definition.method)
; What an object or the file holds is constant, what an instance holds is a field.
(object_definition body: (_ (_ "val" pattern: [
  (identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)
]) @definition.constant))
(compilation_unit (_ "val" pattern: [
  (identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)
]) @definition.constant)
(compilation_unit (_ "var" pattern: [(identifier) @name (identifiers (identifier) @name)]) @definition.variable)
(template_body (_ pattern: [
  (identifier) @name (identifiers (identifier) @name) (tuple_pattern (identifier) @name)
]) @definition.field)
(with_template_body (_ pattern: (identifier) @name) @definition.field)
(enum_body (_ pattern: (identifier) @name) @definition.field)
(val_declaration name: (_) @name) @definition.field
(var_declaration name: (_) @name) @definition.field

(comment) @comment
(block_comment) @comment
