import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

/// Lists that are cut off, turn in a circle or are made to do harm: an error with a place, in no time and little memory.
@Suite struct PropertyListFaultTests {
    private static func list(_ root: (inout BinaryList) -> Int) -> [UInt8] {
        var list = BinaryList()
        list.root = root(&list)
        return list.file
    }

    private func expect(_ content: some Sequence<UInt8>, _ code: String, _ message: String, key: String? = nil) {
        let error = ListTrial.refusal(content, key: key)
        #expect(error?.code.rawValue == code)
        #expect(error?.message == message)
        #expect(error?.blame == .data)
    }

    @Test("what is no list at all is told for what it is")
    func others() {
        expect(
            "SQLite format 3\0\u{10}".utf8,
            "not-a-property-list",
            "'dump.plist' is an SQLite database, not a property list"
        )
        expect(
            [0x50, 0x4B, 3, 4, 0xFF],
            "not-a-property-list",
            "'dump.plist' is a ZIP archive or a spreadsheet, not a property list"
        )
        for text in ["date,mood\n2026-11-21,good\n", "date;mood\n1;2\n", "\"date\",\"mood\"\n", "날짜\n"] {
            expect(
                text.utf8,
                "not-a-property-list",
                "this is text, and no property list or JSON dump of one, at byte 0 of dump.plist"
            )
        }
        #expect(ListTrial.refusal("key = value".utf8)?.message.hasPrefix("this is text") == false)
    }

    @Test("a value that holds itself")
    func cycles() {
        var one = BinaryList()
        one.root = one.array([0])
        expect(one.file, "cyclic-property-list", "a value holds itself, at byte 8 of dump.plist")
        var two = BinaryList()
        let inner = two.array([0])
        two.root = two.dictionary([("k", inner)])
        two.point(inner, to: [two.root])
        expect(two.file, "cyclic-property-list", "a value holds itself, at byte 8 of dump.plist")
    }

