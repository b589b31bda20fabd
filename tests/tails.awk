# SPDX-License-Identifier: GPL-2.0-only
# Is a quantile of the first file's numbers longer than that of the second's, beyond chance? Both are
# sorted, a number a line, in seconds. Ends with 0 if one of the 95th and 99th is: its exact lower
# bound in the first is above its exact upper one in the second, by 20 ms and a fifth at least (the
# limits of keepalivediagnose). The bounds are those of order statistics (binomial).
#   awk -v looks=8 -f tails.awk KEPT CLOSED
# Whoever looks so many times, at two quantiles, with two bounds each, has as many chances to be wrong.
# Each bound errs with such a share of 2.5 % that all together are right at 97.5 % (Bonferroni).

# The least k such that of n, each with chance p, no more than k are there with at least this chance.
function least(n, p, chance,    k, term, sum) {
	term = exp(n * log(1 - p))
	sum = term
	for (k = 0; k < n && sum < chance; k++) {
		term *= (n - k) / (k + 1) * p / (1 - p)
		sum += term
	}
	return k
}

# By what lies above the quantile, which is few: (1 - q) ^ n is too small for a number soon.
function is_longer(q, wrong,    low, high) {
	low = n - least(n, 1 - q, 1 - wrong)
	high = m - least(m, 1 - q, wrong) + 1
	return low >= 1 && high <= m && first[low] > 1.2 * second[high] &&
		first[low] > second[high] + 0.02
}

FILENAME == ARGV[1] { first[++n] = $1; next }
{ second[++m] = $1 }
END {
	wrong = 0.025 / (looks * 2 * 2)
	exit !(is_longer(0.95, wrong) || is_longer(0.99, wrong))
}
