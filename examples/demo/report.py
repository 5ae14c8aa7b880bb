import csv
from collections import defaultdict

total = defaultdict(float)
with open("sales.csv", newline="") as file:
    for row in csv.DictReader(file):
        total[row["region"]] += int(row["units"]) * float(row["price"])

for region, amount in sorted(total.items(), key=lambda item: -item[1]):
    print(f"{region:6} {amount:9.2f}")
print(f"{'all':6} {sum(total.values()):9.2f}")
