//go:build linux

// Package shop sells things.
package shop

import (
	"context"
	"fmt"
)

// MaxItems bounds a cart.
const MaxItems = 100

const (
	// Red comes first.
	Red Color = iota
	Green, Blue
	_
)

var ErrEmpty = fmt.Errorf("empty")

var (
	defaultCart, spare *Cart[int]
	// hook runs after each sale.
	hook = func(total int) bool {
		return total > 0
	}
)

var onClose = func() {}

var _ Pricer = (*Cart[int])(nil)

var table = []struct {
	name string
	want int
}{
	{"a", 1},
}

type Color int

type (
	// ID names a cart.
	ID = string
	// Option changes a cart.
	Option[T any] func(*Cart[T]) error
	pair[K comparable, V any] struct {
		key K
		val V
	}
)

// Cart holds items.
type Cart[T any] struct {
	context.Context
	*Options

	// Items in order of arrival.
	Items []T `json:"items"`
	min, max int
	limits struct {
		soft int
	}
	onAdd func(item T) error
}

type Options struct{ Debug bool }

// Pricer prices things.
type Pricer interface {
	fmt.Stringer
	// Price gives cents.
	Price(ctx context.Context) (int, error)
	Close() error
}

type Number interface{ ~int | ~float64 }

type Handler = func(context.Context)

func init() { hook = nil }

// NewCart builds a cart.
func NewCart[T any](items ...T) *Cart[T] {
	type local struct{ n int }
	const inside = 1
	var count = len(items)
	add := func(x T) {}
	_ = add
	_ = local{count}
	return &Cart[T]{Items: items}
}

// Price implements Pricer.
func (c *Cart[T]) Price(ctx context.Context) (int, error) {
	cases := []struct{ in, out int }{{1, 2}}
	_ = cases
	return len(c.Items), nil
}

func (Color) String() string { return "" }

func (p pair[K, _]) Key() K { return p.key }

func (c *Options) Close() error

// asm is implemented in assembly.
func asm(x int) int

func Sum[N Number, M ~[]N](values M) (total N) {
	_ = Map[int](3)
	return
}
