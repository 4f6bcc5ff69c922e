# Carts in Elixir.
defmodule Shop.Cart do
  @moduledoc """
  A cart of items.
  """

  use GenServer
  alias Shop.Item

  @max_items 100
  @behaviour Shop.Priced

  @type t :: %__MODULE__{items: list}
  @typedoc "Opaque."
  @opaque id :: integer
  @typep pair(a) :: {a, a}

  defstruct items: [], owner: nil

  defmodule Error do
    defexception [:message, code: 1]
  end

  defguard is_full(cart) when length(cart.items) > @max_items

  @doc """
  Sums up.
  """
  @spec total(t) :: integer
  def total(%__MODULE__{items: items}, opts \\ []) do
    local = 1
    helper = fn x -> x end
    Enum.sum(items) + local
  end

  @doc false
  def add(cart, item) when is_integer(item), do: [item | cart]
  def add(cart, _), do: cart

  defp hidden, do: nil
  def no_parens do
    :ok
  end

  @impl true
  def init(args), do: {:ok, args}

  def declared(a, b \\ 1)

  defmacro unless_full(cart, do: block) do
    quote do
      def generated(x), do: x
    end
  end

  defmacrop private_macro(x), do: x
  defdelegate size(cart), to: Enum, as: :count

  def left <~> right, do: {left, right}
  def unquote(name)(arg), do: arg
  def valid?(x) when x in [1, 2] when x > 0, do: true
end

defmodule Shop.Item do
  use Ecto.Schema

  schema "items" do
    field :name, :string
    belongs_to :cart, Shop.Cart
  end
end

defprotocol Shop.Priced do
  @doc "The price."
  @spec price(t) :: integer
  def price(item)
end

defimpl Shop.Priced, for: Shop.Cart do
  def price(cart), do: 1
end

defmodule Shop.Behaviour do
  @callback run(integer) :: :ok
  @macrocallback expand(term) :: Macro.t()
end

defmodule Shop.CartTest do
  use ExUnit.Case
  @tag :slow
  test "adds one", %{cart: cart} do
    assert cart
  end

  describe "total" do
    test "sums" do
      assert true
    end
  end
end
