# A tool that the profile does not grant.
#: exit 7
#: class ScopeError
await tool("bash", command="id")
return "OPEN"
