"""What the constructors of rules rest on: what a declaration must be, and who may state one."""
