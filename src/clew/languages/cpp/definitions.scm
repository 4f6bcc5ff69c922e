; Locals and prototypes inside a body claim their names first, as a scope that holds nothing,
; so that no pattern below makes them definitions (`lock_guard lock(mutex);` looks like a prototype).
(compound_statement [
  (declaration declarator: [
    (identifier) @name @scope
    (_ declarator: (identifier) @name @scope)
    (_ declarator: (_ declarator: (identifier) @name @scope))
    (_ declarator: (_ declarator: (_ declarator: (identifier) @name @scope)))
    (reference_declarator (identifier) @name @scope)
    (reference_declarator (_ declarator: (identifier) @name @scope))
    (_ declarator: (reference_declarator (identifier) @name @scope))
    (_ (parenthesized_declarator (_ declarator: (identifier) @name @scope)))
    (_ declarator: (_ (parenthesized_declarator (_ declarator: (identifier) @name @scope))))
  ])
  (_ (declaration declarator: [
    (identifier) @name @scope
    (_ declarator: (identifier) @name @scope)
    (_ declarator: (_ declarator: (identifier) @name @scope))
    (reference_declarator (identifier) @name @scope)
    (_ declarator: (reference_declarator (identifier) @name @scope))
  ]))
  (_ (_ (declaration declarator: [
    (identifier) @name @scope
    (_ declarator: (identifier) @name @scope)
    (_ declarator: (_ declarator: (identifier) @name @scope))
    (reference_declarator (identifier) @name @scope)
    (_ declarator: (reference_declarator (identifier) @name @scope))
  ])))
])
(friend_declaration (_ !body declarator: [
  (_ declarator: (_) @name @scope)
  (_ (_ declarator: (_) @name @scope))
]))

; No return type: a constructor. Inside a class its name is no field_identifier.
(field_declaration_list [
  (_ !type declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor
  (template_declaration
    (_ !type declarator: (function_declarator declarator: (identifier) @name)) @definition.constructor)
])
; gtest and its like: the macro's arguments name the test, and the macro names nothing.
((function_definition !type declarator: (function_declarator
   declarator: (identifier) @name @scope
   parameters: (parameter_list . (parameter_declaration type: (type_identifier) !declarator))))
 (#match? @name "^[A-Z][A-Z0-9_]+$"))
((function_definition !type declarator: (function_declarator
   declarator: (identifier) @_macro
   parameters: (parameter_list . (parameter_declaration type: (type_identifier) @qualifier !declarator)
     . (parameter_declaration type: (type_identifier) @name !declarator) .))
  body: (_) @body) @definition.function
 (#match? @_macro "^[A-Z][A-Z0-9_]+$"))
((translation_unit (function_definition !type declarator: (function_declarator
   declarator: (identifier) @_macro
   parameters: (parameter_list . (parameter_declaration type: (type_identifier) @name !declarator) .))
  body: (_) @body) @definition.function)
 (#match? @_macro "^[A-Z][A-Z0-9_]+$"))

((function_definition !type declarator: (function_declarator
  declarator: (qualified_identifier) @name)) @definition.constructor
 (#not-match? @name "~|\\boperator\\b"))

(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier) @name)
  (_ (function_declarator declarator: (qualified_identifier) @name))
  (_ (_ (function_declarator declarator: (qualified_identifier) @name)))
  (qualified_identifier name: (operator_cast)) @name
  (qualified_identifier name: (qualified_identifier name: (operator_cast))) @name
  (operator_cast) @name
]) @definition.method
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name) (destructor_name)] @name)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))
]) @definition.method

(function_definition declarator: [
  (function_declarator declarator: [
    (identifier) (field_identifier) (destructor_name) (operator_name)
    (template_function name: (identifier)) (parenthesized_declarator . (identifier) .)
  ] @name)
  (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)))
  (_ (parenthesized_declarator (_ (function_declarator declarator: [(identifier) (field_identifier)] @name))))
]) @definition.function
(declaration declarator: [
  (operator_cast) @name
  (function_declarator declarator: [
    (identifier) (destructor_name) (operator_name) (qualified_identifier) (parenthesized_declarator . (identifier) .)
  ] @name)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name))
  (_ (_ (function_declarator declarator: [(identifier) (operator_name)] @name)))
  (_ (parenthesized_declarator (_ (function_declarator declarator: (identifier) @name))))
]) @definition.function

; An inline namespace does not show in the names of its members.
(namespace_definition "inline" name: (_) @name @scope)
(namespace_definition name: (_) @name) @definition.module
(class_specifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)
  (qualified_identifier) @name
] body: (_) @body) @definition.class
[
  (struct_specifier name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier) @name
  ] body: (_) @body)
  (union_specifier name: [(type_identifier) (qualified_identifier)] @name body: (_) @body)
] @definition.struct
(enum_specifier name: (_) @name body: (_) @body) @definition.enum
; `class API Cart { … };` is read as a function.
(function_definition type: [(class_specifier !body) (struct_specifier !body)] declarator: (identifier) @name
  body: (_) @body) @definition.class
(type_definition type: [
  (class_specifier !name body: (_) @body) @definition.class
  (struct_specifier !name body: (_) @body) @definition.struct
  (union_specifier !name body: (_) @body) @definition.struct
  (enum_specifier !name body: (_) @body) @definition.enum
] . declarator: (type_identifier) @name)
((type_definition type: (_ name: (type_identifier) @_tag body: (_)) declarator: (type_identifier) @name @scope)
 (#eq? @name @_tag))
(type_definition type: (_ body: (_)) declarator: [
  (type_identifier) @name @definition.type
  (_ declarator: (type_identifier) @name @definition.type)
])
(type_definition declarator: [
  (type_identifier) @name
  (_ declarator: (type_identifier) @name)
  (_ declarator: (_ declarator: (type_identifier) @name))
  (reference_declarator (type_identifier) @name)
  (function_declarator (parenthesized_declarator (type_identifier) @name))
  (function_declarator (parenthesized_declarator (_ declarator: (type_identifier) @name)))
  (_ declarator: (function_declarator (parenthesized_declarator (_ declarator: (type_identifier) @name))))
]) @definition.type
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(enumerator name: (identifier) @name) @definition.constant
((field_declaration (type_qualifier) @_const declarator: (field_identifier) @name) @definition.constant
 (#eq? @_const "constexpr"))
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (array_declarator declarator: (field_identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (reference_declarator (field_identifier) @name)
  (function_declarator (parenthesized_declarator (_ declarator: (field_identifier) @name)))
]) @definition.field

(declaration declarator: (init_declarator
  declarator: [(identifier) (qualified_identifier)] @name
  value: (lambda_expression body: (_) @body))) @definition.function
((declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (qualified_identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant
 (#any-of? @_const "const" "constexpr"))
(declaration declarator: [
  (identifier) @name
  (qualified_identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
  (reference_declarator (identifier) @name)
  (function_declarator (parenthesized_declarator (_ declarator: (identifier) @name)))
  (init_declarator declarator: [
    (identifier) @name
    (qualified_identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))
    (array_declarator declarator: (identifier) @name)
    (reference_declarator (identifier) @name)
    (function_declarator (parenthesized_declarator (_ declarator: (identifier) @name)))
  ])
]) @definition.variable

; A guard against double inclusion defines nothing that anyone looks for.
((preproc_def name: (identifier) @name @scope !value)
 (#match? @name "(_[Hh]([Hh]|[Pp][Pp]|[Xx][Xx])?|_INCLUDED)_*$"))
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment
