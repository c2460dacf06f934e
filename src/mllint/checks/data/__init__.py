"""Which rows train, and do any of them judge as well?"""
