; Further equations of a local function are no definitions of their own.
((local_binds (function name: (_) @_first) . (function name: (variable) @name @scope)) (#eq? @_first @name))

(data_type name: [(name) (prefix_id (_))] @name) @definition.type
(newtype name: [(name) (prefix_id (_))] @name) @definition.type
(type_synonym name: (name) @name) @definition.type
(type_family name: (name) @name) @definition.type
(data_family name: (name) @name) @definition.type
(class name: (name) @name declarations: (_)? @body) @definition.class

; Constructors do not enclose the fields: `items` of `Cart { items }` is Cart.items.
(data_constructor constructor: [
  (record name: (constructor) @name @definition.constructor)
  (prefix name: (constructor) @name @definition.constructor)
  (infix operator: (constructor_operator) @name @definition.constructor)
  (_ constructor: (record name: (constructor) @name @definition.constructor))
  (_ constructor: (prefix name: (constructor) @name @definition.constructor))
])
(newtype_constructor name: (constructor) @name @definition.constructor)
(gadt_constructor name: (constructor) @name @definition.constructor)
(field name: (field_name (variable) @name)) @definition.field

; The methods of an instance belong to its type, else to its class.
(instance patterns: (type_patterns . [
  (name) @name
  (qualified id: (name) @name)
  (parens (name) @name)
  (parens (apply constructor: (name) @name))
  (parens (apply constructor: (apply constructor: (name) @name)))
  (parens (apply constructor: (apply constructor: (apply constructor: (name) @name))))
  (parens (apply constructor: (qualified id: (name) @name)))
  (parens (apply constructor: (apply constructor: (qualified id: (name) @name))))
])) @scope.type
(instance name: (name) @name patterns: (type_patterns [
  (list) (tuple) (unit) (variable) (prefix_list) (prefix_tuple) (literal)
  (parens [(function) (variable) (prefix_tuple) (list)])
])) @scope.type

(class_declarations (signature name: [(variable) @name (prefix_id (operator) @name)]) @definition.method)
(class_declarations (signature names: (binding_list name: [(variable) @name (prefix_id
  (operator) @name)])) @definition.method)
(class_declarations [(function name: (variable) @name) (bind name: (variable) @name)] @scope)
(instance_declarations (function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.method)
(instance_declarations (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.method)

(function name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @definition.function
(function (infix operator: [(operator) @name (infix_id (_) @name)]) match: (_) @body) @definition.function
; A binding is a function if its type says so or its form does.
(declarations (signature type: [
  (function)
  (context type: (function))
  (forall type: (function))
  (forall type: (context type: (function)))
]) . (bind name: [(variable) @name (prefix_id (_) @name)]) @definition.function)
(declarations (bind name: [(variable) @name (prefix_id (_) @name)] match: (match expression: [
  (do) (lambda) (lambda_case)
])) @definition.function)
(declarations (bind name: [(variable) @name (prefix_id (_) @name)]) @definition.constant)
(declarations (bind pattern: (tuple element: (variable) @name)) @definition.constant)
(foreign_import signature: (signature name: (variable) @name)) @definition.function
(pattern_synonym (equation synonym: [
  (constructor) @name
  (apply function: (constructor) @name)
  (apply function: (apply function: (constructor) @name))
  (apply function: (apply function: (apply function: (constructor) @name)))
])) @definition.function

; A type signature belongs to the function below it.
(declarations (signature) @attach)
(instance_declarations (signature) @attach)
(pattern_synonym (signature)) @attach
(pragma) @attach
(comment) @comment
(haddock) @comment
