import DaybookTestSupport
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// Data that Core Data keeps in files beside a store.
@Suite struct ExternalDataTests {
    private static let name = "6F7CDD1D-BF9D-4C8B-933A-46335F8D1737"

    private static func reference(_ name: String) -> String { ([2] + Array(name.utf8) + [0]).literal }

    private func store(_ photo: String, _ tags: String = "NULL", hasModel: Bool = true) throws -> CoreDataTrial {
        var model = ModelArchive()
        model.entity("Word", [("photo", .binary), ("tags", .transformable)], external: ["photo", "tags"])
        return try CoreDataTrial(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Word', 0, 1);
            CREATE TABLE ZWORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPHOTO BLOB, ZTAGS BLOB);
            INSERT INTO ZWORD VALUES (1, 1, 1, \(photo), \(tags));
            \(hasModel ? model.table : "")
            """,
            name: "My.App.store"
        )
    }

    private func write(_ data: Data, _ name: String = name, beside trial: CoreDataTrial) throws {
        let folder = trial.place.url.appendingPathComponent(".My.App_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(to: folder.appendingPathComponent(name))
    }

    @Test(
        "data in the table loses the byte that says where it is, and data in a file is read",
        arguments: [true, false]
    )
    func present(hasModel: Bool) throws {
        let inside = try store("x'01FFFE'", hasModel: hasModel)
        let prefix = hasModel ? "photo:text,tags:json\n" : "photo:text,tags:text\n"
        #expect(try inside.read("entity: Word").rows == prefix + (hasModel ? "//4=," : "Af/+,"))
        let outside = try store(Self.reference(Self.name), hasModel: hasModel)
        try write(Data([0xFF, 0xFE]), beside: outside)
        #expect(try outside.read("entity: Word") == CoreDataTrial.Outcome(rows: prefix + "//4=,"))
    }

    @Test("archives are read from files too")
    func archive() throws {
        let trial = try store("NULL", Self.reference(Self.name))
        let data = try NSKeyedArchiver.archivedData(withRootObject: ["a", "b"], requiringSecureCoding: false)
        try write(data, beside: trial)
        #expect(try trial.read("entity: Word").rows == "photo:text,tags:json\n,\"[\"\"a\"\",\"\"b\"\"]\"")
    }

    @Test("an archive of the app's own objects is JSON of its fields")
    func objects() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: ArchivedTodo(), requiringSecureCoding: false)
        // In the table, a byte in front says that the data is not in a file.
        let rows = try store("NULL", ([1] + Array(data)).literal).read("entity: Word").rows
        #expect(rows.contains(#""$class"":""DaybookAppleTests.ArchivedTodo""#), "\(rows)")
    }

    @Test("a missing file is warned of, and its name stays")
    func missing() throws {
        let reference = "AkY2QzlERDFELUJGOUQtNEM4Qi05MzNBLTQ2MzM1RjhEMTczNwA="
        let name = "F6C9DD1D-BF9D-4C8B-933A-46335F8D1737"
        let trial = try store(Self.reference(name), Self.reference(name))
        let outcome = try trial.read("entity: Word")
        #expect(outcome.rows == "photo:text,tags:json\n\(reference),\"\"\"\(reference)\"\"\"")
        #expect(outcome.findings == ["1 photo external-data", "1 tags external-data"])
    }

    @Test("only a UUID names a file, and no link is followed")
    func outside() throws {
        let secret = "secre-0000-0000-0000-00000000000a"
        let trial = try store(Self.reference("../" + secret))
        try write(Data([1]), beside: trial)
        try Data([1]).write(to: trial.place.url.appendingPathComponent(".My.App_SUPPORT/\(secret)"))
        #expect(try trial.read("entity: Word").findings == ["1 photo external-data"])
        let linked = try store(Self.reference(Self.name))
        try write(Data([1]), "other", beside: linked)
        let folder = linked.place.url.appendingPathComponent(".My.App_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createSymbolicLink(
            atPath: folder.appendingPathComponent(Self.name).path,
            withDestinationPath: "other"
        )
        #expect(try linked.read("entity: Word").findings == ["1 photo external-data"])
    }

    @Test("a file of more than 64 MiB is refused")
    func large() throws {
        let trial = try store(Self.reference(Self.name))
        try write(Data(), beside: trial)
        let path = trial.place.url.appendingPathComponent(".My.App_SUPPORT/_EXTERNAL_DATA/\(Self.name)").path
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: UInt64(CoreDataContents.largest) + 1)
        try file.close()
        let outcome = try trial.read("entity: Word")
        #expect(outcome.findings == ["1 photo external-data-too-large"] && outcome.rows == "photo:text,tags:json")
    }
}
