/* What is at a point of the timeline, and what is told of it. */

/** What is at a point of the lanes: a lane, and in it a call, a bin or a loss. */
function spotAt(view, x, y) {
  const lane = view.rows[Math.floor((y - 1 + view.scroller.scrollTop) / LANE)];
  if (!lane || x < view.gutter) return lane ? { lane } : null;
  for (let i = 0; i < lane.lost.length; i += 2) {
    if (Math.abs(view.x(lane.lost[i]) - x) < 4) return { lane, lost: i };
  }
  const [early, late] = [view.at(x - 2), view.at(x + 2)];
  let best = null;
  for (let i = after(lane.at, late) - 1; i >= 0 && i > after(lane.at, late) - 200; i -= 1) {
    // (The time between calls is shown with the states only.)
    const shown = lane.end[i] !== BETWEEN || view.byState;
    if (shown && lane.at[i] + lane.took[i] >= early && (best === null || lane.took[i] > lane.took[best])) best = i;
    if (lane.at[i] + lane.took[i] < early) break;
  }
  const here = view.at(x);
  const bin = after(lane.binAt, here) - 1;
  const filled = lane.binCalls[bin] || lane.binBusy[bin] || view.byState;
  const inBin = bin >= 0 && filled && here < lane.binAt[bin] + Math.max(view.width, late - early);
  const covers = best !== null && lane.at[best] <= here && lane.at[best] + lane.took[best] >= here;
  if (best !== null && (covers || !inBin)) return { lane, slice: best };
  return inBin ? { lane, bin } : { lane };
}

/** The states in a call that has no text about its waits. */
function statesText(lane, slice) {
  const shares = run.timeline.measured && lane.took[slice] ? sharesOf(lane.state, slice) : undefined;
  if (shares === undefined) return "";
  return shares ? sharesText(shares) : "waits not measured";
}

/** Lines of text about it: what, and facts. */
function describe(view, { lane, slice, bin, lost }) {
  const who = `${lane.name || "?"} ${lane.tid}`.trim();
  if (lost !== undefined) {
    const facts = [`found at ${moment(lane.lost[lost])}`, who];
    return { family: "other", text: `${count(lane.lost[lost + 1], "call was", "calls were")} lost before this point`, facts };
  }
  if (slice !== undefined) {
    const text = run.texts[lane.text[slice]];
    const name = callName(lane.call[slice]);
    const end = ["", "failed", "never returned"][lane.end[slice]];
    // (No call takes 0 ns.)
    const took = lane.took[slice] ? `took ${duration(lane.took[slice])}` : "its entry was not seen";
    const waits = run.texts[lane.waits[slice]] || statesText(lane, slice);
    const rest = [waits, `at ${moment(lane.at[slice])}`, who, end];
    if (lane.end[slice] === BETWEEN) {
      return { family: "other", text: "Between two calls", facts: [duration(lane.took[slice]), ...rest].filter(Boolean) };
    }
    const facts = [took, ...rest].filter(Boolean);
    return { name, family: callFamily(lane.call[slice]), text: text || `${name}(…)`, facts };
  }
  if (bin !== undefined) {
    const facts = [`from ${moment(lane.binAt[bin])}`, `within ${duration(view.width)}`];
    if (!lane.others) facts.push(`${duration((lane.binBusy[bin] / 255) * view.width)} of it spent working in calls`);
    const shares = sharesOf(lane.binState, bin);
    if (shares) facts.push(`known for ${duration((lane.binKnown[bin] / 255) * view.width)}: ${sharesText(shares)}`);
    facts.push(who);
    if (lane.binErrors[bin]) facts.push(`${grouped(lane.binErrors[bin])} failed`);
    const name = callName(lane.binCall[bin]);
    const calls = count(lane.binCalls[bin], "call", "calls");
    const late = lane.binBusy[bin] ? `${name}, which began earlier` : "No call began";
    const text = lane.others ? calls : lane.binCalls[bin] ? `${calls}, mostly ${name}` : late;
    return { name, family: callFamily(lane.binCall[bin]), text, facts };
  }
  const process = run.processes.rows[lane.process];
  if (lane.others) return { family: "other", text: `${lane.name} threads, together`, facts: [] };
  return {
    family: "other",
    text: process?.command || who,
    facts: [who, count(lane.calls, "call", "calls"), `${duration(lane.busy)} in calls, ${duration(lane.waiting)} of it waiting`],
  };
}
