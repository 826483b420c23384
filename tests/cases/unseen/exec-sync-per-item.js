// case: a build script starts a shell with basename(1) for each of 120 files
// first: sh|basename
// first: process|child|program|started
// useful: basename|child|process|sh
// saves: time
const { execSync } = require('child_process');
const path = require('path');
const corrected = process.argv[2] === 'corrected';
const names = [];
for (let i = 0; i < 120; i++) {
	const file = `/some/directory/file${i}.txt`;
	names.push(corrected ? path.basename(file) : execSync(`basename ${file}`).toString().trim());
}
console.log(names.length);
