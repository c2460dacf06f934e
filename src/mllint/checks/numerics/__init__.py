"""Do numbers and shapes mean what the formula says?"""
