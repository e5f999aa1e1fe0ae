module Levenshtein (distance) where

-- | Edit distance of two words, one row of the table at a time.
distance :: String -> String -> Int
distance a b = last (foldl nextRow [0 .. length b] a)
  where
    nextRow row@(first : _) x = scanl step (first + 1) (zip3 b row (tail row))
      where
        step left (y, diagonal, above) =
          minimum [left + 1, above + 1, diagonal + if x == y then 0 else 1]
    nextRow [] _ = []

-- >>> distance "harbour" "harbor"
-- 1
