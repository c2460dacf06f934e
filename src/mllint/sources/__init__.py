"""Sources: from bytes to text, syntax tree and positions.

`source` decodes a file and answers in lines and columns, `notebook` does so for the cells of a notebook, `magics`
replaces what only IPython reads, `rawnotebook` finds a cell's lines in the JSON, `syntax_errors` explains what does not
parse.

May import: `mllint.errors` and `mllint.diagnostic`. Does not: touch the disk, or give a tree any meaning.
"""
