"""Is what a module holds registered, and what it computes used?"""
