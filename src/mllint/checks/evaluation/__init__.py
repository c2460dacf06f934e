"""Is the model judged in the mode, without gradients, and as the one that was best?"""
