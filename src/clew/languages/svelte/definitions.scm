; A snippet is a function of markup. Functions inside <script> belong to another grammar.
(snippet_statement . (snippet_start (snippet_name) @name) . (_) @body) @definition.function

(element . (start_tag (tag_name) @_tag (#match? @_tag "^[hH][1-6]$")) . (text) @name) @definition.section
; A heading whose text is a link or an anchor.
(element . (start_tag (tag_name) @_tag (#match? @_tag "^[hH][1-6]$"))
  . (element . (start_tag) . (text) @name)) @definition.section

; Ids of what structures a page; those of form fields, anchors and drawings would drown them.
(element . (start_tag (tag_name) @_tag (attribute (attribute_name) @_id [
    (attribute_value) @name
    (quoted_attribute_value (attribute_value) @name)
  ])) . (_) @body
  (#match? @_id "^[iI][dD]$") (#match? @name "^[A-Za-z_][A-Za-z0-9_:.-]*$")
  (#match? @_tag "^(?i:body|main|section|article|aside|nav|header|footer|div|form|fieldset|table|tbody|ul|ol|dl|dialog|details|template|figure|canvas|iframe|video|slot|svelte:[a-z]+|[a-z]+-[a-z0-9-]*)$")) @definition.section
(element . (start_tag . (tag_name) @name) @_tag . (_) @body
  (#eq? @name "template") (#not-match? @_tag "\\s[iI][dD]\\s*=")) @definition.section

(script_element (start_tag (attribute (attribute_name) @_id [
    (attribute_value) @name
    (quoted_attribute_value (attribute_value) @name)
  ])) (raw_text) @body (#eq? @_id "id")) @definition.section
(script_element (start_tag (tag_name) @name) @_tag (raw_text) @body
  (#match? @body "\\S") (#not-match? @_tag "\\s[iI][dD]\\s*=")) @definition.section
(style_element (start_tag (tag_name) @name) (raw_text) @body (#match? @body "\\S")) @definition.section

(comment) @comment
