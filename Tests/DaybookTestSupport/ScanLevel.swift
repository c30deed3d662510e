import CScan
import Synchronization

/// The instructions that text is scanned with, held to a level for as long as a test needs it.
///
/// The level belongs to the whole process. Other tests that run meanwhile notice nothing, since every level gives the same
/// answers: that is what the tests that use this show.
public enum ScanLevel: CaseIterable, Sendable {
    case portable, avx2, avx512

    /// Every level whose instructions this machine has.
    public static let all = allCases.filter(\.isSupported)

    private static let turn = Mutex(())

    /// Whether this machine has the instructions. A test of others is to be skipped, not passed.
    public var isSupported: Bool {
        scanning {
            switch self {
            case .portable: true
            case .avx2: scan_has_avx2()
            case .avx512: scan_has_avx512()
            }
        }
    }

    /// Calls `body` while nothing better than this level is used, and nobody else changes that.
    public func scanning<Result>(_ body: () throws -> Result) rethrows -> Result {
        try ScanLevel.turn.withLock { _ in
            let before = scan_limit()
            scan_set_limit(level)
            defer { scan_set_limit(before) }
            return try body()
        }
    }

    private var level: scan_level {
        switch self {
        case .portable: SCAN_PORTABLE
        case .avx2: SCAN_LEVEL_AVX2
        case .avx512: SCAN_LEVEL_AVX512
        }
    }
}
