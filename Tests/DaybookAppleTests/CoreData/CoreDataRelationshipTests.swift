import DaybookBytes
import DaybookSQLite
import Foundation
import Testing

@testable import DaybookApple
@testable import DaybookContracts

/// To-many relationships, as arrays of keys.
@Suite struct CoreDataRelationshipTests {
    @Test("many-to-many between objects of one entity, from both sides, and one-to-many")
    func toDo() throws {
        let trial = try CoreDataTrial(
            try CoreDataTrial.stored("to-do-2018.sql") + """
                DELETE FROM ZTODOITEM WHERE Z_PK > 3; INSERT INTO ZPROJECT VALUES (7, 1, 1, 3, 'home'), (8, 1, 1, 4, 'work');
                UPDATE ZTODOITEM SET ZPROJECT = 7 WHERE Z_PK IN (1, 3);
                INSERT INTO Z_2BLOCKING (Z_2BLOCKEDBY, Z_2BLOCKING) VALUES (3, 1), (2, 1), (1, 2);
                """
        )
        let items = try trial.read(
            """
            entity: TodoItem
            key_column: key
            attributes: { a: ZDONE, b: ZREPEATS, c: ZDATE, d: ZNOTES }
            relationships: [blockedBy, blocking]
            """
        )
        let rows = items.rows.split(separator: "\n").map {
            $0.split(separator: ",", maxSplits: 6, omittingEmptySubsequences: false)[6]
        }
        #expect(rows == ["d:text,blockedBy:json,blocking:json", #","[2,3]",[2]"#, ",[1],[1]", ",[],[1]"])
        #expect(
            try trial.read("entity: Project\nrelationships: [todoItem]").rows
                == "priority:integer,name:text,todoItem:json\n3,home,\"[1,3]\"\n4,work,[]"
        )
    }

    @Test("one-to-many of a SwiftData store")
    func swiftData() throws {
        let trial = try CoreDataTrial(try CoreDataTrial.stored("items-swift-data-2024.sql"))
        #expect(
            try trial.read("entity: CraftingRecipe\nkey_column: key\nrelationships: [requiredComponents]").rows == """
                key:integer,producedItem:integer,producedItemCount:text,requiredComponents:json
                1,1,produceditemcount 1,[2]
                2,4,produceditemcount 2,[]
                """
        )
    }

    /// Albums with ordered photos, photos with tags of themselves, albums with ordered cards, and friends.
    private func albums(_ more: String = "") throws -> CoreDataTrial {
        var model = ModelArchive()
        model.entity("Thing")
        model.entity(
            "Album",
            toMany: [("photos", to: "Photo", inverse: "albums"), ("cards", to: "Card", inverse: "album")]
        )
        model.entity("Photo", toMany: [("albums", to: "Album", inverse: "photos")])
        model.entity("Card", toOne: [("album", to: "Album", inverse: "cards")])
        model.entity(
            "Person",
            toMany: [("friends", to: "Person", inverse: "friends"), ("lost", to: "Card", inverse: nil)]
        )
        return try CoreDataTrial(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES (1, 'Thing', 0, 9), (2, 'Album', 1, 0), (3, 'Photo', 1, 0), (4, 'Card', 0, 3),
                (5, 'Person', 0, 2);
            CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            CREATE TABLE ZCARD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZALBUM INTEGER, Z_FOK_ALBUM INTEGER);
            CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            CREATE TABLE Z_2PHOTOS (Z_2ALBUMS INTEGER, Z_3PHOTOS INTEGER, Z_FOK_3PHOTOS INTEGER);
            CREATE TABLE Z_5FRIENDS (Z_5FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_5FRIENDS, REFLEXIVE));
            INSERT INTO ZTHING VALUES (1, 2, 1), (2, 2, 1), (3, 3, 1), (4, 3, 1), (5, 3, 1);
            INSERT INTO Z_2PHOTOS VALUES (1, 3, 2048), (1, 4, 512), (1, 5, 1024), (2, 5, 1);
            INSERT INTO ZCARD VALUES (1, 4, 1, 2, 9), (2, 4, 1, 2, 8), (3, 4, 1, NULL, NULL);
            INSERT INTO ZPERSON VALUES (1, 5, 1), (2, 5, 1), (3, 5, 1);
            INSERT INTO Z_5FRIENDS VALUES (1, 2), (2, 1), (1, 3);
            \(model.table) \(more)
            """
        )
    }

    @Test("ordered relationships are in their order, others in that of the keys")
    func order() throws {
        let trial = try albums()
        #expect(
            try trial.read("entity: Album\nkey_column: key\nrelationships: [photos, cards]").rows
                == "key:integer,photos:json,cards:json\n1,\"[4,5,3]\",[]\n2,[5],\"[2,1]\""
        )
        #expect(
            try trial.read("entity: Photo\nkey_column: key\nrelationships: [albums]").rows
                == "key:integer,albums:json\n3,[1]\n4,[1]\n5,\"[1,2]\""
        )
    }

    @Test("a relationship that is its own inverse is read from both sides")
    func mutual() throws {
        #expect(
            try albums().read("entity: Person\nkey_column: key\nrelationships: [friends]").rows
                == "key:integer,friends:json\n1,\"[2,3]\"\n2,[1]\n3,[1]"
        )
    }

    @Test("relationships of the entities that inherit are empty for the others")
    func inheritance() throws {
        #expect(
            try albums().read("entity: Thing\nentity_column: of\nrelationships: [cards]").rows
                == "of:text,cards:json\nAlbum,[]\nAlbum,\"[2,1]\"\nPhoto,[]\nPhoto,[]\nPhoto,[]"
        )
    }

    @Test("wrong names are refused with their place and a hint")
    func refusals() throws {
        let trial = try albums()
        let unknown = trial.refusal("entity: Album\nrelationships: [photo]")
        #expect(unknown?.message == "entity 'Album' of 'App.sqlite' has no relationship 'photo'")
        #expect(unknown?.hint == "did you mean 'photos'?" && unknown?.place != nil)
        #expect(trial.refusal("entity: Album\nrelationships: [xyz]")?.hint == "those to many are cards, photos")
        #expect(trial.refusal("entity: Card\nrelationships: [album]")?.code.rawValue == "to-one-relationship")
        #expect(
            trial.refusal("entity: Person\nrelationships: [lost]")?.message
                == "'App.sqlite' has no table or column that holds relationship 'lost'"
        )
        let without = try albums("DROP TABLE Z_MODELCACHE;").refusal("entity: Album\nrelationships: [photos]")
        #expect(without?.code.rawValue == "no-model" && without?.message.hasSuffix("'App.sqlite' is not in it") == true)
        let damaged = try albums("UPDATE Z_MODELCACHE SET Z_CONTENT = x'07';")
            .refusal("entity: Album\nrelationships: [photos]")
        #expect(damaged?.message.contains("cannot be read: its data is not deflated") == true)
        let twice = trial.refusal("entity: Album\nattributes: { photos: Z_OPT }\nrelationships: [photos]")
        #expect(twice?.code.rawValue == "duplicate-column")
    }

    @Test("pairs of keys are read once and searched by an index, whatever indexes the store has")
    func plan() throws {
        let trial = try albums()
        let file = try SQLiteStore.open(try StoreFile(trial.url, companions: SQLiteStore.companions))
        for (entity, name) in [("Album", "photos"), ("Album", "cards"), ("Person", "friends")] {
            let steps = try file.read { db in
                let model = try #require(try CoreDataModel(db))
                let found = try #require(model.entity(entity))
                let known = try CoreDataRelationships(model, found, in: db)
                let field = try #require(known.all.first { $0.name == name }.flatMap { known.field($0) })
                let table = "Z" + (model.root(of: found)?.name.uppercased() ?? "")
                return try db.rows("EXPLAIN QUERY PLAN SELECT rowid, \(field.expression) FROM \"\(table)\"") {
                    $0.text(3)
                }
            }
            #expect(steps.contains("MATERIALIZE pairs"), "\(name)")
            #expect(steps.contains { $0.hasPrefix("SEARCH pairs USING AUTOMATIC") }, "\(name)")
        }
    }

    @Test("guess suggests the relationships, and has no notes about names or tables that are read")
    func guess() throws {
        let found = try #require(try albums().detection())
        let options = found.imports.map { $0.options.map(\.key) }
        #expect(found.imports.map(\.part) == ["Thing", "Album", "Photo", "Card", "Person"])
        #expect(options[1] == ["entity", "key_column", "relationships"])
        #expect(found.imports[1].options[2].value == .list([.text("cards"), .text("photos")]))
        #expect(found.imports[4].options[2].value == .list([.text("friends")]))
        #expect(options[3] == ["entity", "key_column"])
        #expect(found.imports.flatMap(\.notes).isEmpty)
        let without = try #require(try albums("DROP TABLE Z_MODELCACHE;").detection())
        #expect(without.imports.allSatisfy { $0.options.map(\.key) == ["entity"] })
        #expect(without.imports[0].notes.count == 2)
        let damaged = try #require(try albums("UPDATE Z_MODELCACHE SET Z_CONTENT = x'07';").detection())
        #expect(damaged.imports[0].notes.contains { $0.hasPrefix("the model that 'App.sqlite' keeps") })
    }
}
