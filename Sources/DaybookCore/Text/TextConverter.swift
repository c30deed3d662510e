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
    private let scratch = Bytes()

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

    /// Converts as much of a part of `input` as makes at most `count` bytes, and appends these to `output`; the part begins
    /// behind what was converted then.
    func convert(_ input: Bytes, _ part: inout Range<Int>, into output: Bytes, upTo count: Int) -> Stop {
        guard !part.isEmpty else { return .finished }
        var next = TextConverter.characters(input.cell(part).baseAddress)
        var room = TextConverter.characters(output.reserve(count))
        var (inputLeft, outputLeft) = (part.count, count)
        let result = iconv(state, &next, &inputLeft, &room, &outputLeft)
        let problem = errno
        part = part.suffix(inputLeft)
        output.count += count - outputLeft
        guard result == -1 else { return .finished }
        switch problem {
        case E2BIG: return .outputFull
        case EINVAL: return .incomplete
        default: return .refused
        }
    }

    private static func characters(_ place: UnsafePointer<UInt8>?) -> UnsafeMutablePointer<CChar>? {
        UnsafeMutableRawPointer(mutating: place)?.assumingMemoryBound(to: CChar.self)
    }

    /// Whether a part could be the beginning of a character; it is not converted.
    func couldBegin(_ bytes: Bytes, _ part: Range<Int>) -> Bool {
        var part = part
        scratch.removeAll()
        return convert(bytes, &part, into: scratch, upTo: 16) == .incomplete
    }
}
