; The first name after the keyword, or after IF NOT EXISTS, is the new one; others are referred to.
(create_table [(keyword_table) (keyword_exists)] . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  [(column_definitions) (create_query)] @body) @definition.struct
(create_table [(keyword_table) (keyword_exists)] . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)) @definition.struct
(create_view [(keyword_view) (keyword_exists)] . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  (create_query)? @body) @definition.struct
(create_materialized_view [(keyword_view) (keyword_exists)] . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  (create_query)? @body) @definition.struct
(create_type (keyword_type) . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  (enum_elements) @body) @definition.enum
(create_type (keyword_type) . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  (column_definitions) @body) @definition.struct
(create_type (keyword_type) . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)) @definition.type
(enum_elements enum_element: (literal) @name @definition.constant)
(column_definitions (column_definition name: [(identifier) (literal)] @name) @definition.field)

(create_function (keyword_function) . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  (function_body)? @body) @definition.function
(create_procedure (keyword_procedure) . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)
  (procedure_body)? @body) @definition.function
(create_trigger (keyword_trigger) . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)) @definition.function
(create_index column: (identifier) @name) @definition.object
(create_policy (keyword_policy) . (object_reference name: (identifier) @name)) @definition.object
(create_sequence [(keyword_sequence) (keyword_exists)] . (object_reference schema: (identifier)? @qualifier name: (identifier) @name)) @definition.object
(create_role (keyword_role) . (identifier) @name) @definition.object
(create_schema [(keyword_schema) (keyword_exists)] . (identifier) @name) @definition.module
(create_database [(keyword_database) (keyword_exists)] . (identifier) @name) @definition.module

(alter_table [(keyword_table) (keyword_exists)] . (object_reference schema: (identifier)? name: (identifier) @qualifier)
  (add_column (column_definition name: [(identifier) (literal)] @name))) @definition.field

[(comment) (marginalia)] @comment
