"""SciPy: what scales rows by statistics of their own."""

import scipy.stats as stats
