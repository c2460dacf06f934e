"""May this file be read or written, and how much of it?

Every file of a project is read by `reading.read`, which bounds its size and follows no link out of the project where
that is not wanted, and written by `writing`, which replaces a file as a whole. May import: `mllint.errors`. Which
files there are is a question for `mllint.project`.
"""
