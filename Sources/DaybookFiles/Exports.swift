// The module below comes with this one: no file of it imports it, and who imports it need not either.
@_exported import DaybookCore
