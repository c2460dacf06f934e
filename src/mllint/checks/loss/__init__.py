"""Is the loss given what it expects?"""
