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
(class_interface . (identifier) @name category: (identifier)) @scope.type
(class_implementation . (identifier) @name category: (identifier)) @scope.type
(class_interface . (identifier) @name) @definition.class
(class_interface [(attribute_specifier) (availability_attribute_specifier)] . (identifier) @name) @definition.class
(class_implementation . (identifier) @name) @definition.class
(protocol_declaration (identifier) @name) @definition.interface

; The first part of the selector names a method: `priceFor:inCountry:` is priceFor.
((method_declaration (method_type) . (identifier) @name) @definition.constructor
 (#match? @name "^init([A-Z_]|$)"))
((implementation_definition (_ (method_type) . (identifier) @name) @definition.constructor)
 (#match? @name "^init([A-Z_]|$)"))
(method_declaration (method_type) . (identifier) @name) @definition.method
(implementation_definition (_ (method_type) . (identifier) @name) @definition.method)

(property_declaration (struct_declaration (struct_declarator [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (function_declarator (parenthesized_declarator (_ declarator: (identifier) @name)))
]))) @definition.property
(instance_variable (struct_declaration (struct_declarator [
  (identifier) @name
  (_ declarator: (identifier) @name)
  (_ declarator: (_ declarator: (identifier) @name))
  (function_declarator (parenthesized_declarator (_ declarator: (identifier) @name)))
]))) @definition.field

; `typedef NS_ENUM(NSInteger, Color)` is an error to the grammar, but the name is there.
((macro_type_specifier name: (identifier) @_macro (ERROR (identifier) @name)) @definition.enum
 (#match? @_macro "_(ENUM|OPTIONS)$"))
(macro_type_specifier name: (identifier) @name @scope)

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
