// case: a job queue writes its whole state aside and renames it over the old state after each item
// first: state.json
// first: rename|rewritten|replaced|written|whole
// useful: state.json
// saves: calls
const fs = require('fs');
const corrected = process.argv[2] === 'corrected';
const state = { done: [] };
function save() {
	fs.writeFileSync('state.json.tmp', JSON.stringify(state));
	fs.renameSync('state.json.tmp', 'state.json');
}
for (let i = 0; i < 800; i++) {
	state.done.push({ item: i, result: 'ok'.repeat(20) });
	if (!corrected) save();
}
if (corrected) save();
