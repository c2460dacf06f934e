"""Sources: from bytes to text, syntax tree and positions.

`decoding` finds the text that bytes hold, `parsing` the tree of a text; `source` answers in lines and columns.
`notebook` joins the cells of a notebook into one text (`cells` leads back), `magics` replaces what only IPython reads,
`rawnotebook` finds a cell's lines in the JSON, `syntax_errors` explains what does not parse.

May import: `mllint.errors` and `mllint.diagnostic`. Does not: touch the disk, or give a tree any meaning.
"""
