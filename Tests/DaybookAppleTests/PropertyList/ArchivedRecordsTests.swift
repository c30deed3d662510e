import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// An object of an app.
final class ArchivedTodo: NSObject, NSCoding {
    override init() {}
    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) {
        coder.encode(7, forKey: "id")
        coder.encode("milk" as NSString, forKey: "title")
        coder.encode(NSUUID(uuidString: "CD9C9125-BEFE-4DEA-8B92-D551195D974B")!, forKey: "uuid")
        coder.encode([NSNumber(value: 1.5): NSNull()] as NSDictionary, forKey: "odd")
    }
}

/// Archives of an app's own classes, built as property lists.
@Suite struct ArchivedRecordsTests {
    /// An archive in XML, whose `$objects` are these elements behind `$null`; object 1 is the root.
    private static func archive(_ objects: [String]) -> String {
        """
        <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
        <key>$top</key><dict><key>root</key>\(reference(1))</dict>
        <key>$objects</key><array><string>$null</string>\(objects.joined(separator: "\n"))</array></dict></plist>
        """
    }

    private static func reference(_ number: Int) -> String {
        "<dict><key>CF$UID</key><integer>\(number)</integer></dict>"
    }

    private static func object(_ kind: Int, _ fields: [(String, String)]) -> String {
        "<dict>" + fields.map { "<key>\($0)</key>\($1)" }.joined()
            + "<key>$class</key>\(reference(kind))</dict>"
    }

    private static func kind(_ name: String) -> String {
        "<dict><key>$classes</key><array><string>\(name)</string><string>NSObject</string></array>"
            + "<key>$classname</key><string>\(name)</string></dict>"
    }

    private static func array(_ kind: Int, _ elements: [Int]) -> String {
        object(kind, [("NS.objects", "<array>\(elements.map(reference).joined())</array>")])
    }

    /// Two todos, whose tag is one object.
    private static let todos = archive([
        array(2, [3, 7]), kind("NSArray"),
        object(
            4,
            [
                ("id", "<integer>1</integer>"), ("title", reference(5)), ("due", reference(8)), ("tag", reference(6)),
                ("note", reference(0)), ("frame", "<array><real>1.5</real>\(reference(5))</array>"),
            ]
        ),
        kind("App.Todo"), "<string>milk</string>", object(9, [("name", reference(5))]),
        object(4, [("id", "<integer>2</integer>"), ("isDone", "<true/>"), ("tag", reference(6))]),
        object(10, [("NS.time", "<real>817707600</real>")]), kind("App.Tag"), kind("NSDate"),
    ])

    private static let todosAsJSON = """
        [{"$class":"App.Todo","id":1,"title":"milk","due":"2026-11-30T05:00:00Z","tag":{"$class":"App.Tag","name":"milk"},\
        "note":null,"frame":[1.5,"milk"]},{"$class":"App.Todo","id":2,"isDone":true,"tag":{"$class":"App.Tag","name":"milk"}}]
        """

