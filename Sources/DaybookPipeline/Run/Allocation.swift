#if canImport(Glibc)
    import CFiles
    import Glibc
#endif

/// How the C library keeps memory that a run gives back.
enum Allocation {
    /// Keeps the buffers of morsels in the process instead of returning them to the system each time, and in one place
    /// for every four threads.
    ///
    /// By default glibc maps every large buffer anew, and the kernel then clears each page of it again; measured on the
    /// copy of a 300 MB file, that was a fifth of all time. It also gives each thread an arena of its own. A buffer that
    /// one thread fills and another gives back makes holes there, and the longer a run went on, the more memory they took.
    /// What is larger than any such buffer is rare and comes from the system, so that it leaves no hole behind.
    static func keepBuffers(threads: Int) {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, 4 << 20)
            mallopt(M_TRIM_THRESHOLD, 256 << 20)
            mallopt(M_ARENA_MAX, Int32(clamping: max(1, threads / 4)))
        #endif
    }
}
