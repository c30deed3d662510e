// The C library of the machine. It comes with `import DaybookValues`, so no other file asks which one it is.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Darwin
#endif
