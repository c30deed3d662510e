/// The events of one batch: their UIDs, which are unique only once all are known, and what stands behind them.
public struct ICSPiece: Sendable, Codable {
    struct Event: Sendable, Codable {
        var uidEnd: Int
        var bodyEnd: Int
    }

    package private(set) var uids = Bytes()
    package private(set) var bodies = Bytes()
    private(set) var events: [Event] = []

    package init() {}

    package mutating func endEvent() { events.append(Event(uidEnd: uids.count, bodyEnd: bodies.count)) }
}

/// Puts the events of all batches into one calendar.
public struct ICSWriter: SinkWriter {
    public private(set) var writtenRows = 0
    let head: Bytes
    private var ids = EventIDs()

    package init(head: Bytes) { self.head = head }

    public mutating func begin(_ out: any ByteOutput) throws(DaybookError) { try out.write(head) }

    public mutating func append(_ piece: ICSPiece, input: Int, to out: any ByteOutput) throws(DaybookError) {
        let bytes = Bytes(capacity: piece.bodies.count + piece.events.count * 80)
        let line = ContentLine(to: bytes)
        var (uid, body) = (0, 0)
        defer { withExtendedLifetime(piece) {} }
        for event in piece.events {
            let key = Cell(rebasing: piece.uids.filled[uid..<event.uidEnd])
            line.plain("BEGIN:VEVENT")
            line.text("UID", key, suffix: try ids.suffix(of: key))
            bytes.append(Cell(rebasing: piece.bodies.filled[body..<event.bodyEnd]))
            (uid, body) = (event.uidEnd, event.bodyEnd)
        }
        try out.write(bytes)
        writtenRows += piece.events.count
    }

    public mutating func finish(_ run: RunSummary, _ out: any ByteOutput) throws(DaybookError) {
        try out.write("END:VCALENDAR\r\n")
    }
}
