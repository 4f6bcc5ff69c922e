# Carts in Julia.
"""
Things for sale.
"""
module Shop

using Base: show
import Statistics
export Cart, total

"How many."
const MAX_ITEMS = 100
const A, B = 1, 2
counter = 0
global shared = 1

abstract type Priced{T} end
primitive type Bits8 <: Integer 8 end

# A cart.
struct Cart{T<:Real} <: Priced{T}
    items::Vector{T}
    owner
    "The inner constructor."
    function Cart{T}(items) where {T}
        new{T}(items, "me")
    end
    Cart(x::Int) = new{Int}([x], "me")
end

Base.@kwdef mutable struct Options
    debug::Bool = false
    const level::Int = 1
end

@enum Color red green blue

"""
    total(cart)

Sums up.
"""
function total(cart::Cart{T}; start=0)::T where {T<:Real}
    local_value = 1
    inner(y) = y + local_value
    helper = x -> x + 1
    function nested(z)
        z
    end
    return sum(cart.items)
end

add(a, b) = a + b
double(x::T) where {T} = 2x
typed(x)::Int = 2x
Base.show(io::IO, c::Cart) = print(io, "cart")
function Base.length(c::Cart)
    length(c.items)
end
Base.:+(a::Cart, b::Cart) = a
a ⊕ b = a + b
(c::Cart)(x) = x
function generic end
function update!(c) end

twice = x -> 2x
const thrice = function (x)
    3x
end

"A macro."
macro sayhello(name)
    :(println("Hello ", $name))
end

@inline fast(x) = x
@generated function gen(x)
    :(x)
end

module Inner
deep() = 1
end

if true
    conditional() = 1
end

end

baremodule Bare
end
