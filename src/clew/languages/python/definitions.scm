((decorated_definition
  (decorator [(identifier) (attribute)] @_decorator)
  definition: (function_definition name: (identifier) @name body: (_) @body) @definition.property)
 (#match? @_decorator "(^|\\.)(cached_property|property|setter|getter|deleter)$"))
(function_definition name: (identifier) @name body: (_) @body) @definition.function

((class_definition name: (identifier) @name superclasses: (argument_list [(identifier) (attribute)] @_base)
  body: (_) @body)
 @definition.enum
 (#match? @_base "(^|\\.)(Enum|IntEnum|StrEnum|ReprEnum|Flag|IntFlag)$"))
(class_definition name: (identifier) @name body: (_) @body) @definition.class

(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type

; Assignments count at module and class level only: a local variable is no definition.
((class_definition
  superclasses: (argument_list [(identifier) (attribute)] @_base)
  body: (block (expression_statement (assignment left: (identifier) @name !type) @definition.constant)))
 (#match? @_base "(^|\\.)(Enum|IntEnum|StrEnum|ReprEnum|Flag|IntFlag)$"))
(class_definition body: (block (expression_statement
  (assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.method)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(class_definition body: (block (if_statement (block (expression_statement
  (assignment left: (identifier) @name) @definition.field)))))

(module (expression_statement
  (assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.function))
((module (expression_statement
  (assignment left: (identifier) @name type: (type [(identifier) (attribute)] @_type)) @definition.type))
 (#match? @_type "(^|\\.)TypeAlias$"))
((module (expression_statement
  (assignment left: (identifier) @name right: (call function: [(identifier) (attribute)] @_call)) @definition.type))
 (#match? @_call "(^|\\.)(NewType|NamedTuple|namedtuple|TypedDict|TypeAliasType|make_dataclass)$"))

; A name that begins like a constant or is a dunder is one; `logger` and `app` are variables.
((module (expression_statement (assignment left: (identifier) @name) @definition.constant))
 (#match? @name "^(_*[A-Z]|__)"))
(module (expression_statement (assignment left: (identifier) @name) @definition.variable))
(module (expression_statement (assignment left: (identifier) right: (assignment
  left: (identifier) @name)) @definition.variable))
(module (expression_statement
  (assignment left: [
    (pattern_list (identifier) @name)
    (pattern_list (tuple_pattern (identifier) @name))
    (tuple_pattern (identifier) @name)
  ]) @definition.variable))
((module [
  (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.constant)))
  (if_statement (_ (block (expression_statement (assignment left: (identifier) @name) @definition.constant))))
  (try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.constant)))
  (try_statement (_ (block (expression_statement (assignment left: (identifier) @name) @definition.constant))))
 ])
 (#match? @name "^(_*[A-Z]|__)"))
(module [
  (if_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
  (if_statement (_ (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
  (try_statement (block (expression_statement (assignment left: (identifier) @name) @definition.variable)))
  (try_statement (_ (block (expression_statement (assignment left: (identifier) @name) @definition.variable))))
])

(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
(comment) @comment
