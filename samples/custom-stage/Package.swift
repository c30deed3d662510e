// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "Wordbook",
    products: [.executable(name: "wordbook", targets: ["WordbookMain"])],
    dependencies: [
        // Outside this repository: .package(url: "…/daybook", from: "0.1.0")
        .package(name: "Daybook", path: "../..")
    ],
    targets: [
        .target(
            name: "WordbookStages",
            dependencies: [
                .product(name: "DaybookContracts", package: "Daybook"),
                .product(name: "DaybookStandard", package: "Daybook"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "WordbookMain",
            dependencies: ["WordbookStages", .product(name: "DaybookCLI", package: "Daybook")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WordbookTests",
            dependencies: [
                "WordbookStages", "WordbookMain",
                .product(name: "DaybookContracts", package: "Daybook"),
                .product(name: "DaybookTestSupport", package: "Daybook"),
            ],
            swiftSettings: settings
        ),
    ]
)
