import DaybookTestSupport
import Testing

@testable import DaybookContracts
@testable import DaybookJSON

/// Values of rows go back into the records that they came from.
@Suite struct RecordPatchTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var columns: [Field]
        var record: String
        var row: String
        var written: String?
        var unlisted = UnlistedFields.keep
        var lost: [String]?
        var testDescription: String { name }
    }

    static let id = Field("id", .integer, source: "id")
    static let note = Field("note", .text, source: "note")
    static let latitude = Field("place.lat", .decimal, source: "place.lat")

    static func renamed(_ name: String, from source: String) -> Field {
        var field = Field(name, .text, source: source)
        field.isRenamed = true
        return field
    }

    static let cases = [
        Case(
            name: "a value that changed, and all others byte for byte",
            columns: [id, note],
            record: #"{ "id": 7, "note":"a", "x" : [1, 2.50], "\u0079":null }"#,
            row: #"{"id":7,"note":"b"}"#,
            written: #"{"id":7,"note":"b","x":[1, 2.50],"\u0079":null}"#
        ),
        Case(
            name: "a value that means the same keeps its spelling",
            columns: [id, note, Field("share", .decimal, source: "share")],
            record: #"{"id":7,"note":"\u0061\/","share":1.50}"#,
            row: #"{"id":7,"note":"a/","share":1.5}"#,
            written: #"{"id":7,"note":"\u0061\/","share":1.50}"#
        ),
        Case(
            name: "whole numbers are compared with every digit",
            columns: [id],
            record: #"{"id":9007199254740993}"#,
            row: #"{"id":9007199254740992}"#,
            written: #"{"id":9007199254740992}"#
        ),
        Case(
            name: "a field without a value any more is gone; null stays",
            columns: [id, note],
            record: #"{"id":null,"note":"a","x":1}"#,
            row: "{}",
            written: #"{"id":null,"x":1}"#
        ),
        Case(
            name: "a field that is new comes last",
            columns: [id, note],
            record: #"{"x":1}"#,
            row: #"{"id":7,"note":null}"#,
            written: #"{"x":1,"id":7}"#
        ),
        Case(
            name: "objects inside are put together",
            columns: [id, latitude],
            record: #"{"place":{"name":"Seoul","lat":37.50,"in":{"c":1}},"id":7}"#,
            row: #"{"id":8,"place":{"lat":37.6}}"#,
            written: #"{"place":{"name":"Seoul","lat":37.6,"in":{"c":1}},"id":8}"#
        ),
        Case(
            name: "an object without the values of rows keeps the others",
            columns: [id, latitude],
            record: #"{"place":{"name":"Seoul","lat":37.50},"id":7}"#,
            row: #"{"id":7}"#,
            written: #"{"place":{"name":"Seoul"},"id":7}"#
        ),
        Case(
            name: "an object whose values are all gone is gone",
            columns: [id, latitude],
            record: #"{"place":{"lat":37.50},"id":7}"#,
            row: #"{"id":7}"#,
            written: #"{"id":7}"#
        ),
        Case(
            name: "a renamed column takes its field with it",
            columns: [id, renamed("title", from: "note")],
            record: #"{"id":7,"note":"a","x":1}"#,
            row: #"{"id":7,"title":"a"}"#,
            written: #"{"id":7,"x":1,"title":"a"}"#
        ),
        Case(
            name: "a column made of a field leaves it there",
            columns: [id, Field("label", .text, source: "note")],
            record: #"{"id":7,"note":"a"}"#,
            row: #"{"id":7,"label":"a!"}"#,
            written: #"{"id":7,"note":"a","label":"a!"}"#
        ),
        Case(
            name: "an instant that was finer keeps its digits",
            columns: [Field("at", .instant, source: "at")],
            record: #"{"at":757339200.1234567}"#,
            row: #"{"at":757339200.123456}"#,
            written: #"{"at":757339200.1234567}"#
        ),
        Case(
            name: "a field that would be lost refuses the row",
            columns: [id],
            record: #"{"id":7,"x":1}"#,
            row: #"{"id":7}"#,
            unlisted: .fail,
            lost: ["x"]
        ),
        Case(
            name: "also inside an object",
            columns: [id, latitude],
            record: #"{"id":7,"place":{"lat":1,"name":"a"}}"#,
            row: #"{"id":7,"place":{"lat":1}}"#,
            unlisted: .fail,
            lost: ["place", "name"]
        ),
        Case(
            name: "fields that are dropped by name",
            columns: [id, latitude],
            record: #"{"id":7,"x":{"y":1},"place":{"lat":1,"name":"a"}}"#,
            row: #"{"id":7,"place":{"lat":1}}"#,
            written: #"{"id":7,"place":{"lat":1}}"#,
            unlisted: .drop([JSONPointer(tokens: ["x"]), JSONPointer(tokens: ["place", "name"])])
        ),
        Case(
            name: "and no other",
            columns: [id],
            record: #"{"id":7,"x":1,"y":2}"#,
            row: #"{"id":7}"#,
            unlisted: .drop([JSONPointer(tokens: ["x"])]),
            lost: ["y"]
        ),
        Case(
            name: "a record with what is no JSON loses nothing in silence",
            columns: [id],
            record: #"{"id":7,"x":NaN,"y":2}"#,
            row: #"{"id":7}"#,
            lost: []
        ),
        Case(
            name: "nor does one inside",
            columns: [id, latitude],
            record: #"{"id":7,"place":{"lat":1,"z":-Infinity}}"#,
            row: #"{"id":7,"place":{"lat":2}}"#,
            lost: []
        ),
        Case(
            name: "a record that is a value is replaced",
            columns: [Field("value", .integer, source: "value")],
            record: #"{"value":7}"#,
            row: "8",
            written: "8"
        ),
    ]

    @Test(arguments: cases) func patches(_ one: Case) throws {
        let encoding = CodableEncoding(dates: .appleSeconds, leavesOutMissing: true)
        let schema = Schema(one.columns).ofRecords
        let patch = try #require(
            try encoding.patch(one.unlisted, else: .dropAll, of: schema, nests: true, at: nil)
        )
        let (record, row, out) = (Bytes(one.record), Bytes(one.row), Bytes())
        let lost = patch.write(row.filled, into: record.filled, to: out)
        #expect(lost == one.lost)
        if let written = one.written { #expect(out.text(0..<out.count) == written) }
        withExtendedLifetime((record, row)) {}
    }

    @Test("the value of a record is found behind its key")
    func values() {
        for (text, value) in [
            (#" {"a":1}"#, #"{"a":1}"#), (#""k" : {"a":1}"#, #"{"a":1}"#), (#"7,{"a":1}"#, #"{"a":1}"#), ("7", "7"),
            (#""k":7"#, "7"), (#" "k" "#, #""k""#), ("2.50 ", "2.50"), ("a,b", nil), ("", nil),
        ] as [(String, String?)] {
            let bytes = Bytes(text)
            let found = RecordPatch.value(in: bytes.filled).map { String(decoding: $0, as: UTF8.self) }
            #expect(found == value)
        }
    }
}
