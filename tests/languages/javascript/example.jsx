#!/usr/bin/env node
/** A small shop, written in every style the language has seen. */
import React, { memo, useCallback } from "react";

const fs = require("fs");
const { join } = require("node:path");

// Prices are in cents.
const TAX = 0.19, SHIPPING = 499;
let requests = 0;
var legacy;
export const { add, remove: drop = noop } = actions;
export let current = null;

/**
 * A cart of items.
 */
@sealed
export class Cart extends Base {
  static currency = "EUR";
  #items = [];
  "tax-rate" = TAX;
  onChange = (event) => {
    const item = event.target;
    this.#items.push(item);
  };

  constructor(owner) {
    super();
    this.owner = owner;
    this.reset = function () {
      this.#items.length = 0;
    };
  }

  // The total, with tax.
  @cached
  get total() {
    const add = (sum, each) => sum + each.price;
    return this.#items.reduce(add, 0);
  }

  set total(value) {}
  static async *pages() {}
  [Symbol.iterator]() {
    return this.#items.values();
  }
  #check() {}
  "quoted-name"() {}
}

export default function Shop({ cart }) {
  const [open, setOpen] = React.useState(false);
  const toggle = useCallback(() => setOpen(!open), [open]);
  function label() {
    return open ? "close" : "open";
  }
  return <button onClick={() => toggle()}>{label()}</button>;
}

export const Price = memo(({ cents }) => {
  return <b>{cents / 100}</b>;
});

function* ids() {
  let id = 0;
  while (true) yield id++;
}

const double = (x) => x * 2;
export const load = async function () {};
const Anonymous = class Named {
  go() {}
};

// Old-style class
function Stack() {
  this.list = [];
}

/** Puts one on top. */
Stack.prototype.push = function (item) {
  this.list.push(item);
};
Stack.of = Stack.from = (...items) => new Stack();

const handlers = {
  LIMIT: 3,
  click() {},
  keydown: (event) => event.key,
  "focus-in": function () {},
  async *stream() {},
};

app.use(function logger(req, res, next) {
  requests += 1;
  next();
});

module.exports = function createShop(options) {
  return function close() {
    fs.closeSync(options.fd);
  };
};
module.exports.VERSION = "1.0";
exports.fallback = fallback;
exports.mount = (root) => {
  join(root, "x");
};
