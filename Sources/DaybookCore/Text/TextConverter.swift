/// Turns bytes of one encoding into another, piece by piece, with the C library's `iconv`.
///
/// It stops exactly at what it cannot convert, so that the caller can say where that is. Of a character that is cut
/// off at the end of a piece nothing is taken: the caller offers its bytes again with the next piece.
final class TextConverter {
    enum Stop {
        /// All input is converted.
        case finished
        case outputFull
        /// The bytes at the start of the rest are not of the encoding, or the other encoding has no such character.
        case refused
        /// The rest is the beginning of a character.
        case incomplete
    }

    private let state: iconv_t

    init(from source: String, to target: String) throws(DaybookError) {
        // Both failures of iconv_open are told by -1, which is no pointer.
        guard let opened = iconv_open(target, source), Int(bitPattern: opened) != -1 else {
            let missing = source.hasPrefix("UTF-") ? target : source
            throw .machine(
                "missing-encoding",
                "this machine's C library does not know the encoding \(missing)",
                hint: "install its converters: part of libc6 on Debian and Ubuntu, glibc-gconv-extra on Fedora"
            )
        }
        state = opened
    }

    deinit { iconv_close(state) }

    /// Converts as much of `input` into `output` as it can; both are advanced past what was done.
    func convert(_ input: inout UnsafeRawBufferPointer, into output: inout UnsafeMutableRawBufferPointer) -> Stop {
        guard let start = input.baseAddress, input.count > 0 else { return .finished }
        var next: UnsafeMutablePointer<CChar>? = UnsafeMutableRawPointer(mutating: start)
            .assumingMemoryBound(to: CChar.self)
        var room = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        var inputLeft = input.count
        var outputLeft = output.count
        let result = iconv(state, &next, &inputLeft, &room, &outputLeft)
        let problem = errno
        input = UnsafeRawBufferPointer(rebasing: input[(input.count - inputLeft)...])
        output = UnsafeMutableRawBufferPointer(rebasing: output[(output.count - outputLeft)...])
        guard result == -1 else { return .finished }
        switch problem {
        case E2BIG: return .outputFull
        case EINVAL: return .incomplete
        default: return .refused
        }
    }

    /// Whether `bytes` could be the beginning of a character; they are not converted.
    func couldBegin(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var input = bytes
        return withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { room in
            var output = room
            return convert(&input, into: &output) == .incomplete
        }
    }
}