    @Test("nested to the limit and one level deeper, in every spelling and through shared parts")
    func depth() {
        func binary(_ depth: Int) -> [UInt8] {
            Self.list { list in
                var inner = list.add([0x09])
                for _ in 0..<depth - 1 { inner = list.array([inner]) }
                return list.dictionary([("k", inner)])
            }
        }
        #expect(ListTrial.refusal(binary(512)) == nil)
        expect(
            binary(513),
            "nested-too-deeply",
            "arrays and dictionaries are nested deeper than 512 levels, at byte 9 of dump.plist"
        )
        // Entered first at a low depth, the shared part lies deeper by another way.
        let shared = Self.list { list in
            var part = list.add([0x09])
            for _ in 0..<300 { part = list.array([part]) }
            var deep = list.array([part])
            for _ in 0..<300 { deep = list.array([deep]) }
            return list.dictionary([("a", part), ("b", deep)])
        }
        #expect(ListTrial.refusal(shared)?.code == "nested-too-deeply")
        for (open, close, start, end) in [
            ("<array>", "</array>", "<plist><dict><key>k</key>", "</dict></plist>"), ("(", ")", "{ k = ", "; }"),
            ("[", "]", #"{"k": "#, "}"),
        ] {
            func text(_ depth: Int) -> String {
                start + String(repeating: open, count: depth) + String(repeating: close, count: depth) + end
            }
            #expect(ListTrial.refusal(text(511).utf8) == nil)
            let error = ListTrial.refusal(text(512).utf8)
            #expect(error?.code == "nested-too-deeply")
            #expect(error?.place?.line == 1)
            #expect(ListTrial.refusal(text(1_000_000).utf8)?.code == "nested-too-deeply")
        }
    }

    @Test("parts that are shared so that they unfold without bound")
    func unfolding() {
        for levels in [25, 60, 500] {
            let bomb = Self.list { list in
                var part = list.add([0x09])
                for _ in 0..<levels { part = list.array([part, part]) }
                return list.dictionary([("k", part)])
            }
            expect(
                bomb,
                "property-list-too-large",
                "the list refers to the same values so often that it unfolds to more than 1048576 values, "
                    + "at byte \(9 + 5 * levels + 2) of dump.plist"
            )
        }
        // Few values of much text: 1,000 references to 1 MiB are 1 GiB of JSON.
        let text = Self.list { list in
            let long = list.text(String(repeating: "x", count: 1 << 20))
            return list.dictionary([("k", list.array(Array(repeating: long, count: 1_000)))])
        }
        #expect(ListTrial.refusal(text)?.code == "property-list-too-large")
    }

    @Test("objects that lie in the same bytes")
    func overlapping() {
        // 200 objects, each the same array of 200 references.
        var list = BinaryList()
        list.root = list.dictionary([("k", list.array(Array(0..<200)))])
        while list.objects.count < 200 { list.add([0x09]) }
        var file = list.file
        let table = file.count - 32 - 4 * 200
        for object in 3..<200 { file.replaceSubrange(table + 4 * object..<table + 4 * object + 4, with: [0, 0, 0, 8]) }
        expect(file, "not-a-property-list", "two objects lie in the same bytes, at byte 8 of dump.plist")
    }

    @Test("counts and lengths that the file has no room for")
    func counts() {
        for kind: UInt8 in [0x4, 0x5, 0x6, 0xA, 0xC, 0xD] {
            for count: UInt64 in [1 << 30, 1 << 60, .max >> 1, .max] {
                let file = Self.list { $0.add([kind << 4 | 15, 0x13] + BinaryList.number(count, 8)) }
                expect(
                    file,
                    "not-a-property-list",
                    "an object is longer than the room for objects, at byte 8 of dump.plist"
                )
            }
        }
        var file = Self.list { $0.dictionary([]) }
        let trailer = file.count - 32
        func changed(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
            var copy = file
            copy.replaceSubrange(trailer + place..<trailer + place + bytes.count, with: bytes)
            return copy
        }
        let at = "dump.plist"
        for (place, bytes, message) in [
            (6, [9], "the trailer gives a size of 9 bytes, at byte \(trailer + 6) of \(at)"),
            (7, [0], "the trailer gives a size of 0 bytes, at byte \(trailer + 7) of \(at)"),
            (
                8, BinaryList.number(1 << 61, 8),
                "the trailer counts \(1 << 61) objects, at byte \(trailer + 8) of \(at)"
            ),
            (
                16, BinaryList.number(7, 8),
                "the trailer names object 7, and there are 1, at byte \(trailer + 16) of \(at)"
            ),
            (
                24, BinaryList.number(.max, 8),
                "the trailer puts the table of places at byte 18446744073709551615, at byte \(trailer + 24) of \(at)"
            ),
        ] as [(Int, [UInt8], String)] {
            expect(changed(place, bytes), "not-a-property-list", message)
        }
        file = Array("bplist15".utf8) + file.dropFirst(8)
        expect(
            file,
            "unsupported-property-list",
            "this is a binary property list of version '15', not '00', at byte 6 of dump.plist"
        )
    }

    @Test("a list that is cut off anywhere is refused with a place inside it")
    func cutOff() {
        let whole: [[UInt8]] = [
            BinaryList.everything(offsetSize: 4, referenceSize: 2).file, PythonLists.xml,
            Array("{ a = ( \"b\", <01 02>, { c = d; } ); /* e */ }".utf8), Array(#"{"a": [1, "b", {"c": null}]}"#.utf8),
        ]
        for file in whole {
            for length in 0..<file.count - 1 {
                let error = ListTrial.refusal(file.prefix(length))
                // What stands behind the last bracket is white space.
                if error == nil { #expect(file[length...].allSatisfy { $0 <= 0x20 }) }
                if let error, error.code != "no-keys" {
                    #expect(ListTrial.byte(of: error).map { $0 <= length } == true, "\(error.message)")
                }
            }
        }
    }

    @Test(
        "what XML must not have",
        arguments: [
            (
                "<!DOCTYPE plist [<!ENTITY a \"aa\">]><plist><string>&a;</string></plist>",
                "the DOCTYPE declares something of its own, at byte 16"
            ),
            (
                "<plist><dict><key>&e;</key></dict></plist>",
                "property lists have only the entities &amp; &lt; &gt; &quot; &apos; and numbers such as &#44;, at byte 18"
            ),
            ("<plist><dict><key>&#xD800;</key></dict></plist>", "this names no character, at byte 18"),
            ("<plist><dict><key>a</key></dict></plist>", "a key has no value, at byte 25"),
            ("<plist><dict><true/></dict></plist>", "a value has no key, at byte 13"),
            ("<plist><array><key>a</key></array></plist>", "a key stands outside of a dictionary, at byte 14"),
            ("<plist><array><int>1</int></array></plist>", "property lists have no element 'int', at byte 14"),
            ("<plist><array></dict></plist>", "expected </array>, at byte 14"),
            ("<plist><string>a<b/></string></plist>", "expected </string>, at byte 16"),
            ("<plist><integer>1.5</integer></plist>", "'1.5' is not a whole number of up to 128 bits, at byte 16"),
            (
                "<plist><integer>170141183460469231731687303715884105728</integer></plist>",
                "'170141183460469231731687303715884105728' is not a whole number of up to 128 bits, at byte 16"
            ),
            ("<plist><real>1,5</real></plist>", "'1,5' is not a number, at byte 13"),
            (
                "<plist><date>2026-02-30T00:00:00Z</date></plist>",
                "'2026-02-30T00:00:00Z' is not a date such as 2026-11-21T05:00:00Z, at byte 13"
            ),
            ("<plist><data>A*==</data></plist>", "the data is not base64, at byte 14"),
            (
                "<plist id=\"1\"><true/></plist>",
                "expected '>'; elements of a property list have no attributes, at byte 7"
            ),
            ("<plist><true/></plist><plist/>", "something stands behind </plist>, at byte 22"),
            ("<plist/>", "expected <plist>, at byte 0"),
            (
                "<?xml version=\"1.0\" encoding=\"EUC-KR\"?><plist><true/></plist>",
                "the file says that it is in EUC-KR, and property lists are read in UTF-8 or UTF-16, at byte 5"
            ),
        ]
    )
    func xml(_ text: String, _ message: String) {
        #expect(ListTrial.refusal(text.utf8)?.message == message + " of dump.plist")
    }

    @Test(
        "what OpenStep and JSON must not have",
        arguments: [
            ("{ a = b }", "expected ';' behind the value, at byte 8"),
            ("{ a b; }", "expected '=' behind the key, at byte 4"),
            ("{ a = <0>; }", "the data ends in half a byte, at byte 8"),
            ("{ a = <0g>; }", "the data is not hexadecimal, at byte 8"),
            ("{ a = <*I5>; }", "GNUstep's typed values are not read, at byte 6"),
            ("( a; )", "expected ',' or ')', at byte 3"),
            ("{ a = \"\\400\"; }", "an octal escape above \\177 is a character of NeXTSTEP's own encoding, at byte 7"),
            ("{ a = \"\\U12\"; }", "\\U wants four hexadecimal digits, at byte 7"),
            ("{ /* a", "a comment is never closed, at byte 2"),
            ("", "the file is empty, at byte 0"), ("(a) b", "something stands behind the list, at byte 4"),
            ("{\"a\": 01}", "a JSON number cannot begin with a zero that other digits follow, at byte 6"),
            ("{\"a\": 1} x", "something stands behind the value, at byte 9"),
        ]
    )
    func openStep(_ text: String, _ message: String) {
        #expect(ListTrial.refusal(text.utf8)?.message == message + " of dump.plist")
    }

    @Test("half a surrogate pair is an error only where its text is wanted")
    func surrogates() throws {
        let file = Self.list { list in
            let half = list.add([0x62, 0xD8, 0x00, 0x00, 0x41])
            return list.dictionary([("fine", list.add([0x09])), ("half", list.array([half]))])
        }
        #expect(try ListTrial.json("fine", file) == "true")
        expect(
            file,
            "not-a-property-list",
            "under the key 'half': a text has half a surrogate pair in it, at byte 8 of dump.plist",
            key: "half"
        )
        let text = #"{ fine = "é"; half = "\Ud800"; }"#
        #expect(try ListTrial.json("fine", text.utf8) == #""é""#)
        #expect(ListTrial.refusal(text.utf8, key: "half")?.place?.column == 22)
    }

    @Test("a set is not written back as the array that it is not")
    func sets() throws {
        let file = Self.list { list in
            let one = list.integer(1, 1)
            return list.dictionary([("a", list.dictionary([("b", list.array([one], kind: 0xC))]))])
        }
        let rows = try BatchText.read("n:integer\n1")
        do {
            _ = try DefaultsExportTests.exported(rows, "key: k\ninto: old", into: Data(file))
            Issue.record("accepted")
        } catch let error as DaybookError {
            #expect(error.message == "'a/b' in 'old' is a set, and so cannot be kept")
        }
    }

    @Test("keys that are not text, that stand twice, that are not there, and a list without keys")
    func keys() {
        let number = Self.list { list in
            let one = list.integer(1, 1)
            return list.add([0xD1], [one, one])
        }
        expect(
            number,
            "not-a-property-list",
            "a key of a dictionary is a whole number, not text, at byte 8 of dump.plist"
        )
        let twice = "{ a = 1; b = 2; a = 3; }".utf8
        expect(twice, "not-a-property-list", "the key 'a' stands twice, at byte 16 of dump.plist", key: "a")
        expect(twice, "key-not-found", "dump.plist has no key 'c'", key: "c")
        #expect(ListTrial.refusal(twice, key: "c")?.hint == "its keys are a, b, a")
        #expect(ListTrial.refusal(twice, key: "emotions")?.hint == "its keys are a, b, a")
        expect("(a)".utf8, "no-keys", "dump.plist holds an array, and not keys with values")
    }

    @Test("what 'defaults read' prints leaves bytes out, and says so")
    func printed() {
        let text = """
            {
                launches = 12;
                todos = {length = 1204, bytes = 0x5b7b2269 64223a31 ... 7d5d0a20 };
            }

            """
        expect(
            text.utf8,
            "unsupported-property-list",
            "data is printed here in short, as 'defaults read' does, and its bytes are left out, at byte 33 of dump.plist"
        )
        let hint = ListTrial.refusal(text.utf8)?.hint ?? ""
        #expect(hint.contains("defaults export DOMAIN -") && hint.contains("plutil -convert xml1"))
        #expect(ListTrial.refusal("{ a = {length = 3}; }".utf8)?.hint == nil)
        #expect(ListTrial.refusal("[1]".utf8)?.hint == "import_json reads such a file")
    }
}

extension ListTrial {
    /// The byte that an error names, and must name.
    static func byte(of error: DaybookError) -> Int? {
        let parts = error.message.utf8.split(separator: UInt8(ascii: " "))
        guard parts.count >= 4, parts.suffix(2).elementsEqual(["of", source.path], by: { $0.elementsEqual($1.utf8) })
        else {
            return nil
        }
        return Int(Substring(parts[parts.count - 3]))
    }
}
