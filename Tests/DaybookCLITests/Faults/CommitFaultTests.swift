#if os(Linux)
    import DaybookTestSupport
    import Foundation
    import Testing

    /// A commit under faults at every call: whatever fails, what the command says of its outputs is true, and the next command
    /// leaves all of one run.
    @Suite struct CommitFaultTests {
        /// A job, the files that it writes, and the directory in which the old ones stand.
        struct Trial: CustomTestStringConvertible, Sendable {
            var testDescription: String
            var job: String
            var outputs: [String]
            /// What a reader sees change at one moment.
            var published: [String] = []
        }

        static let trials = [
            Trial(
                testDescription: "four outputs",
                job: """
                    daybook: 1
                    job: j
                    rejects: { path: out/rejects.ndjson, allow: 1 }
                    stages:
                      - import_csv: { path: in.csv }
                      - validate_hex_colours: { column: colour }
                      - export_csv: { path: out/a.csv }
                      - export_json: { path: out/b.json }
                      - export_csv: { path: report/c.csv }
                    """,
                outputs: ["out/rejects.ndjson", "out/a.csv", "out/b.json", "report/c.csv"]
            ),
            Trial(
                testDescription: "one output",
                job: """
                    daybook: 1
                    job: j
                    rejects: { allow: 1 }
                    stages:
                      - import_csv: { path: in.csv }
                      - validate_hex_colours: { column: colour }
                      - export_csv: { path: out/a.csv }
                    """,
                outputs: ["out/a.csv"]
            ),
            Trial(
                testDescription: "a published directory, and rejects beside it",
                job: """
                    daybook: 1
                    job: j
                    rejects: { path: rejects.ndjson, allow: 1 }
                    publish: { directory: out }
                    stages:
                      - import_csv: { path: in.csv }
                      - validate_hex_colours: { column: colour }
                      - export_csv: { path: out/a.csv }
                      - export_json: { path: out/deep/b.json }
                    """,
                outputs: ["rejects.ndjson", "out/a.csv", "out/deep/b.json"],
                published: ["out/a.csv", "out/deep/b.json"]
            ),
        ]

        static let run = ["run", "job.yaml", "--threads", "1"]
        private static let oldRows = "id,colour\n1,#EC007F\n2,red\n"
        private static let newRows = "id,colour\n3,#FFD54F\n4,pink\n"

        /// A place with the outputs of an old run, and new rows to read: a copy of `pattern`, where it was made before.
        private func place(_ trial: Trial, like pattern: TemporaryDirectory? = nil) throws -> TemporaryDirectory {
            let place = try TemporaryDirectory()
            if let pattern {
                for name in try FileManager.default.contentsOfDirectory(atPath: pattern.url.path) {
                    try FileManager.default.copyItem(
                        at: pattern.url.appendingPathComponent(name),
                        to: place.url.appendingPathComponent(name)
                    )
                }
                return place
            }
            try place.write(trial.job, to: "job.yaml")
            try place.write(CommitFaultTests.oldRows, to: "in.csv")
            #expect(try CommandTrial(in: place.url).run(CommitFaultTests.run).status == 0)
            try place.write(CommitFaultTests.newRows, to: "in.csv")
            return place
        }

        /// How many of the files are new, after having looked that each is whole: the old one or the new one.
        private func countNew(_ files: [String], _ place: TemporaryDirectory, old: [String?], new: [String?]) -> Int {
            var count = 0
            for (index, file) in files.enumerated() {
                let text = place.text(file)
                #expect(text == old[index] || text == new[index], "\(file)")
                if text == new[index] { count += 1 }
            }
            return count
        }

        /// What a run leaves that is neither an output nor kept for the next one.
        private func leftovers(_ place: TemporaryDirectory) -> [String] {
            let all = FileManager.default.enumerator(atPath: place.url.path)?.compactMap { $0 as? String } ?? []
            return all.filter { path in
                let name = path.split(separator: "/").last ?? ""
                return path.hasPrefix(".daybook/runs/") || (name.hasPrefix(".daybook-") && name != ".daybook-outputs")
            }
        }

        private struct Answers {
            var old: [String?]
            var new: [String?]
            var calls: Int
        }

        private func answers(_ trial: Trial) throws -> Answers {
            let place = try place(trial)
            let old = trial.outputs.map(place.text)
            let calls = try FaultTrial(directory: place.url).calls(CommitFaultTests.run).compactMap(\.number).max() ?? 0
            let new = trial.outputs.map(place.text)
            #expect(zip(old, new).allSatisfy { $0 != nil && $1 != nil && $0 != $1 })
            #expect(calls > 25)
            return Answers(old: old, new: new, calls: calls)
        }

        @Test("what is said of the outputs is true, whichever call fails", arguments: trials)
        func saysTheTruth(_ trial: Trial) throws {
            let answers = try answers(trial)
            let pattern = try place(trial)
            for number in TestSize.third(of: Array(1...answers.calls)) {
                let place = try place(trial, like: pattern)
                let fault = number.isMultiple(of: 2) ? ENOSPC : EIO
                let outcome = try FaultTrial(directory: place.url).run(CommitFaultTests.run, at: number, .error(fault))
                let count = countNew(trial.outputs, place, old: answers.old, new: answers.new)
                let said = outcome.errors.split(separator: "\n").last.map(String.init) ?? ""
                let situation = Comment(rawValue: "call \(number), \(count) files are new:\n\(outcome.errors)")
                #expect(outcome.status == 0 || outcome.status == 3, situation)
                var later: Int? = trial.outputs.count
                if outcome.status == 0 {
                    #expect(count == trial.outputs.count, situation)
                } else if said.contains("the old outputs are as they were") {
                    #expect(count == 0, situation)
                    later = 0
                } else if said.contains("the outputs are all new") || said.contains("the outputs are in place") {
                    #expect(count == trial.outputs.count, situation)
                } else if let told = said.firstMatch(of: /(\d+) of the (\d+) outputs (is|are) new/) {
                    #expect(Int(told.1) == count, situation)
                    #expect(Int(told.2) == trial.outputs.count, situation)
                } else {
                    Issue.record(situation)
                    later = nil
                }
                #expect(!outcome.errors.contains("as they were before") || count < trial.outputs.count, situation)
                expectOneRun(place, trial, answers, later, situation)
            }
        }

        @Test("a kill before any call leaves all of one run", arguments: trials)
        func aKillLeavesOneRun(_ trial: Trial) throws {
            let answers = try answers(trial)
            var counts: Set<Int> = []
            let pattern = try place(trial)
            for number in 1...answers.calls {
                let place = try place(trial, like: pattern)
                let outcome = try FaultTrial(directory: place.url).run(CommitFaultTests.run, at: number, .kill)
                #expect(outcome.status == 128 + SIGKILL)
                counts.insert(countNew(trial.outputs, place, old: answers.old, new: answers.new))
                let situation = Comment(rawValue: "killed before call \(number)")
                if !trial.published.isEmpty {
                    // The reject file is no part of what is published at one moment.
                    let published = Array(answers.old.dropFirst())
                    let new = countNew(trial.published, place, old: published, new: Array(answers.new.dropFirst()))
                    #expect(new == 0 || new == trial.published.count, situation)
                }
                expectOneRun(place, trial, answers, nil, situation)
            }
            // Kills have come before and after the commit, and in the middle of it.
            #expect(counts.contains(0) && counts.contains(trial.outputs.count))
            #expect(trial.outputs.count == 1 || counts.count > 2)
        }

        /// Every command that looks at a job finishes what a killed run has begun, before it looks.
        @Test(arguments: [
            ["validate", "job.yaml"], ["explain", "job.yaml"], ["preview", "job.yaml", "--stage", "import_csv"],
            ["test", "job.yaml"], ["run", "other.yaml"],
            ["replay", "out/rejects.ndjson", "--job", "job.yaml", "--into", "again"],
        ])
        func everyCommandFinishesACommit(_ command: [String]) throws {
            let trial = CommitFaultTests.trials[0]
            let answers = try answers(trial)
            let trace = try place(trial)
            let calls = try FaultTrial(directory: trace.url).calls(CommitFaultTests.run)
            let renames = calls.filter { call in
                call.name == "rename" && trial.outputs.contains { call.path.hasSuffix("/" + $0) }
            }
            #expect(renames.count == 4)
            let place = try place(trial)
            try place.write(
                "daybook: 1\njob: other\nstages:\n  - import_csv: { path: in.csv }\n  - export_csv: { path: other.csv }\n",
                to: "other.yaml"
            )
            let number = try #require(renames[1].number)
            #expect(
                try FaultTrial(directory: place.url).run(CommitFaultTests.run, at: number, .kill).status == 128
                    + SIGKILL
            )
            #expect(countNew(trial.outputs, place, old: answers.old, new: answers.new) == 1)
            _ = try CommandTrial(in: place.url).run(command)
            #expect(countNew(trial.outputs, place, old: answers.old, new: answers.new) == 4)
            #expect(leftovers(place) == [])
        }

        /// After the next command, which only looks at the job, the files are all of one run, and nothing else is there.
        private func expectOneRun(
            _ place: TemporaryDirectory,
            _ trial: Trial,
            _ answers: Answers,
            _ wanted: Int?,
            _ situation: Comment
        ) {
            let next = try? CommandTrial(in: place.url).run("validate", "job.yaml")
            #expect(next?.status == 0, situation)
            #expect(next?.errors == "", situation)
            let after = countNew(trial.outputs, place, old: answers.old, new: answers.new)
            #expect(after == 0 || after == trial.outputs.count, situation)
            if let wanted { #expect(after == wanted, situation) }
            #expect(leftovers(place) == [], situation)
        }

        /// Swift finds arguments only in front of the environment, which a preloaded library may have moved.
        @Test func argumentsAreFoundThoughTheEnvironmentHasMoved() throws {
            let place = try TemporaryDirectory()
            let arguments = ["validate", "no such\njob.yaml", "", "ä"]
            let moved = try FaultTrial(directory: place.url).run(arguments, at: 0, .kill)
            let straight = try CommandTrial(in: place.url).run(arguments)
            #expect(moved.errors == straight.errors)
            #expect(moved.status == 2 && straight.status == 2)
        }

        /// Readers may see a mix only between the first rename and the last, so nothing else is done there.
        @Test func nothingIsDoneBetweenTheRenames() throws {
            let place = try TemporaryDirectory()
            let names = (0..<11).map { "out/\($0).csv" }
            let stages = names.map { "  - export_csv: { path: \($0) }\n" }.joined()
            try place.write("daybook: 1\nstages:\n  - import_csv: { path: in.csv }\n" + stages, to: "job.yaml")
            try place.write("a\n1\n", to: "in.csv")
            for name in names { try place.write("old\n", to: name) }
            let calls = try FaultTrial(directory: place.url).calls(CommitFaultTests.run)
            let renames = calls.indices.filter { calls[$0].name == "rename" && calls[$0].path.hasSuffix(".csv") }
            #expect(renames.count == 11)
            let window = calls[(renames.first ?? 0)...(renames.last ?? 0)]
            #expect(window.count == 11, "\(window.map(\.description).joined(separator: "\n"))")
            // The old files lose their last names only afterwards, so no rename waits for the disk to free them.
            let links = calls.indices.filter { calls[$0].name == "link" }
            #expect(links.count == 11)
            #expect(links.allSatisfy { $0 < window.startIndex })
            let unlinked = calls.indices.filter { calls[$0].name == "unlink" && calls[$0].path.contains("/out/") }
            #expect(unlinked.count == 11)
            #expect(unlinked.allSatisfy { $0 >= window.endIndex })
        }
    }
#endif
