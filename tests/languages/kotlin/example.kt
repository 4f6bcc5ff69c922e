@file:JvmName("Carts")

package shop.cart

import kotlin.math.max as biggest

const val LIMIT = 100
private val cache by lazy { mutableMapOf<String, Cart<*>>() }
var opened: Int = 0
    private set

typealias Handler<T> = (T) -> Unit

/**
 * A cart of items.
 */
@Serializable
data class Cart<T : Any>(
    val id: String,
    @field:NotNull private var owner: String = "nobody",
    size: Int,
) : Base(size), Store<T> by Memory() where T : Item {

    private val items = mutableListOf<T>()
    override val count: Int
        get() = items.size
    lateinit var note: String
    val onChange: (T) -> Unit = { item -> println(item) }

    init {
        val warm = size
    }

    @Inject constructor(id: String) : this(id, "x", 0) {
        opened++
    }

    // Adds them up.
    override suspend fun <R : Number> total(start: R): R {
        val local = 1
        fun add(item: T) = local
        if (!isEmpty(local)) return start
        return start
    }

    fun String.inside() = length
    operator fun plus(other: Cart<T>) = other

    inner class Cursor {
        var at = 0
    }

    companion object {
        const val STEP = 2
        fun of(id: String) = Cart<Nothing>(id)
    }

    object Empty : Store<Nothing> { fun x() {} }
}

fun Cart<*>.clear() = Unit

fun interface Check<in T> { fun passes(item: T): Boolean }

interface Store<T> {
    val name: String
    fun load(key: String): T?
    fun close() {}

    companion object Factory {
        fun open(): Store<Any>? = null
    }
}

sealed class Result {
    data class Ok(val value: Int) : Result()
    data object Missing : Result()
}

enum class Color(val code: Int) : Named {
    /** Like blood. */
    RED(1) {
        override fun label() = "r"
    },
    GREEN(2);

    abstract fun label(): String
    val short = name
}

annotation class Column(val name: String)

@JvmInline
value class Price(val cents: Int)

/** Says it loudly. */
@Suppress("unused")
fun <T> Map<String, List<T>>.second(): T? = null
fun String?.orNobody(): String = this ?: "nobody"
val String.last: Char get() = this[length - 1]

val double = fun(x: Int): Int { return 2 * x }
fun `with spaces`() {
    val runner = object : Runnable {
        override fun run() {}
    }
}

private class Hidden
