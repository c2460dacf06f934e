"""Does a run that is resumed go on where it stopped?"""
