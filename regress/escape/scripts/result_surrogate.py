# Half of a character.
#: exit 1
#: class .*Error
return "\ud800"
