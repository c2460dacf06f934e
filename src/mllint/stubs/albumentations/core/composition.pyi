"""albumentations.core.composition: what is made of several transforms."""

from albumentations import Compose as Compose
from albumentations import OneOf as OneOf
from albumentations import SomeOf as SomeOf
from albumentations import Sequential as Sequential
from albumentations import RandomOrder as RandomOrder
