import DaybookContracts
import Foundation

/// Something that reads bytes from outside, and what has to hold of it whatever the bytes are.
struct FuzzTarget: Sendable {
    let name: String
    /// Throws a `DaybookError` for bytes that are refused, which is as good as reading them.
    let read: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, _ read: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.read = read
    }

    /// The variable that names the target; libFuzzer leaves no argument free for it.
    static let variable = "DAYBOOK_FUZZ"

    static let chosen: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment[variable] ?? ""
        guard let target = all.first(where: { $0.name == name }) else {
            let names = all.map(\.name).joined(separator: " ")
            FileHandle.standardError.write(Data("\(variable) is to be one of: \(names)\n".utf8))
            exit(2)
        }
        return target
    }()
}

/// A promise that was broken: reading went on, with a wrong answer.
struct BrokenPromise: Error { var message: String }

func promise(_ isKept: Bool, _ message: @autoclosure () -> String) throws {
    if !isKept { throw BrokenPromise(message: message()) }
}

@_cdecl("LLVMFuzzerInitialize")
public func prepare(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    _ = FuzzTarget.chosen
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func readOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try FuzzTarget.chosen.read(bytes)
    } catch let broken as BrokenPromise {
        fatalError("\(FuzzTarget.chosen.name): \(broken.message)")
    } catch is DaybookError {
    } catch is DaybookErrors {
    } catch {
        fatalError("\(FuzzTarget.chosen.name): \(error)")
    }
    return 0
}
