; `resource "aws_instance" "web" { }` is resource.aws_instance.web. The block only qualifies, and its
; first word is the definition (widened to the block by `wrap`): so the type and both labels count.
(config_file (body (block . (identifier) @name . [(string_lit) (identifier)]) @scope))
(config_file (body (block . (identifier) @definition.module . [(string_lit) (identifier)] @name . (block_start) @body
  (#eq? @definition.module "module"))))
(config_file (body (block . (identifier) @definition.variable . [(string_lit) (identifier)] @name . (block_start) @body
  (#eq? @definition.variable "variable"))))
(config_file (body (block . (identifier) @definition.property . [(string_lit) (identifier)] @name . (block_start) @body
  (#eq? @definition.property "output"))))
(config_file (body (block . (identifier) @definition.function . [(string_lit) (identifier)] @name . (block_start) @body
  (#eq? @definition.function "function"))))
(config_file (body (block . (identifier) @definition.object . [(string_lit) (identifier)] @name . (block_start) @body)))
(config_file (body (block . (identifier) @definition.object . [(string_lit) (identifier)] @qualifier
  . [(string_lit) (identifier)] @name . (block_start) @body)))

; A block without labels: terraform, locals, moved.
(config_file (body (block . (identifier) @name . (block_start) @body) @definition.section))
(config_file (body (block . (identifier) @_locals . (block_start) (body (attribute (identifier) @name) @definition.variable)
  (#eq? @_locals "locals"))))
(config_file (body (attribute (identifier) @name) @definition.variable))

(comment) @comment
