// The contracts and the values are the vocabulary of every module, and no file imports them by name.
@_exported import DaybookContracts
