import CFiles

/// How the C library keeps memory that a run gives back.
package enum Allocation {
    /// Keeps the buffers of morsels in the process instead of returning them to the system each time, and in one place
    /// for every four threads.
    ///
    /// By default glibc maps every large buffer anew, and the kernel then clears each page of it again; measured on the
    /// copy of a 300 MB file, that was a fifth of all time. It also gives each thread an arena of its own. A buffer that
    /// one thread fills and another gives back makes holes there, and the longer a run went on, the more memory they took.
    /// What is larger than any such buffer is rare and comes from the system, so that it leaves no hole behind.
    package static func keepBuffers(threads: Int) {
        #if canImport(Glibc)
            mallopt(M_MMAP_THRESHOLD, Int32(longestBuffer))
            mallopt(M_TRIM_THRESHOLD, 256 << 20)
            mallopt(M_ARENA_MAX, Int32(clamping: max(1, threads / 4)))
        #endif
    }

    /// Lets the next buffers lie in huge pages, where the system has them.
    ///
    /// A run that goes through buffers of a megabyte, one after another, has more places at a time than the processor knows the small
    /// pages of; and a huge page is cleared at once where 512 small ones interrupt the run one by one. That is a twentieth of the time of
    /// jobs that write all their rows. Four pages hold the buffers of two threads, and more would only take memory; a short run
    /// has nothing of it but the clearing.
    package static func useHugePages() {
        #if os(Linux) && canImport(Glibc)
            let (page, room) = (2 << 20, 8 << 20)
            // For once not from the system, but from where buffers will be taken next.
            mallopt(M_MMAP_THRESHOLD, Int32(2 * room))
            if let memory = malloc(room) {
                let start = memory.alignedUp(toMultipleOf: page)
                madvise(start, (memory + room - start) / page * page, MADV_HUGEPAGE)
                free(memory)
            }
            mallopt(M_MMAP_THRESHOLD, Int32(longestBuffer))
        #endif
    }

    private static let longestBuffer = 4 << 20
}
