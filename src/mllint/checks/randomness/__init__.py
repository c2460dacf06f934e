"""Does the same seed give the same run?"""
