(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant

(function_definition name: (identifier) @name body: (_) @body) @definition.function
(program (method_declaration name: (identifier) @name body: (_)? @body) @definition.function)
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
; A method without type or `def` looks like a constructor but for its name: `static main(args) {}`.
((class_declaration name: (identifier) @_class body: (class_body
  (constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor))
  (#eq? @_class @name))
((enum_declaration name: (identifier) @_enum body: (enum_body (enum_body_declarations
  (constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor)))
  (#eq? @_enum @name))
((constructor_declaration name: (identifier) @name body: (_) @body) @definition.method
  (#not-eq? @name "def"))

(class_body (field_declaration declarator: (variable_declarator name: (identifier) @name value: (closure) @body)) @definition.method)
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration (modifiers "final" "static") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
; `static final LIMIT = 3`: without a type the name is taken for one.
(field_declaration (modifiers "static" "final") type: (type_identifier) @name
  declarator: (variable_declarator name: (MISSING identifier))) @definition.constant
(field_declaration type: (type_identifier) @name
  declarator: (variable_declarator name: (MISSING identifier))) @definition.field
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(program (local_variable_declaration declarator: (variable_declarator name: (identifier) @name value: (closure) @body))
  @definition.function)
((program (local_variable_declaration type: (type_identifier) @_task
  declarator: (variable_declarator name: (identifier) @name)) @definition.function)
  (#eq? @_task "task"))
(program (local_variable_declaration (modifiers "final") declarator: (variable_declarator name: (identifier) @name))
  @definition.constant)
(program (local_variable_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.variable)

; Gradle: `task pack { }`, `task pack(type: Zip) { }`, `tasks.register("pack") { }`.
((juxt_function_call name: (identifier) @_task args: (argument_list . (identifier) @name)) @definition.function
  . [(block) (expression_statement (closure))] @definition.function @body
  (#eq? @_task "task"))
((juxt_function_call name: (identifier) @_task args: (argument_list . (identifier) @name)) @definition.function
  . (ERROR) . [(block) (expression_statement (closure))] @definition.function @body
  (#eq? @_task "task"))
((juxt_function_call name: (identifier) @_task args: (argument_list . [
  (identifier) @name
  (method_invocation name: (identifier) @name body: (closure)? @body)
])) @definition.function
  (#eq? @_task "task"))
((method_invocation object: (identifier) @_tasks name: (identifier) @_register
  arguments: (argument_list . [
    (string_literal (string_fragment) @name)
    (character_literal) @name
  ]) body: (closure)? @body) @definition.function
  (#eq? @_tasks "tasks") (#any-of? @_register "register" "create"))

; The grammar knows no traits.
((juxt_function_call name: (identifier) @_trait args: (argument_list . (identifier) @name)) @definition.trait
  . (expression_statement (closure) @body) @definition.trait
  (#eq? @_trait "trait"))
; It fails on `def "a method in words"() { }` and may take the whole class for an error. Such a method is
; then its name and its body, a class is its name.
(ERROR "class" . (identifier) @name @definition.class)
((constructor_declaration name: (identifier) @_def . (ERROR) @name body: (_) @body) @definition.method
  (#eq? @_def "def"))
(ERROR (string_literal (string_fragment) @name) @definition.method
  . (formal_parameters)? . (closure) @definition.method @body)
(ERROR (character_literal) @name @definition.method
  . (formal_parameters)? . (closure) @definition.method @body)
(ERROR (string_literal (string_fragment) @name) @definition.method
  . (ERROR . (closure) @definition.method @body))
(ERROR (character_literal) @name @definition.method
  . (ERROR . (closure) @definition.method @body))
((ERROR (identifier) @_def . (method_invocation !object name: (identifier) @name body: (closure) @body) @definition.method)
  (#eq? @_def "def"))
(ERROR (void_type) . (method_invocation !object name: (identifier) @name body: (closure) @body) @definition.method)
((ERROR (identifier) @_def .) . (method_invocation !object name: (identifier) @name body: (closure) @body) @definition.method
  (#eq? @_def "def"))

(line_comment) @comment
(block_comment) @comment
