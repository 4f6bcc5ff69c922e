import type { Db } from "./db";
import fs = require("fs");
export import Money = Shop.Prices;

/** What a cart needs. */
export interface Store<K extends string = string> extends Iterable<K> {
  readonly size: number;
  options?: { retries: number };
  "last-error": Error;
  load(key: K): Promise<Item>;
  [Symbol.iterator](): Iterator<K>;
  (key: K): Item;
}

type Item = Base & {
  id: string;
  price(): number;
};
export type Plain = string | { not: "captured" };

export enum Color {
  Red = "red",
  Green = 1 << 2,
  "dark-blue",
  Black,
}

declare const enum Flags { A }

// Sums prices.
export function sum(a: number): number;
export function sum(a: number, b?: number): number {
  const local = a;
  return local + (b ?? 0);
}

@Component({
  selector: "cart",
})
export abstract class Cart<T extends Item> extends Base<T> implements Store {
  static #count = 0;
  declare total: number;
  @Input() owner?: string;
  readonly format = (item: T): string => {
    return item.id;
  };

  constructor(private readonly db: Db, limit: number, public tax?: number) {
    super();
  }

  // Loads one.
  @Memo()
  async load<K>(key: K): Promise<T> {
    const parse = (raw: string) => JSON.parse(raw) as T;
    return parse(await this.db.get({ key, decode: () => "x" }));
  }

  get size(): number {
    return 0;
  }
  protected abstract check(item: T): void;
  overload(a: string): void;
  overload(a: unknown): void {}
  *[Symbol.iterator]() {}
}

namespace Shop.Prices {
  export const VAT = 19;
  const hidden = 1;
  export function net(gross: number) {
    const inner = gross;
    return inner - VAT;
  }
  export namespace Deep {
    export let level: number;
  }
}

declare module "config" {
  export const path: string;
  export default function read(): void;
}

declare global {
  interface Window {
    cart: Cart<Item>;
  }
  var debug: boolean;
}

declare function external(name: string): void;
declare let version: string;

export const LIMIT = 10, STEP = 2;
export let current: Cart<Item> | undefined;
export const { first, rest: others } = split();
export const parse: Parser = async <T>(raw: string): Promise<T> => JSON.parse(raw);
const routes = {
  "/": (req: Request) => fs.readFileSync("x"),
  post(req: Request) {},
} satisfies Routes;
const Mixed = class extends Base {};
Cart.prototype.reset = function (this: Cart<Item>) {};

export default class {
  run = 1;
}
