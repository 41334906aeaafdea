# str.format walks attributes that a checker of syntax does not see.
#: result "refused"
import json
text = "{0.__globals__}".format(json.loads)
return "refused" if "PRIVATE KEY" not in text else "OPEN"
