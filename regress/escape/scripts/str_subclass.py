# A path that is one thing when it is judged and another when it is used.
#: exit 0,1,7
#: result "refused"
class Two(str):
    n = 0
    def __str__(self):
        return "bash"
    def __eq__(self, other):
        return True
    def __hash__(self):
        return hash("read")
try:
    await tool(Two("bash"), command="id")
except (ScopeError, ToolError, TypeError):
    return "refused"
return "OPEN"