    private static func binary(_ xml: String) throws -> Data {
        // The references of XML become those of binary archives where Foundation writes the list.
        let list = try PropertyListSerialization.propertyList(from: Data(xml.utf8), options: [], format: nil)
        return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    @Test("objects are records with their class, as files and as data under a key, in XML and binary")
    func records() throws {
        let files = [Data(Self.todos.utf8), try Self.binary(Self.todos)]
        for file in files {
            #expect(try ListTrial.json("root", file).count == Self.todosAsJSON.count)
            let words = try ListTrial.file(file).recognised
            #expect(words.hasSuffix("property list, a keyed archive with objects of App.Todo, App.Tag"), "\(words)")
        }
        #expect(try ListTrial.json("root", files[0]) == Self.todosAsJSON)
        let under = try PropertyListSerialization.data(
            fromPropertyList: ["todos": files[0]],
            format: .binary,
            options: 0
        )
        let found = try ListTrial.value("todos", under)
        #expect(found.json == Self.todosAsJSON)
        #expect(
            found.words
                == "data holding an XML property list holding a keyed archive with objects of App.Todo, App.Tag, an array"
        )
        let rows = try ListTrial.rows(files[0], "whole: true\ncolumns: { tag: json, frame: json }").rows
        #expect(
            rows == """
                $class:text,id:integer,title:text,due:instant,tag:json,note:text,frame:json,isDone:flag
                App.Todo,1,milk,2026-11-30T05:00:00Z,"{""$class"":""App.Tag"",""name"":""milk""}",,"[1.5,""milk""]",
                App.Todo,2,,,"{""$class"":""App.Tag"",""name"":""milk""}",,,true
                """
        )
    }

    @Test("an object that Foundation archives")
    func foundation() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: ArchivedTodo(), requiringSecureCoding: false)
        let json = try ListTrial.json("root", archive)
        let fields = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(fields["$class"] as? String == "DaybookAppleTests.ArchivedTodo")
        #expect(fields["id"] as? Int == 7 && fields["title"] as? String == "milk")
        #expect(fields["uuid"] as? String == "CD9C9125-BEFE-4DEA-8B92-D551195D974B")
        #expect((fields["odd"] as? [String: Any])?["1.5"] is NSNull)
    }

    @Test("decimal numbers in both orders of bytes")
    func decimals() throws {
        let little = "<data>\(Data([0x39, 0x30] + [UInt8](repeating: 0, count: 14)).base64EncodedString())</data>"
        let big = "<data>\(Data([0x30, 0x39] + [UInt8](repeating: 0, count: 14)).base64EncodedString())</data>"
        func decimal(_ kind: Int, _ exponent: Int, _ length: Int, _ order: Int, _ mantissa: String) -> String {
            Self.object(
                kind,
                [
                    ("NS.exponent", "<integer>\(exponent)</integer>"), ("NS.length", "<integer>\(length)</integer>"),
                    ("NS.negative", length == 0 ? "<true/>" : "<false/>"), ("NS.compact", "<true/>"),
                    ("NS.mantissa.bo", "<integer>\(order)</integer>"), ("NS.mantissa", mantissa),
                ]
            )
        }
        let text = Self.archive([
            Self.array(2, [3, 4, 5, 6]), Self.kind("NSArray"), decimal(7, -2, 1, 1, little), decimal(7, 3, 1, 2, big),
            decimal(8, 0, 0, 1, little), decimal(8, 0, 9, 1, little), Self.kind("NSDecimalNumberPlaceholder"),
            Self.kind("NSDecimalNumber"),
        ])
        let json = try ListTrial.json("root", text.utf8)
        #expect(json.hasPrefix(#"[123.45,12345000,null,{"$class":"NSDecimalNumber","NS.exponent":0"#), "\(json)")
    }

    @Test("whole numbers as keys are texts, and a relative URL keeps its parts")
    func keys() throws {
        let text = Self.archive([
            Self.object(
                2,
                [
                    ("NS.keys", "<array>\(Self.reference(3))</array>"),
                    ("NS.objects", "<array>\(Self.reference(4))</array>"),
                ]
            ),
            Self.kind("NSDictionary"), "<integer>7</integer>",
            Self.object(5, [("NS.base", Self.reference(6)), ("NS.relative", Self.reference(7))]), Self.kind("NSURL"),
            Self.object(5, [("NS.base", Self.reference(0)), ("NS.relative", Self.reference(8))]),
            "<string>a</string>", "<string>https://example.com/</string>",
        ])
        #expect(
            try ListTrial.json("root", text.utf8)
                == #"{"7":{"$class":"NSURL","NS.base":"https://example.com/","NS.relative":"a"}}"#
        )
    }

    @Test("an object that holds itself is a reference there, which its number leads to")
    func cycles() throws {
        let folder = Self.archive([
            Self.object(2, [("name", "<string>f</string>"), ("items", Self.reference(3))]), Self.kind("App.Folder"),
            Self.array(4, [5, 6]), Self.kind("NSArray"),
            Self.object(7, [("parent", Self.reference(1)), ("next", Self.reference(6))]),
            Self.object(7, [("parent", Self.reference(1)), ("itself", Self.reference(6))]), Self.kind("App.Item"),
        ])
        let last =
            #"{"$class":"App.Item","$object":6,"parent":{"$class":"App.Folder","$object":1},"itself":{"$class":"App.Item","$object":6}}"#
        #expect(
            try ListTrial.json("root", folder.utf8) == """
                {"$class":"App.Folder","$object":1,"name":"f","items":[{"$class":"App.Item",\
                "parent":{"$class":"App.Folder","$object":1},"next":\(last)},\(last)]}
                """
        )
    }

    @Test("an array that an object in it refers to is a reference there")
    func cyclesOfArrays() throws {
        let items = Self.archive([
            Self.array(2, [3]), Self.kind("NSMutableArray"), Self.object(4, [("folder", Self.reference(5))]),
            Self.kind("App.Item"), Self.object(6, [("items", Self.reference(1))]), Self.kind("App.Folder"),
        ])
        #expect(
            try ListTrial.json("root", items.utf8) == """
                [{"$class":"App.Item","folder":{"$class":"App.Folder",\
                "items":{"$class":"NSMutableArray","$object":1}}}]
                """
        )
    }

    @Test("chains, bombs, shared fields and references to nothing are refused with a reason")
    func hostile() throws {
        func chain(_ count: Int, _ fields: (Int) -> [(String, String)]) -> String {
            Self.archive((1...count).map { Self.object(count + 1, fields($0)) } + [Self.kind("App.Link")])
        }
        func code(_ text: String) -> DaybookError.Code? { ListTrial.refusal(text.utf8, key: "root")?.code }
        #expect(code(chain(20) { $0 < 20 ? [("next", Self.reference($0 + 1))] : [] }) == nil)
        #expect(code(chain(2_000) { $0 < 2_000 ? [("next", Self.reference($0 + 1))] : [] }) == "nested-too-deeply")
        let twice = chain(60) { number in
            number < 60 ? ["a", "b"].map { ($0, Self.reference(number + 1)) } : []
        }
        #expect(code(twice) == "property-list-too-large")
        #expect(code(chain(2) { _ in [("next", Self.reference(99))] }) == "not-a-property-list")
        // Many fields that are one array of references.
        var list = BinaryList()
        let kinds = ["App.Todo", "NSArray"].map { list.dictionary([("$classname", list.text($0))]) }
        let same = list.array((0..<200).map { _ in list.uid(0, 1) })
        let todos = (0..<200).map { _ in list.dictionary([("$class", list.uid(2, 1)), ("a", same), ("b", same)]) }
        let elements = list.array(todos.indices.map { list.uid(UInt64($0 + 4), 1) })
        let root = list.dictionary([("$class", list.uid(3, 1)), ("NS.objects", elements)])
        let objects = list.array([list.text("$null"), root] + kinds + todos)
        let top = list.dictionary([("root", list.uid(1, 1))])
        list.root = list.dictionary([("$archiver", list.text("NSKeyedArchiver")), ("$objects", objects), ("$top", top)])
        let message = ListTrial.refusal(list.file, key: "root")?.message
        #expect(message?.hasPrefix("objects of the archive share their fields") == true, "\(message ?? "read")")
    }

    @Test("archives are not written over, neither as data, nor as dictionaries, nor as whole files")
    func exports() throws {
        let rows = try BatchText.read("id:integer\n1")
        let plist = { (value: Any) in
            try PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0)
        }
        let archive = try PropertyListSerialization.propertyList(from: Data(Self.todos.utf8), options: [], format: nil)
        let bases: [(Data, String, String)] = [
            (
                try plist(["k": Data(Self.todos.utf8)]), "",
                "'k' in 'old' is data that NSKeyedArchiver wrote with objects of App.Todo, App.Tag, and archives are not written"
            ),
            (
                try plist(["k": archive]), "layout: object\n",
                "'k' in 'old' is a keyed archive, and what is to be written is one record"
            ),
            (
                Data(Self.todos.utf8), "new_key: true\n",
                "'old' is a keyed archive with objects of App.Todo, App.Tag, and archives are not written"
            ),
        ]
        for (base, options, message) in bases {
            let error = #expect(throws: DaybookError.self) {
                try DefaultsExportTests.exported(rows, "key: k\ninto: old\n" + options, into: base)
            }
            #expect(error?.message == message)
            #expect(error?.hint != nil)
        }
    }
}
