#!/bin/bash
# Hostile clients of the control socket: see hostile.py.
cd "$(dirname "$0")/../.." || exit 1
exec etc/scratch -- /usr/bin/python3 -I regress/system/hostile.py
