"""Rows with lagged features are split at random.

setting: a random walk of 500 days, its value in 20 days from the last 3, by 3 nearest neighbours
figure: mean error that is reported, steps
worse: lower
needs: pandas
found: The error on the days after the last, which is what the model is for, is the larger one: nobody can predict a
  random walk. Rows drawn at random have neighbours in the training part whose targets are nearly the same.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsRegressor


def run(seed):
    df = pd.DataFrame({"sales": np.random.default_rng(seed).normal(size=500).cumsum()})
    lags = ["lag_1", "lag_2", "lag_3"]
    df["lag_1"] = df["sales"].shift(1)
    df["lag_2"] = df["sales"].shift(2)
    df["lag_3"] = df["sales"].shift(3)
    df["goal"] = df["sales"].shift(-20)
    df = df.dropna()
    train, test = train_test_split(df, test_size=0.2, shuffle=False)  # right
    train, test = train_test_split(df, test_size=0.2, random_state=seed)  # wrong
    model = KNeighborsRegressor(3).fit(train[lags], train["goal"])
    return mean_absolute_error(test["goal"], model.predict(test[lags]))
