// The modules below come with this one: no file of it imports them, and who imports it need not either.
@_exported import DaybookCore
@_exported import DaybookFiles
@_exported import DaybookFormats
