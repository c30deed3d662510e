// Every file uses the contracts and the values, and none imports them by name.
@_exported import DaybookContracts
