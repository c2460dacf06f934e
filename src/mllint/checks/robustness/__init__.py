"""What goes wrong and says nothing?"""
