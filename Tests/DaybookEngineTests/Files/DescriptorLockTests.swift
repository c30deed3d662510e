import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookBytes

@Suite struct DescriptorLockTests {
    private let scratch = Scratch()

    /// A child process has a copy of each descriptor between `fork` and `exec`; 'dup' makes the same copy.
    @Test func `a lock ends with its descriptor, though a child process has a copy`() throws {
        let path = scratch["lock"]
        let first = try Descriptor(opening: path, O_RDWR | O_CREAT)
        let second = try Descriptor(opening: path, O_RDWR)
        #expect(try first.lock())
        #expect(try !second.lock())
        let copy = dup(first.number)
        defer { close(copy) }
        first.shut()
        #expect(try second.lock())
    }
}
