; Imports, `const Self = @This()` and aliases of the same name (`const Allocator = std.mem.Allocator`) define nothing.
((variable_declaration . "const" . (identifier) @name @scope (builtin_function (builtin_identifier) @_builtin))
 (#any-of? @_builtin "@import" "@This" "@cImport"))
((variable_declaration . "pub" . "const" . (identifier) @name @scope (builtin_function (builtin_identifier) @_builtin))
 (#any-of? @_builtin "@import" "@This" "@cImport"))
((variable_declaration (identifier) @name @scope (field_expression member: (identifier) @_member))
 (#eq? @name @_member))

(variable_declaration . (identifier) @name (struct_declaration "{" @body)) @definition.struct
(variable_declaration . (identifier) @name (union_declaration "{" @body)) @definition.struct
(variable_declaration . (identifier) @name (opaque_declaration "{" @body)) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration "{" @body)) @definition.enum
(variable_declaration . (identifier) @name (error_set_declaration "{" @body)) @definition.enum
(error_set_declaration (identifier) @name @definition.constant)
((enum_declaration (container_field name: (identifier) @name) @definition.constant) (#not-eq? @name "_"))
((container_field name: (identifier) @name) @definition.field (#not-eq? @name "_"))

; Also the struct that a generic function returns has methods.
(struct_declaration (function_declaration name: (identifier) @name) @definition.method)
(union_declaration (function_declaration name: (identifier) @name) @definition.method)
(enum_declaration (function_declaration name: (identifier) @name) @definition.method)
(opaque_declaration (function_declaration name: (identifier) @name) @definition.method)
(function_declaration name: (identifier) @name) @definition.function
(test_declaration (string (string_content) @name)) @definition.function

(source_file (variable_declaration "const" . (identifier) @name) @definition.constant)
(source_file (variable_declaration "var" . (identifier) @name) @definition.variable)
(struct_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
(struct_declaration (variable_declaration "var" . (identifier) @name) @definition.variable)
(union_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
(enum_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)
(opaque_declaration (variable_declaration "const" . (identifier) @name) @definition.constant)

((comment) @comment (#not-match? @comment "^//!"))
