#!/usr/bin/env lua
-- Carts in Lua.
local json = require("json")

--- How many.
local MAX_ITEMS = 100
local first, second = 1, 2
counter = 0

---@class Cart
---@field items table
local Cart = {}
Cart.__index = Cart

Cart.limit = 3

--- Builds it.
-- @param items the items
function Cart.new(items)
  local self = setmetatable({}, Cart)
  self.items = items
  local helper = function(x) return x end
  local function inner(x)
    return x
  end
  return self
end

function Cart:total()
  return #self.items
end

function Cart.sub.deep:run() end

local function helper(a, ...)
  return a
end

function top_level() end

local arrow = function(x)
  return x
end

Cart.render = function(self)
  return ""
end

M["key"] = function() end

handler = function() end

--[[ A block
comment ]]
local M = {
  version = "1",
  -- Runs.
  run = function(self)
    return nil
  end,
  ["quoted"] = function() end,
  nested = {
    deep = function() end,
  },
}

if jit then
  function conditional() end
end

return {
  setup = function(opts)
    local inside = 1
  end,
}
