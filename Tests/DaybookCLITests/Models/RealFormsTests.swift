import DaybookTestSupport
import Foundation
import Testing

/// The forms in which apps were found to keep their data, made anew: each by a job that `guess` printed, with one line
/// more or another.
@Suite struct RealFormsTests {
    let place: TemporaryDirectory
    let command: CommandTrial

    init() throws {
        place = try TemporaryDirectory()
        command = CommandTrial(in: place.url)
    }

    /// Guesses a job, changes one line of it, and runs it.
    private func job(_ file: String, _ old: String, _ new: String) throws -> String {
        let guessed = try command.run("guess", file)
        try #require(guessed.status == 0, "\(guessed.errors)")
        let parts = guessed.output.split(separator: old, omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(guessed.output)")
        try place.write(guessed.output.replacing(old, with: new), to: "job.yaml")
        let outcome = try command.run("run", "job.yaml")
        #expect(outcome.status == 0, "\(outcome.errors)\(guessed.output)")
        return guessed.output
    }

    /// A store that an app wrote, from its SQL.
    private func store(_ name: String, _ more: String, _ file: String, as form: SQLStore.Form = .init()) throws {
        let tests = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../DaybookAppleTests/CoreData/Stores")
        let sql = try String(contentsOf: tests.standardizedFileURL.appendingPathComponent(name), encoding: .utf8)
        try SQLStore.write(sql + more, to: place.url.appendingPathComponent(file), as: form)
    }

    private func list(_ path: String) throws -> NSDictionary {
        let bytes = try Data(contentsOf: place.url.appendingPathComponent(path))
        return try #require(try PropertyListSerialization.propertyList(from: bytes, format: nil) as? NSDictionary)
    }

    private func write(_ list: Any, _ format: PropertyListSerialization.PropertyListFormat, to path: String) throws {
        try place.write(
            try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0),
            to: path
        )
    }

    @Test func toDosThatBlockEachOther() throws {
        try store(
            "to-do-2018.sql",
            """
            DELETE FROM ZTODOITEM WHERE Z_PK > 3; INSERT INTO ZPROJECT VALUES (7, 1, 1, 3, 'home');
            UPDATE ZTODOITEM SET ZPROJECT = 7 WHERE Z_PK = 1;
            INSERT INTO Z_2BLOCKING (Z_2BLOCKEDBY, Z_2BLOCKING) VALUES (3, 1), (2, 1), (1, 2);
            """,
            "EasyLife.sqlite"
        )
        let job = try job(
            "EasyLife.sqlite",
            "    id: TodoItem\n",
            "    id: TodoItem\n  - filter_rows: { where: \"to_text(blockedBy) <> '[]'\" }\n"
        )
        #expect(job.contains("relationships: [blockedBy, blocking]"), "\(job)")
        let rows = try #require(place.text("out/TodoItem.csv")).split(separator: "\n")
        #expect(rows.map { $0.split(separator: ",").first } == ["key", "1", "2"], "\(rows)")
        #expect(rows.last?.hasSuffix(",[1],[1]") == true, "\(rows)")
        #expect(place.text("out/Project.csv") == "key,priority,name,todoItem\n7,3,home,[1]\n")
    }

