import DaybookBytes

/// Service that one stage reads, open at one state of its data.
final class ServiceInputs: OpenedInputs, Sendable {
    private let address: String
    private let source: SourceName
    private let opened: any OpenedService

    var schema: Schema { opened.schema.withSources }
    var version: InputVersion { opened.version }

    init(_ service: any ServiceSource, _ registry: SourceRegistry, _ settings: RunSettings) throws(DaybookError) {
        address = service.address.text
        source = SourceName(index: registry.add(SourceRegistry.Entry(path: address)), path: address)
        do throws(DaybookError) {
            opened = try service.open(Context(source: source, cancelled: settings.isCancelled))
        } catch { throw error.about(address) }
    }

    var files: [RunInputs.File] {
        [
            RunInputs.File(path: InputPath(name: address, path: address), version: version) { [address, version] in
                var input = RunOutcome.Input(path: address, bytes: 0, digest: version.digest)
                input.version = version
                return input
            }
        ]
    }

    func feed(
        _ schema: Schema,
        morselSize: Int,
        _ registry: SourceRegistry
    ) throws(DaybookError) -> any SourceItemFeed {
        do throws(DaybookError) {
            let rows = try opened.rows(schema)
            registry.setRows(rows, of: source.index)
            return StoreFeed([(rows, 0)], batchSize: morselSize)
        } catch { throw error.about(address) }
    }

    private struct Context: ServiceContext {
        let source: SourceName
        let cancelled: @Sendable () -> Bool

        var isCancelled: Bool { cancelled() }

        func makeFile() throws(DaybookError) -> any ScratchFile { try ScratchDirectory.unnamedFile() }
    }
}

extension InputVersion {
    /// Digest of the service's state, which replaces the digest of a file in comparisons of inputs.
    package var digest: FileDigest {
        let digester = FileDigester(.never)
        digester.update(Bytes(text))
        return digester.finish()
    }
}
