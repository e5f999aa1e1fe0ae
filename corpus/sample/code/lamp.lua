-- The lamp's timer: three flashes, a pause, and again until sunrise.
local lamp = { flashes = 3, on_s = 0.4, off_s = 0.6, pause_s = 6 }

function lamp:is_on(t)
  local cycle = self.flashes * (self.on_s + self.off_s) + self.pause_s
  local phase = t % cycle
  for i = 1, self.flashes do
    local start = (i - 1) * (self.on_s + self.off_s)
    if phase >= start and phase < start + self.on_s then
      return true
    end
  end
  return false
end

return lamp
