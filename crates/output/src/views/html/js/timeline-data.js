/* The timeline's part of the data, in columns that are quick to search. */

/** How a call ended, or that it is none but the time between two. */
const [FAILED, NEVER, BETWEEN] = [1, 2, 3];

/** Flat lists of differences as columns. */
function columns(flat, scale) {
  const n = flat.length / 5;
  const at = new Float64Array(n);
  const rest = [1, 2, 3, 4].map(() => new Float64Array(n));
  let last = 0;
  for (let i = 0; i < n; i += 1) {
    last += flat[5 * i];
    at[i] = last * scale;
    for (let k = 0; k < 4; k += 1) rest[k][i] = flat[5 * i + 1 + k];
  }
  return [at, ...rest];
}

/** The first place in a sorted list that is greater than `value`. */
function after(list, value) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readLane(data, width) {
  const [binAt, binCalls, binErrors, binBusy, binCall] = columns(data.bins, width);
  const [at, took, call, end, text] = columns(data.slices, 1);
  const [state, binState] = [readStates(data.states, 6), readStates(data.bin_states, 8)];
  // The part of each bin's time that is known, in 255ths.
  const binKnown = Float64Array.from(binAt, (_, i) => parseInt(data.bin_states.slice(8 * i, 8 * i + 2), 16) || 0);
  return { ...data, state, binState, binKnown, binAt, binCalls, binErrors, binBusy, binCall, at, took, call, end, text };
}

/** Whether a call or a bin belongs to a finding: a bit for each. */
function isMarked(marks, i, finding) {
  return finding === null || ((marks[i] ?? 0) >> finding) & 1;
}
