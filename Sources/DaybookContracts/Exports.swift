// The vocabulary of every room: whoever builds on the contracts works with values, and imports neither by name.
@_exported import DaybookValues
