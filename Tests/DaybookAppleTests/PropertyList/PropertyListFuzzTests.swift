import DaybookTestSupport
import Testing

@testable import DaybookContracts

/// 336,000 lists that were changed at random: each is read, or refused with a place inside it.
@Suite struct PropertyListFuzzTests {
    enum Kind: CaseIterable { case binary, hidden, objects, xml, preferences, openStep, json }

    private static func seeds(_ kind: Kind) -> [[UInt8]] {
        switch kind {
        case .binary:
            var list = BinaryList()
            let numbers = list.array([list.integer(-5, 8), list.real(0.5), list.date(1e9), list.add([0x09])])
            let text = list.add(BinaryList.marker(6, 2) + [0xD8, 0x3D, 0xDE, 0x42])
            let inner = list.dictionary([("a", list.array([text, text], kind: 0xC)), ("b", list.data([1, 2]))])
            list.root = list.dictionary([("k", list.array([inner, numbers]))])
            var small = list
            (small.offsetSize, small.referenceSize) = (1, 1)
            return [list.file, small.file]
        case .hidden:
            var archive = BinaryList()
            let kind = archive.dictionary([("$classname", archive.text("NSArray"))])
            let elements = archive.array([archive.uid(3, 1), archive.uid(0, 1)])
            let array = archive.dictionary([("$class", archive.uid(2, 1)), ("NS.objects", elements)])
            let objects = archive.array([archive.text("$null"), array, kind, archive.text("x")])
            archive.root = archive.dictionary([
                ("$archiver", archive.text("NSKeyedArchiver")), ("$objects", objects),
                ("$top", archive.dictionary([("root", archive.uid(1, 1))])),
            ])
            (archive.offsetSize, archive.referenceSize) = (2, 1)
            var data = BinaryList()
            (data.offsetSize, data.referenceSize) = (2, 1)
            data.root = data.dictionary([("k", data.data(archive.file))])
            var base64 = BinaryList()
            base64.root = base64.dictionary([("k", base64.text("W3siZGRheSI6MTAwfV0="))])
            return [archive.file, data.file, base64.file]
        case .xml:
            return [
                """
                <?xml version="1.0"?><!DOCTYPE plist SYSTEM "x"><plist version="1.0"><dict><key>k</key><array>
                <integer>-1</integer><real>1.5</real><date>2026-11-21T05:00:00Z</date><data>AQID</data><true/>
                <string>a&amp;&#x41;<![CDATA[<]]></string><!-- c --></array></dict></plist>
                """
            ].map { Array($0.utf8) }
        case .objects:
            // A todo with a decimal number in a list that it refers to, and a field that is an array.
            var archive = BinaryList()
            archive.referenceSize = 1
            let kinds = ["NSArray", "A", "NSDecimalNumber"].map {
                archive.dictionary([("$classname", archive.text($0))])
            }
            let uids = (0..<8).map { archive.uid($0, 1) }
            let list = archive.dictionary([("$class", uids[4]), ("NS.objects", archive.array([uids[2], uids[3]]))])
            let todo = archive.dictionary([
                ("$class", uids[5]), ("l", uids[1]), ("a", archive.array([uids[2], uids[3]])),
            ])
            let number = archive.dictionary([
                ("$class", uids[6]), ("NS.exponent", archive.integer(-1, 1)), ("NS.length", archive.integer(1, 1)),
                ("NS.negative", archive.add([0x08])), ("NS.mantissa", archive.data([1, 2])),
            ])
            let objects = archive.array([archive.text("$null"), list, todo, number] + kinds)
            archive.root = archive.dictionary([
                ("$archiver", archive.text("NSKeyedArchiver")), ("$objects", objects),
                ("$top", archive.dictionary([("root", uids[1])])),
            ])
            return [archive.file]
        case .preferences:
            let list = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBhIGxpc3Qu"
            return [
                """
                <?xml version='1.0' encoding='utf-8' standalone='yes' ?><map><string name="k">a&amp;&#x41;</string>
                <int name="i" value="-1" /><float name='f' value="1.5"></float><set name="s"><string>a</string></set></map>
                """,
                "<map><string name=\"k\">\(list)![&quot;a&quot;,&quot;b&quot;]</string></map>",
                """
                <map><string name="k">\(list)rO0ABXNyABNqYXZhLnV0aWwuQXJyYXlMaXN0eIHSHZnHYZ0DAAFJAARzaXpleHAAAAACdwQAAAACdAABYXQAAWJ4\
                </string></map>
                """,
            ].map { Array($0.utf8) }
        case .openStep:
            return [
                #"{ k = ( word, "a\n\U00e9\101", <01 ff>, { x = 'y'; }, ); /* c */ z; }"#, "\"k\" = \"v\"; // c\nw;\n",
            ].map { Array($0.utf8) } + [
                [0xFF, 0xFE] + "{ k = \"é\"; }".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
            ]
        case .json:
            return [
                #"{"k": [{"d": 1.5e3, "s": "\u0041\ud83d\ude42"}, null], "b": "W3siZGRheSI6MTAwfV0=", "t": "[{\"a\": 1}]"}"#
            ].map { Array($0.utf8) }
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let interesting: [UInt8] =
            [0, 1, 0x0F, 0x10, 0x13, 0x5F, 0x7F, 0x80, 0xA1, 0xD1, 0xFF] + Array("<>&;\"'{}()[]\\/*=, ".utf8)
        for _ in 0...random.next() % 3 {
            guard !bytes.isEmpty else { return bytes.append(UInt8(truncatingIfNeeded: random.next())) }
            let place = Int(random.next() % UInt64(bytes.count))
            let length = min(bytes.count - place, 1 + Int(random.next() % 8))
            switch random.next() % 8 {
            case 0: bytes[place] ^= 1 << UInt8(random.next() % 8)
            case 1: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 2, 3: bytes[place] = interesting[Int(random.next() % UInt64(interesting.count))]
            case 4: bytes.removeSubrange(place..<place + length)
            case 5: bytes.insert(contentsOf: Array(bytes[place..<place + length]), at: place)
            case 6:
                let other = Int(random.next() % UInt64(bytes.count))
                for index in 0..<min(length, bytes.count - other) { bytes[place + index] = bytes[other + index] }
            default: bytes.removeLast(random.next() % 4 == 0 ? bytes.count - place : 1)
            }
        }
    }

    /// Reads all of a file. Counts it when it can be read; gives what is wrong with how it was refused.
    private static func complaint(_ bytes: [UInt8], _ read: inout Int) -> String? {
        do throws(DaybookError) {
            let file = try ListTrial.file(bytes)
            for entry in file.entries.prefix(4) { _ = try file.text(entry) }
            read += 1
            return nil
        } catch {
            if error.code == "no-keys" { return nil }
            guard error.blame == .data else { return "the blame is not the data's: \(error.message)" }
            guard let byte = ListTrial.byte(of: error) else { return "no place: \(error.message)" }
            return (0...bytes.count).contains(byte) ? nil : "byte \(byte) of \(bytes.count): \(error.message)"
        }
    }

    @Test("a changed list is read, or refused with a place inside it", arguments: Kind.allCases, 0..<8)
    func mutations(_ kind: Kind, _ part: Int) {
        var random = SeededGenerator(seed: UInt64(part * 10 + Kind.allCases.firstIndex(of: kind)!))
        let seeds = Self.seeds(kind)
        var read = 0
        let rounds = TestSize.rounds(1_500, of: 6_000)
        for round in 0..<rounds {
            var bytes = seeds[round % seeds.count]
            Self.mutate(&bytes, &random)
            if let complaint = Self.complaint(bytes, &read) {
                Issue.record("\(random), round \(round), \(kind): \(complaint)\n\(bytes)")
                return
            }
        }
        // Some changes do no harm; else they would all be turned away at the door.
        #expect(read > rounds / 100 && read < rounds * 59 / 60)
    }

    @Test("rows of a changed list are read, or refused, and the ledger balances", arguments: Kind.allCases)
    func rows(_ kind: Kind) throws {
        var random = SeededGenerator(seed: 77)
        var read = 0
        for seed in Self.seeds(kind) {
            for _ in 0..<150 {
                var bytes = seed
                Self.mutate(&bytes, &random)
                for options in ["", "key: k\ncolumns: { d: instant }\ndates: apple_seconds"] {
                    // Whatever it is, it does not end the process, as it would if the ledger did not balance.
                    do {
                        _ = try ListTrial.rows(bytes, options)
                        read += 1
                    } catch is DaybookError {}
                }
            }
        }
        #expect(read > 5, "\(read) were read")
    }
}
