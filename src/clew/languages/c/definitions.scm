; Locals and prototypes inside a body claim their names first, as a scope that holds nothing,
; so that no pattern below makes them definitions.
(compound_statement [
  (declaration declarator: [
    (identifier) @name @scope
    (_ declarator: (identifier) @name @scope)
    (_ declarator: (_ declarator: (identifier) @name @scope))
    (_ declarator: (_ declarator: (_ declarator: (identifier) @name @scope)))
    (_ (parenthesized_declarator (_ declarator: (identifier) @name @scope)))
    (_ declarator: (_ (parenthesized_declarator (_ declarator: (identifier) @name @scope))))
  ])
  (_ (declaration declarator: [
    (identifier) @name @scope
    (_ declarator: (identifier) @name @scope)
    (_ declarator: (_ declarator: (identifier) @name @scope))
  ]))
  (_ (_ (declaration declarator: [
    (identifier) @name @scope
    (_ declarator: (identifier) @name @scope)
    (_ declarator: (_ declarator: (identifier) @name @scope))
  ])))
])
; Parameters of the old style: `int f(a) int a; { … }`.
(function_definition (declaration declarator: [
  (identifier) @name @scope
  (_ declarator: (identifier) @name @scope)
  (_ declarator: (_ declarator: (identifier) @name @scope))
]))

; Functions and prototypes, also those that return pointers or functions.
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ declarator: (function_declarator declarator: (identifier) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name))))
  (_ (parenthesized_declarator (_ declarator: (function_declarator declarator: (identifier) @name))))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
] body: (_) @body) @definition.function
; `TEST_IMPL(name) { … }`: a macro that defines the function it names.
(function_definition declarator: (parenthesized_declarator (identifier) @name) body: (_) @body) @definition.function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name)
  (_ declarator: (function_declarator declarator: (identifier) @name))
  (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))
  (_ declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name))))
  (_ (parenthesized_declarator (_ declarator: (function_declarator declarator: (identifier) @name))))
  (function_declarator declarator: (parenthesized_declarator (identifier) @name))
]) @definition.function

; A tagged typedef is its tag and its names; one without a tag is the struct of that name.
(struct_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @definition.enum
(type_definition type: (struct_specifier !name body: (_) @body) @definition.struct .
  declarator: (type_identifier) @name)
(type_definition type: (union_specifier !name body: (_) @body) @definition.struct . declarator: (type_identifier) @name)
(type_definition type: (enum_specifier !name body: (_) @body) @definition.enum . declarator: (type_identifier) @name)
((type_definition type: (_ name: (type_identifier) @_tag body: (_))
  declarator: (type_identifier) @name @definition.type)
 (#not-eq? @name @_tag))
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
  (function_declarator (parenthesized_declarator (type_identifier) @name))
  (function_declarator (parenthesized_declarator (_ declarator: (type_identifier) @name)))
  (_ declarator: (function_declarator (parenthesized_declarator (_ declarator: (type_identifier) @name))))
]) @definition.type

(enumerator name: (identifier) @name) @definition.constant
(field_declaration declarator: [
  (field_identifier) @name
  (_ declarator: (field_identifier) @name)
  (_ declarator: (_ declarator: (field_identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (field_identifier) @name)))
  (function_declarator (parenthesized_declarator (_ declarator: (field_identifier) @name)))
  (_ declarator: (function_declarator (parenthesized_declarator (_ declarator: (field_identifier) @name))))
]) @definition.field

((declaration (type_qualifier) @_const declarator: (init_declarator declarator: [
  (identifier) @name
  (array_declarator declarator: (identifier) @name)
  (array_declarator declarator: (array_declarator declarator: (identifier) @name))
])) @definition.constant
 (#any-of? @_const "const" "constexpr"))
(declaration declarator: [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))
  (function_declarator (parenthesized_declarator (_ declarator: (identifier) @name)))
  (init_declarator declarator: (function_declarator (parenthesized_declarator (_ declarator: (identifier) @name))))
]) @definition.variable

; A guard against double inclusion defines nothing that anyone looks for.
((preproc_def name: (identifier) @name @scope !value)
 (#match? @name "(_[Hh]([Hh]|[Pp][Pp]|[Xx][Xx])?|_INCLUDED)_*$"))
(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name value: (_)? @body) @definition.macro

(comment) @comment
