import DaybookBytes
import DaybookSQLite

/// The model in table `Z_MODELCACHE` of a store.
enum ModelCache: Sendable {
    /// The store has none.
    case missing
    /// The store has one that cannot be read.
    case damaged(reason: String)
    case model(ManagedObjectModel)

    /// The most bytes of a model, stored and inflated. Models of a hundred entities have some hundred thousand.
    private static let longest = 8 << 20

    var model: ManagedObjectModel? { if case .model(let model) = self { model } else { nil } }

    init(_ db: SQLiteDatabase) throws {
        let names = try SQLiteStatement(db, "SELECT * FROM Z_MODELCACHE LIMIT 0").names.map { $0.uppercased() }
        guard names.contains("Z_CONTENT") else {
            self = .damaged(reason: "the table has no column Z_CONTENT")
            return
        }
        let row = try SQLiteStatement(db, "SELECT typeof(Z_CONTENT) = 'blob', Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
        guard try row.step() else {
            self = .missing
            return
        }
        defer { withExtendedLifetime(row) {} }
        guard row.integer(0) == 1 else {
            self = .damaged(reason: "it is no BLOB")
            return
        }
        do throws(ManagedObjectModel.Fault) {
            self = .model(try ModelCache.read(row.bytes(1)))
        } catch {
            self = .damaged(reason: error.reason)
        }
    }

    private static func read(_ blob: Cell) throws(ManagedObjectModel.Fault) -> ManagedObjectModel {
        let archive: Bytes
        do throws(Deflate.Fault) {
            guard blob.count <= longest else { throw .tooLarge }
            archive = try Deflate.inflate(blob, limit: longest)
        } catch {
            switch error {
            case .damaged: throw ManagedObjectModel.Fault(reason: "its data is not deflated, or cut off")
            case .tooLarge: throw ManagedObjectModel.Fault(reason: "it has more than \(longest >> 20) MiB")
            }
        }
        return try ManagedObjectModel(archive: archive)
    }

    /// The warning about a damaged model.
    func warnings(of store: String) -> [Finding.Kind] {
        guard case .damaged(let reason) = self else { return [] }
        let message =
            "the model that '\(store)' keeps in table Z_MODELCACHE cannot be read: \(reason); "
            + "attributes are named and read by the columns of the tables, as of a store without a model"
        return [Finding.Kind("damaged-model", message, severity: .warning)]
    }
}
