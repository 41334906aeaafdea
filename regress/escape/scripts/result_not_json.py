# A result that is no JSON.
#: exit 1
#: class .*Error
return {1, 2}
