# frozen_string_literal: true

# Prints the days on which the ferry cannot run because the tide is too low.
Tide = Struct.new(:day, :low_m) do
  def too_low?(limit_m)
    low_m < limit_m
  end
end

tides = DATA.each_line.map do |line|
  day, low = line.split
  Tide.new(day, low.to_f)
end

tides.select { |tide| tide.too_low?(0.4) }.each do |tide|
  puts "#{tide.day}: no ferry (#{tide.low_m} m)"
end

__END__
monday 0.62
tuesday 0.38
wednesday 0.31
thursday 0.44
