"""Does the learning rate follow the schedule that was meant?"""
