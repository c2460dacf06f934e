"""Does the number that is reported mean what it is called?"""
