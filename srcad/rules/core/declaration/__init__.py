"""What the constructors of rules rest on: what a declaration is, and where one may stand."""
