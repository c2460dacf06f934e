"""Is the model measured in the mode, and kept in the state, that the author means?"""