    @Test func recordsThatOnlyTheLogHas() throws {
        try store("items-swift-data-2024.sql", "", "Items.store", as: .init(pageSize: 4096, keepsLog: true))
        let store = place.url.appendingPathComponent("Items.store").path
        let size = try FileManager.default.attributesOfItem(atPath: store + "-wal")[.size] as? Int
        try #require((size ?? 0) > 32)
        let before = try Data(contentsOf: URL(fileURLWithPath: store))
        _ = try job("Items.store", "    id: Item\n", "    id: Item\n  - filter_rows: { where: \"key > 3\" }\n")
        #expect(place.text("out/Item.csv") == "key,craftingRecipe,name\n4,2,name 4\n5,,name 5\n")
        #expect(place.text("out/CraftingRecipe.csv")?.contains("1,1,produceditemcount 1,[2]") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }

    @Test func aDiaryWithWeatherAndPhotos() throws {
        let entries = [
            #"{"uuid":"A1","creationDate":"2026-02-28T22:15:00Z","text":"Rain \u2603, and \"tea\"","starred":false,"duration":0,"#
                + #""weather":{"code":"rain","temperatureCelsius":3.50},"tags":["home"],"photos":[{"md5":"0f","w":4032}]}"#,
            #"{"uuid":"B2","creationDate":"2026-03-01T08:00:00Z","text":"","starred":true,"duration":12.0,"tags":[],"#
                + #""location":{"latitude":37.566535,"longitude":126.9779692}}"#,
        ]
        let diary =
            "{\n  \"metadata\": {\"version\": \"1.0\"},\n  \"entries\": [\(entries.joined(separator: ","))]\n}\n"
        try place.write(diary, to: "Diary.xcappdata/AppData/Documents/Journal.json")
        _ = try job(
            "Diary.xcappdata",
            "  - export_user_defaults:",
            "  - derive_columns: { columns: { starred: \"not starred\" }, replace: true }\n  - export_user_defaults:"
        )
        let after = try #require(place.text("out/Diary.xcappdata/AppData/Documents/Journal.json"))
        let expected = diary.replacing("\"starred\":false", with: "\"starred\":no")
            .replacing("\"starred\":true", with: "\"starred\":false").replacing(
                "\"starred\":no",
                with: "\"starred\":true"
            )
        #expect(after.filter { !$0.isWhitespace } == expected.filter { !$0.isWhitespace })
    }

    @Test func windowsInKeyedArchives() throws {
        func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
        func window(_ id: Int, _ frame: String) -> String {
            "<dict><key>id</key><integer>\(id)</integer><key>frame</key><string>\(frame)</string>"
                + "<key>isZoomed</key><false/><key>$class</key>\(reference(5))</dict>"
        }
        let xml = """
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$version</key><integer>100000</integer><key>$top</key><dict><key>root</key>\(reference(1))</dict>
            <key>$objects</key><array><string>$null</string><dict><key>$class</key>\(reference(4))
            <key>NS.objects</key><array>\(reference(2))\(reference(3))</array></dict>
            \(window(1, "{{0, 25}, {1440, 875}}"))\(window(2, "{{10, 10}, {640, 480}}"))
            <dict><key>$classname</key><string>NSArray</string></dict>
            <dict><key>$classname</key><string>Layout.Window</string></dict></array></dict></plist>
            """
        try write(["windows": Data(xml.utf8), "LaunchCount": 12], .binary, to: "com.example.layout.plist")
        let job = try job(
            "com.example.layout.plist",
            "  - export_csv:",
            "  - filter_rows: { where: \"id = 2\" }\n  - export_csv:"
        )
        #expect(job.contains("objects of Layout.Window"), "\(job)")
        #expect(
            place.text("out/windows.csv")
                == "$class,id,frame,isZoomed\nLayout.Window,2,\"{{10, 10}, {640, 480}}\",false\n",
            "\(place.text("out/windows.csv") ?? "")"
        )
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func aListWithDatesThatNeverWere(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let path = "Habits.xcappdata/AppData/Library/Preferences/com.example.habits.plist"
        let habits: [[String: Any]] = [
            ["name": "read", "last": Date.distantPast, "count": 0],
            ["name": "run", "last": Date.distantFuture, "count": 3],
            ["name": "walk", "last": Date(timeIntervalSinceReferenceDate: 793_983_600), "count": 4],
        ]
        try write(["habits": habits, "since": Date.distantPast, "theme": "dark"], format, to: path)
        _ = try job(
            "Habits.xcappdata",
            "  - export_user_defaults:",
            "  - derive_columns: { columns: { count: \"count + 1\" }, replace: true }\n  - export_user_defaults:"
        )
        let (before, after) = (try list(path), try list("out/\(path)"))
        #expect(after["since"] as? Date == Date.distantPast && after["theme"] as? String == "dark")
        let records = try #require(after["habits"] as? [[String: Any]])
        #expect(records.map { $0["last"] as? Date } == habits.map { $0["last"] as? Date })
        #expect(records.map { $0["count"] as? Int } == [1, 4, 5])
        #expect(before.count == after.count)
    }
}
