"""The command line: `srcad show | save | check | rules | explain | cache`.

Exit codes: 0 done; 1 the function was refused or its gradient is wrong; 2 the command line is at
fault.
"""

from srcad.cli.main import main

__all__ = ["main"]
