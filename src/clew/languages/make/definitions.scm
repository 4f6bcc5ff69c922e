; The grammar takes an `ifeq` that follows a rule into its recipe. What is in there must not be
; qualified by the target: so the targets stand for the rule, and `wrap` widens them. A rule without
; a recipe of its own is not widened: here the single name stands for it.
(rule (targets [(word) (concatenation) (variable_reference)] @name @definition.function)
  (recipe . (conditional consequence: [(variable_assignment) (shell_assignment) (rule) (define_directive)]))
  (#not-match? @name "^\\.[A-Z_]+$|\\s"))
(rule (targets [(word) (concatenation) (variable_reference)] @name) @definition.function (recipe) @body
  (#not-match? @name "^\\.[A-Z_]+$|\\s"))
(rule (targets [(word) (concatenation) (variable_reference)] @name) @definition.function
  (#not-match? @name "^\\.[A-Z_]+$|\\s"))

(variable_assignment target_or_pattern: (list) @qualifier name: (word) @name) @definition.variable
; `+=` adds to what is defined elsewhere; without a space before it the grammar puts the `+` into the name.
(variable_assignment name: (word) @name ["=" ":=" "::=" "?="]
  (#not-match? @name "^\\.[A-Z_]+$|\\+$")) @definition.variable
(shell_assignment name: (word) @name) @definition.variable
(define_directive name: (word) @name value: (_)? @body) @definition.macro

(comment) @comment
