// The C library of the platform. `import DaybookValues` re-exports it, so no other file needs this condition.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Darwin
#endif
