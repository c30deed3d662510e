import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// Lists of three writers in three spellings, all read alike.
@Suite struct PropertyListReadingTests {
    @Test("every type of object reads alike with every size of offsets and references", arguments: 2...8, 1...8)
    func handMade(_ offsetSize: Int, _ referenceSize: Int) throws {
        let list = BinaryList.everything(offsetSize: offsetSize, referenceSize: referenceSize)
        #expect(try ListTrial.json("all", list.file) == BinaryList.everythingAsJSON)
    }

    @Test("offsets of one byte are read, too")
    func shortOffsets() throws {
        for referenceSize in 1...8 {
            var list = BinaryList()
            list.offsetSize = 1
            list.referenceSize = referenceSize
            list.root = list.dictionary([("k", list.array([list.integer(3, 1), list.text("three")]))])
            #expect(try ListTrial.json("k", list.file) == #"[3,"three"]"#)
        }
    }

    static let python: [(key: String, json: String)] = [
        ("array", #"[1,"two",[3.5,[]]]"#), ("ascii", #""plain""#), ("date", #""2026-11-21T05:00:00Z""#),
        ("dictionary", #"{"empty":{},"nested":{"deep":true}}"#), ("false", "false"), ("true", "true"),
        (
            "integers",
            "[0,255,256,65535,65536,4294967295,4294967296,9223372036854775807,18446744073709551615,-1,"
                + "-9223372036854775808]"
        ),
        ("long", "\"\(String(repeating: "x", count: 300))\""), ("real", "0.1"), ("text", #""행복해 🙂 & <b>""#),
    ]

    @Test("lists that plistlib wrote", arguments: python)
    func plistlib(_ key: String, _ json: String) throws {
        #expect(try ListTrial.json(key, PythonLists.binary) == json)
        #expect(try ListTrial.json(key, PythonLists.xml) == json)
    }

    @Test("a list of plistlib with references of two bytes, and one with UIDs")
    func plistlibWide() throws {
        let rows = (0..<300).map { #"{"id":\#($0),"name":"row \#($0)"}"# }
        #expect(try ListTrial.json("rows", PythonLists.wide) == "[\(rows.joined(separator: ","))]")
        #expect(try ListTrial.json("uids", PythonLists.references) == #"[{"CF$UID":1},{"CF$UID":70000}]"#)
    }

    @Test("lists that Foundation wrote", arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func foundation(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let date = Date(timeIntervalSinceReferenceDate: 817_707_600)
        let values: [(String, Any, String)] = [
            ("integers", [0, -1, Int.max, Int.min], "[0,-1,9223372036854775807,-9223372036854775808]"),
            ("unsigned", UInt64.max, "18446744073709551615"), ("reals", [0.5, 1e300, 3.0], "[0.5,1e+300,3.0]"),
            ("flags", [true, false], "[true,false]"), ("date", date, #""2026-11-30T05:00:00Z""#),
            ("text", "tab\tquote\" 행복해 🙂 <&>", #""tab\tquote\" 행복해 🙂 <&>""#), ("data", Data(), ""),
            ("nested", [["a": [["b": "c"]]]], #"[{"a":[{"b":"c"}]}]"#),
            ("long", String(repeating: "é", count: 70_000), "\"\(String(repeating: "é", count: 70_000))\""),
        ]
        let all = Dictionary(uniqueKeysWithValues: values.map { ($0.0, $0.1) })
        let file = Array(try PropertyListSerialization.data(fromPropertyList: all, format: format, options: 0))
        for (key, _, json) in values where key != "data" {
            #expect(try ListTrial.json(key, file) == json)
        }
        #expect(ListTrial.refusal(file, key: "data")?.message.contains("the data is empty") == true)
        let words = format == .binary ? "binary property list" : "XML property list"
        #expect(try ListTrial.file(file).recognised == words)
    }

    @Test("XML has entities, CDATA, comments and line ends, and nothing else")
    func xml() throws {
        let file = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8"?><!-- a > b -->
            <!DOCTYPE plist SYSTEM "file://localhost/System/Library/DTDs/PropertyList.dtd">
            <plist version='1.0' ><dict >
            <key>a&amp;&#98;&#x1F642;<![CDATA[<&]]></key ><!-- between -->
            <array><string>x<!-- in -->y\r\nz\r</string><integer> -0x1F </integer><integer>+7</integer>
            <real>1e3</real><real>-infinity</real><true></true><false/><array/><dict/><string/><data> </data></array>
            </dict></plist><!-- end -->

            """
        #expect(
            try ListTrial.json("a&b🙂<&", file.utf8)
                == #"["xy\nz\n",-31,7,1000.0,"-inf",true,false,[],{},"",""]"#
        )
    }

    @Test("OpenStep has text, data, arrays and dictionaries, with comments and escapes")
    func openStep() throws {
        let file = """
            /* defaults */ { "a key" = ( word, 'it''s', 12.5, <0fbd77 1c>, ( ), { }, ); // the last comma may stay
              b = "line\\nend \\"q\\" \\101 \\U00e9 \\Ud83d\\Ude42"; path-to/x.y = $v_1; }
            """
        // Two quoted texts need a comma between them.
        #expect(ListTrial.refusal(file.utf8)?.message == "expected ',' or ')', at byte 39 of dump.plist")
        let right = file.replacingOccurrences(of: "'it''s'", with: "\"it's\"")
        #expect(try ListTrial.json("a key", right.utf8) == #"["word","it's","12.5","D713HA==",[],{}]"#)
        #expect(try ListTrial.json("b", right.utf8) == #""line\nend \"q\" A é 🙂""#)
        #expect(try ListTrial.json("path-to/x.y", right.utf8) == #""$v_1""#)
    }

    @Test("a file of strings has no braces")
    func strings() throws {
        let file = "/* title */\n\"hello\" = \"안녕\";\nsame;\n"
        #expect(try ListTrial.json("hello", file.utf8) == "\"안녕\"")
        #expect(try ListTrial.json("same", file.utf8) == "\"same\"")
    }

    @Test("UTF-16 with a byte-order mark is text, and places are those of the file")
    func utf16() throws {
        func wide(_ text: String, bigEndian: Bool) -> [UInt8] {
            ("\u{FEFF}" + text).utf16.flatMap { unit in
                let bytes = [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
                return bigEndian ? bytes : bytes.reversed()
            }
        }
        for bigEndian in [true, false] {
            let xml =
                #"<?xml version="1.0" encoding="UTF-16"?><plist><dict><key>k</key><string>🙂</string></dict></plist>"#
            let value = try ListTrial.value("k", wide(xml, bigEndian: bigEndian))
            #expect(value.json == "\"🙂\"")
            #expect(value.text.holder.byte == nil)
            let broken = wide("{ \"행\" = \"🙂\" }", bigEndian: bigEndian)
            #expect(ListTrial.refusal(broken)?.message == "expected ';' behind the value, at byte 28 of dump.plist")
            #expect(ListTrial.refusal(broken)?.place == SourcePlace(file: "dump.plist", line: 1, column: 13))
        }
    }

    @Test("a date keeps every digit that it has")
    func dates() throws {
        let cases: [(Double, String)] = [
            (0, #""2001-01-01T00:00:00Z""#), (-0.25, #""2000-12-31T23:59:59.75Z""#),
            (1e-9, #""2001-01-01T00:00:00.000000001Z""#),
            (817_707_600.1234567, #""2026-11-30T05:00:00.1234567Z""#), (-63_113_904_000, #""0001-01-01T00:00:00Z""#),
            (-63_114_076_800, #""0000-12-30T00:00:00Z""#),
            (252_423_993_600, #""252423993600.0 seconds since 2001""#), (.nan, #""nan seconds since 2001""#),
            (.infinity, #""inf seconds since 2001""#),
        ]
        for (seconds, json) in cases {
            var list = BinaryList()
            list.root = list.dictionary([("at", list.date(seconds))])
            #expect(try ListTrial.json("at", list.file) == json)
        }
    }

    @Test("and is read back to the last one")
    func datesBack() {
        var random = SeededGenerator(seed: 7)
        let edges: [Double] = [
            0, -0.25, 1e-9, -1e-9, .leastNonzeroMagnitude, -63_113_904_000, -63_114_076_800, 252_423_993_600, 1e300,
            -.infinity,
        ]
        let others = (0..<5_000).map { round in
            let seconds = Double.random(in: -1e9...2e9, using: &random)
            return round % 3 == 0 ? seconds.rounded() : round % 3 == 1 ? seconds : seconds / 1e9
        }
        for seconds in edges + others {
            let json = Bytes()
            PropertyListDate.append(seconds, to: json)
            let text = json.text(1..<json.count - 1)
            #expect(PropertyListDate.seconds(of: text) == seconds, "\(text)")
        }
        for text in ["", "Z", "2026-11-20", "2026-11-20T05:00:00.Z", "2026-11-20T05:00:00.aZ", "a seconds since 2001"] {
            #expect(PropertyListDate.seconds(of: text) == nil || text.hasSuffix(".Z"))
        }
    }
}
