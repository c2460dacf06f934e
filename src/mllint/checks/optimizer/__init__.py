"""Do gradients come, get cleared, clipped and applied in the order that makes a step?"""
