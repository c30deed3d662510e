import Foundation
import Synchronization

/// Two results that are found at the same time; of two errors, the first.
func together<First: Sendable, Second: Sendable, Failure: Error>(
    _ first: @Sendable () throws(Failure) -> First,
    _ second: @Sendable () throws(Failure) -> Second
) throws(Failure) -> (First, Second) {
    let one = Mutex(Result<First, Failure>?.none)
    let other = Mutex(Result<Second, Failure>?.none)
    DispatchQueue.concurrentPerform(iterations: 2) { side in
        if side == 0 {
            let found = Result(catching: first)
            one.withLock { $0 = found }
        } else {
            let found = Result(catching: second)
            other.withLock { $0 = found }
        }
    }
    guard let found = one.withLock({ $0 }), let second = other.withLock({ $0 }) else {
        preconditionFailure("both have ended")
    }
    return (try found.get(), try second.get())
}
