library shop.cart;

import 'dart:io' as io;
part 'cart.g.dart';

/// The most items a cart holds.
const int limit = 100, step = 2;
final Map<String, io.File> files = {};
late final String version;
var opened = 0;
io.File? log;
void Function(int)? onOpen;
final twice = (int x) => 2 * x;

typedef Handler<T> = void Function(T item);
typedef int Compare(Object left, Object right);
typedef Names = List<String>;

/// A cart of items.
@immutable
abstract class Cart<T extends Item> extends Base<T> with Loggable implements Store {
  static const int open = 1, closed = 2;
  static final cache = <String, Cart>{};
  static int made = 0;
  final String owner;
  int? _count = 1, size;
  late final Map<String, T> items;
  @Column('note')
  String? note;

  Cart(this.owner, {required this.size}) : super(owner) {
    var local = 1;
    int add(int x) {
      return x + local;
    }
  }
  const Cart.empty(this.owner) : size = 0;
  Cart._();
  factory Cart.fromJson(Map<String, dynamic> json) => Cart._();
  factory Cart.other() = Basket;

  // Adds them up.
  @override
  Future<num> total<R extends num>(
    R start,
  ) async {
    final scale = (R x) => x;
    return scale(start);
  }

  int get count => _count ?? 0;
  set count(int value) {
    _count = value;
  }
  external int fast();
  void check();
  bool operator ==(Object other) => true;
  T operator [](int index) => items.values.first;
  static Stream<int> ids() async* {
    yield 1;
  }
}

mixin Loggable on Base {
  final lines = <String>[];
  void write(String line) {
    lines.add(line);
  }
}

class Basket = Cart with Loggable;

extension Shouting on String {
  String shout() => toUpperCase();
  bool get loud => this == shout();
}

extension on int {
  int twice() {
    return 2 * this;
  }
}

extension type Id(int value) {
  String show() => '$value';
}

enum Color implements Named {
  red(1),
  /// Like grass.
  green(2);

  final int code;
  const Color(this.code);
  String get label => name;
}

sealed class Shape {}

int get now => 0;
set now(int value) {}

@pragma('vm:entry-point')
void main(List<String> args) {
  var cart = Cart._();
  void close() {}
}

external int native();
