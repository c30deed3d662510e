import CScan
import DaybookTestSupport
import Testing

@testable import DaybookContracts

@Suite struct JSONFuzzTests {
    /// A line of JSON, sometimes damaged.
    static func line(_ random: inout SeededGenerator, damaged: Bool) -> [UInt8] {
        var bytes = Array(object(&random, depth: 0).utf8)
        guard damaged else { return bytes }
        let alphabet = Array("{}[]\",:\\u00d8e+-.truefalsn 19x\t".utf8) + [0x80, 0xED, 0xC0, 0x01]
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = alphabet.randomElement(using: &random)!
            default: bytes.insert(alphabet.randomElement(using: &random)!, at: place)
            }
        }
        return bytes
    }

    private static func object(_ random: inout SeededGenerator, depth: Int) -> String {
        var keys = ["a", "b", "c", #"\u0064"#]
        if Int.random(in: 0..<4, using: &random) == 0 { keys.removeLast() }
        if Int.random(in: 0..<8, using: &random) == 0 { keys.shuffle(using: &random) }
        let space = Int.random(in: 0..<6, using: &random) == 0 ? " " : ""
        let members = keys.map { "\"\($0)\":\(space)\(value(&random, depth: depth))" }
        return "{\(members.joined(separator: "," + space))}"
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> String {
        switch Int.random(in: 0..<(depth < 2 ? 10 : 8), using: &random) {
        case 0: "null"
        case 1: ["true", "false"].randomElement(using: &random)!
        case 2: String(Int.random(in: -20...20, using: &random))
        case 3: String(Int.random(in: .min ... .max, using: &random))
        case 4: String(Double.random(in: -1e3...1e3, using: &random))
        case 5: ["1e5", "-0", "1E-7", "99999999999999999999", "0.1"].randomElement(using: &random)!
        case 6: #""\u00e9\n\ud83d\ude00\"""#
        case 7: "\"" + String(repeating: "감", count: Int.random(in: 0..<20, using: &random)) + "\""
        case 8: "[\(value(&random, depth: depth + 1)),\(value(&random, depth: depth + 1))]"
        default: object(&random, depth: depth + 1)
        }
    }

    static let columns = "columns: { a: json, b: json, c: json, d: json, value: json }"
    static let misfits: Set<String> = ["unexpected-key", "unexpected-kind", "unlearnt-kind"]

    @Test("what is JSON and what is not is what a second reader says", arguments: 0..<40)
    func agrees(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var lines: [[UInt8]] = []
        for _ in 0..<200 { lines.append(Self.line(&random, damaged: Bool.random(using: &random))) }
        lines.removeAll { line in line.allSatisfy { [0x20, 0x09, 0x0D].contains($0) } || line.contains(0x0A) }
        let trial = JSONTrial(Array(lines.joined(separator: [0x0A])), options: "layout: lines\n" + Self.columns)
        let refused = Set(trial.rejects.filter { !Self.misfits.contains($0.code) }.map(\.record))
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line, as: UTF8.self)
            #expect(JSONReference.accepts(line) == !refused.contains(index), "\(random) line \(index): \(text)")
        }
        #expect(trial.seen == lines.count)
    }

    @Test("an array is taken whole exactly when it is JSON", arguments: 0..<40)
    func arrays(_ seed: Int) {
        var random = SeededGenerator(seed: 1000 + UInt64(seed))
        for round in 0..<40 {
            var document: [UInt8] = [UInt8(ascii: "[")]
            for index in 0..<Int.random(in: 0..<6, using: &random) {
                if index > 0 { document += Array(",\n ".utf8) }
                document += Self.line(&random, damaged: Int.random(in: 0..<12, using: &random) == 0)
            }
            document += Array("]\n".utf8)
            let trial = JSONTrial(document, options: Self.columns, window: Int.random(in: 1..<200, using: &random))
            let isTaken = trial.error == nil && trial.rejects.allSatisfy { Self.misfits.contains($0.code) }
            let text = String(decoding: document, as: UTF8.self)
            #expect(JSONReference.accepts(document) == isTaken, "\(random) round \(round): \(text)")
        }
    }

    @Test("the same rows and rejects for any morsels, any columns and any guess", arguments: 0..<30)
    func morsels(_ seed: Int) {
        var random = SeededGenerator(seed: 2000 + UInt64(seed))
        // The kinds are learnt from a few records, so that later ones do not all fit.
        var lines: [[UInt8]] = []
        for _ in 0..<60 { lines.append(Self.line(&random, damaged: Int.random(in: 0..<10, using: &random) == 0)) }
        lines.removeAll { $0.contains(0x0A) }
        var compared = 0
        for (input, options) in [
            (Array(lines.joined(separator: [0x0A])), "layout: lines"),
            (Array("[".utf8) + Array(lines.joined(separator: [0x2C])) + Array("]".utf8), "layout: document"),
        ] {
            let head = min(400, input.count)
            let whole = JSONTrial(input, options: options, head: head)
            for window in [1, 7, 64, 1000] {
                let parts = JSONTrial(input, options: options, window: window, head: head)
                #expect(parts.error?.message == whole.error?.message, "\(random)")
                guard whole.error == nil else { continue }
                #expect(parts.rows == whole.rows, "\(random) window \(window)")
                #expect(
                    parts.rejects == whole.rejects && parts.warnings == whole.warnings,
                    "\(random) window \(window)"
                )
                #expect(parts.lines == whole.lines)
            }
            guard whole.error == nil else { continue }
            compared += 1
            for name in whole.schema.names + [""] {
                let some = JSONTrial(input, options: options, head: head, wanted: .some([name]))
                #expect(some.rejects == whole.rejects && some.warnings == whole.warnings, "\(random) column \(name)")
                #expect(some.rows.count == whole.rows.count, "\(random) column \(name)")
            }
        }
        #expect(compared > 0, "lines are read whatever is damaged among them: \(random)")
    }

    @Test("any bytes at all are survived", arguments: 0..<20)
    func anything(_ seed: Int) {
        var random = SeededGenerator(seed: 3000 + UInt64(seed))
        let alphabet = Array("{}[]\",:\\ \n\r\t0123456789.eE+-truefalsn".utf8)
        for _ in 0..<100 {
            let count = Int.random(in: 0..<200, using: &random)
            let isRaw = Bool.random(using: &random)
            let input = (0..<count).map { _ in
                isRaw ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random)!
            }
            for options in ["", "layout: lines", "layout: document", "records: /a"] {
                _ = JSONTrial(input, options: options, window: 16)
            }
        }
    }

    /// Calls `body` with 100,000 texts of the bytes that matter, of 300 bytes each, and with a length up to 199.
    private static func texts(_ body: (_ round: Int, _ text: UnsafeMutablePointer<UInt8>, _ length: Int) -> Void) {
        var random = SeededGenerator(seed: 4000)
        let alphabet = Array("\"\"\\\\{}[],:a1 \n".utf8) + [0x1F, 0x20, 0x80, 0xFF]
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
        defer { room.deallocate() }
        for round in 0..<100_000 {
            let length = Int(random.next() % 200)
            for index in 0..<300 { room[index] = alphabet[Int(random.next() % UInt64(alphabet.count))] }
            body(round, room, length)
        }
    }

    @Test("vector and portable scans agree on 100,000 inputs")
    func twins() {
        Self.texts { round, room, length in
            #expect(json_special32(room) == json_special32_portable(room))
            let other = UnsafeMutablePointer<UInt8>(mutating: room) + 100
            let same = length % 70
            if round % 2 == 0 { other.update(from: room, count: min(same, 100)) }
            #expect(json_same(room, other, same) == json_same_portable(room, other, same))
        }
    }

    @Test(
        "vectors cut 100,000 arrays where portable code does",
        .enabled(if: ScanLevel.avx2.isSupported, "this machine has no AVX2")
    )
    func cuts() {
        ScanLevel.avx2.scanning { Self.texts(Self.compareCuts) }
    }

    private static func compareCuts(_ round: Int, _ room: UnsafeMutablePointer<UInt8>, _ length: Int) {
        var fast = json_cut()
        var slow = json_cut()
        fast.depth = round % 3 == 0 ? 2 : 0
        slow.depth = fast.depth
        let first = length / 3
        json_cut_elements(&fast, room, first)
        if !fast.ended { json_cut_elements(&fast, room, length) }
        json_cut_portable(&slow, room, length, false)
        #expect(
            fast.position == slow.position && fast.cut == slow.cut && fast.commas == slow.commas
                && fast.ended == slow.ended && fast.depth == slow.depth,
            "round \(round)"
        )
        if !fast.ended { #expect(fast.in_string == slow.in_string && fast.escaped == slow.escaped) }
    }
}
