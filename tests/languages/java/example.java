package shop.cart;

import static java.util.Objects.requireNonNull;

import java.util.*;

/**
 * A cart of items.
 *
 * @param <T> what it holds
 */
@Entity
@SuppressWarnings({"unchecked", "rawtypes"})
public abstract class Cart<T extends Item & Comparable<T>> extends Base<T>
    implements Iterable<T>, AutoCloseable {

  private static final int LIMIT = 100, STEP[] = {1, 2};
  static int opened;
  protected final List<T> items = new ArrayList<>();

  static {
    int warm = 1;
    opened = warm;
  }

  // Nobody calls this directly.
  protected Cart(int size) throws IllegalStateException {
    super(size);
  }

  <K> Cart(Map<K, T> from) { this(from.size()); }

  /** Sums the prices. */
  @Override
  @Deprecated public <U extends Number> List<U> total(U... extra) {
    int local = 0;
    Runnable later = () -> { int inner = local; };
    class Counter {
      int count;
      void add() { count++; }
    }
    new Thread() {
      @Override
      public void run() { later.run(); }
    }.start();
    return null;
  }

  abstract void check();

  native int fast(int[] data);

  enum Color implements Named {
    RED(1) {
      @Override String label() { return "r"; }
    },
    /** Like grass. */
    GREEN(2);

    private final int code;

    Color(int code) { this.code = code; }

    abstract String label();
  }

  public interface Store<K> extends Closeable {
    int MAX = 3;

    K load(String key);

    default void clear() {}

    static Store<?> open() { return null; }
  }

  @interface Column {
    String value() default "x";
    int WIDTH = 80;
  }

  record Point<N>(int x, @NotNull N y, String... tags) implements Named {
    static int made;

    Point {
      requireNonNull(y);
    }

    Point(int x) { this(x, null); }

    double norm() { return Math.sqrt(x); }
  }

  sealed interface Shape permits Circle {}

  static non-sealed class Circle implements Shape {
    class Inner {}
  }
}

enum Level { LOW, HIGH }
