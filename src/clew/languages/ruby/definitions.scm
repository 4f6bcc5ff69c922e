(class name: [(constant) (scope_resolution)] @name) @definition.class
(module name: [(constant) (scope_resolution)] @name) @definition.module
(module body: (body_statement (method name: (_) @name) @definition.method))
(method name: (_) @name) @definition.function
(singleton_method object: [(constant) (scope_resolution)] @qualifier name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method

; Constants that hold what is called or instantiated.
((assignment left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.class
 (#any-of? @_class "Class" "Struct" "Data" "OpenStruct") (#any-of? @_new "new" "define"))
((assignment left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @_class method: (identifier) @_new)) @definition.module
 (#eq? @_class "Module") (#eq? @_new "new"))
(assignment left: (constant) @name right: (lambda body: (_) @body)) @definition.function
((assignment left: (constant) @name right: (call !receiver method: (identifier) @_lambda
  block: (_) @body)) @definition.function
 (#any-of? @_lambda "lambda" "proc"))
(assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(operator_assignment left: [(constant) (scope_resolution)] @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(program (assignment left: (global_variable) @name) @definition.variable)
(class body: (body_statement (assignment left: (class_variable) @name) @definition.variable))
(module body: (body_statement (assignment left: (class_variable) @name) @definition.variable))

; Methods that calls in a class body define.
((call !receiver method: (identifier) @_call arguments: (argument_list [(simple_symbol) @name
  (string . (string_content) @name .)])) @definition.property
 (#match? @_call "^(thread_)?([cm]?attr_(reader|writer|accessor)|[cm]attr_internal_\\w+|class_attribute)$"))
((call !receiver method: (identifier) @_call arguments: (argument_list . [(simple_symbol) @name
  (string . (string_content) @name .)])) @definition.property
 (#any-of? @_call "attribute" "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "has_one_attached"
  "has_many_attached"))
((call method: (identifier) @_call arguments: (argument_list . [(simple_symbol) @name
  (string . (string_content) @name .)])) @definition.method
 (#any-of? @_call "define_method" "define_singleton_method"))
((call !receiver method: (identifier) @_call arguments: (argument_list . [
  (simple_symbol) @name
  (string . (string_content) @name .)
] . [(simple_symbol) (string) (lambda)])) @definition.method
 (#any-of? @_call "alias_method" "scope"))
(alias name: (_) @name) @definition.method
((call !receiver method: (identifier) @_call arguments: (argument_list . [
  (simple_symbol) @name
  (string . (string_content) @name .)
  (pair key: (_) @name)
]) block: (_) @body) @definition.function
 (#eq? @_call "task"))

(comment) @comment
((call !receiver method: (identifier) @_call block: (_)) @attach (#eq? @_call "sig"))
