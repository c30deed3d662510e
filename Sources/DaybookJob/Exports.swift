// All files use the contracts and the values, so no file imports them by name.
@_exported import DaybookContracts
