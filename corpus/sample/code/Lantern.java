package example.kestrelbay;

import java.time.Duration;
import java.util.Objects;

/** A lantern that flashes with the pattern of its lighthouse. Immutable. */
public final class Lantern {
    private final String name;
    private final Duration period;

    public Lantern(String name, Duration period) {
        this.name = Objects.requireNonNull(name);
        if (period.isZero() || period.isNegative()) {
            throw new IllegalArgumentException("period must be positive: " + period);
        }
        this.period = period;
    }

    public boolean isLitAt(Duration sinceStart) {
        long phase = sinceStart.toMillis() % period.toMillis();
        return phase * 2 < period.toMillis();
    }

    @Override
    public String toString() {
        return name + " every " + period.toSeconds() + " s";
    }
}
