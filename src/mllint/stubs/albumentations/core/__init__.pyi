"""albumentations.core."""

import albumentations.core.composition as composition
