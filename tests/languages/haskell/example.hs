{-# LANGUAGE GADTs #-}
-- | Carts in Haskell.
module Shop.Cart (Cart (..), total) where

import Data.List (sort)
import qualified Data.Map as Map

infixr 5 +++

-- | How many.
maxItems :: Int
maxItems = 100

-- | A cart
-- of items.
data Cart a = Cart
  { items :: [a]
  , owner, friend :: String
  }
  | Empty
  deriving (Show, Eq)

newtype Wrapper a = Wrapper { unwrap :: a } deriving (Eq)

data Color = Red | Green Int | Blue

type Name = String
type family Elem c
type instance Elem [e] = e
data family XList a

data Expr a where
  Lit :: Int -> Expr Int
  Add :: Expr Int -> Expr Int -> Expr Int

-- | Has a price.
class Eq a => Priced a where
  type Currency a
  -- | The price.
  price :: a -> Int
  price _ = 0
  label, title :: a -> String
  {-# MINIMAL price #-}

instance Priced Int where
  price n = n
  label = show
  (<=>) = compare

instance (Show a) => Show (Wrapper a) where
  show (Wrapper a) = show a

deriving instance Ord Color

-- | Sums up.
total :: Num a => Cart a -> a
total Empty = 0
total (Cart xs _ _) = go xs
  where
    go :: [a] -> a
    go [] = 0
    go (y:ys) = y + go ys
    local = 3

(+++) :: [a] -> [a] -> [a]
xs +++ ys = xs ++ ys

(<$$>) :: (a -> b) -> [a] -> [b]
(<$$>) = map

x |> f = f x

guarded :: Int -> Bool
guarded n
  | n > 3 = True
  | otherwise = let inner = 2 in inner > n

foreign import ccall "math.h sin" c_sin :: Double -> Double

pattern Pair :: a -> b -> (a, b)
pattern Pair x y = (x, y)

(first, second) = (1, 2)

main :: IO ()
main = do
  let a = 1
  print a

pointfree :: forall a. Show a => [a] -> String
pointfree = concatMap show

instance Priced [a] where
  price = length

instance Monoid b => Priced (Map.Map k b) where
  {-# INLINE price #-}
  price _ = 1

data Op = Int :+: Int | forall a. Show a => Some a

splitAt' :: Int -> Int
-- A comment between.
splitAt' n = n

nested :: Int -> Int
nested a = a `plus` 1
  where
    x `plus` y = x + y
