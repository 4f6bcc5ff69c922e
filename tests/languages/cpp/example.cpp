// Carts in C++.
#pragma once
#include <vector>

#define SHOP_MAX(a, b) ((a) > (b) ? (a) : (b))

namespace shop::core {

inline namespace v1 {
int versioned();
}

namespace {
int hidden = 1;
}

class Forward;
template <typename T> using List = std::vector<T>;
template <typename T>
concept Addable = requires(T a) { a + a; };

// A cart.
template <typename T, class U = int>
class Cart final : public Base<T>, private Other {
 public:
  using value_type = T;
  typedef T* pointer;

  /// Builds it.
  explicit Cart(int n) : x(n) {}
  Cart(const Cart&) = delete;
  Cart(Cart&&);
  template <class V>
  Cart(V first, V last);
  virtual ~Cart();

  Cart& operator=(const Cart& o);
  bool operator==(const Cart&) const = default;
  auto operator<=>(const Cart&) const -> int;
  T& operator[](size_t i) { return items[i]; }
  void operator()(int) const;
  explicit operator bool() const { return true; }
  operator int() const;

  template <class V>
  void add(V&& v);
  virtual int price() const = 0;
  const T* find(int id) const;
  [[nodiscard]] int count() const noexcept { int local = 1; return local; }

  static constexpr int kMax = 3;
  inline static int made;
  T *a, items[3], &c;
  int x = 1, y{2};
  std::function<void(int)> callback;
  void (*hook)(int);

  enum class Color : int {
    Red,
    Green = 2,
  };

  struct Inner { int z; };

  friend class Friend;
  friend std::ostream& operator<<(std::ostream& os, const Cart& c);
  friend void swap(Cart& a, Cart& b) {}
};

template <typename T, class U>
template <class V>
void Cart<T, U>::add(V&& v) {
  auto later = [](int q) { return q; };
  std::lock_guard<std::mutex> lock(mutex_);
  Foo bar(baz);
  for (const auto& each : items) { int deep = 1, &also = deep; }
}

template <typename T> Cart<T>::Cart(int n) : x(n) {}
template <typename T> Cart<T>::~Cart() {}
int Cart<int>::made = 0;

}  // namespace shop::core

shop::Item& shop::Item::get() { return *this; }
bool shop::Item::operator<(const Item& o) const { return false; }
const std::string& title() { return kTitle; }
auto trailing(int x) -> std::vector<int> { return {}; }
std::ostream& operator<<(std::ostream& os, int) { return os; }
unsigned long long operator"" _kb(unsigned long long x) { return x; }

template <>
struct hash<shop::Item> {
  size_t operator()(const shop::Item&) const;
};

template <typename T>
constexpr T pi = T(3);
constexpr int kSize = 3;
const std::string kTitle = "x";
static std::map<int, int> table{{1, 2}};
const char* labels[] = {"a"};
auto twice = [](int x) { return 2 * x; };

extern "C" int c_function(void);
extern "C" {
void c_other(char** names);
}

union Number { int i; float f; };
enum Plain { A, B };
typedef struct { int n; } Old;

struct [[nodiscard]] Attributed {
  int q = 1;
};

class SHOP_API Exported {
 public:
  void run();
};

TEST_F(CartTest, AddsOne) {
  int q = 1;
}

void constrained(Args... args) requires Addable<T> {
  struct Local { void run() {} };
}

int main(int argc, char** argv) try {
} catch (...) {
}
