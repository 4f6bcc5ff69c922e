#!/usr/bin/env swift
import Foundation
@testable import Shop

/// What can be stored.
public protocol Store: AnyObject {
    associatedtype Key: Hashable
    var size: Int { get }
    init(name: String)
    func load(_ key: Key) throws -> Item?
    static func == (left: Self, right: Self) -> Bool
    subscript(key: Key) -> Item { get }
}

/**
 A cart of items.
 */
@MainActor
public final class Cart<T: Item>: Base, Store where T: Hashable {
    static let limit = 100
    @Published private(set) var owner: String = "nobody"
    let first = 1, second = 2
    lazy var total: Int = { return 3 }()
    var count: Int { items.count }
    var note: String = "" {
        didSet { refresh() }
    }
    let onChange: (T) -> Void = { item in print(item) }
    private var items: [T] = []

    public init(name: String) throws {
        let local = name
        super.init()
    }

    required convenience init?(coder: NSCoder) { nil }

    deinit { items = [] }

    // Adds them up.
    @discardableResult
    func sum<N: Numeric>(_ start: N, with rate: Int = 1) async throws -> N where N: Sendable {
        let step = 1
        func add(_ item: T) -> Int { step }
        if !isEmpty(step) { return start }
        struct Partial { var value = 0 }
        return start
    }

    class func shared() -> Cart { fatalError() }
    @objc override static func make() {}

    subscript(index: Int) -> T {
        get { items[index] }
        set { items[index] = newValue }
    }

    enum State: String, CaseIterable {
        case open, closed = "shut"
        indirect case nested(State, depth: Int)
        static let initial = State.open
        var title: String { rawValue }
    }

    typealias Handler = (T) -> Void

    static func + (left: Cart, right: T) -> Cart { left }
}

extension Cart.State: Codable {
    static func parse(_ raw: String) -> Self? { nil }
    var isOpen: Bool { self == .open }
    struct Box { let state: Cart.State }
}

extension Array where Element: Item {
    func cheapest() -> Element? { nil }
}

struct Price: Equatable {
    let cents: Int
    mutating func add(_ other: Price) {}
    static prefix func - (price: Price) -> Price { price }
    func callAsFunction() {}
}

actor Till {
    private var cash = 0
    nonisolated func `default`() {}
}

@propertyWrapper struct Clamped<V: Comparable> {
    var wrappedValue: V
}

typealias Total = (Int) -> Int
infix operator **: MultiplicationPrecedence
func ** (base: Int, power: Int) -> Int { base }

#if DEBUG
func dump(_ cart: some Store) {}
#endif

let rate = 0.19
var counter: Int = 1
let (low, high) = (0, 9)
let double = { (x: Int) in 2 * x }

@available(iOS 13, *)
func checkout() async {}

@freestanding(expression)
macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "Macros", type: "Stringify")
