"""Does each of several processes see its own share of the data?"""
