"""One program a language, as a model would write it: it reads numbers from its input, computes, keeps a file
in its directory, reads it back, prints, says something on stderr and exits with 3. And one that fails by
itself, with what its runtime then says."""

GOOD = {
    "python": """
import json, sys, statistics, tempfile, os
numbers = [float(line) for line in sys.stdin]
with open("kept.json", "w") as file:
    json.dump({"mean": statistics.mean(numbers), "n": len(numbers)}, file)
kept = json.load(open("kept.json"))
assert os.path.dirname(tempfile.mkstemp()[1]) == "/tmp"
print(f"n={kept['n']} mean={kept['mean']:.2f}")
print("done", file=sys.stderr)
sys.exit(3)
""",
    "javascript": """
const fs = require("fs");
const numbers = fs.readFileSync(0, "utf8").trim().split("\\n").map(Number);
const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
fs.writeFileSync("kept.json", JSON.stringify({ mean, n: numbers.length }));
const kept = JSON.parse(fs.readFileSync("kept.json"));
console.log(`n=${kept.n} mean=${kept.mean.toFixed(2)}`);
console.error("done");
process.exitCode = 3;
""",
    "bash": """
sum=0 n=0
while read -r number; do sum=$((sum + number)); n=$((n + 1)); done
echo "$sum $n" > kept
read -r sum n < kept
printf 'n=%d mean=%d.%02d\\n' "$n" $((sum / n)) $((sum * 100 / n % 100))
echo done >&2
exit 3
""",
    "perl": """
use strict; use warnings; use List::Util qw(sum);
my @numbers = map { chomp; $_ } <STDIN>;
open(my $out, ">", "kept") or die $!; print $out sum(@numbers) / @numbers; close $out;
open(my $in, "<", "kept") or die $!; my $mean = <$in>; close $in;
printf "n=%d mean=%.2f\\n", scalar(@numbers), $mean;
print STDERR "done\\n";
exit 3;
""",
    "ruby": """
require "json"
numbers = STDIN.each_line.map(&:to_f)
File.write("kept.json", JSON.dump({ mean: numbers.sum / numbers.size, n: numbers.size }))
kept = JSON.parse(File.read("kept.json"))
puts format("n=%d mean=%.2f", kept["n"], kept["mean"])
warn "done"
exit 3
""",
    "r": """
numbers <- as.numeric(readLines(file("stdin")))
write.csv(data.frame(mean = mean(numbers), n = length(numbers)), "kept.csv")
kept <- read.csv("kept.csv")
cat(sprintf("n=%d mean=%.2f\\n", kept$n, kept$mean))
message("done")
quit(status = 3)
""",
    "lua": """
local sum, n = 0, 0
for line in io.lines() do sum = sum + tonumber(line); n = n + 1 end
local out = assert(io.open("kept", "w")); out:write(sum / n); out:close()
local mean = assert(io.open("kept")):read("n")
print(string.format("n=%d mean=%.2f", n, mean))
io.stderr:write("done\\n")
os.exit(3)
""",
    "php": """<?php
$numbers = array_map('floatval', file('php://stdin'));
file_put_contents('kept.json', json_encode(['mean' => array_sum($numbers) / count($numbers), 'n' => count($numbers)]));
$kept = json_decode(file_get_contents('kept.json'), true);
printf("n=%d mean=%.2f\\n", $kept['n'], $kept['mean']);
fwrite(STDERR, "done\\n");
exit(3);
""",
    "c": """
#include <math.h>
#include <stdio.h>
int main(void)
{
    double number, sum = 0;
    int n = 0;
    while (scanf("%lf", &number) == 1) { sum += number; n++; }
    FILE *kept = fopen("kept", "w+");
    fprintf(kept, "%.17g", sum / n);
    rewind(kept);
    if (fscanf(kept, "%lf", &number) != 1) return 1;
    printf("n=%d mean=%.2f\\n", n, sqrt(number * number));
    fputs("done\\n", stderr);
    return 3;
}
""",
    "cpp": """
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <numeric>
#include <vector>
int main()
{
    std::vector<double> numbers{std::istream_iterator<double>(std::cin), {}};
    std::ofstream("kept") << std::setprecision(17)
                          << std::accumulate(numbers.begin(), numbers.end(), 0.0) / numbers.size();
    double mean;
    std::ifstream("kept") >> mean;
    std::cout << "n=" << numbers.size() << " mean=" << std::fixed << std::setprecision(2) << mean << "\\n";
    std::cerr << "done\\n";
    return 3;
}
""",
    "go": """
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
)

func main() {
	sum, n := 0.0, 0
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		number, _ := strconv.ParseFloat(lines.Text(), 64)
		sum, n = sum+number, n+1
	}
	os.WriteFile("kept", []byte(strconv.FormatFloat(sum/float64(n), 'g', -1, 64)), 0o644)
	kept, _ := os.ReadFile("kept")
	mean, _ := strconv.ParseFloat(string(kept), 64)
	fmt.Printf("n=%d mean=%.2f\\n", n, mean)
	fmt.Fprintln(os.Stderr, "done")
	os.Exit(3)
}
""",
    "rust": """
use std::io::{self, BufRead};
fn main() -> io::Result<()> {
    let numbers: Vec<f64> = io::stdin().lock().lines().map(|line| line.unwrap().parse().unwrap()).collect();
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    std::fs::write("kept", mean.to_string())?;
    let kept: f64 = std::fs::read_to_string("kept")?.parse().unwrap();
    println!("n={} mean={:.2}", numbers.len(), kept);
    eprintln!("done");
    std::process::exit(3);
}
""",
    "java": """
import java.nio.file.*;
import java.util.*;
public class Main {
    public static void main(String[] args) throws Exception {
        List<Double> numbers = new ArrayList<>();
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) numbers.add(Double.parseDouble(in.nextLine()));
        double mean = numbers.stream().mapToDouble(x -> x).average().orElseThrow();
        Files.writeString(Path.of("kept"), Double.toString(mean));
        double kept = Double.parseDouble(Files.readString(Path.of("kept")));
        System.out.println(String.format(Locale.ROOT, "n=%d mean=%.2f", numbers.size(), kept));
        System.err.println("done");
        System.exit(3);
    }
}
""",
}

# A program that does not hold, and a word that its runtime or compiler says of it.
BAD = {
    "python": ("raise ValueError('no such luck')", "ValueError: no such luck"),
    "javascript": ("throw new Error('no such luck')", "Error: no such luck"),
    "bash": ("nosuchcommand", "nosuchcommand: command not found"),
    "perl": ("die 'no such luck'", "no such luck at"),
    "ruby": ("raise 'no such luck'", "no such luck (RuntimeError)"),
    "r": ("stop('no such luck')", "no such luck"),
    "lua": ("error('no such luck')", "no such luck"),
    "php": ("<?php throw new Exception('no such luck');", "no such luck"),
    "c": ("int main(void) { return undeclared; }", "undeclared"),
    "cpp": ("int main() { return undeclared; }", "undeclared"),
    "go": ("package main\nfunc main() { undeclared() }", "undeclared"),
    "rust": ("fn main() { undeclared(); }", "undeclared"),
    "java": ("public class Main { int x = undeclared; }", "cannot find symbol"),
}

COMPILED = ("c", "cpp", "go", "rust", "java")
