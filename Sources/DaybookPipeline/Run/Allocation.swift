#if canImport(Glibc)
    import CFiles
    import Glibc
#endif

/// How the C library keeps memory that a run gives back.
enum Allocation {
    /// Keeps the buffers of morsels in the process instead of returning them to the system each time.
    ///
    /// By default glibc maps every large buffer anew, and the kernel then clears each page of it again; measured on the
    /// copy of a 300 MB file, that was a fifth of all time.
    static func keepBuffers() {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 256 << 20)
            mallopt(M_TRIM_THRESHOLD, 256 << 20)
        #endif
    }
}
