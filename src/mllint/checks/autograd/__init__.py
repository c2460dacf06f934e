"""Does a gradient reach the parameters, and what does the graph cost?"""
