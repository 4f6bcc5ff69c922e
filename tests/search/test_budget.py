from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search.budget import count_tokens, cut_to_tokens

PYTHON = '''\
class Basket:
    """Items a customer wants to buy."""

    def __init__(self, currency: str = "EUR") -> None:
        self._items: dict[str, int] = {}
        self.currency = currency

    def add(self, sku: str, quantity: int = 1) -> None:
        if quantity < 1:
            raise ValueError(f"quantity must be positive, not {quantity}")
        self._items[sku] = self._items.get(sku, 0) + quantity

    def total(self, prices: Mapping[str, Decimal]) -> Decimal:
        return sum((prices[sku] * count for sku, count in self._items.items()), Decimal(0))
'''
GO = """\
// Retry runs work until it succeeds or ctx is done.
func Retry(ctx context.Context, attempts int, wait time.Duration, work func() error) error {
\tvar err error
\tfor i := 0; i < attempts; i++ {
\t\tif err = work(); err == nil {
\t\t\treturn nil
\t\t}
\t\tselect {
\t\tcase <-ctx.Done():
\t\t\treturn fmt.Errorf("gave up after %d attempts: %w", i+1, ctx.Err())
\t\tcase <-time.After(wait << i):
\t\t}
\t}
\treturn err
}
"""
TYPESCRIPT = """\
export async function fetchInvoices(client: HttpClient, customerId: string): Promise<Invoice[]> {
  const response = await client.get(`/customers/${customerId}/invoices`, { params: { status: "open" } });
  if (!response.ok) {
    throw new BillingError(`Unexpected status ${response.status}`, { cause: response.error });
  }
  return response.data.map((row) => ({ ...row, dueDate: new Date(row.due_date), amountCents: row.amount * 100 }));
}
"""
JAVA = """\
/** Keeps the most recent orders of each warehouse in memory. */
public final class OrderLedger implements Closeable {
    private final Map<String, Deque<Order>> recent = new ConcurrentHashMap<>();
    private final int depth;

    public OrderLedger(int depth) {
        this.depth = depth;
    }

    public void record(Order order) {
        Deque<Order> orders = recent.computeIfAbsent(order.warehouse(), key -> new ArrayDeque<>());
        synchronized (orders) {
            orders.addFirst(order);
            while (orders.size() > depth) {
                orders.removeLast();
            }
        }
    }
"""
C = """\
static int ring_push(struct ring *r, const uint8_t *buf, size_t len)
{
    size_t room = r->capacity - (r->head - r->tail);
    if (len > room)
        return -ENOSPC;
    for (size_t i = 0; i < len; i++)
        r->data[(r->head + i) & (r->capacity - 1)] = buf[i];
    r->head += len; /* publish only after the bytes are written */
    return 0;
}
#define RING_MASK 0x00ff
"""
RUST = """\
impl<T: Ord + Clone> SortedSet<T> {
    pub fn insert(&mut self, value: T) -> bool {
        match self.items.binary_search(&value) {
            Ok(_) => false,
            Err(position) => {
                self.items.insert(position, value);
                true
            }
        }
    }
}
"""
YAML = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout
  labels: { app: checkout, tier: backend }
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: checkout
          image: registry.example.com/shop/checkout:2.14.0
          ports:
            - containerPort: 8080
          resources:
            limits: { cpu: 500m, memory: 256Mi }
"""
CHINESE = """\
# 从缓存中读取用户信息，如果没有则查询数据库
def load_user(user_id):
    user = cache.get(f"user:{user_id}")
    if user is None:
        user = database.find(user_id)  # 数据库中的记录
        cache.set(f"user:{user_id}", user, 300)  # 五分钟后过期
    return user
