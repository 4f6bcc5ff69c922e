(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(function_signature name: (identifier) @name) @definition.function
(class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(type_alias_declaration name: (type_identifier) @name) @definition.type
(internal_module name: (_) @name body: (_)? @body) @definition.module
(module name: (_) @name body: (_)? @body) @definition.module
(export_statement (import_alias . (identifier) @name) @definition.type)

; A default export without a name of its own goes by the name importers use.
(export_statement "default" @name value: [
  (function_expression !name body: (_) @body)
  (generator_function !name body: (_) @body)
  (arrow_function body: (_) @body)
]) @definition.function
(export_statement "default" @name value: (class !name body: (_) @body)) @definition.class

; The name of `[Symbol.iterator]` is the expression inside the brackets.
(method_definition name: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name body: (_) @body) @definition.method
(method_definition name: (computed_property_name (_) @name) body: (_) @body) @definition.method
(class_body (method_signature name: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name) @definition.method)
(class_body (method_signature name: (computed_property_name (_) @name)) @definition.method)
(abstract_method_signature name: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name) @definition.method
(abstract_method_signature name: (computed_property_name (_) @name)) @definition.method
(public_field_definition name: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.method
(public_field_definition name: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name) @definition.field
(public_field_definition name: (computed_property_name (_) @name)) @definition.field

; `constructor(private db: Db)` declares a field; other parameters are local.
(required_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @definition.field
(optional_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name) @definition.field

; Members of interfaces and of aliased object types; the shape of a parameter defines nothing.
(interface_body (property_signature name: [(property_identifier) (string) (number)] @name) @definition.property)
(interface_body (property_signature name: (computed_property_name (_) @name)) @definition.property)
(interface_body (property_signature type: (type_annotation (object_type
  (property_signature name: [(property_identifier) (string) (number)] @name) @definition.property))))
(interface_body (method_signature name: [(property_identifier) (string) (number)] @name) @definition.method)
(interface_body (method_signature name: (computed_property_name (_) @name)) @definition.method)
(type_alias_declaration value: [
  (object_type (property_signature name: [(property_identifier) (string) (number)] @name) @definition.property)
  (intersection_type (object_type
    (property_signature name: [(property_identifier) (string) (number)] @name) @definition.property))
  (intersection_type (intersection_type (object_type
    (property_signature name: [(property_identifier) (string) (number)] @name) @definition.property)))
])
(type_alias_declaration value: [
  (object_type (method_signature name: [(property_identifier) (string) (number)] @name) @definition.method)
  (intersection_type (object_type
    (method_signature name: [(property_identifier) (string) (number)] @name) @definition.method))
])
(enum_assignment name: [(property_identifier) (string)] @name) @definition.constant
(enum_assignment name: (computed_property_name (_) @name)) @definition.constant
(enum_body name: [(property_identifier) (string)] @name @definition.constant)

(lexical_declaration (variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
])) @definition.function
(variable_declaration (variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
])) @definition.function
(lexical_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class
(variable_declaration (variable_declarator name: (identifier) @name value: (class body: (_) @body))) @definition.class

; Wrappers that give back the function they were given.
((lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression
    function: [(identifier) (member_expression)] @_wrapper
    arguments: (arguments . [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
    ])))) @definition.function
  (#match? @_wrapper "^(React\\.|_\\.)?(memo|forwardRef|observer|useCallback|debounce|throttle|memoize|once)$"))

((expression_statement (assignment_expression
  left: (member_expression
    object: [(identifier) (this) (member_expression)] @qualifier
    property: [(property_identifier) (private_property_identifier)] @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ])) @definition.function
  (#match? @qualifier "^[\\w$.]+$") (#not-eq? @name "exports"))
(pair key: [(property_identifier) (private_property_identifier) (string) (number)] @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.function
(pair key: (computed_property_name (_) @name) value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.function
(export_statement value: (call_expression arguments: (arguments .
  (function_expression name: (identifier) @name body: (_) @body)))) @definition.function
((call_expression function: (_) @_callee
  arguments: (arguments (function_expression name: (identifier) @name body: (_) @body) @definition.function))
  (#not-match? @_callee "^(React\\.|_\\.)?(memo|forwardRef|observer|useCallback|debounce|throttle|memoize|once)$"))
(return_statement (function_expression name: (identifier) @name body: (_) @body) @definition.function)
(return_statement (class name: (type_identifier) @name body: (_) @body) @definition.class)

; Values count at the top of the file, of a namespace and of a declared module only; `require` is an import.
((program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.constant)
  (#not-match? @_value "^(await )?(require|import)\\b"))
((program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^(await )?(require|import)\\b"))
(program (lexical_declaration (variable_declarator name: (identifier) @name !value)) @definition.variable)
((program (variable_declaration (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^(await )?(require|import)\\b"))
(program (variable_declaration (variable_declarator name: (identifier) @name !value)) @definition.variable)
(export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant)
(export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(export_statement (lexical_declaration (variable_declarator name: [
  (object_pattern (shorthand_property_identifier_pattern) @name)
  (object_pattern (pair_pattern value: (identifier) @name))
  (object_pattern (pair_pattern value: (assignment_pattern left: (identifier) @name)))
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name))
  (array_pattern (identifier) @name)
])) @definition.constant)
(ambient_declaration (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant)
(ambient_declaration (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable)
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable)
(internal_module body: (_ (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant))
(internal_module body: (_ (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable))
(internal_module body: (_ (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable))
(module body: (_ (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant))
(module body: (_ (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable))
(module body: (_ (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable))
(ambient_declaration (statement_block (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant))
(ambient_declaration (statement_block (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable))

(comment) @comment
(decorator) @attach
