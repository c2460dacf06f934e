"""The language server: what an editor is told while people type.

    documents         what do the buffers of the editor hold, and where is a column in its units?
    shift             where is a line now that was there before an edit?
    kept              what is kept of a file between two answers?
    session           what is found in a folder whose files keep changing?
    settings          what may an editor configure?
    workspace_folder  when is what worked out?
    document_store    what is open, what is it called, where does it belong?
    messages          how does the protocol say a finding?
    assist            what can be offered at a place: a page, a name, a comment that suppresses?
    app               which message leads to what?

Only `document_store`, `messages`, `assist` and `app` know the protocol; pygls and lsprotocol are an extra,
`mllint-check[server]`, and are imported nowhere else. `session` runs the same engine as `mllint check` over the same
components, so that an editor shows what the command line reports.
"""

from __future__ import annotations

__all__: list[str] = []
