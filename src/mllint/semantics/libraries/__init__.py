"""What does the code of others mean?

A library is data: stubs in `mllint/stubs`, whose annotations and decorators are words of `mllint.semantics.vocabulary`.
`stubs` reads them as far as they are asked for, `stubnames` writes the table of names by which filters know early that
a call cannot matter. May import: `syntax`. What a call of a library gives is a question for `values`.
"""
