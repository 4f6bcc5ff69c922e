using System;
using Json = Newtonsoft.Json;

[assembly: InternalsVisibleTo("Shop.Tests")]

namespace Shop.Core
{
    /// <summary>A cart of items.</summary>
    /// <typeparam name="T">What it holds.</typeparam>
    [Serializable]
    [Obsolete("use Basket")]
    public abstract partial class Cart<T> : Base<T>, IStore where T : class, new()
    {
        public const int Limit = 100, Step = 2;
        private static readonly object Gate = new();
        protected int count, size = 2;
        public event EventHandler Changed;
        public event EventHandler Closed { add { } remove { } }

        static Cart() { }

        public Cart(int size) : base(size)
        {
            int local = size;
            void Warm(int n) { }
            Func<int, int> twice = x => 2 * x;
        }

        ~Cart() { }

        [Inject]
        public string Owner { get; private set; } = "nobody";
        public int Count => count;

        public T this[int index]
        {
            get => default;
            set { }
        }

        // Adds them up.
        public async Task<decimal> Total<TTax>(TTax tax) where TTax : ITax
        {
            return 0;
        }

        public abstract void Check();
        void IStore.Close() { }
        int IStore.Size => size;
        public static Cart<T> operator +(Cart<T> left, T right) => left;
        public static bool operator ==(Cart<T> left, Cart<T> right) => true;
        public static implicit operator int(Cart<T> cart) => cart.count;

        [DllImport("fast")]
        static extern int Fast();

        private delegate void Handler(T item);

        class Cursor
        {
            enum State { Open, Closed = 2 }
        }

#if DEBUG
        public void Dump() { }
#else
        public void Dump(int depth) { }
#endif

        #region helpers
        partial void OnLoaded();
        #endregion
    }

    public interface IStore
    {
        int Size { get; }
        event EventHandler Emptied;
        void Close();
        string Name() => "store";
    }

    public readonly struct Price
    {
        public readonly long Cents;
        public Price(long cents) { Cents = cents; }
    }

    [Flags]
    public enum Color : byte
    {
        Red,
        /// <summary>Like grass.</summary>
        [Description("green")] Green = 2,
    }

    public record Item(string Id, Price Price) : Base
    {
        public int Stock { get; init; }
    }

    public record struct Point(int X, int Y);
    public record class Empty;
    public class Service(IStore store) : Base(store) { }

    public static class CartExtensions
    {
        public static int Twice(this Cart<Item> cart) => 2;
    }

    namespace Internal
    {
        internal delegate TOut Convert<in TIn, out TOut>(TIn value);
    }
}
