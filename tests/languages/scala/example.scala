package shop.cart

import scala.collection.mutable.{Map => MMap}

/** A cart of items.
  *
  * @tparam T what it holds
  */
@deprecated("use Basket", "2.0")
final case class Cart[T <: Item](id: String, private val owner: String = "nobody")(implicit clock: Clock)
    extends Base(id)
    with Store[T] { self: Logging =>

  private val items, extras = MMap.empty[String, T]
  var opened: Int = 0
  lazy val (first, last) = ends
  val format = (item: T) => item.toString

  def this(owner: String) = this("x", owner)(Clock.system)

  // Adds them up.
  @inline
  def total[R: Numeric](start: R)(implicit ev: Numeric[R]): R = {
    val local = start
    def add(item: T) = local
    class Helper
    local
  }

  def +(item: T): Cart[T] = this
  type Key = String

  implicit class Ops(val raw: String) extends AnyVal {
    def key: Key = raw
  }

  val ordering: Ordering[T] = new Ordering[T] {
    override def compare(a: T, b: T): Int = 0
  }
}

object Cart extends App {
  val Limit = 100
  case object Empty extends Store[Nothing]
  implicit def fromString(raw: String): Cart[Item] = new Cart(raw)
  def apply(size: Int) = size
}

trait Store[F[_]] extends Closeable {
  type Id
  def load(key: String): F[Item]
  val name: String
  def close(): Unit = ()
}

package object syntax {
  type Handler[A] = A => Unit
  def noop() = ()
}

sealed abstract class Result(val ok: Boolean)

enum Color(val rgb: Int) extends Enum[Color]:
  case Red extends Color(1)
  case Green, Blue
  def hex: String =
    val digits = rgb
    digits.toString
end Color

enum Tree[+T] {
  case Leaf
  case Node(left: Tree[T], right: Tree[T])
}

extension (text: String)
  def shout: String = text.toUpperCase
  def twice(n: Int): String = text * n

extension [T](all: List[T]) def second: T = all(1)

given byId: Ordering[Cart[Item]] with
  def compare(a: Cart[Item], b: Cart[Item]) = 0
given [T](using Ordering[T]): Ordering[List[T]] with {
  def compare(a: List[T], b: List[T]) = 0
}

given Clock = Clock.system
opaque type Price = Long
val rate = 0.19
var counter = 1
val double = (x: Int) => x * 2
inline def pay(amount: Price) = amount

class Indented(seed: Int):
  val value = seed
  def next =
    val inner = value
    inner + 1
package internal {
  class Hidden
}
