# NaN as a result.
#: exit 1
#: class .*Error
return float("nan")
