"""Findings: what happens to a diagnostic between the engine and the report?

`fingerprint` recognises it in the next version of a file, `suppressions` reads the comments that silence it, `baseline`
holds those that were accepted, `add_ignore` writes suppressions. (`mllint.diagnostic`, plain data that everybody may
hold, is one floor below.)

May import: `sources`, `project`, `config` and the `catalogue`. Does not: know the analysis or any report format.
"""
