; The body of a function is the sibling of its signature, so both are captured as the definition.
(class_definition name: (identifier) @name body: (_) @body) @definition.class
(class_definition (mixin_application_class . (identifier) @name)) @definition.class
(mixin_declaration (identifier) @name . [(type_parameters) (type_identifier) (interfaces) "on"]* (class_body) @body) @definition.trait
(extension_type_declaration name: (identifier) @name body: (_) @body) @definition.class
(extension_type_declaration representation: (representation_declaration name: (identifier) @name) @definition.field)
(extension_declaration name: (identifier) @name body: (_) @body) @definition.class
(extension_declaration !name class: (_) @name) @scope.type
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(type_alias (type_identifier) @name . "=") @definition.type
(type_alias (type_identifier) @name . (type_parameters) . ["=" (formal_parameter_list)]) @definition.type
(type_alias (type_identifier) @name . (formal_parameter_list)) @definition.type

(program (function_signature name: (identifier) @name) @definition.function
  . (function_body) @definition.function @body)
(program (function_signature name: (identifier) @name) @definition.function)
(program [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)] @definition.property
  . (function_body) @definition.property @body)
(program [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)] @definition.property)
(local_function_declaration (lambda_expression
  parameters: (function_signature name: (identifier) @name) body: (_) @body)) @definition.function

(_ (method_signature (function_signature name: (identifier) @name)) @definition.method
  . (function_body) @definition.method @body)
(declaration (function_signature name: (identifier) @name)) @definition.method
(_ (method_signature [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @definition.property
  . (function_body) @definition.property @body)
(declaration [(getter_signature name: (identifier) @name) (setter_signature name: (identifier) @name)]) @definition.property
; An operator goes by its sign, but `[]` by its keyword.
(_ (method_signature (operator_signature "operator" . [(binary_operator) "~"] @name)) @definition.method
  . (function_body) @definition.method @body)
(_ (method_signature (operator_signature "operator" @name . ["[]" "[]="])) @definition.method
  . (function_body) @definition.method @body)
(declaration (operator_signature "operator" . [(binary_operator) "~"] @name)) @definition.method
(declaration (operator_signature "operator" @name . ["[]" "[]="])) @definition.method

; `Cart.empty()` is the constructor `empty` of Cart, `Cart()` the constructor `Cart`.
(_ (method_signature [
    (constructor_signature (identifier) @name . (formal_parameter_list))
    (factory_constructor_signature (identifier) @name . (formal_parameter_list))
    (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  ]) @definition.constructor . (function_body) @definition.constructor @body)
(declaration [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (factory_constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))
]) @definition.constructor

(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.constant
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.field
(declaration (identifier_list (identifier) @name)) @definition.field

; A variable of the file is a row of siblings: modifiers, type, names.
(program [(const_builtin) (final_builtin)] @definition.function
  . [(type_identifier) (type_arguments) (nullable_type) (function_type) (record_type)]*
  . (static_final_declaration_list (static_final_declaration . (identifier) @name
      (function_expression body: (_) @body))) @definition.function)
(program [(const_builtin) (final_builtin)] @definition.constant
  . [(type_identifier) (type_arguments) (nullable_type) (function_type) (record_type)]*
  . [
    (static_final_declaration_list (static_final_declaration . (identifier) @name))
    (initialized_identifier_list (initialized_identifier . (identifier) @name))
  ] @definition.constant)
(program [(inferred_type) (type_identifier) (function_type) (record_type)] @definition.variable
  . [(type_identifier) (type_arguments) (nullable_type)]*
  . (initialized_identifier_list (initialized_identifier . (identifier) @name)) @definition.variable)

(comment) @comment
(documentation_comment) @comment
(annotation) @attach
