((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @definition.module
 (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @definition.interface
 (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block)) @scope.type
 (#eq? @_def "defimpl"))

((call target: (identifier) @_def (arguments . [
   (identifier) @name
   (call target: (identifier) @name)
   (binary_operator left: (identifier) @name operator: "when")
   (binary_operator left: (call target: (identifier) @name) operator: "when")
   (binary_operator left: [(identifier) (binary_operator)] operator: _ @name right: [(identifier) (binary_operator)])
   (binary_operator
     left: (binary_operator left: (identifier) operator: _ @name right: (identifier)) operator: "when")
   (unary_operator operator: _ @name operand: (identifier))
 ] (keywords)? @body) (do_block)? @body) @definition.function
 (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp") (#not-eq? @name "when"))
((call target: (identifier) @_def (arguments . [
   (identifier) @name
   (call target: (identifier) @name)
   (binary_operator left: (identifier) @name operator: "when")
   (binary_operator left: (call target: (identifier) @name) operator: "when")
   (binary_operator left: (identifier) operator: _ @name right: (identifier))
 ] (keywords)? @body) (do_block)? @body) @definition.macro
 (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp") (#not-eq? @name "when"))
((call target: (identifier) @_def (arguments . (string (quoted_content) @name)) (do_block) @body) @definition.function
 (#any-of? @_def "test" "property"))

; Fields of structs, exceptions and schemas.
((call target: (identifier) @_def (arguments [
   (keywords (pair key: (keyword) @name @definition.field))
   (list (atom) @name @definition.field)
   (list (keywords (pair key: (keyword) @name @definition.field)))
 ]))
 (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def (arguments . (atom) @name)) @definition.field
 (#any-of? @_def "field" "belongs_to" "has_one" "has_many" "many_to_many" "embeds_one" "embeds_many"))

; Attributes: types and callbacks, then constants.
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (binary_operator left: [
   (identifier) @name
   (call target: (identifier) @name)
 ] operator: "::")))) @definition.type
 (#any-of? @_attribute "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (binary_operator left: [
   (call target: (identifier) @name)
   (binary_operator left: (call target: (identifier) @name) operator: "::")
 ])))) @definition.function
 (#eq? @_attribute "callback"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . (binary_operator left: [
   (call target: (identifier) @name)
   (binary_operator left: (call target: (identifier) @name) operator: "::")
 ])))) @definition.macro
 (#eq? @_attribute "macrocallback"))
((do_block (unary_operator operator: "@" operand: (call target: (identifier) @name)) @definition.constant)
 (#not-match? @name "^(moduledoc|doc|typedoc|shortdoc|spec|type|typep|opaque|callback)$")
 (#not-match? @name "^(macrocallback|optional_callbacks|impl|behaviour|deprecated|since|tag)$")
 (#not-match? @name "^(moduletag|describetag|derive|enforce_keys|before_compile|after_compile)$")
 (#not-match? @name "^(after_verify|on_load|on_definition|compile|dialyzer|external_resource|vsn)$")
 (#not-match? @name "^(nifs|primary_key|foreign_key_type|schema_prefix|timestamps_opts|file)$"))

((call target: (identifier) @_def (do_block (unary_operator operator: "@"
   operand: (call target: (identifier) @_attribute (arguments . [(string) (sigil)] @doc)))))
 (#eq? @_def "defmodule") (#eq? @_attribute "moduledoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute (arguments . [(string)
  (sigil)]))) @comment
 (#any-of? @_attribute "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @attach
 (#any-of? @_attribute "doc" "spec" "impl" "deprecated" "since" "tag" "dialyzer"))
(comment) @comment
