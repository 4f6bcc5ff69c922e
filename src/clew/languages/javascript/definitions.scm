(function_declaration name: (identifier) @name body: (_) @body) @definition.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @definition.function
(class_declaration name: (identifier) @name body: (_) @body) @definition.class

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
(field_definition property: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)
]) @definition.method
(field_definition property: [
  (property_identifier) (private_property_identifier) (string) (number)
] @name) @definition.field
(field_definition property: (computed_property_name (_) @name)) @definition.field

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

; `module.exports = function createApp() {}` is createApp; without a name it is `exports`.
((expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [
    (function_expression name: (identifier) @name body: (_) @body)
    (generator_function name: (identifier) @name body: (_) @body)
  ])) @definition.function
  (#eq? @_module "module") (#eq? @_exports "exports"))
((expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: (class name: (identifier) @name body: (_) @body))) @definition.class
  (#eq? @_module "module") (#eq? @_exports "exports"))
((expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: [
    (function_expression !name body: (_) @body)
    (generator_function !name body: (_) @body)
    (arrow_function body: (_) @body)
  ])) @definition.function
  (#eq? @_module "module") (#eq? @name "exports"))
((expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
  right: (class !name body: (_) @body))) @definition.class
  (#eq? @_module "module") (#eq? @name "exports"))

((expression_statement (assignment_expression
  left: (member_expression
    object: (member_expression object: (_) @qualifier property: (property_identifier) @_prototype)
    property: [(property_identifier) (private_property_identifier)] @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ])) @definition.method
  (#eq? @_prototype "prototype") (#match? @qualifier "^[\\w$.]+$"))
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
((expression_statement (assignment_expression
  left: (member_expression object: [(identifier) (this) (member_expression)] @qualifier property: (property_identifier) @name)
  right: (class body: (_) @body))) @definition.class
  (#match? @qualifier "^[\\w$.]+$") (#not-eq? @name "exports"))

; Two names at once: `res.set = res.header = function () {}`.
((expression_statement (assignment_expression
  left: (member_expression object: [(identifier) (this) (member_expression)] @qualifier property: (property_identifier) @name)
  right: (assignment_expression right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (class body: (_) @body)
  ]))) @definition.function
  (#match? @qualifier "^[\\w$.]+$") (#not-eq? @name "exports"))
((expression_statement (assignment_expression
  right: (assignment_expression
    left: (member_expression object: [(identifier) (this) (member_expression)] @qualifier property: (property_identifier) @name)
    right: [
      (arrow_function body: (_) @body)
      (function_expression body: (_) @body)
      (class body: (_) @body)
    ]))) @definition.function
  (#match? @qualifier "^[\\w$.]+$") (#not-eq? @name "exports"))

; `exports.LIMIT = 3`; an exported identifier is defined elsewhere.
((program (expression_statement (assignment_expression
  left: (member_expression object: [(identifier) (member_expression)] @qualifier property: (property_identifier) @name)
  right: [
    (object) (array) (string) (template_string) (number) (regex) (true) (false) (null)
    (new_expression) (call_expression) (binary_expression) (unary_expression)
  ] @_value)) @definition.constant)
  (#match? @qualifier "^(module\\.)?exports$") (#not-match? @_value "^require\\b"))

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
(return_statement (class name: (identifier) @name body: (_) @body) @definition.class)

; Values count at the top of the file only, and `require` is an import.
((program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.constant)
  (#not-match? @_value "^(await )?(require|import)\\b"))
((program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^(await )?(require|import)\\b"))
(program (lexical_declaration (variable_declarator name: (identifier) @name !value)) @definition.variable)
((program (variable_declaration (variable_declarator name: (identifier) @name value: (_) @_value)) @definition.variable)
  (#not-match? @_value "^(await )?(require|import)\\b"))
(program (variable_declaration (variable_declarator name: (identifier) @name !value)) @definition.variable)
(program (export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @definition.constant))
(program (export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name)) @definition.variable))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name)) @definition.variable))
(program (export_statement (lexical_declaration (variable_declarator name: [
  (object_pattern (shorthand_property_identifier_pattern) @name)
  (object_pattern (pair_pattern value: (identifier) @name))
  (object_pattern (pair_pattern value: (assignment_pattern left: (identifier) @name)))
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name))
  (array_pattern (identifier) @name)
])) @definition.constant))

(comment) @comment
(decorator) @attach
