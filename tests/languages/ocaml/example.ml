(* Carts in OCaml. *)
open Printf
module StringMap = Map.Make (String)

(** How many. *)
let max_items = 100
let first, second = (1, 2)
let () = print_endline "hi"
let _ = 3

(** A cart. *)
type 'a cart = {
  items : 'a list;
  mutable owner : string;
}
[@@deriving show]

type color = Red | Green of int | Blue

and shape = Circle of { radius : float }

type name = string
type _ expr = Lit : int -> int expr
type t = ..
type t += Extra of int
exception Full of string

external strlen : string -> int = "c_strlen"

(** Sums up. *)
let rec total ?(start = 0) ~f = function
  | [] -> start
  | x :: xs ->
      let local = f x in
      let helper y = y + local in
      helper (total ~start ~f xs)

and average xs = List.length xs

let add a b : int = a + b
let twice = fun x -> 2 * x
let ( +++ ) a b = a @ b
let ( let* ) x f = f x
let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

module type PRICED = sig
  type t
  val price : t -> int
  module Sub : sig val x : int end
end

module Shop : PRICED = struct
  type t = int
  let price t = t
  let limit = 3

  module Inner = struct
    let deep () = ()
  end
  module Sub = struct let x = 1 end
end

module Make (P : PRICED) (Q : PRICED) = struct
  let run () = P.price
end

class virtual counter (start : int) = object (self)
  inherit base
  val mutable count = start
  method get = count
  method private incr by = count <- count + by
  method virtual reset : unit
  initializer print_endline "made"
end

class type shown = object
  method show : string
end
