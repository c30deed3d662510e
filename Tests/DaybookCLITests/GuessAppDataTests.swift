import DaybookContracts
import DaybookTestSupport
import Foundation
import Testing

/// What `daybook guess` makes of the files in which apps of Android, Flutter and React Native keep their data, and of
/// archives.
@Suite struct GuessAppDataTests: GuessingSuite {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    @Test func sharedPreferencesAreNamed() throws {
        let job = try guess(
            """
            <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
            <map>
                <string name="flutter.todos">[{&quot;id&quot;:1},{&quot;id&quot;:2}]</string>
                <long name="flutter.launches" value="12" />
            </map>
            """,
            as: "FlutterSharedPreferences.xml"
        )
        #expect(job.contains("SharedPreferences of an Android app") && job.contains("key: flutter.todos"), "\(job)")
        #expect(job.contains("'flutter.launches'"), "\(job)")
        #expect(place.text("out/flutter-todos.csv") == "id\n1\n2\n")
        // Other documents may have an element of that name.
        try place.write("<?xml version=\"1.0\"?>\n<world><map>1</map></world>\n", to: "world.xml")
        let other = try command.run("guess", "world.xml")
        #expect(!other.output.contains("import_user_defaults"), "\(other.output)")
    }

    @Test func asyncStorageAndTheStateOfReduxInIt() throws {
        let state = #"{"todos":"{\"items\":[{\"id\":1,\"title\":\"milk\"},{\"id\":2}]}","_persist":"{\"version\":-1}"}"#
        let text = Bytes()
        text.append(jsonString: state)
        let job = try guess(
            #"{"persist:root":\#(text.text(0..<text.count)),"@long":null}"#,
            as: "manifest.json"
        )
        #expect(job.contains("AsyncStorage of a React Native app"), "\(job)")
        #expect(job.contains("key: \"persist:root\"") && job.contains("records: /todos/items"), "\(job)")
        #expect(job.contains("'@long'; printf %s KEY | md5sum"), "\(job)")
        #expect(place.text("out/persist-root.csv") == "id,title\n1,milk\n2,\n")
        // An extension's manifest is no such file.
        try place.write(#"{"manifest_version":3,"name":"x"}"#, to: "manifest.json")
        let other = try command.run("guess", "manifest.json").output
        #expect(other.contains("import_json"), "\(other)")
    }

    @Test func archivesNameTheirClasses() throws {
        func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
        let job = try guess(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$top</key><dict><key>root</key>\(reference(1))</dict><key>$objects</key><array><string>$null</string>
            <dict><key>$class</key>\(reference(2))<key>NS.objects</key><array>\(reference(3))\(reference(3))</array></dict>
            <dict><key>$classname</key><string>NSArray</string></dict>
            <dict><key>id</key><integer>1</integer><key>$class</key>\(reference(4))</dict>
            <dict><key>$classname</key><string>App.Todo</string></dict></array></dict></plist>
            """,
            as: "todos.plist"
        )
        #expect(job.contains("a keyed archive with objects of App.Todo"), "\(job)")
        #expect(place.text("out/root.csv") == "$class,id\nApp.Todo,1\nApp.Todo,1\n")
    }

    @Test(arguments: [
        ("(\n    {\n        id = 1;\n    }\n)\n", "whole: true", "printed"),
        ("{\n    todos =     (\n        {\n            id = 1;\n        }\n    );\n}\n", "key: todos", "todos"),
    ])
    func aPrintOfDefaultsIsReadWhereNothingIsLeftOut(_ text: String, _ option: String, _ output: String) throws {
        let job = try guess(text, as: "printed.txt")
        #expect(job.contains(option) && job.contains("OpenStep property list"), "\(job)")
        #expect(place.text("out/\(output).csv") == "id\n1\n")
    }

    @Test func aPrintOfDefaultsInShortIsRefused() throws {
        for text in [
            "(\n    {length = 1204, bytes = 0x62706c69 73743030 ... 00000000 },\n    x\n)\n",
            "{\n    a = {length = 1204, bytes = 0x62706c69 73743030 ... 00000000 };\n}\n",
        ] {
            try place.write(text, to: "printed.txt")
            let outcome = try command.run("guess", "printed.txt")
            #expect(outcome.status != 0 && outcome.errors.contains("defaults export DOMAIN -"), "\(outcome.errors)")
        }
    }

    @Test func aRealmDatabaseIsNamed() throws {
        var bytes = Data(count: 16)
        bytes += Data("T-DB".utf8) + Data([24, 24, 0, 1]) + Data(count: 100)
        try bytes.write(to: place.url.appendingPathComponent("default.realm"))
        let outcome = try command.run("guess", "default.realm")
        #expect(outcome.status != 0 && outcome.errors.contains("a Realm database"), "\(outcome.errors)")
        #expect(outcome.errors.contains("Realm Studio"), "\(outcome.errors)")
    }
}
