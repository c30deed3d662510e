import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookContracts

@Suite struct KeyedArchiveTests {
    private func archived(_ value: Any) throws -> [UInt8] {
        Array(try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false))
    }

    @Test("archives that Foundation wrote, as data under a key and as files")
    func foundation() throws {
        let date = NSDate(timeIntervalSinceReferenceDate: 817_707_600.5)
        let values: [(Any, String)] = [
            (
                [1, 2.5, "text", date, Data([1, 2, 3])] as [Any],
                #"[1,2.5,"text","2026-11-30T05:00:00.5Z","AQID"]"#
            ),
            (NSDictionary(dictionary: ["k": NSArray(array: ["a", NSNull()])]), #"{"k":["a",null]}"#),
            (NSMutableDictionary(dictionary: ["k": NSMutableString(string: "m")]), #"{"k":"m"}"#),
            (NSSet(array: ["x"]), #"["x"]"#), (NSOrderedSet(array: ["x", "y"]), #"["x","y"]"#),
            (NSArray(array: [NSURL(string: "https://example.com/x")!]), #"["https://example.com/x"]"#),
            (
                NSArray(array: [NSUUID(uuidString: "CD9C9125-BEFE-4DEA-8B92-D551195D974B")!]),
                #"["CD9C9125-BEFE-4DEA-8B92-D551195D974B"]"#
            ),
            (NSArray(array: [NSNumber(value: UInt64.max)]), "[18446744073709551615]"),
        ]
        for (value, json) in values {
            let archive = try archived(value)
            var list = BinaryList()
            list.root = list.dictionary([("key", list.data(archive))])
            let kind = json.hasPrefix("[") ? "an array" : "a dictionary"
            let found = try ListTrial.value("key", list.file)
            #expect(found.json == json)
            #expect(found.words == "data holding a binary property list holding a keyed archive, \(kind)")
            #expect(try ListTrial.file(archive).recognised == "binary property list, a keyed archive")
            #expect(try ListTrial.json("root", archive) == json)
        }
    }

    @Test("an archive in XML, whose references are dictionaries")
    func xml() throws {
        let reference = { (number: Int) in "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
        let text = """
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>
            <integer>100000</integer><key>$top</key><dict><key>a</key>\(reference(1))<key>b</key>\(reference(0))</dict>
            <key>$objects</key><array><string>$null</string>
            <dict><key>$class</key>\(reference(2))<key>NS.objects</key><array>\(reference(3))\(reference(3))</array></dict>
            <dict><key>$classname</key><string>NSArray</string></dict><string>$null</string></array></dict></plist>
            """
        #expect(try ListTrial.json("a", text.utf8) == #"["$null","$null"]"#)
        #expect(try ListTrial.json("b", text.utf8) == "null")
    }

    /// An archive whose root is object 1.
    private func archive(_ objects: (inout BinaryList) -> [Int]) -> [UInt8] {
        var list = BinaryList()
        let numbers = objects(&list)
        let pairs = [
            ("$archiver", list.text("NSKeyedArchiver")), ("$objects", list.array(numbers)),
            ("$top", list.dictionary([("root", list.uid(1, 1))])),
        ]
        list.root = list.dictionary(pairs)
        return list.file
    }

    private func array(of references: [UInt64], _ list: inout BinaryList) -> Int {
        let elements = list.array(references.map { list.uid($0, 1) })
        return list.dictionary([("$class", list.uid(2, 1)), ("NS.objects", elements)])
    }

    @Test("objects that hold themselves, unfold without bound or share their fields")
    func hostile() throws {
        let cycle = archive { list in
            [list.text("$null"), array(of: [1], &list), list.dictionary([("$classname", list.text("NSArray"))])]
        }
        #expect(ListTrial.refusal(cycle)?.code == "cyclic-property-list")
        let bomb = archive { list in
            let kind = list.dictionary([("$classname", list.text("NSArray"))])
            let levels = (UInt64(3)..<60).map { (level: UInt64) in array(of: [level + 1, level + 1], &list) }
            var objects = [list.text("$null"), array(of: [3, 3], &list), kind]
            objects += levels
            objects.append(list.text("x"))
            return objects
        }
        #expect(ListTrial.refusal(bomb)?.code == "property-list-too-large")
        let shared = archive { list in
            let kind = list.dictionary([("$classname", list.text("NSArray"))])
            let same = array(of: Array(repeating: 0, count: 200), &list)
            var objects = [list.text("$null"), array(of: Array(UInt64(3)..<200), &list), kind]
            objects += Array(repeating: same, count: 197)
            return objects
        }
        let message = ListTrial.refusal(shared)?.message
        #expect(message?.hasPrefix("objects of the archive share their fields") == true, "\(message ?? "read")")
        let nowhere = archive { list in [list.text("$null")] }
        #expect(ListTrial.refusal(nowhere)?.message.hasPrefix("this refers to no object of its archive") == true)
    }
}
