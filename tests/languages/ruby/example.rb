# frozen_string_literal: true

require "set"

# How many.
MAX_ITEMS = 100
FIRST, SECOND = 1, 2
$counter = 0
local = 1

# Things for sale.
module Shop
  Error = Class.new(StandardError)
  Point = Struct.new(:x, :y) do
    def length = Math.hypot(x, y)
  end

  class Base; end

  # A cart.
  class Cart < Base
    include Enumerable
    LIMITS = { soft: 1 }.freeze
    @@made = 0

    attr_reader :items, :owner
    attr_accessor "name"
    mattr_accessor :registry
    delegate :size, :empty?, to: :items
    scope :recent, -> { where(:new) }
    alias_method :old_total, :total
    alias length size

    # Builds it.
    def initialize(items = [])
      @items = items
      count = 1
    end

    def total
      items.sum do |item|
        item.price
      end
    end

    def self.build(*args, **options, &block)
      new(*args)
    end

    class << self
      def load(path)
        helper = ->(x) { x }
        helper.call(path)
      end

      private

      def secret; end
    end

    def empty? = items.empty?
    def name=(value)
      @name = value
    end
    def [](index) = items[index]
    def <=>(other)
      total <=> other.total
    end
    def +(other) = nil
    def !; false; end

    define_method(:double) { total * 2 }
    define_method("triple") do |x|
      total * 3
    end

    define_method("#{name}_twice") { @@made = 1 }

    private def hidden; end
    private_constant :LIMITS

    Row = Data.define(:left)
  end
end

class Shop::Cart::Extra < Struct.new(:a)
  def run; end
end

Shop::DEFAULT = Shop::Cart.new

def Shop.open
end

def top_level(a, b:)
  def nested; end
end

HANDLER = ->(event) { event }
BUILDER = lambda do |x|
  x
end

module Concern
  extend ActiveSupport::Concern
  included do
    attr_writer :flag
  end

  class_methods do
    def find_it; end
  end
end

describe "cart" do
  let(:cart) { Shop::Cart.new }
  it("adds") { expect(cart) }
end

task :build do
  sh "make"
end

task deploy: :build do
end

# Adds up.
sig { params(x: Integer).returns(Integer) }
def typed(x) = x
