; A rule set goes by its first selector; the signature has all of them.
(rule_set (selectors . (_) @name) (block) @body) @definition.section

(media_statement "@media" @name (block) @body) @definition.section
(supports_statement "@supports" @name (block) @body) @definition.section
(scope_statement "@scope" @name (block) @body) @definition.section
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @definition.object

; `@property --x { }` and the like carry a name, `@font-face { }` and the like are one.
(at_rule (at_keyword) @_at . (keyword_query) @name (block) @body
  (#eq? @_at "@property")) @definition.variable
(at_rule (at_keyword) @qualifier . (keyword_query) @name (block) @body
  (#not-any-of? @qualifier "@property" "@page")) @definition.section
; The grammar knows no name before a condition: `@container side (width > 1px) { }`.
(at_rule (at_keyword) @qualifier . (ERROR . (keyword_query) @name .) (block) @body
  (#eq? @qualifier "@container")) @definition.section
(at_rule (at_keyword) @name (block) @body
  (#any-of? @name "@font-face" "@page" "@starting-style" "@theme" "@view-transition" "@scope"
    "@font-feature-values" "@position-try" "@viewport" "@-ms-viewport" "@-moz-document")) @definition.section

(declaration (property_name) @name (#match? @name "^--")) @definition.variable

[(comment) (js_comment)] @comment
