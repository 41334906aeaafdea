# A model that the profile does not grant.
#: exit 7
#: class ScopeError
await agent("hello", model="other")
return "OPEN"
