; A stage goes by its alias, else by its image.
(from_instruction as: (image_alias) @name) @definition.module
(from_instruction (image_spec name: (image_name) @name) !as) @definition.module

(arg_instruction (arg_pair name: (_) @name)) @definition.variable
(env_instruction . (env_pair name: (_) @name) .) @definition.variable
(env_pair name: (_) @name) @definition.variable

(comment) @comment
