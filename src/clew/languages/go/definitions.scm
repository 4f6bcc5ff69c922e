(function_declaration name: (identifier) @name) @definition.function

; The receiver's type qualifies a method: `func (c *Cart[T]) Total()` is Cart.Total.
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @qualifier
    (pointer_type (type_identifier) @qualifier)
    (generic_type type: (type_identifier) @qualifier)
    (pointer_type (generic_type type: (type_identifier) @qualifier))
    (parenthesized_type (type_identifier) @qualifier)
  ]))
  name: (field_identifier) @name) @definition.method

; A lone spec takes in the keyword of its declaration; in a group each spec stands for itself.
(type_declaration . (type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body))
  .) @definition.struct
(type_declaration . (type_spec name: (type_identifier) @name type: (interface_type "{" @body)) .) @definition.interface
(type_declaration . (type_spec name: (type_identifier) @name) .) @definition.type
(type_declaration . (type_alias name: (type_identifier) @name) .) @definition.type
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type "{" @body)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type

(method_elem name: (field_identifier) @name) @definition.method
; Fields of named types only: the struct of a test table in a function is no type of its own.
(type_spec type: (struct_type (field_declaration_list
  (field_declaration name: (field_identifier) @name) @definition.field)))
(type_spec type: (struct_type (field_declaration_list (field_declaration type: [
  (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @definition.field))
  (_ (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @definition.field)))
]))))

; Without the field name, because `name:` misses the second of `Green, Blue` in an iota group.
((source_file (const_declaration . (const_spec (identifier) @name) .) @definition.constant)
 (#not-eq? @name "_"))
((source_file (const_declaration (const_spec (identifier) @name) @definition.constant))
 (#not-eq? @name "_"))
(source_file (var_declaration . (var_spec name: (identifier) @name
  value: (expression_list . (func_literal body: (_) @body) .)) .) @definition.function)
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name
  value: (expression_list . (func_literal body: (_) @body) .)) @definition.function)))
((source_file (var_declaration . (var_spec (identifier) @name) .) @definition.variable)
 (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @definition.variable)))
 (#not-eq? @name "_"))

(comment) @comment
