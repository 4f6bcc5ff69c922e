(** Carts: the interface. *)

(** How many. *)
val max_items : int

(** A cart. *)
type 'a t

type color = Red | Green of int
and item = { name : string; price : int }

exception Full of string

val total : ?start:int -> f:('a -> int) -> 'a t -> int
(** Sums up. *)

val ( +++ ) : 'a t -> 'a t -> 'a t
external length : 'a t -> int = "c_length"

module type PRICED = sig
  type t
  val price : t -> int
end

module Shop : sig
  val run : unit -> unit
  module Inner : PRICED
end

module Make (P : PRICED) : PRICED with type t = P.t

class counter : int -> object
  val mutable count : int
  method get : int
end

class type shown = object
  method show : string
end
