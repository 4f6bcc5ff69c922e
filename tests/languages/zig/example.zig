//! Carts in Zig.
const std = @import("std");
const Allocator = std.mem.Allocator;

/// How many.
pub const max_items: usize = 100;
var counter: u32 = 0;
pub threadlocal var depth: u8 = 0;
extern var environ: [*]u8;

/// Errors of a cart.
pub const CartError = error{ Full, OutOfMemory };

/// A cart.
pub const Cart = struct {
    items: []Item,
    /// The owner.
    owner: ?*const u8 = null,
    count: usize = 0,

    const Self = @This();
    pub const limit = 3;
    var made: u32 = 0;

    pub const Row = packed struct(u8) {
        left: u4,
        right: u4,
    };

    /// Builds it.
    pub fn init(allocator: Allocator) !Self {
        const local = 1;
        var other: u8 = 2;
        const Inner = struct {
            x: u8,
            fn run(self: @This()) void {
                _ = self;
            }
        };
        _ = Inner{ .x = local };
        return Self{ .items = &.{} };
    }

    pub inline fn total(self: *const Self) usize {
        return self.items.len;
    }
};

pub const Color = enum(u8) {
    red,
    green = 2,
    _,

    pub fn isRed(self: Color) bool {
        return self == .red;
    }
};

const Number = union(enum) {
    int: i64,
    float: f64,
    none,
};

const Handle = opaque {
    extern fn close(handle: *Handle) void;
};

/// A list of anything.
pub fn List(comptime T: type) type {
    return struct {
        head: ?*Node = null,

        pub const Node = struct {
            value: T,
        };

        pub fn push(self: *@This(), value: T) void {
            _ = self;
            _ = value;
        }
    };
}

extern "c" fn strlen(text: [*:0]const u8) usize;
export fn add(a: i32, b: i32) i32 {
    return a + b;
}
const callback: *const fn (u8) void = undefined;

test "cart total" {
    const inside = 1;
}

test Cart {
}

test {
    std.testing.refAllDecls(@This());
}

comptime {
    _ = counter;
}