"""
RUSSIAN = """\
// Проверяет, что файл существует, и возвращает его содержимое
function readConfig(path) {
  if (!fs.existsSync(path)) {
    throw new Error("Файл не найден: " + path); // сообщение для пользователя
  }
  return JSON.parse(fs.readFileSync(path, "utf8"));
}
"""

# What the cl100k vocabulary makes of them.
CODE = {PYTHON: 147, GO: 116, TYPESCRIPT: 105, JAVA: 124, C: 125, RUST: 67, YAML: 100}
OTHER_SCRIPTS = {CHINESE: 84, RUSSIAN: 71}

TEXTS = st.text(alphabet=st.sampled_from("aZ_ \t\n\r.{}=9é中я\x0c\u2028"), max_size=80) | st.text(max_size=60)


@pytest.mark.parametrize("text", CODE)
def test_code_counts_as_the_real_vocabulary_does(text: str) -> None:
    assert 0.95 * CODE[text] <= count_tokens(text) <= 1.15 * CODE[text]


@pytest.mark.parametrize("text", OTHER_SCRIPTS)
def test_comments_in_other_scripts_never_count_less_than_they_take(text: str) -> None:
    assert OTHER_SCRIPTS[text] <= count_tokens(text) <= 1.3 * OTHER_SCRIPTS[text]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" ", 1),
        ("x", 1),
        ("\n\n\n", 1),
        ("123456", 2),
        (" " * 40, 1),
        ("});\n", 2),
        ("=" * 8, 1),
    ],
)
def test_pieces_without_words_are_exact_but_for_rounding_up(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_random_letters_cost_more_than_words_of_the_same_length() -> None:
    assert count_tokens("qzxwvkjqhgfzxqwk") > 2 * count_tokens("responsibilities")


@given(TEXTS, st.integers(0, 40))
def test_a_cut_is_a_prefix_of_whole_lines_within_the_budget(text: str, tokens: int) -> None:
    cut = cut_to_tokens(text, tokens)
    assert text.startswith(cut)
    assert count_tokens(cut) <= tokens
    assert text[len(cut) : len(cut) + 1] in ("", "\r", "\n") or not cut


@given(TEXTS, st.integers(0, 40))
def test_no_longer_prefix_of_whole_lines_would_fit(text: str, tokens: int) -> None:
    cut = cut_to_tokens(text, tokens)
    ends = [end for end in range(len(cut) + 1, len(text) + 1) if text[end : end + 1] in ("", "\r", "\n")]
    longer = [text[:end] for end in ends if _last_line(text[:end]).strip()]
    assert all(count_tokens(prefix) > tokens for prefix in longer)


def _last_line(text: str) -> str:
    return text.replace("\r", "\n").rpartition("\n")[2]


@given(TEXTS, st.integers(0, 40), st.integers(0, 10))
def test_a_larger_budget_never_gives_less(text: str, tokens: int, more: int) -> None:
    assert len(cut_to_tokens(text, tokens)) <= len(cut_to_tokens(text, tokens + more))


@given(TEXTS)
def test_a_budget_of_what_it_counts_keeps_every_line_with_text(text: str) -> None:
    assert cut_to_tokens(text, count_tokens(text)).rstrip() == text.rstrip()


@given(st.lists(TEXTS, max_size=8))
def test_parts_cut_at_line_breaks_count_the_whole_and_little_more(parts: list[str]) -> None:
    lines = [part + "\n" for part in parts]
    whole, apart = count_tokens("".join(lines)), sum(map(count_tokens, lines))
    assert whole <= apart <= whole + 2 * len(lines)


@pytest.mark.parametrize("budget", [-1, 0])
def test_nothing_fits_no_budget(budget: int) -> None:
    assert cut_to_tokens("x = 1\n", budget) == ""


def test_a_cut_leaves_no_blank_last_line() -> None:
    assert cut_to_tokens("a = 1\n\n\nb = 2\n", 4) == "a = 1"


def test_a_form_feed_or_line_separator_ends_no_line() -> None:
    assert cut_to_tokens("one\x0ctwo\u2028three four five\n", 3) == ""


@pytest.mark.parametrize(
    "unit", ["a", "aB", " ", "\n ", "({", "=", "_", "'", "1a", "é", "中", "\r", " x", "\U0001f600"]
)
def test_time_is_linear_in_hostile_text(unit: str) -> None:
    text = unit * (200_000 // len(unit)) + "x"
    start = time.perf_counter()
    cut_to_tokens(text, count_tokens(text))
    assert time.perf_counter() - start < 3
