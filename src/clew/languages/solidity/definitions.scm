(contract_declaration name: (identifier) @name) @definition.class
(library_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(struct_declaration name: (identifier) @name) @definition.struct
(struct_member name: (identifier) @name) @definition.field
(enum_declaration name: (identifier) @name) @definition.enum
(enum_value) @name @definition.constant
(event_definition name: (identifier) @name) @definition.type
(error_declaration name: (identifier) @name) @definition.type
(user_defined_type_definition name: (identifier) @name) @definition.type

(function_definition name: (identifier) @name) @definition.function
(modifier_definition name: (identifier) @name) @definition.function
(yul_function_definition . (yul_identifier) @name) @definition.function
; What has no name goes by its keyword.
(constructor_definition "constructor" @name) @definition.constructor
(fallback_receive_definition ["receive" "fallback"] @name) @definition.method

(state_variable_declaration "constant" name: (identifier) @name) @definition.constant
(state_variable_declaration name: (identifier) @name) @definition.field
(constant_variable_declaration name: (identifier) @name) @definition.constant

(comment) @comment
