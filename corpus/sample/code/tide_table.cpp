// Reads "HH:MM height" lines and prints the highest tide of the day.
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

struct Tide {
    std::string time;
    double height_m;
};

static std::optional<Tide> parse_line(const std::string &line)
{
    std::istringstream in(line);
    Tide tide;
    if (in >> tide.time >> tide.height_m)
        return tide;
    return std::nullopt;
}

int main()
{
    std::optional<Tide> highest;
    for (std::string line; std::getline(std::cin, line);)
        if (auto tide = parse_line(line); tide && (!highest || tide->height_m > highest->height_m))
            highest = tide;
    if (!highest) {
        std::cerr << "no tide found\n";
        return 1;
    }
    std::cout << highest->time << ' ' << highest->height_m << " m\n";
}
