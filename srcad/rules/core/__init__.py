"""The machinery of rules: the constructors, the table, staging, and type inference."""
