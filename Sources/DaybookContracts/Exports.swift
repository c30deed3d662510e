// The vocabulary of every module: a module that builds on the contracts also uses values, and imports neither by name.
@_exported import DaybookValues
