(class_declaration name: (identifier) @name body: (_) @body) @definition.class
(record_declaration name: (identifier) @name body: (_) @body) @definition.class
(interface_declaration name: (identifier) @name body: (_) @body) @definition.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @definition.interface
(enum_declaration name: (identifier) @name body: (_) @body) @definition.enum
(enum_constant name: (identifier) @name) @definition.constant
(module_declaration name: (_) @name body: (_) @body) @definition.module
; A package clause defines the package only in a file that holds nothing else (package-info.java).
(program (package_declaration [(identifier) (scoped_identifier)] @name) @definition.module .)

; Outside any type only in a compact source file; methods of anonymous classes are methods as well.
(program (method_declaration name: (identifier) @name body: (_)? @body) @definition.function)
(method_declaration name: (identifier) @name body: (_)? @body) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @definition.constructor

(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
(record_declaration parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @name)) @definition.field))
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration (modifiers "final" "static") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(line_comment) @comment
(block_comment) @comment
