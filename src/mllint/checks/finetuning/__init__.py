"""Does a language model learn from the tokens that were meant?"""
