// All files use the contracts, the values and the job, so no file imports them by name.
@_exported import DaybookContracts
@_exported import DaybookJob
